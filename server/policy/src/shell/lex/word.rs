//! A word of a command, character by character: what is quoted has lost its meaning to the shell.

/// One character of a word, and whether the shell still gives it a meaning (it is not quoted).
type Mark = (char, bool);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(super) marks: Vec<Mark>,
    /// Part of the word is only known when it runs: a variable, a substitution.
    pub(crate) dynamic: bool,
}

impl Word {
    /// The word after quote removal, with expansions left as they are written.
    pub(crate) fn text(&self) -> String {
        self.marks.iter().map(|(c, _)| *c).collect()
    }

    pub(crate) fn has_active(&self, any_of: &[char]) -> bool {
        self.marks.iter().any(|(c, active)| *active && any_of.contains(c))
    }

    pub(crate) fn is_glob(&self) -> bool {
        self.has_active(&['*', '?', '['])
    }

    pub(crate) fn starts_with_active(&self, wanted: char) -> bool {
        self.marks.first() == Some(&(wanted, true))
    }

    /// A tilde that bash expands in the middle of something like an assignment.
    pub(crate) fn has_inner_tilde(&self) -> bool {
        self.marks.windows(2).any(|pair| matches!(pair[0].0, '=' | ':') && pair[1] == ('~', true))
    }

    /// Part of the word is not even known to us: something other than our own home folder.
    pub(crate) fn is_unknown(&self) -> bool {
        let names_a_home = || self.text().split('/').next().is_some_and(|first| first != "~");
        (self.dynamic && self.marks.iter().any(|(c, _)| matches!(c, '$' | '`')))
            || (self.starts_with_active('~') && names_a_home())
    }

    /// Braces that expand, and others that are quoted.
    fn mixes_braces(&self) -> bool {
        let quoted = self.marks.iter().any(|(c, active)| !active && matches!(c, '{' | '}'));
        quoted && self.has_active(&['{']) && self.has_active(&['}'])
    }

    /// The words that brace expansion makes of this one, itself if there is none. Where they
    /// become too many, or cannot be told, none of them is known before it runs.
    pub(crate) fn braces(&self) -> Vec<Word> {
        let mut done = Vec::new();
        let mut ahead = vec![self.clone()];
        // Bash counts quoted braces beside real ones in its own way: `{t}\{a,b}` is `t}{a` and `b`.
        let (mut steps, mut unclear) = (0, self.mixes_braces());
        while let Some(word) = ahead.pop() {
            let Some(Brace { before, choices, after }) = word.first_brace() else {
                done.push(word);
                continue;
            };
            steps += 1;
            if steps > MOST_BRACES || ahead.len() + done.len() + choices.len() > MOST_WORDS {
                unclear = true;
                done.push(word);
                continue;
            }
            let made = choices.iter().rev().map(|choice| {
                let marks = [before, choice.as_slice(), after].concat();
                Word { marks, dynamic: word.dynamic }
            });
            ahead.extend(made.collect::<Vec<_>>());
        }
        done.iter_mut().for_each(|word| word.dynamic |= unclear);
        // `{,touch} x` runs `touch`: an alternative that is nothing makes no word.
        done.retain(|word| steps == 0 || !word.marks.is_empty());
        done
    }

    /// The first `{a,b}` or `{a..b}`; other braces mean themselves.
    fn first_brace(&self) -> Option<Brace<'_>> {
        let opens = self.marks.iter().enumerate().filter(|(_, mark)| **mark == ('{', true));
        opens.map(|(open, _)| open).find_map(|open| self.brace_at(open))
    }

    fn brace_at(&self, open: usize) -> Option<Brace<'_>> {
        let mut depth = 0usize;
        let mut from = open + 1;
        let mut choices = Vec::new();
        for (at, mark) in self.marks.iter().enumerate().skip(open) {
            match mark {
                ('{', true) => depth += 1,
                (',', true) if depth == 1 => {
                    choices.push(self.marks[from..at].to_vec());
                    from = at + 1;
                }
                ('}', true) if depth == 1 => {
                    let last = &self.marks[from..at];
                    if choices.is_empty() {
                        choices = sequence(last)?;
                    } else {
                        choices.push(last.to_vec());
                    }
                    let (before, after) = (&self.marks[..open], &self.marks[at + 1..]);
                    return Some(Brace { before, choices, after });
                }
                ('}', true) => depth -= 1,
                _ => {}
            }
        }
        None
    }

    pub(super) fn push(&mut self, c: char, active: bool) {
        self.marks.push((c, active));
    }

    pub(super) fn push_text(&mut self, text: &str) {
        self.marks.extend(text.chars().map(|c| (c, false)));
    }
}

/// Braces and words that one word may be made of; nobody writes more in good faith.
const MOST_BRACES: usize = 200;
const MOST_WORDS: usize = 64;

/// The first `{a,b}` of a word, taken apart.
struct Brace<'a> {
    before: &'a [Mark],
    choices: Vec<Vec<Mark>>,
    after: &'a [Mark],
}

/// What `{a..e}`, `{1..9}` or `{1..9..2}` counts through. One more than is looked at, if there are
/// too many.
fn sequence(inside: &[Mark]) -> Option<Vec<Vec<Mark>>> {
    let text: String = inside.iter().map(|(c, _)| *c).collect();
    let parts: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match parts.as_slice() {
        [first, last] => (*first, *last, 1),
        [first, last, step] => (*first, *last, step.parse::<i64>().ok()?),
        _ => return None,
    };
    let letter = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|c| c.is_ascii_alphabetic() && chars.as_str().is_empty())
    };
    let number = |text: &str| text.parse::<i64>().ok();
    let (from, to, is_letter) = match (letter(first), letter(last)) {
        (Some(from), Some(to)) => (i64::from(u32::from(from)), i64::from(u32::from(to)), true),
        _ => (number(first)?, number(last)?, false),
    };
    let step = step.checked_abs()?.max(1);
    let count = from.abs_diff(to) / step.unsigned_abs() + 1;
    let step = if to < from { -step } else { step };
    let value = |at: i64| {
        let value = at.checked_mul(step)?.checked_add(from)?;
        if !is_letter {
            return Some(value.to_string());
        }
        u32::try_from(value).ok().and_then(char::from_u32).map(String::from)
    };
    let shown = i64::try_from(count.min(MOST_WORDS as u64 + 1)).ok()?;
    let values = (0..shown).filter_map(value);
    Some(values.map(|value| value.chars().map(|c| (c, true)).collect()).collect())
}
