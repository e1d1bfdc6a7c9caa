//! Where a motion of vi leads, and what lies on the way. Pure: a text and a place in it.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    Left,
    Right,
    Up,
    Down,
    Word,
    BigWord,
    WordBack,
    BigWordBack,
    WordEnd,
    BigWordEnd,
    LineStart,
    FirstWord,
    LineEnd,
    First,
    Last,
    Find(Find),
    /// The line itself, as in `dd`.
    Lines,
}

/// `f`, `F`, `t` or `T`, and for which letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Find {
    back: bool,
    before: bool,
    letter: char,
}

impl Find {
    pub(super) fn new(kind: char, letter: char) -> Self {
        let (back, before) = (matches!(kind, 'F' | 'T'), matches!(kind, 't' | 'T'));
        Self { back, before, letter }
    }

    pub(super) fn turned(self) -> Self {
        Self { back: !self.back, ..self }
    }
}

/// What an operator takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Up to where the motion leads.
    Before,
    /// With the letter it leads to.
    With,
    Lines,
}

impl Motion {
    pub(super) fn of(letter: char) -> Option<Self> {
        Some(match letter {
            'h' => Self::Left,
            'l' | ' ' => Self::Right,
            'j' => Self::Down,
            'k' => Self::Up,
            'w' => Self::Word,
            'W' => Self::BigWord,
            'b' => Self::WordBack,
            'B' => Self::BigWordBack,
            'e' => Self::WordEnd,
            'E' => Self::BigWordEnd,
            '0' => Self::LineStart,
            '^' => Self::FirstWord,
            '$' => Self::LineEnd,
            'G' => Self::Last,
            _ => return None,
        })
    }

    /// The keys that say it behind an operator; for lines those of the operator itself.
    pub(super) fn key(self) -> Option<&'static str> {
        Some(match self {
            Self::Left => "h",
            Self::Right => "l",
            Self::Down => "j",
            Self::Up => "k",
            Self::Word => "w",
            Self::BigWord => "W",
            Self::WordBack => "b",
            Self::BigWordBack => "B",
            Self::WordEnd => "e",
            Self::BigWordEnd => "E",
            Self::LineStart => "0",
            Self::FirstWord => "^",
            Self::LineEnd => "$",
            Self::First => "gg",
            Self::Last => "G",
            Self::Find(_) => ";",
            Self::Lines => return None,
        })
    }

    fn reach(self) -> Reach {
        match self {
            Self::WordEnd | Self::BigWordEnd => Reach::With,
            Self::Find(find) if !find.back => Reach::With,
            Self::Up | Self::Down | Self::First | Self::Last | Self::Lines => Reach::Lines,
            _ => Reach::Before,
        }
    }

    /// The place it leads to; `None` where there is none. `Last` counts lines, and zero is the end.
    pub(super) fn to(self, text: &str, at: usize, times: usize) -> Option<usize> {
        let repeat = |step: &dyn Fn(usize) -> Option<usize>| {
            let mut place = at;
            for number in 0..times {
                match step(place) {
                    Some(next) if next != place => place = next,
                    _ if number == 0 => return None,
                    _ => break,
                }
            }
            Some(place)
        };
        match self {
            Self::Left => repeat(&|at| left(text, at)),
            Self::Right => repeat(&|at| right(text, at)),
            Self::Up => {
                repeat(&|at| line_start(text, at).checked_sub(1).map(|end| line_start(text, end)))
            }
            Self::Down => repeat(&|at| {
                let end = line_end(text, at);
                (end < text.len()).then_some(end + 1)
            }),
            Self::Word => repeat(&|at| Some(word(text, at, kind))),
            Self::BigWord => repeat(&|at| Some(word(text, at, big))),
            Self::WordBack => repeat(&|at| Some(word_back(text, at, kind))),
            Self::BigWordBack => repeat(&|at| Some(word_back(text, at, big))),
            Self::WordEnd => repeat(&|at| Some(word_end(text, at, kind))),
            Self::BigWordEnd => repeat(&|at| Some(word_end(text, at, big))),
            Self::LineStart => Some(line_start(text, at)),
            Self::FirstWord => Some(first_word(text, at)),
            Self::LineEnd => Some(line_end(text, at)),
            Self::First => Some(nth_line(text, times)),
            Self::Last if times == 0 => Some(line_start(text, text.len())),
            Self::Last => Some(nth_line(text, times)),
            Self::Find(find) => repeat(&|at| seek(text, at, find)),
            Self::Lines => None,
        }
    }

    /// What an operator takes from `at`.
    pub(super) fn range(
        self,
        text: &str,
        at: usize,
        times: usize,
    ) -> Option<(Range<usize>, Reach)> {
        let reach = self.reach();
        // Right before its letter `t` stays where it is, but an operator takes what it stands on.
        if let (Self::Find(Find { back: false, before: true, letter }), 1) = (self, times)
            && let Some(next) = right(text, at).filter(|next| text[*next..].starts_with(letter))
        {
            return Some((at..next, reach));
        }
        let to = match self {
            Self::Lines if times > 1 => Self::Down.to(text, at, times - 1).unwrap_or(at),
            Self::Lines => at,
            Self::Last => line_start(text, text.len()),
            // A word at the end of a line ends with it.
            Self::Word | Self::BigWord if times == 1 => {
                let to = self.to(text, at, 1)?;
                let end = line_end(text, at);
                if at < end && to > end { end } else { to }
            }
            _ => self.to(text, at, times)?,
        };
        let (from, to) = (at.min(to), at.max(to));
        let range = match reach {
            Reach::Before => from..to,
            Reach::With => from..right(text, to).unwrap_or(text.len()).max(next(text, to)),
            Reach::Lines => line_start(text, from)..line_end(text, to),
        };
        (!range.is_empty() || reach == Reach::Lines).then_some((range, reach))
    }
}

/// Lines with the break that goes with them: the one behind, or before the last.
pub(super) fn with_break(text: &str, range: Range<usize>) -> Range<usize> {
    if range.end < text.len() {
        return range.start..range.end + 1;
    }
    range.start.saturating_sub(usize::from(range.start > 0))..range.end
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end)
}

pub(super) fn first_word(text: &str, at: usize) -> usize {
    let (start, end) = (line_start(text, at), line_end(text, at));
    let blanks = text[start..end].len() - text[start..end].trim_start().len();
    start + blanks
}

fn nth_line(text: &str, number: usize) -> usize {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let last = starts.clone().last().unwrap_or_default();
    starts.nth(number.saturating_sub(1)).unwrap_or(last)
}

/// Within the line.
fn left(text: &str, at: usize) -> Option<usize> {
    let line = &text[line_start(text, at)..at];
    line.grapheme_indices(true).next_back().map(|(back, _)| at - (line.len() - back))
}

/// Within the line; its end counts, so that an operator can take the last letter.
fn right(text: &str, at: usize) -> Option<usize> {
    let line = &text[at..line_end(text, at)];
    line.graphemes(true).next().map(|letter| at + letter.len())
}

fn next(text: &str, at: usize) -> usize {
    text[at..].graphemes(true).next().map_or(at, |letter| at + letter.len())
}

fn seek(text: &str, at: usize, find: Find) -> Option<usize> {
    let Find { back, before, letter } = find;
    if back {
        let start = line_start(text, at);
        let line = &text[start..at];
        // `T` does not stop at the letter it stands behind.
        let line = if before { line.strip_suffix(letter).unwrap_or(line) } else { line };
        let found = start + line.rfind(letter)?;
        return Some(if before { found + letter.len_utf8() } else { found });
    }
    let from = right(text, at)?;
    let from = match before && text[from..].starts_with(letter) {
        true => right(text, from)?,
        false => from,
    };
    let found = from + text[from..line_end(text, at)].find(letter)?;
    if before { left(text, found) } else { Some(found) }
}

/// Letters of one kind are a word: blanks, letters and digits, the rest.
fn kind(letter: char) -> u8 {
    match letter {
        letter if letter.is_whitespace() => 0,
        letter if letter.is_alphanumeric() || letter == '_' => 1,
        _ => 2,
    }
}

/// Everything between blanks is a word.
fn big(letter: char) -> u8 {
    u8::from(!letter.is_whitespace())
}

fn word(text: &str, at: usize, kind: fn(char) -> u8) -> usize {
    let rest = &text[at..];
    let Some(first) = rest.chars().next().map(kind) else { return at };
    let behind = rest.trim_start_matches(|c| first != 0 && kind(c) == first);
    let behind = behind.trim_start_matches(|c| kind(c) == 0);
    text.len() - behind.len()
}

/// From a place in a word to its end.
pub(super) fn rest_of_word(text: &str, at: usize, is_big: bool) -> Range<usize> {
    let kind = if is_big { big } else { kind };
    let rest = &text[at..];
    let first = rest.chars().next().map(kind);
    let behind = rest.trim_start_matches(|c| Some(kind(c)) == first);
    at..text.len() - behind.len()
}

fn word_back(text: &str, at: usize, kind: fn(char) -> u8) -> usize {
    let before = text[..at].trim_end_matches(|c| kind(c) == 0);
    let Some(last) = before.chars().next_back().map(kind) else { return 0 };
    before.trim_end_matches(|c| kind(c) == last).len()
}

fn word_end(text: &str, at: usize, kind: fn(char) -> u8) -> usize {
    let from = next(text, at);
    let rest = text[from..].trim_start_matches(|c| kind(c) == 0);
    let Some(first) = rest.chars().next().map(kind) else { return at };
    let behind = rest.trim_start_matches(|c| kind(c) == first);
    let end = text.len() - behind.len();
    text[..end].grapheme_indices(true).next_back().map_or(at, |(last, _)| last)
}
