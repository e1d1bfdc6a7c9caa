//! What the editor really did with an edit, told from the text alone.
//!
//! While an edit is on its way every change of the text is kept, and for each of them the edit as
//! it would read on the text by then. The change that carried the edit may hold more than it: what
//! the user typed in the same message is subtracted ([`text::subtract`]) and stays the user's, as do
//! all changes before and after. What an editor did instead of the edit gets a name.

mod finding;

use text::{Bias, Edit, PositionEncoding, Text};

pub(super) use finding::{Deviation, Finding};

/// An edit as it was sent, and what has happened to the text since.
pub(super) struct Sent {
    /// The edit on the text as sent, then on the text after each change, for as long as it holds.
    readings: Vec<Reading>,
    changes: Vec<Edit>,
    /// Where somebody else changed the same place, in terms of the present text.
    overlap: Option<usize>,
    /// The text after the last change.
    now: Text,
    /// The best explanation so far of how the edit came into the text.
    found: Option<Finding>,
    /// For an editor that does not check versions, and may apply the edit to another text than the
    /// one it was sent for: how it counts columns.
    unchecked: Option<PositionEncoding>,
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
/// In a message of so many changes the edit is looked for between any two of them.
const STEPS_COMPARED: usize = 64;

/// One stretch of what happened to a text.
#[derive(Debug)]
pub enum Landed {
    /// Somebody else's change.
    Foreign(Edit),
    /// What our edit did to `before`.
    Own { before: Text, edit: Edit },
}

/// What became of an edit that the editor says it applied.
pub(super) enum Verdict {
    /// It is in, perhaps with other people's changes before and after it, perhaps not as it was
    /// meant.
    Applied(Finding),
    /// Nothing of it is in, but it could still be.
    Missing,
    /// Nothing of it is in, and somebody else changed the place; it is at this byte.
    Overlapped(usize),
}

/// What one message did to the text.
pub(super) struct Observed<'a> {
    /// All of it as one change.
    pub(super) change: &'a Edit,
    /// The changes it was made of, where there are several.
    pub(super) steps: &'a [Edit],
    pub(super) now: &'a Text,
}

impl Sent {
    /// `None` when the edit does not fit the text.
    pub(super) fn new(
        before: &Text,
        edit: Edit,
        unchecked: Option<PositionEncoding>,
    ) -> Option<Self> {
        let readings = vec![Reading::new(0, before.clone(), edit)?];
        let (now, found) = (before.clone(), None);
        Some(Self { readings, changes: Vec::new(), overlap: None, now, found, unchecked })
    }

    /// Others changed the text since.
    pub(super) fn is_moved(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The editor checks the version that the edit was sent for.
    pub(super) fn is_checked(&self) -> bool {
        self.unchecked.is_none()
    }

    /// The edit in terms of the present text, unless somebody changed the same place.
    pub(super) fn present(&self) -> Result<&Edit, usize> {
        match (self.overlap, self.readings.last()) {
            (None, Some(reading)) => Ok(&reading.edit),
            (at, _) => Err(at.unwrap_or_default()),
        }
    }

    /// The text changed. Returns how the edit came in, when that is beyond doubt.
    pub(super) fn changed(&mut self, observed: &Observed<'_>) -> Option<Finding> {
        let &Observed { change, steps, now } = observed;
        // An editor that applies an outdated edit does so on the text of that moment.
        if self.is_checked() || steps.len() < 2 {
            return self.changed_once(change, steps, now);
        }
        let mut text = self.now.clone();
        let mut certain = None;
        for step in steps {
            text = step.apply(&text).ok()?;
            match certain {
                None => certain = self.changed_once(step, &[], &text),
                Some(_) => self.changes.push(step.clone()),
            }
        }
        certain
    }

    fn changed_once(&mut self, change: &Edit, steps: &[Edit], now: &Text) -> Option<Finding> {
        let before = std::mem::replace(&mut self.now, now.clone());
        let exact = self.readings.iter().position(|reading| reading.after == *now);
        let found = match exact {
            Some(at) => Some(self.exact(at)),
            None => self.find(&before, change, steps, now),
        };
        self.changes.push(change.clone());
        if found.as_ref().is_some_and(Finding::is_certain) {
            return found;
        }
        let rank = |found: &Option<Finding>| found.as_ref().map(Finding::rank);
        if found.is_some() && (self.found.is_none() || rank(&found) < rank(&self.found)) {
            self.found = found;
        }
        self.follow(change, now);
        None
    }

    /// Moves the edit over a change of somebody else.
    fn follow(&mut self, change: &Edit, now: &Text) {
        if let Some(at) = self.overlap {
            self.overlap = Some(change.map_offset(at, Bias::Before));
            return;
        }
        let Some(latest) = self.readings.last() else { return };
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
    }

    /// The text is exactly what the edit made of one of the readings: what came since that reading
    /// were parts of it.
    fn exact(&self, at: usize) -> Finding {
        let Reading { seen, before, edit, .. } = &self.readings[at];
        Finding::exact(*seen, before.clone(), edit.clone(), self.changes.len() + 1 - seen)
    }

    fn find(&self, before: &Text, change: &Edit, steps: &[Edit], now: &Text) -> Option<Finding> {
        let seen = self.changes.len();
        let latest = self.readings.last().filter(|_| self.overlap.is_none());
        if let Some(reading) = latest {
            if let Some(found) = among_steps(seen, before, &reading.edit, steps) {
                return Some(found);
            }
            let found = finding::find(seen, before, &reading.edit, change, now);
            if found.as_ref().is_some_and(Finding::is_certain) {
                return found;
            }
            let stale = self.stale(seen, before, change, now);
            return [found, stale].into_iter().flatten().min_by_key(Finding::rank);
        }
        self.stale(seen, before, change, now)
    }

    /// The edit as an editor makes it that does not check versions: at the positions it was sent
    /// with, whatever was typed meanwhile.
    fn stale(&self, seen: usize, before: &Text, change: &Edit, now: &Text) -> Option<Finding> {
        let encoding = self.unchecked.filter(|_| seen > 0)?;
        let first = self.readings.first()?;
        let latest = self.readings.last().filter(|_| self.overlap.is_none());
        let stale = finding::at_old_positions(&first.before, &first.edit, before, encoding)?;
        if latest.is_some_and(|latest| latest.edit == stale) {
            return None;
        }
        let found = finding::find(seen, before, &stale, change, now)?;
        let meant = latest.map(|latest| latest.edit.clone());
        found.is_strong().then(|| found.misplaced(meant))
    }

    /// All changes since it was sent, as other people's.
    pub(super) fn foreign(self) -> Vec<Landed> {
        self.changes.into_iter().map(Landed::Foreign).collect()
    }

    /// The best explanation there is, now that the editor says that it applied the edit.
    pub(super) fn claimed(&mut self) -> Option<Finding> {
        self.found.take_if(|found| found.is_settled_by_a_claim())
    }

    /// The best explanation there is, for an edit that the editor said it applied and now refuses.
    pub(super) fn explained(&mut self) -> Option<Finding> {
        self.found.take()
    }

    /// Judges the text as it is now that nothing more is to come.
    pub(super) fn verdict(&mut self) -> Verdict {
        if let Some(found) = self.found.take() {
            return Verdict::Applied(found);
        }
        match self.present() {
            Ok(_) => Verdict::Missing,
            Err(at) => Verdict::Overlapped(at),
        }
    }

    /// Judges a text that the editor did not tell of: the file, after its document was closed.
    pub(super) fn verdict_on(&mut self, text: &Text) -> Verdict {
        let unseen = text::diff(&self.now.to_string(), &text.to_string());
        if !unseen.is_empty() {
            let observed = Observed { change: &unseen, steps: &[], now: text };
            if let Some(found) = self.changed(&observed) {
                return Verdict::Applied(found);
            }
        }
        self.verdict()
    }

    /// What happened since the edit was sent, with this explanation of its part.
    pub(super) fn landed(&self, found: Finding) -> Vec<Landed> {
        let mut landed = self.before(&found);
        landed.extend(self.since(found));
        landed
    }

    /// What others changed before what an explanation is about.
    pub(super) fn before(&self, found: &Finding) -> Vec<Landed> {
        foreign(&self.changes[..found.seen.min(self.changes.len())])
    }

    /// What an explanation is about, and what others changed after it.
    pub(super) fn since(&self, found: Finding) -> Vec<Landed> {
        let later = foreign(self.later(&found));
        found.parts.into_iter().chain(later).collect()
    }

    /// How many messages came after what an explanation is about.
    pub(super) fn changes_after(&self, found: &Finding) -> usize {
        self.later(found).len()
    }

    fn later(&self, found: &Finding) -> &[Edit] {
        self.changes.get(found.seen + found.passed..).unwrap_or_default()
    }

    /// The edit of the present text that moves a misplaced edit to where it was `meant` on
    /// `before`, or takes it back, and leaves all that others did. `None` when others have changed
    /// the same text since.
    pub(super) fn correction(
        &self,
        found: &Finding,
        before: &Text,
        meant: Option<&Edit>,
    ) -> Option<Edit> {
        let right = meant.map_or_else(|| Ok(before.clone()), |edit| edit.apply(before)).ok()?;
        let mut others = found.parts.iter().skip_while(|part| matches!(part, Landed::Foreign(_)));
        let Some(Landed::Own { edit, .. }) = others.next() else { return None };
        let wrong = edit.apply(before).ok()?;
        let mut correction = text::diff(&wrong.to_string(), &right.to_string());
        for part in others {
            let Landed::Foreign(change) = part else { return None };
            correction = correction.rebase(change).ok()?;
        }
        for change in self.later(found) {
            correction = correction.rebase(change).ok()?;
        }
        Some(correction)
    }
}

fn foreign(changes: &[Edit]) -> Vec<Landed> {
    changes.iter().cloned().map(Landed::Foreign).collect()
}

/// The edit as some of the changes that one message was made of: it is exact then, and so is
/// what was typed before and after it.
fn among_steps(seen: usize, before: &Text, edit: &Edit, steps: &[Edit]) -> Option<Finding> {
    if steps.len() < 2 || steps.len() > STEPS_COMPARED {
        return None;
    }
    let mut texts = vec![before.clone()];
    for step in steps {
        texts.push(step.apply(texts.last()?).ok()?);
    }
    let mut moved = edit.clone();
    for (start, step) in steps.iter().enumerate() {
        let after = moved.apply(&texts[start]).ok()?;
        let same = |end: &usize| texts[*end] == after;
        if let Some(end) = (start + 1..texts.len()).find(same) {
            let before = texts[start].clone();
            let mut parts = foreign(&steps[..start]);
            parts.push(Landed::Own { before, edit: moved });
            parts.extend(foreign(&steps[end..]));
            return Some(Finding::from_steps(seen, parts));
        }
        moved = moved.rebase(step).ok()?;
    }
    None
}

impl Reading {
    fn new(seen: usize, before: Text, edit: Edit) -> Option<Self> {
        let after = edit.apply(&before).ok()?;
        Some(Self { seen, before, edit, after })
    }
}
