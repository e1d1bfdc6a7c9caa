//! An undo in the editor, told from typing.
//!
//! The editor only says which bytes changed. When that takes hunks out of the text, or puts them
//! back, it is no text of the user's, and the hunks must not come back beside their own old text.

use std::ops::Range;

use crate::attribution::subtract;
use crate::edit::{Edit, Splice};

use super::{Author, Hunk, HunkNo, Ledger, Step};

/// So many hunks are tried one by one, and so many calls by all their hunks.
const SINGLES: usize = 16;
const CALLS: usize = 4;
/// Whatever inserts and removes no more than this is typing.
const KEYSTROKE: usize = 8;

impl Ledger {
    /// The step that does to the text exactly what this foreign edit does, by switching hunks. It
    /// is to be taken instead of [`Step::Foreign`].
    pub fn recognise(&self, edit: &Edit) -> Option<Step> {
        if edit.len_before() != self.text.len_bytes() {
            return None;
        }
        let same = |hunks: &[HunkNo], active: bool| {
            let switch = self.preview(hunks, active);
            (!switch.is_empty() && self.do_the_same(edit, &switch)).then_some(())
        };
        let (hunks, active, ()) = self.find_switch(edit, true, same)?;
        Some(Step::Switch { hunks, active })
    }

    /// The switch that a foreign edit does among other things, and these other things on the text
    /// after it: an undo and typing at quite another place, told in one message.
    ///
    /// Nobody types the agent's text once more, so most of it is enough for a redo. Deleting most
    /// of a hunk by hand, though, is no undo: there, what else is done at its place may only add.
    pub fn recognise_part(&self, edit: &Edit) -> Option<(Step, Edit)> {
        // Typing is one splice; an undo beside it makes two, or one around both.
        let is_long = |splice: &Splice| splice.range.len() + splice.text.len() > KEYSTROKE;
        if edit.len_before() != self.text.len_bytes() || !edit.splices().iter().any(is_long) {
            return None;
        }
        let rest = |hunks: &[HunkNo], active: bool| {
            let rest = subtract(&self.text, &self.preview(hunks, active), edit)?;
            let only_adds = rest.edit.splices().iter().all(|splice| splice.range.is_empty());
            let is_switch = active || !rest.touches() || only_adds;
            (rest.is_strong_evidence() && is_switch).then_some(rest.edit)
        };
        let (hunks, active, rest) = self.find_switch(edit, false, rest)?;
        Some((Step::Switch { hunks, active }, rest))
    }

    /// The first hunks near an edit that can be switched together and for which `accept` finds
    /// what it looks for. `exact`: their switch has to change the length of the text as the edit does.
    fn find_switch<T>(
        &self,
        edit: &Edit,
        exact: bool,
        accept: impl Fn(&[HunkNo], bool) -> Option<T>,
    ) -> Option<(Vec<HunkNo>, bool, T)> {
        if self.hunks.len() == 0 {
            return None;
        }
        let reached = self.reached(edit);
        [false, true].into_iter().find_map(|active| {
            let able: Vec<&Hunk> =
                reached.iter().copied().filter(|hunk| hunk.active != active).collect();
            let alone = match exact {
                true => self.alone(&able, edit),
                false => able.iter().take(CALLS).map(|hunk| vec![hunk.no]).collect(),
            };
            let recent = self.switched.iter().rev().map(|hunks| {
                let is_able = |no: &&HunkNo| self.hunks.is_active(**no) != active;
                hunks.iter().filter(is_able).copied().collect::<Vec<_>>()
            });
            let recent = recent.filter(|hunks| !hunks.is_empty());
            let mut attempts = recent.chain(together(&able)).chain(alone);
            attempts.find_map(|hunks| {
                let found = accept(&hunks, active)?;
                Some((hunks, active, found))
            })
        })
    }

    /// The hunks that have something near where the edit changes something. Near, for where lines
    /// repeat an editor may well name the next one.
    fn reached(&self, edit: &Edit) -> Vec<&Hunk> {
        let splices = edit.splices();
        let more = splices.iter().map(|splice| splice.range.len().max(splice.text.len())).max();
        let more = more.unwrap_or(0);
        let near = |splice: &Splice| {
            let end = (splice.range.end + more).min(self.text.len_bytes());
            self.line_start(splice.range.start.saturating_sub(more))..self.line_end(end)
        };
        let places: Vec<Range<usize>> = splices.iter().map(near).collect();
        let mut reached = Vec::new();
        let mut at = 0;
        for segment in &self.segments {
            let bytes = at..at + segment.shown_len();
            at = bytes.end;
            if segment.owners().next().is_none() {
                continue;
            }
            let first = places.partition_point(|place| place.end < bytes.start);
            if places.get(first).is_some_and(|place| place.start <= bytes.end) {
                reached.extend(segment.owners());
            }
        }
        super::in_order(reached).into_iter().filter_map(|no| self.hunks.get(no)).collect()
    }

    /// Those of a few hunks that would change the length of the text as the edit does, each alone.
    fn alone(&self, hunks: &[&Hunk], edit: &Edit) -> Vec<Vec<HunkNo>> {
        if hunks.len() > SINGLES {
            return Vec::new();
        }
        let mut after = vec![edit.len_before(); hunks.len()];
        for segment in &self.segments {
            for no in segment.owners() {
                let Ok(at) = hunks.binary_search_by_key(&no, |hunk| hunk.no) else { continue };
                if self.hangs_on(segment, no) {
                    // What is hidden would show, and what shows would be hidden.
                    after[at] = after[at].wrapping_add(segment.len() - segment.shown_len());
                    after[at] = after[at].wrapping_sub(segment.shown_len());
                }
            }
        }
        let fits = hunks.iter().zip(after).filter(|(_, after)| *after == edit.len_after());
        fits.map(|(hunk, _)| vec![hunk.no]).collect()
    }

    /// Whether two edits make the same text of this one. Only what either changes is compared.
    fn do_the_same(&self, one: &Edit, other: &Edit) -> bool {
        if one.len_after() != other.len_after() {
            return false;
        }
        let splices = || one.splices().iter().chain(other.splices());
        let start = splices().map(|splice| splice.range.start).min().unwrap_or(0);
        let end = splices().map(|splice| splice.range.end).max().unwrap_or(0);
        self.result(one, start..end) == self.result(other, start..end)
    }

    /// What an edit makes of a range that holds all its splices.
    fn result(&self, edit: &Edit, range: Range<usize>) -> String {
        let mut result = String::new();
        let mut at = range.start;
        for splice in edit.splices() {
            result.push_str(&self.text.slice(at..splice.range.start).unwrap_or_default());
            result.push_str(&splice.text);
            at = splice.range.end;
        }
        result.push_str(&self.text.slice(at..range.end).unwrap_or_default());
        result
    }
}

/// Which hunks may have been switched together: all, or those of one call.
fn together(hunks: &[&Hunk]) -> Vec<Vec<HunkNo>> {
    let mut calls: Vec<&Author> = Vec::new();
    for hunk in hunks {
        if calls.len() < CALLS && !calls.contains(&&hunk.author) {
            calls.push(&hunk.author);
        }
    }
    let of_call = |call: &&Author| {
        let hunks = hunks.iter().filter(|hunk| hunk.author == **call);
        hunks.map(|hunk| hunk.no).collect()
    };
    let mut together: Vec<Vec<HunkNo>> = calls.iter().map(of_call).collect();
    if together.len() > 1 {
        together.push(hunks.iter().map(|hunk| hunk.no).collect());
    }
    together
}
