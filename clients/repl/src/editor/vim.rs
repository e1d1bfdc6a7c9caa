//! Keys of vi: letters that move and change while nothing is inserted.
//!
//! What is here decides; [`Buffer`] does it. `h j k l w b e W B E 0 ^ $ gg G f F t T ; ,` move, with
//! counts; `d c y` take any of them, or a word or a pair as an object (`iw`, `a"`, `i(`); `x X D C S s
//! r ~ J p P u . i a I A o O` are as in vi. Enter sends in both modes, `j` and `k` walk through the
//! history at the edge, and `/` searches it.

mod motion;
mod object;

use std::ops::Range;

use super::buffer::Buffer;
use super::keys::Action;
use motion::{Find, Motion, Reach};

/// More of a count is a slip.
const MOST: usize = 9_999;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum VimMode {
    /// Letters are written, as they are without vi.
    #[default]
    Insert,
    /// Letters move and change.
    Normal,
}

/// The state of the keys. Nobody has it who does not want it.
#[derive(Debug, Default)]
pub(crate) struct Vim {
    pub mode: VimMode,
    count: Option<usize>,
    waits: Waits,
    operator: Option<(Operator, usize)>,
    found: Option<Find>,
    register: Register,
    /// The keys of the last change, and what was written then, for `.`.
    last: Vec<char>,
    typed: Vec<char>,
    repeating: bool,
}

/// What the next letter is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Waits {
    #[default]
    Command,
    /// After `g`.
    G,
    /// After `r`.
    Replace,
    /// After `f`, `F`, `t`, `T`.
    Find(char),
    /// After `i` or `a` behind an operator.
    Object(char),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Yank,
}

impl Operator {
    fn key(self) -> &'static str {
        match self {
            Operator::Delete => "d",
            Operator::Change => "c",
            Operator::Yank => "y",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Register {
    text: String,
    whole_lines: bool,
}

/// What is left for the editor.
#[derive(Debug, PartialEq)]
pub(crate) enum Vimmed {
    Done,
    Edited,
    /// A key that others know, too.
    Act(Action),
}

impl Vim {
    /// Escape: out of writing, or out of a command that is half said. False when there is nothing to
    /// leave.
    pub fn escape(&mut self, buffer: &mut Buffer) -> bool {
        if self.mode == VimMode::Insert {
            self.mode = VimMode::Normal;
            buffer.end_step();
            let at_start = motion::line_start(buffer.text(), buffer.caret()) == buffer.caret();
            if !at_start {
                buffer.move_left();
            }
            return true;
        }
        let half = self.operator.is_some() || self.count.is_some() || self.waits != Waits::Command;
        self.forget();
        half
    }

    /// The text is sent or another one: the next is written from its beginning.
    pub fn begin(&mut self) {
        self.forget();
        self.mode = VimMode::Insert;
    }

    fn forget(&mut self) {
        self.count = None;
        self.operator = None;
        self.waits = Waits::Command;
    }

    /// Something is written: `.` writes it again.
    pub fn note_typed(&mut self, letter: char) {
        if !self.repeating {
            self.typed.push(letter);
        }
    }

    /// A letter while nothing is inserted.
    pub fn key(&mut self, letter: char, buffer: &mut Buffer) -> Vimmed {
        // A mouse, or a text from the history, may have left it behind the last letter.
        stay_on_text(buffer);
        let outcome = match self.waits {
            Waits::Command => self.command(letter, buffer),
            Waits::G => {
                self.waits = Waits::Command;
                match letter {
                    'g' => self.moves(Motion::First, buffer),
                    _ => self.nothing(),
                }
            }
            Waits::Replace => {
                self.waits = Waits::Command;
                self.replace(letter, buffer)
            }
            Waits::Find(kind) => {
                self.waits = Waits::Command;
                let find = Find::new(kind, letter);
                self.found = Some(find);
                self.moves(Motion::Find(find), buffer)
            }
            Waits::Object(kind) => {
                self.waits = Waits::Command;
                match object::range(buffer.text(), buffer.caret(), kind, letter) {
                    Some(range) => {
                        self.note_change(&format!("{kind}{letter}"));
                        self.operate(range, false, buffer)
                    }
                    None => self.nothing(),
                }
            }
        };
        if self.mode == VimMode::Normal && outcome != Vimmed::Done {
            stay_on_text(buffer);
        }
        outcome
    }

    fn nothing(&mut self) -> Vimmed {
        self.forget();
        Vimmed::Done
    }

    fn times(&mut self) -> usize {
        self.count.take().unwrap_or(1)
    }

    fn command(&mut self, letter: char, buffer: &mut Buffer) -> Vimmed {
        match letter {
            '1'..='9' => self.digit(letter),
            '0' if self.count.is_some() => self.digit(letter),
            'i' | 'a' if self.operator.is_some() => self.wait(Waits::Object(letter)),
            'f' | 'F' | 't' | 'T' => self.wait(Waits::Find(letter)),
            'g' => self.wait(Waits::G),
            'd' => self.operator(Operator::Delete, letter, buffer),
            'c' => self.operator(Operator::Change, letter, buffer),
            'y' => self.operator(Operator::Yank, letter, buffer),
            ';' | ',' => match self.found {
                Some(find) => {
                    let find = if letter == ',' { find.turned() } else { find };
                    self.moves(Motion::Find(find), buffer)
                }
                None => self.nothing(),
            },
            'j' | 'k' if self.operator.is_none() => {
                self.count = None;
                Vimmed::Act(if letter == 'j' { Action::Down } else { Action::Up })
            }
            _ => match Motion::of(letter) {
                Some(motion) => self.moves(motion, buffer),
                None if self.operator.is_some() => self.nothing(),
                None => self.act(letter, buffer),
            },
        }
    }

    fn digit(&mut self, digit: char) -> Vimmed {
        let digit = digit.to_digit(10).unwrap_or_default() as usize;
        let count = self.count.unwrap_or_default().saturating_mul(10).saturating_add(digit);
        self.count = Some(count.min(MOST));
        Vimmed::Done
    }

    fn wait(&mut self, waits: Waits) -> Vimmed {
        self.waits = waits;
        Vimmed::Done
    }

    /// `d`, and again for whole lines.
    fn operator(&mut self, operator: Operator, letter: char, buffer: &mut Buffer) -> Vimmed {
        match self.operator {
            Some((same, _)) if same == operator => self.moves(Motion::Lines, buffer),
            Some(_) => self.nothing(),
            None => {
                self.begin_change(letter);
                let count = self.times();
                self.operator = Some((operator, count));
                Vimmed::Done
            }
        }
    }

    fn moves(&mut self, motion: Motion, buffer: &mut Buffer) -> Vimmed {
        let given = self.count;
        let times = self.times();
        let Some((operator, before)) = self.operator else {
            let times = if motion == Motion::Last { given.unwrap_or(0) } else { times };
            match motion.to(buffer.text(), buffer.caret(), times) {
                Some(to) => buffer.set_caret(to),
                None => return Vimmed::Done,
            }
            return Vimmed::Edited;
        };
        let times = before.saturating_mul(times).min(MOST);
        match taken(operator, motion, times, buffer) {
            Some((range, reach)) => {
                let digits = if times > 1 { times.to_string() } else { String::new() };
                let key = motion.key().unwrap_or(operator.key());
                self.note_change(&format!("{digits}{key}"));
                self.operate(range, reach == Reach::Lines, buffer)
            }
            None => self.nothing(),
        }
    }

    /// Carries the waiting operator out.
    fn operate(&mut self, range: Range<usize>, whole_lines: bool, buffer: &mut Buffer) -> Vimmed {
        let Some((operator, _)) = self.operator.take() else { return self.nothing() };
        let text = buffer.text()[range.clone()].to_owned();
        self.register = Register { text, whole_lines };
        match operator {
            Operator::Yank => {
                buffer.set_caret(range.start);
                Vimmed::Edited
            }
            Operator::Delete => {
                let range =
                    if whole_lines { motion::with_break(buffer.text(), range) } else { range };
                buffer.replace(range.clone(), "");
                buffer.set_caret(range.start.min(buffer.text().len()));
                if whole_lines {
                    buffer.move_line_start();
                }
                Vimmed::Edited
            }
            Operator::Change => {
                buffer.replace(range, "");
                self.insert()
            }
        }
    }

    fn insert(&mut self) -> Vimmed {
        self.forget();
        self.mode = VimMode::Insert;
        // What `.` writes again is needed for the time after.
        if !self.repeating {
            self.typed.clear();
        }
        Vimmed::Edited
    }

    /// Letters that are a command by themselves.
    fn act(&mut self, letter: char, buffer: &mut Buffer) -> Vimmed {
        let synonym: Option<&[char]> = match letter {
            'x' => Some(&['d', 'l']),
            'X' => Some(&['d', 'h']),
            'D' => Some(&['d', '$']),
            'C' => Some(&['c', '$']),
            's' => Some(&['c', 'l']),
            'S' => Some(&['c', 'c']),
            'Y' => Some(&['y', 'y']),
            _ => None,
        };
        if let Some(keys) = synonym {
            let mut outcome = Vimmed::Done;
            for key in keys {
                outcome = self.command(*key, buffer);
            }
            if outcome == Vimmed::Done {
                self.forget();
            }
            return outcome;
        }
        match letter {
            'i' | 'a' | 'I' | 'A' | 'o' | 'O' => self.begin_insert(letter, buffer),
            'r' => self.wait(Waits::Replace),
            '~' | 'J' | 'p' | 'P' => self.change(letter, buffer),
            '.' => self.repeat(buffer),
            'u' => {
                for _ in 0..self.times() {
                    buffer.undo();
                }
                Vimmed::Edited
            }
            '/' => Vimmed::Act(Action::Search),
            _ => self.nothing(),
        }
    }

    fn begin_insert(&mut self, letter: char, buffer: &mut Buffer) -> Vimmed {
        self.begin_change(letter);
        match letter {
            'a' if !at_line_end(buffer) => buffer.move_right(),
            'A' => buffer.move_line_end(),
            'I' => buffer.set_caret(motion::first_word(buffer.text(), buffer.caret())),
            'o' => {
                buffer.move_line_end();
                buffer.insert("\n");
            }
            'O' => {
                buffer.move_line_start();
                let at = buffer.caret();
                buffer.insert("\n");
                buffer.set_caret(at);
            }
            _ => {}
        }
        self.insert()
    }

    fn change(&mut self, letter: char, buffer: &mut Buffer) -> Vimmed {
        self.begin_change(letter);
        for _ in 0..self.times() {
            match letter {
                '~' => {
                    let Some(next) = buffer.text()[buffer.caret()..].chars().next() else { break };
                    let turned: String = match next.is_uppercase() {
                        true => next.to_lowercase().collect(),
                        false => next.to_uppercase().collect(),
                    };
                    let at = buffer.caret();
                    if next != '\n' {
                        buffer.replace(at..at + next.len_utf8(), &turned);
                    }
                }
                'J' => {
                    buffer.move_line_end();
                    let end = buffer.caret();
                    let rest = &buffer.text()[end..];
                    let next = rest.strip_prefix('\n').map(str::trim_start);
                    let Some(blank) = next.map(|next| rest.len() - next.len()) else { break };
                    buffer.replace(end..end + blank, " ");
                    buffer.set_caret(end);
                }
                _ => self.put(letter == 'P', buffer),
            }
        }
        Vimmed::Edited
    }

    fn put(&self, before: bool, buffer: &mut Buffer) {
        let Register { text, whole_lines } = &self.register;
        if text.is_empty() {
            return;
        }
        match (whole_lines, before) {
            (true, true) => {
                buffer.move_line_start();
                let at = buffer.caret();
                buffer.insert(&format!("{text}\n"));
                buffer.set_caret(at);
            }
            (true, false) => {
                buffer.move_line_end();
                let at = buffer.caret();
                buffer.insert(&format!("\n{text}"));
                buffer.set_caret(at + 1);
            }
            (false, before) => {
                if !before && !at_line_end(buffer) {
                    buffer.move_right();
                }
                buffer.insert(text);
                buffer.move_left();
            }
        }
    }

    fn replace(&mut self, letter: char, buffer: &mut Buffer) -> Vimmed {
        let times = self.times();
        self.begin_change('r');
        // What is done again stays what it was: `r.` would grow, and call itself in the end.
        if !self.repeating {
            self.last.push(letter);
        }
        let text = buffer.text();
        let at = buffer.caret();
        let line = &text[at..motion::line_end(text, at)];
        let taken: String = line.chars().take(times).collect();
        if taken.chars().count() < times {
            return self.nothing();
        }
        let written: String = std::iter::repeat_n(letter, times).collect();
        buffer.replace(at..at + taken.len(), &written);
        buffer.move_left();
        Vimmed::Edited
    }

    fn begin_change(&mut self, letter: char) {
        if !self.repeating {
            self.last = vec![letter];
            self.typed.clear();
        }
    }

    /// The waiting operator is carried out on this. What is only copied is no change.
    fn note_change(&mut self, keys: &str) {
        let Some((operator, _)) = self.operator.filter(|_| !self.repeating) else { return };
        if operator != Operator::Yank {
            self.last = operator.key().chars().chain(keys.chars()).collect();
            self.typed.clear();
        }
    }

    fn repeat(&mut self, buffer: &mut Buffer) -> Vimmed {
        let (keys, typed, times) = (self.last.clone(), self.typed.clone(), self.times());
        self.repeating = true;
        for _ in 0..times.min(100) {
            for key in &keys {
                self.key(*key, buffer);
            }
            if self.mode == VimMode::Insert {
                let text: String = typed.iter().collect();
                buffer.insert(&text);
                self.escape(buffer);
            }
        }
        self.repeating = false;
        Vimmed::Edited
    }
}

/// What an operator takes. Changing a word leaves the blanks behind it.
fn taken(
    operator: Operator,
    motion: Motion,
    times: usize,
    buffer: &Buffer,
) -> Option<(Range<usize>, Reach)> {
    let (text, at) = (buffer.text(), buffer.caret());
    let on_word = text[at..].starts_with(|c: char| !c.is_whitespace());
    match (motion, times) {
        (Motion::Word | Motion::BigWord, 1) if operator == Operator::Change && on_word => {
            Some((motion::rest_of_word(text, at, motion == Motion::BigWord), Reach::Before))
        }
        (Motion::Word, _) if operator == Operator::Change && on_word => {
            Motion::WordEnd.range(text, at, times)
        }
        (Motion::BigWord, _) if operator == Operator::Change && on_word => {
            Motion::BigWordEnd.range(text, at, times)
        }
        _ => motion.range(text, at, times),
    }
}

fn at_line_end(buffer: &Buffer) -> bool {
    motion::line_end(buffer.text(), buffer.caret()) == buffer.caret()
}

/// The caret of vi stands on a letter, not behind the last one.
fn stay_on_text(buffer: &mut Buffer) {
    let start = motion::line_start(buffer.text(), buffer.caret());
    if at_line_end(buffer) && buffer.caret() > start {
        buffer.move_left();
    }
}

#[cfg(test)]
mod tests;
