//! One explanation of an observed change: which part of it is our edit, and how far that is from
//! what was asked for.

use text::{Edit, PositionEncoding, Receipt, Splice, Text, judge, subtract};

use super::Landed;

/// How an edit came into the text.
pub(in crate::core::edits) struct Finding {
    /// How many changes came before the one that carried it.
    pub(super) seen: usize,
    /// How many changes it is made of.
    pub(super) passed: usize,
    /// What these changes did, in order: ours and other people's.
    pub(super) parts: Vec<Landed>,
    certainty: Certainty,
    deviation: Option<Deviation>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// The new text is there, unchanged, at its place.
    Certain,
    /// Most of it is there, and the user wrote or deleted in it.
    Strong,
    /// Something else was made of it.
    Judged,
    /// Nothing speaks against the editor's word.
    Claimed,
}

/// What an editor made of an edit, where it is not what was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::core::edits) enum Deviation {
    Partial {
        applied: usize,
        of: usize,
    },
    /// At another place; the edit as it was meant on the same text, where that still holds.
    Misplaced {
        before: Text,
        meant: Option<Edit>,
    },
    Reformatted,
    /// The user, or a formatter, changed the new text in the same message.
    Mixed,
}

impl Finding {
    pub(super) fn exact(seen: usize, before: Text, edit: Edit, passed: usize) -> Self {
        let parts = vec![Landed::Own { before, edit }];
        Self { seen, passed, parts, certainty: Certainty::Certain, deviation: None }
    }

    pub(super) fn from_steps(seen: usize, parts: Vec<Landed>) -> Self {
        Self { seen, passed: 1, parts, certainty: Certainty::Certain, deviation: None }
    }

    pub(super) fn is_certain(&self) -> bool {
        self.certainty == Certainty::Certain
    }

    pub(super) fn is_strong(&self) -> bool {
        self.certainty <= Certainty::Strong
    }

    /// With the editor's word nothing better is to be expected; the rest of an edit that is in by
    /// half may still come.
    pub(super) fn is_settled_by_a_claim(&self) -> bool {
        self.is_strong() && !self.is_misplaced()
    }

    /// The more an explanation explains, the earlier.
    pub(super) fn rank(&self) -> impl Ord + use<> {
        (self.certainty, self.is_misplaced(), self.seen)
    }

    /// Made at the positions of an older text.
    pub(super) fn misplaced(mut self, meant: Option<Edit>) -> Self {
        let before = self.parts.iter().find_map(|part| match part {
            Landed::Own { before, .. } => Some(before.clone()),
            Landed::Foreign(_) => None,
        });
        let before = before.unwrap_or_default();
        self.deviation = Some(Deviation::Misplaced { before, meant });
        self.certainty = self.certainty.max(Certainty::Strong);
        self
    }

    fn is_misplaced(&self) -> bool {
        matches!(self.deviation, Some(Deviation::Misplaced { .. }))
    }

    pub(in crate::core::edits) fn deviation(&self) -> Option<&Deviation> {
        self.deviation.as_ref()
    }
}

impl Deviation {
    /// For the model.
    pub(in crate::core::edits) fn sentence(&self) -> String {
        match self {
            Deviation::Partial { applied, of } => {
                format!("The editor applied only {applied} of the {of} parts of this change.")
            }
            Deviation::Misplaced { .. } => {
                "The editor put this change at another place.".to_owned()
            }
            Deviation::Reformatted => "The editor reformatted this change.".to_owned(),
            Deviation::Mixed => "The new text was changed again at the same moment, by the user \
                                 or a formatter; the text shown here is what is there now."
                .to_owned(),
        }
    }
}

/// How `edit`, expected on `before`, is part of `change`, which led to `now`.
pub(super) fn find(
    seen: usize,
    before: &Text,
    edit: &Edit,
    change: &Edit,
    now: &Text,
) -> Option<Finding> {
    if !is_near(before, edit, change) {
        return moved(seen, before, edit, change, now);
    }
    let own = |own: &Edit| vec![Landed::Own { before: before.clone(), edit: own.clone() }];
    let (parts, certainty, deviation) = match judge(before, edit, now) {
        Receipt::Dropped => return None,
        Receipt::Partial { applied, of } if applied > 0 => {
            (own(change), Certainty::Judged, Some(Deviation::Partial { applied, of }))
        }
        Receipt::Misplaced => {
            let (before, meant) = (before.clone(), Some(edit.clone()));
            (own(change), Certainty::Judged, Some(Deviation::Misplaced { before, meant }))
        }
        Receipt::Reformatted => {
            let rest = subtract(before, edit, change)?.edit;
            (with_rest(before, edit, rest), Certainty::Judged, Some(Deviation::Reformatted))
        }
        Receipt::Applied | Receipt::Partial { .. } | Receipt::Different => {
            let rest = subtract(before, edit, change)?;
            let certainty = match (rest.is_strong_evidence(), rest.touches()) {
                (true, false) => Certainty::Certain,
                (true, true) => Certainty::Strong,
                (false, _) if rest.is_possible() => Certainty::Claimed,
                (false, _) => return None,
            };
            let deviation = rest.touches().then_some(Deviation::Mixed);
            (with_rest(before, edit, rest.edit), certainty, deviation)
        }
    };
    Some(Finding { seen, passed: 1, parts, certainty, deviation })
}

fn with_rest(before: &Text, edit: &Edit, rest: Edit) -> Vec<Landed> {
    let own = Landed::Own { before: before.clone(), edit: edit.clone() };
    let rest = (!rest.is_empty()).then_some(Landed::Foreign(rest));
    [own].into_iter().chain(rest).collect()
}

/// The same change at quite another place. What is typed there is no such thing, and costs
/// nothing: the lengths tell.
fn moved(seen: usize, before: &Text, edit: &Edit, change: &Edit, now: &Text) -> Option<Finding> {
    let grown = |edit: &Edit| edit.len_after().wrapping_sub(edit.len_before());
    if grown(edit) != grown(change) || judge(before, edit, now) != Receipt::Misplaced {
        return None;
    }
    let parts = vec![Landed::Own { before: before.clone(), edit: change.clone() }];
    let deviation =
        Some(Deviation::Misplaced { before: before.clone(), meant: Some(edit.clone()) });
    Some(Finding { seen, passed: 1, parts, certainty: Certainty::Judged, deviation })
}

/// Whether a change reaches the lines of the edit at all. Where lines repeat, the editor may name
/// one of the neighbours.
fn is_near(before: &Text, edit: &Edit, change: &Edit) -> bool {
    let lines = |edit: &Edit| {
        let (first, last) = (edit.splices().first()?, edit.splices().last()?);
        let first_line = before.byte_to_line(first.range.start);
        Some((first_line.saturating_sub(1), before.byte_to_line(last.range.end) + 1))
    };
    let (Some(edit), Some(change)) = (lines(edit), lines(change)) else { return false };
    edit.0 <= change.1 && change.0 <= edit.1
}

/// The edit at the line and column it was sent with, on a text that is another by now; past the
/// end of a line its end, as editors do it.
pub(super) fn at_old_positions(
    sent_for: &Text,
    edit: &Edit,
    before: &Text,
    encoding: PositionEncoding,
) -> Option<Edit> {
    let place =
        |offset: usize| before.nearest_offset(sent_for.position(offset, encoding), encoding);
    let splices = edit.splices().iter().map(|splice| {
        let (start, end) = (place(splice.range.start), place(splice.range.end));
        Splice::new(start..end.max(start), splice.text.as_str())
    });
    Edit::new(before.len_bytes(), splices.collect()).ok()
}
