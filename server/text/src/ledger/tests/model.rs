//! The same ledger, told character by character in the simplest way there is.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::pairs::groups;
use crate::ledger::*;
use crate::nasty;

/// One character that was ever there, unless it is gone for good.
#[derive(Debug, Clone)]
struct Char {
    char: char,
    by: Option<HunkNo>,
    gone: BTreeSet<HunkNo>,
}

#[derive(Debug, Clone)]
struct Known {
    active: bool,
    creates: bool,
    state: HunkState,
}

#[derive(Debug, Clone)]
pub(super) struct Model {
    chars: Vec<Char>,
    hunks: BTreeMap<HunkNo, Known>,
    given: HunkNo,
}

impl Model {
    pub(super) fn new(text: &str) -> Model {
        let chars = written(text, None).collect();
        Model { chars, hunks: BTreeMap::new(), given: 0 }
    }

    pub(super) fn text(&self) -> String {
        self.text_if(|no| self.hunks[&no].active)
    }

    /// The text with one hunk on or off.
    pub(super) fn text_with(&self, no: HunkNo, active: bool) -> String {
        self.text_if(|other| if other == no { active } else { self.hunks[&other].active })
    }

    fn text_if(&self, active: impl Fn(HunkNo) -> bool) -> String {
        self.chars.iter().filter(|char| char.shows(&active)).map(|char| char.char).collect()
    }

    pub(super) fn is_effective(&self, no: HunkNo) -> bool {
        self.chars.iter().any(|char| self.hangs_on(char, no))
    }

    fn hangs_on(&self, char: &Char, no: HunkNo) -> bool {
        let active = |other: HunkNo| self.hunks[&other].active;
        char.is_of(no) && char.shows(active) != char.shows(|other| active(other) != (other == no))
    }

    pub(super) fn has_text_of(&self, no: HunkNo) -> bool {
        self.chars.iter().any(|char| char.is_of(no))
    }

    pub(super) fn states(&self) -> Vec<(HunkNo, HunkState)> {
        self.hunks.iter().map(|(no, hunk)| (*no, hunk.state)).collect()
    }

    /// Takes a step that the ledger took as well. For a split it must be told how the hunk looked.
    pub(super) fn apply(&mut self, step: &Step, view: Option<HunkView>) {
        match step {
            Step::Foreign { edit } => {
                let pairs = edit.splices().iter();
                let pairs = pairs.map(|splice| (splice.range.clone(), &*splice.text, None));
                self.write(&pairs.collect::<Vec<_>>());
            }
            Step::Agent { edit, creates, .. } => self.agent(edit, *creates),
            Step::Switch { hunks, active } => {
                for no in hunks {
                    self.hunks.get_mut(no).unwrap().active = *active;
                }
            }
            Step::Mark { hunks, state } => {
                for no in hunks {
                    self.hunks.get_mut(no).unwrap().state = *state;
                }
            }
            Step::Split { hunk, lines } => self.split(*hunk, lines, &view.unwrap()),
            Step::Fold { hunks } => self.fold(hunks),
        }
        let empty = self.text().is_empty();
        for no in self.hunks.keys().copied().collect::<Vec<_>>() {
            let alive = self.is_effective(no) || (empty && self.hunks[&no].creates);
            let state = &mut self.hunks.get_mut(&no).unwrap().state;
            if matches!(state, HunkState::Pending | HunkState::Superseded) {
                *state = if alive { HunkState::Pending } else { HunkState::Superseded };
            }
        }
    }

    fn agent(&mut self, edit: &Edit, creates: bool) {
        let before = Text::from(self.text());
        let groups = groups(&before, edit);
        let first = self.given + 1;
        for _ in 0..groups.len().max(usize::from(creates)) {
            self.given += 1;
            let known = Known { active: true, creates, state: HunkState::Pending };
            self.hunks.insert(self.given, known);
        }
        let pairs = groups.iter().zip(first..).flat_map(|(group, no)| {
            group.iter().map(move |(range, text)| (range.clone(), *text, Some(no)))
        });
        self.write(&pairs.collect::<Vec<_>>());
    }

    /// Writes texts in the place of others, for a hunk or for good. What is written comes in front
    /// of the first character of its range, or of what follows, that shows.
    fn write(&mut self, pairs: &[(Range<usize>, &str, Option<HunkNo>)]) {
        let mut pairs = pairs.iter().peekable();
        let mut removing: Option<&(Range<usize>, &str, Option<HunkNo>)> = None;
        let mut offset = 0;
        let mut chars = Vec::new();
        for mut char in std::mem::take(&mut self.chars) {
            if char.shows(|no| self.hunks[&no].active) {
                while let Some(pair) = pairs.next_if(|pair| pair.0.start <= offset) {
                    chars.extend(written(pair.1, pair.2));
                    removing = Some(pair);
                }
                let removed = removing.filter(|pair| pair.0.contains(&offset));
                offset += char.char.len_utf8();
                match removed {
                    Some((_, _, Some(no))) => _ = char.gone.insert(*no),
                    Some((_, _, None)) => continue,
                    None => {}
                }
            }
            chars.push(char);
        }
        chars.extend(pairs.flat_map(|pair| written(pair.1, pair.2)));
        self.chars = chars;
    }

    fn fold(&mut self, hunks: &[HunkNo]) {
        for no in hunks {
            let Some(known) = self.hunks.remove(no) else { continue };
            self.chars.retain_mut(|char| {
                let final_end =
                    if known.active { char.gone.contains(no) } else { char.by == Some(*no) };
                char.by = char.by.filter(|by| by != no);
                char.gone.remove(no);
                !final_end
            });
        }
    }

    fn split(&mut self, no: HunkNo, lines: &[Range<usize>], view: &HunkView) {
        self.given += 1;
        let known = Known { creates: false, ..self.hunks[&no].clone() };
        let starts = nasty::line_starts(&view.new_text);
        let count = starts.len() - usize::from(starts.last() == Some(&view.new_text.len()));
        let line_at =
            |at: usize| starts.iter().filter(|start| **start <= at).count().min(count) - 1;
        let on = |other: HunkNo| other == no || self.hunks[&other].active;
        let effective = self.is_effective(no);
        let of_region =
            |char: &Char| if effective { self.hangs_on(char, no) } else { char.is_of(no) };
        let first = self.chars.iter().position(&of_region).unwrap();
        let last = self.chars.iter().rposition(of_region).unwrap();
        let (mut offset, mut in_front, mut moving) = (0, None, Vec::new());
        for (index, char) in self.chars.iter().enumerate() {
            let inside = (first..=last).contains(&index);
            let line = if char.shows(on) {
                let line =
                    (inside && char.by == Some(no)).then(|| line_at(offset - view.range.start));
                offset += char.char.len_utf8();
                in_front = line;
                line
            } else {
                (inside && char.is_of(no))
                    .then(|| in_front.unwrap_or_else(|| line_at(offset - view.range.start)))
            };
            if line.is_some_and(|line| lines.iter().any(|lines| lines.contains(&line))) {
                moving.push(index);
            }
        }
        for index in moving {
            let char = &mut self.chars[index];
            char.by = char.by.map(|by| if by == no { self.given } else { by });
            if char.gone.remove(&no) {
                char.gone.insert(self.given);
            }
        }
        self.hunks.insert(self.given, known);
    }
}

impl Char {
    fn shows(&self, active: impl Fn(HunkNo) -> bool) -> bool {
        self.by.is_none_or(&active) && !self.gone.iter().any(|no| active(*no))
    }

    fn is_of(&self, no: HunkNo) -> bool {
        self.by == Some(no) || self.gone.contains(&no)
    }
}

fn written(text: &str, by: Option<HunkNo>) -> impl Iterator<Item = Char> {
    text.chars().map(move |char| Char { char, by, gone: BTreeSet::new() })
}
