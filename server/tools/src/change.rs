//! A change of one file, from the plan that shows it to the result that tells about it. Write and
//! Edit differ only in how they come to the change.

use text::{Edit, Text};
use workspace::{FileText, Origin, ReadError};

use crate::context::Context;
use crate::place::{Place, blocking, sentence, view};
use crate::show::{numbered, reminder};
use crate::tool::{FileChange, Outcome, Plan, Preview, Problem};
use crate::world::EditRequest;

/// Unchanged lines shown around the changed ones, so that the model can check the place.
const AROUND: usize = 4;
/// The most lines and bytes of the new text that a result repeats.
const LINES: usize = 60;
const BYTES: usize = 8_000;

/// A change that is ready to be made.
pub(crate) struct Change {
    place: Place,
    /// The file as it was when the change was computed.
    base: Option<FileText>,
    edit: Edit,
    /// How many places it changes, as the model counts.
    pub(crate) count: usize,
    /// The file says something else than when the model last read it.
    pub(crate) stale: bool,
}

/// The text a change is to start from; nothing when there is no such file yet.
pub(crate) async fn look(cx: &Context, place: &Place) -> Result<Option<FileText>, Problem> {
    let view = view(cx).await;
    let resolved = place.resolved.clone();
    let read = blocking(move || {
        view.read(&resolved).inspect(|file| {
            // Asked for here, because it reads the whole text.
            file.fingerprint();
        })
    });
    match read.await? {
        Ok(file) => {
            check_in_sync(place, &file)?;
            Ok(Some(file))
        }
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(sentence(&error)),
    }
}

fn check_in_sync(place: &Place, file: &FileText) -> Result<(), Problem> {
    if !matches!(file.origin, Origin::Buffer { in_sync: false, .. }) {
        return Ok(());
    }
    let path = place.path.display();
    Err(Problem(format!(
        "The editor and the server disagree about {path} at the moment, so nothing may be written \
         to it. Read it again, or ask the user to close and reopen it."
    )))
}

impl Change {
    pub(crate) fn new(place: Place, base: Option<FileText>, edit: Edit) -> Change {
        Change { place, base, edit, count: 1, stale: false }
    }

    /// The plan of a change that the policy will refuse. It looked at nothing, so it tells nothing.
    pub(crate) fn refused(place: &Place) -> Plan {
        Plan::new(vec![place.edit()], |_| async {
            Err(Problem::new("This file may not be changed."))
        })
    }

    pub(crate) fn plan(self, verb: &'static str) -> Plan {
        let old = self.base.as_ref().map(|file| file.text.clone());
        let new = self.edit.apply(&old.clone().unwrap_or_default());
        let preview = match new {
            Ok(new) => Preview::Edit {
                path: self.place.path.clone(),
                version: self.base.as_ref().and_then(version),
                old: old.map(|text| text.to_string()),
                new: new.to_string(),
            },
            // It was computed on this very text; the world will say why it does not fit.
            Err(_) => Preview::None,
        };
        let subjects = vec![self.place.edit()];
        let path = self.place.path.clone();
        Plan::new(subjects, move |cx| self.make(verb, cx)).preview(preview).location(path)
    }

    async fn make(self, verb: &'static str, cx: Context) -> Result<Outcome, Problem> {
        self.place.check_unmoved().await?;
        let Change { place, base, edit, count, stale } = self;
        let old = base.as_ref().map(|file| file.text.clone());
        let request = EditRequest {
            path: place.resolved.clone(),
            base,
            edit: edit.clone(),
            label: format!("Bowline: {verb}"),
            call_id: cx.call_id.clone(),
        };
        // Giving up the wait tells the host not to try again: nothing is sent after a stop.
        let edited = tokio::select! {
            edited = cx.world.edit(request) => edited.map_err(|error| sentence(&error))?,
            () = cx.cancel.cancelled() => return Err(stopped(&place)),
        };
        let (new, shown_place, before) = (edited.text.clone(), place.clone(), old.clone());
        let (fingerprint, report) = blocking(move || {
            let report = report(&shown_place, before.as_ref(), &edit, &new, count);
            (new.fingerprint(), report)
        })
        .await?;
        cx.session.with_reads(|reads| reads.note(&place.resolved, fingerprint));
        let mut outcome = Outcome::text(if stale { report + &stale_note() } else { report });
        outcome.diffs.push(FileChange {
            path: place.path,
            version: edited.version,
            old: old.map(|text| text.to_string()),
            new: edited.text.to_string(),
        });
        Ok(outcome)
    }
}

fn version(file: &FileText) -> Option<i32> {
    match file.origin {
        Origin::Buffer { version, .. } => Some(version),
        Origin::Disk { .. } => None,
    }
}

fn stopped(place: &Place) -> Problem {
    let path = place.path.display();
    Problem(format!("Stopped while {path} was being changed. Read it to see what it says now."))
}

fn stale_note() -> String {
    reminder(
        "Somebody else changed this file since you read it; the edit went in all the same. Read it \
         again before you rely on the rest of it.",
    )
}

/// What the model is told: that it worked, and how the place looks now.
fn report(place: &Place, old: Option<&Text>, edit: &Edit, new: &Text, count: usize) -> String {
    let path = place.path.display();
    let Some(old) = old else {
        return format!("Created {path} ({} bytes).", new.len_bytes());
    };
    let (added, removed) = text::stat(&old.to_string(), &new.to_string());
    let places = if count > 1 { format!(", {count} places") } else { String::new() };
    let mut report = format!("Changed {path} (+{added} −{removed} lines{places}).");
    let (Some(first), Some(last)) = (edit.splices().first(), edit.splices().last()) else {
        return report;
    };
    // Where the change begins and ends in the new text, unless others moved it meanwhile.
    let start = new.byte_to_line(first.range.start) + 1;
    let end = edit.map_offset(last.range.end, text::Bias::After);
    let end = new.byte_to_line(end) + 1;
    let from = start.saturating_sub(AROUND).max(1);
    let lines = (end + AROUND + 1).saturating_sub(from).min(LINES);
    let shown = numbered(new, from, lines, BYTES);
    report.push_str(" It now reads:\n");
    report.push_str(&shown.text);
    report
}
