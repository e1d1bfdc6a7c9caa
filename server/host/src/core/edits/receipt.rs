//! What the editor really did with an edit, told from the text alone.
//!
//! While an edit is on its way every change of the text is kept, and for each of them the edit as
//! it would read on the text by then. Whichever of these the editor carried out, one of them
//! explains the text in the end; if none does, the difference is named.

use text::{Bias, Edit, Receipt, Text, judge};

/// An edit as it was sent, and what has happened to the text since.
pub(super) struct Sent {
    /// The edit on the text as sent, then on the text after each change, for as long as it holds.
    readings: Vec<Reading>,
    changes: Vec<Edit>,
    /// Where somebody else changed the same place, in terms of the present text.
    overlap: Option<usize>,
}

struct Reading {
    /// How many changes had been seen by then.
    seen: usize,
    before: Text,
    edit: Edit,
    after: Text,
}

/// A user who types on while an editor is slow must not cost more with every key; the first reading
/// and the latest ones are those that count.
const READINGS: usize = 12;

/// One stretch of what happened to a text.
pub enum Landed {
    /// Somebody else's change.
    Foreign(Edit),
    /// What our edit did to `before`.
    Own { before: Text, edit: Edit },
}

/// What became of an edit that the editor says it applied.
pub(super) enum Verdict {
    /// It is in, perhaps with other people's changes after it.
    Applied(Vec<Landed>),
    /// Something else is in; the sentence says what.
    Deviates(Vec<Landed>, String),
    /// Nothing of it is in, but it could still be.
    Missing,
    /// Nothing of it is in, and somebody else changed the place; it is at this byte.
    Overlapped(usize),
}

impl Sent {
    /// `None` when the edit does not fit the text.
    pub(super) fn new(before: &Text, edit: Edit) -> Option<Self> {
        let readings = vec![Reading::new(0, before.clone(), edit)?];
        Some(Self { readings, changes: Vec::new(), overlap: None })
    }

    /// Others changed the text since.
    pub(super) fn is_moved(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The edit in terms of the present text, unless somebody changed the same place.
    pub(super) fn present(&self) -> Result<&Edit, usize> {
        match (self.overlap, self.readings.last()) {
            (None, Some(reading)) => Ok(&reading.edit),
            (at, _) => Err(at.unwrap_or_default()),
        }
    }

    /// The text changed; what happened, when this is the change that was waited for.
    pub(super) fn changed(&mut self, change: &Edit, now: &Text) -> Option<Vec<Landed>> {
        if let Some(at) = self.readings.iter().position(|reading| reading.after == *now) {
            return Some(self.own(at, self.readings[at].edit.clone()));
        }
        self.changes.push(change.clone());
        if let Some(at) = self.overlap {
            self.overlap = Some(change.map_offset(at, Bias::Before));
            return None;
        }
        let latest = self.readings.last()?;
        match latest.edit.rebase(change) {
            Ok(edit) => match Reading::new(self.changes.len(), now.clone(), edit) {
                Some(reading) => self.readings.push(reading),
                None => self.overlap = Some(0),
            },
            Err(overlap) => {
                self.overlap = Some(change.map_offset(overlap.range.start, Bias::Before));
            }
        }
        if self.readings.len() > READINGS {
            self.readings.remove(1);
        }
        None
    }

    /// All changes since it was sent, as other people's.
    pub(super) fn foreign(self) -> Vec<Landed> {
        self.changes.into_iter().map(Landed::Foreign).collect()
    }

    /// Judges the text as it is now that nothing more is to come.
    pub(super) fn verdict(&self, now: &Text) -> Verdict {
        for (at, reading) in self.readings.iter().enumerate() {
            if let Some(typing) = reading.explains(now) {
                let mut landed = self.own(at, reading.edit.clone());
                landed.push(Landed::Foreign(typing));
                return Verdict::Applied(landed);
            }
        }
        let judged = self
            .readings
            .iter()
            .enumerate()
            .map(|(at, reading)| (at, judge(&reading.before, &reading.edit, now)));
        let mut judged: Vec<_> = judged.collect();
        judged.sort_by_key(|(_, receipt)| rank(receipt));
        let place = self.present();
        match judged.first() {
            Some((at, receipt @ (Receipt::Partial { .. } | Receipt::Misplaced))) => {
                self.deviation(*at, receipt, now)
            }
            // Something of it is in: to send it again would write it twice.
            Some((at, receipt)) if self.readings[*at].left_traces(now) => {
                let reformatted = matches!(receipt, Receipt::Reformatted);
                let named = if reformatted { receipt } else { &Receipt::Different };
                self.deviation(*at, named, now)
            }
            Some((at, receipt @ Receipt::Reformatted)) if place.is_err() => {
                self.deviation(*at, receipt, now)
            }
            _ => match place {
                Ok(_) => Verdict::Missing,
                Err(at) => Verdict::Overlapped(at),
            },
        }
    }

    fn deviation(&self, at: usize, receipt: &Receipt, now: &Text) -> Verdict {
        let before = self.readings[at].before.to_string();
        let landed = self.own(at, text::diff(&before, &now.to_string()));
        Verdict::Deviates(landed, sentence(receipt))
    }

    /// Other people's changes up to a reading, and then the edit.
    fn own(&self, at: usize, edit: Edit) -> Vec<Landed> {
        let reading = &self.readings[at];
        let foreign = self.changes.iter().take(reading.seen).cloned().map(Landed::Foreign);
        let own = Landed::Own { before: reading.before.clone(), edit };
        foreign.chain([own]).collect()
    }
}

impl Reading {
    fn new(seen: usize, before: Text, edit: Edit) -> Option<Self> {
        let after = edit.apply(&before).ok()?;
        Some(Self { seen, before, edit, after })
    }

    /// What was typed on top of the edit, when that is all that differs from the prediction: the
    /// places of the edit are as it left them.
    fn explains(&self, now: &Text) -> Option<Edit> {
        let typing = text::diff(&self.after.to_string(), &now.to_string());
        let places = self.edit.splices().iter().map(|splice| {
            let start = self.edit.map_offset(splice.range.start, Bias::Before);
            start..start + splice.text.len()
        });
        let untouched = places.into_iter().all(|place| {
            let touches = |range: &std::ops::Range<usize>| {
                range.start <= place.end && place.start <= range.end
            };
            !typing.splices().iter().any(|splice| touches(&splice.range))
        });
        untouched.then_some(typing)
    }

    /// Some text that only the edit brings is there.
    fn left_traces(&self, now: &Text) -> bool {
        let (before, now) = (self.before.to_string(), now.to_string());
        let inserted = self.edit.splices().iter().map(|splice| splice.text.trim());
        let mut wanted = inserted.filter(|text| !text.is_empty());
        wanted.any(|text| now.matches(text).count() > before.matches(text).count())
    }
}

/// The more an outcome explains, the earlier.
fn rank(receipt: &Receipt) -> u8 {
    match receipt {
        Receipt::Applied => 0,
        Receipt::Partial { .. } => 1,
        Receipt::Misplaced => 2,
        Receipt::Reformatted => 3,
        Receipt::Different => 4,
        Receipt::Dropped => 5,
    }
}

fn sentence(receipt: &Receipt) -> String {
    match receipt {
        Receipt::Partial { applied, of } => {
            format!("The editor applied only {applied} of the {of} parts of this change.")
        }
        Receipt::Misplaced => "The editor put this change at another place.".to_owned(),
        Receipt::Reformatted => "The editor reformatted this change.".to_owned(),
        Receipt::Applied | Receipt::Dropped | Receipt::Different => {
            "The editor made another change than this one.".to_owned()
        }
    }
}
