//! The text being written: a string, a caret, a kill buffer and an undo list. Knows no keys and no
//! screen.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

/// Old states kept for undo, in bytes of text.
const UNDO_BYTES: usize = 4 * 1024 * 1024;
const UNDO_STEPS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Typing,
    Erasing,
    Other,
}

#[derive(Debug, Default)]
pub(crate) struct Buffer {
    text: String,
    /// A byte offset, always between graphemes.
    caret: usize,
    killed: String,
    undo: Vec<(String, usize)>,
    /// What the last change was: typing a word is one step back, not ten.
    last: Option<Kind>,
    /// The column that moving up and down keeps to.
    column: Option<usize>,
}

impl Buffer {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn caret(&self) -> usize {
        self.caret
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Replaces everything; the caret goes to the end.
    pub fn set(&mut self, text: &str) {
        self.remember(Kind::Other);
        self.text = clean(text);
        self.caret = self.text.len();
    }

    /// Takes the text out and forgets the way there.
    pub fn take(&mut self) -> String {
        self.undo.clear();
        self.last = None;
        self.column = None;
        self.caret = 0;
        std::mem::take(&mut self.text)
    }

    pub fn insert(&mut self, text: &str) {
        let typing = text.chars().count() == 1 && !text.starts_with([' ', '\n']);
        self.remember(if typing { Kind::Typing } else { Kind::Other });
        let text = clean(text);
        self.text.insert_str(self.caret, &text);
        self.caret += text.len();
    }

    /// Puts `text` in the place of `range`; a range that is not on characters is ignored.
    pub fn replace(&mut self, range: Range<usize>, text: &str) {
        if self.text.get(range.clone()).is_none() {
            return;
        }
        self.remember(Kind::Other);
        let text = clean(text);
        self.caret = range.start + text.len();
        self.text.replace_range(range, &text);
    }

    /// The nearest place before `to` that is between characters.
    pub fn set_caret(&mut self, to: usize) {
        self.go(self.text.floor_char_boundary(to));
    }

    /// What is typed from here on is a step of its own for undo.
    pub fn end_step(&mut self) {
        self.last = None;
    }

    pub fn backspace(&mut self) {
        self.erase(self.left()..self.caret, Kind::Erasing);
    }

    pub fn delete(&mut self) {
        self.erase(self.caret..self.right(), Kind::Erasing);
    }

    pub fn kill_to_line_end(&mut self) {
        let end = self.line_end();
        // At the end of a line the line break goes, as in every shell.
        self.kill(self.caret..if end == self.caret { self.right() } else { end });
    }

    pub fn kill_to_line_start(&mut self) {
        self.kill(self.line_start()..self.caret);
    }

    pub fn kill_word_left(&mut self) {
        self.kill(self.word_left()..self.caret);
    }

    /// Back to white space, as Ctrl-W does in a shell.
    pub fn kill_big_word_left(&mut self) {
        let before = &self.text[..self.caret];
        let start = before
            .trim_end()
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        self.kill(start..self.caret);
    }

    pub fn kill_word_right(&mut self) {
        self.kill(self.caret..self.word_right());
    }

    pub fn yank(&mut self) {
        if !self.killed.is_empty() {
            let killed = self.killed.clone();
            self.insert(&killed);
            self.last = None;
        }
    }

    pub fn undo(&mut self) {
        if let Some((text, caret)) = self.undo.pop() {
            self.text = text;
            self.caret = caret;
        }
        self.last = None;
        self.column = None;
    }

    pub fn move_left(&mut self) {
        self.go(self.left());
    }

    pub fn move_right(&mut self) {
        self.go(self.right());
    }

    pub fn move_word_left(&mut self) {
        self.go(self.word_left());
    }

    pub fn move_word_right(&mut self) {
        self.go(self.word_right());
    }

    pub fn move_line_start(&mut self) {
        self.go(self.line_start());
    }

    pub fn move_line_end(&mut self) {
        self.go(self.line_end());
    }

    /// False when the caret is already on the first line.
    pub fn move_up(&mut self) -> bool {
        let start = self.line_start();
        if start == 0 {
            return false;
        }
        let above = self.text[..start - 1].rfind('\n').map_or(0, |at| at + 1);
        self.go_to_column(above);
        true
    }

    /// False when the caret is already on the last line.
    pub fn move_down(&mut self) -> bool {
        let end = self.line_end();
        if end == self.text.len() {
            return false;
        }
        self.go_to_column(end + 1);
        true
    }

    fn go(&mut self, to: usize) {
        self.caret = to;
        self.column = None;
        self.last = None;
    }

    fn go_to_column(&mut self, line: usize) {
        let here = self.text[self.line_start()..self.caret].graphemes(true).count();
        let column = *self.column.get_or_insert(here);
        let rest = self.text[line..].split('\n').next().unwrap_or("");
        let offset = rest.grapheme_indices(true).nth(column).map_or(rest.len(), |(at, _)| at);
        self.caret = line + offset;
        self.last = None;
    }

    fn left(&self) -> usize {
        self.text[..self.caret].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let next = self.text[self.caret..].graphemes(true).next();
        self.caret + next.map_or(0, str::len)
    }

    fn line_start(&self) -> usize {
        self.text[..self.caret].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.caret..].find('\n').map_or(self.text.len(), |at| self.caret + at)
    }

    fn word_left(&self) -> usize {
        let before = &self.text[..self.caret];
        let word_end = before.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
        before[..word_end].trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_right(&self) -> usize {
        let after = &self.text[self.caret..];
        let word = after.trim_start_matches(|c: char| !c.is_alphanumeric());
        let rest = word.trim_start_matches(char::is_alphanumeric);
        self.text.len() - rest.len()
    }

    fn kill(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.killed = self.text[range.clone()].to_owned();
            self.erase(range, Kind::Other);
        }
    }

    fn erase(&mut self, range: Range<usize>, kind: Kind) {
        if !range.is_empty() {
            self.remember(kind);
            self.caret = range.start;
            self.text.replace_range(range, "");
        }
    }

    fn remember(&mut self, kind: Kind) {
        self.column = None;
        let joins = kind != Kind::Other && self.last == Some(kind);
        self.last = Some(kind);
        if joins {
            return;
        }
        self.undo.push((self.text.clone(), self.caret));
        let mut bytes: usize = self.undo.iter().map(|(text, _)| text.len()).sum();
        while self.undo.len() > 1 && (bytes > UNDO_BYTES || self.undo.len() > UNDO_STEPS) {
            bytes -= self.undo.remove(0).0.len();
        }
    }
}

/// Pasted text may hold anything; line ends become `\n`, other control characters go.
fn clean(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|character| if character == '\r' { '\n' } else { character })
        .filter(|character| matches!(character, '\n' | '\t') || !character.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` marks the caret.
    fn check(before: &str, act: impl FnOnce(&mut Buffer), after: &str) {
        let mut buffer = Buffer::default();
        let caret = before.find('|').expect("the caret is marked");
        buffer.text = before.replace('|', "");
        buffer.caret = caret;
        act(&mut buffer);
        let mut shown = buffer.text.clone();
        shown.insert(buffer.caret, '|');
        assert_eq!(shown, after, "from {before:?}");
    }

    #[test]
    fn moves_by_grapheme() {
        check("a👨‍👩‍👧|b", Buffer::move_left, "a|👨‍👩‍👧b");
        check("a|👨‍👩‍👧b", Buffer::move_right, "a👨‍👩‍👧|b");
        check("e\u{301}|", Buffer::backspace, "|");
        check("|", Buffer::backspace, "|");
        check("ab|", Buffer::delete, "ab|");
    }

    #[test]
    fn moves_by_word_and_line() {
        check("one two|", Buffer::move_word_left, "one |two");
        check("one |two", Buffer::move_word_left, "|one two");
        check("|one two", Buffer::move_word_right, "one| two");
        check("a\nbc|d\ne", Buffer::move_line_start, "a\n|bcd\ne");
        check("a\nb|cd\ne", Buffer::move_line_end, "a\nbcd|\ne");
        check("abc\nd|", |b| assert!(b.move_up()), "a|bc\nd");
        check("ab|c\nd", |b| assert!(b.move_down()), "abc\nd|");
        check("a|bc", |b| assert!(!b.move_up() && !b.move_down()), "a|bc");
    }

    #[test]
    fn up_and_down_keep_the_column() {
        check("abcd|\nx\nabcd", |b| assert!(b.move_down() && b.move_down()), "abcd\nx\nabcd|");
    }

    #[test]
    fn kills_and_yanks() {
        check("one two|", Buffer::kill_word_left, "one |");
        check("one --flag=x|", Buffer::kill_big_word_left, "one |");
        check("one| two", Buffer::kill_to_line_end, "one|");
        check("one|\ntwo", Buffer::kill_to_line_end, "one|two");
        check("one| two", Buffer::kill_to_line_start, "| two");
        check("|one two", Buffer::kill_word_right, "| two");
        let twice = |b: &mut Buffer| {
            b.kill_word_left();
            b.yank();
            b.yank();
        };
        check("ab|", twice, "abab|");
    }

    #[test]
    fn undo_goes_back_by_word() {
        let mut buffer = Buffer::default();
        for character in ["o", "n", "e", " ", "t", "w", "o"] {
            buffer.insert(character);
        }
        let mut steps = Vec::new();
        while !buffer.is_empty() {
            buffer.undo();
            steps.push(buffer.text().to_owned());
        }
        assert_eq!(steps, ["one ", "one", ""]);
    }

    #[test]
    fn pasted_control_characters_go() {
        check("|", |b| b.insert("a\r\nb\rc\u{1b}[31m\td"), "a\nb\nc[31m\td|");
    }

    #[test]
    fn replaces_a_range() {
        check("see @ma|", |b| b.replace(4..7, "@src/main.rs "), "see @src/main.rs |");
        check("é|", |b| b.replace(1..2, "x"), "é|");
    }
}
