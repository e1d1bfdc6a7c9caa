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

    /// The words that brace expansion makes of this one, itself if there is none.
    pub(crate) fn braces(&self) -> Vec<Word> {
        self.brace_alternatives(4)
    }

    fn brace_alternatives(&self, depth: usize) -> Vec<Word> {
        let parts = if depth == 0 { None } else { self.first_brace() };
        let Some(Brace { before, choices, after }) = parts else { return vec![self.clone()] };
        choices
            .into_iter()
            .flat_map(|choice| {
                let marks = [before, choice, after].concat();
                Word { marks, dynamic: self.dynamic }.brace_alternatives(depth - 1)
            })
            .collect()
    }

    fn first_brace(&self) -> Option<Brace<'_>> {
        let open = self.marks.iter().position(|mark| *mark == ('{', true))?;
        let mut depth = 0usize;
        let mut from = open + 1;
        let mut choices = Vec::new();
        for (at, mark) in self.marks.iter().enumerate().skip(open) {
            match mark {
                ('{', true) => depth += 1,
                (',', true) if depth == 1 => {
                    choices.push(&self.marks[from..at]);
                    from = at + 1;
                }
                ('}', true) if depth == 1 => {
                    if choices.is_empty() {
                        return None;
                    }
                    choices.push(&self.marks[from..at]);
                    return Some(Brace {
                        before: &self.marks[..open],
                        choices,
                        after: &self.marks[at + 1..],
                    });
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

/// The first `{a,b}` of a word, taken apart.
struct Brace<'a> {
    before: &'a [Mark],
    choices: Vec<&'a [Mark]>,
    after: &'a [Mark],
}
