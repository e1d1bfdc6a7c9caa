//! A change of one file, from the plan that shows it to the result that tells about it. The tools
//! that change files differ only in how they come to the change.

mod report;

use text::{Edit, Text};
use workspace::{FileText, Origin, ReadError};

use crate::context::Context;
use crate::findings;
use crate::origin;
use crate::place::{Place, blocking, sentence};
use crate::show::reminder;
use crate::tool::{FileChange, Outcome, Plan, Preview, Problem};
use crate::world::{EditRequest, Edited, EditedFile};

use report::Told;

/// A change that is ready to be made.
pub(crate) struct Change {
    pub(crate) place: Place,
    /// The file as it was when the change was computed.
    base: Option<FileText>,
    edit: Edit,
    /// How many places it changes, as the model counts.
    pub(crate) count: usize,
    /// What the model should know about how the change came to be.
    pub(crate) notes: Vec<String>,
    /// Tells what was done, where the text itself would not say it well.
    pub(crate) summary: Option<String>,
}

/// A change that was made, with the text that is really there now.
pub(crate) struct Made {
    pub(crate) place: Place,
    pub(crate) old: Option<Text>,
    pub(crate) edited: Edited,
    asked: Edit,
}

/// The text a change is to start from; nothing when there is no such file yet.
pub(crate) async fn look(cx: &Context, place: &Place) -> Result<Option<FileText>, Problem> {
    match place.text(cx).await? {
        Ok(file) => {
            origin::check_writable(place, &file)?;
            Ok(Some(file))
        }
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(sentence(&error)),
    }
}

/// To replace a text is to throw the old one away, so the model must know what it says now.
pub(crate) fn check_seen(cx: &Context, place: &Place, file: &FileText) -> Result<(), Problem> {
    let path = place.path.display();
    let now = Some(file.fingerprint());
    let (sent, seen) =
        cx.session.with_reads(|reads| (reads.sent(&place.resolved), reads.seen(&place.resolved)));
    match seen {
        _ if sent == now => Ok(()),
        // A reading of the same answer: nobody can have decided anything by what it says.
        Some(_) if seen == now => Err(Problem(format!(
            "Nothing was changed: {path} was read in the same response as this call, so its content \
             was not known to you yet. Look at the result of Read first, then change the file."
        ))),
        Some(_) => Err(Problem(format!(
            "{path} has changed since you read it. Read it again before you change it."
        ))),
        None => Err(Problem(format!(
            "{path} exists, and you have not read it. Read it first, so that nothing in it is lost."
        ))),
    }
}

impl Change {
    pub(crate) fn new(place: Place, base: Option<FileText>, edit: Edit) -> Change {
        Change { place, base, edit, count: 1, notes: Vec::new(), summary: None }
    }

    /// The plan of a change that the policy will refuse. It looked at nothing, so it tells nothing.
    pub(crate) fn refused(place: &Place) -> Plan {
        Plan::new(vec![place.edit()], |_| async {
            Err(Problem::new("This file may not be changed."))
        })
    }

    pub(crate) fn plan(self, verb: &'static str) -> Plan {
        // It was computed on this very text; if it does not fit, the world will say why.
        let preview = match self.proposed() {
            Some(change) => change.into(),
            None => Preview::None,
        };
        let subjects = vec![self.place.edit()];
        let path = self.place.path.clone();
        Plan::new(subjects, move |cx| self.make(verb, cx)).preview(preview).location(path)
    }

    /// The change leaves the text as it is.
    pub(crate) fn is_empty(&self) -> bool {
        self.edit.is_empty()
    }

    /// The file before and after, as it should become.
    pub(crate) fn proposed(&self) -> Option<FileChange> {
        let old = self.base.as_ref().map(|file| file.text.clone());
        let new = self.edit.apply(&old.clone().unwrap_or_default()).ok()?;
        Some(FileChange {
            path: self.place.path.clone(),
            version: self.base.as_ref().and_then(version),
            old: old.map(|text| text.to_string()),
            new: new.to_string(),
        })
    }

    async fn make(self, verb: &str, cx: Context) -> Result<Outcome, Problem> {
        let (count, mut notes, summary) = (self.count, self.notes.clone(), self.summary.clone());
        let told = self.base.as_ref().and_then(|file| origin::note_on_change(&self.place, file));
        let made = self.apply(verb, &cx).await?;
        let (place, old, edited, asked) =
            (made.place.clone(), made.old.clone(), made.edited.clone(), made.asked.clone());
        let reported = blocking(move || {
            let told = Told { place: &place, old: old.as_ref(), asked: &asked, edited: &edited };
            told.report(count)
        });
        let mut report = reported.await?;
        if let (Some(summary), None) = (summary, &made.edited.deviation) {
            report = summary;
        }
        made.note_if_seen(&cx).await?;
        if let Some((note, for_user)) = told.filter(|_| !made.did_nothing()) {
            if for_user && cx.session.is_news(&note) {
                cx.world.notify_user(note.clone()).await;
            }
            notes.push(note);
        }
        for note in notes {
            report.push_str(&reminder(&note));
        }
        if let Some(found) = findings::since(&cx, &[&made]).await {
            report.push('\n');
            report.push_str(&found);
        }
        let mut outcome = Outcome::text(report);
        outcome.is_error = made.did_nothing();
        outcome.diffs.push(made.file_change());
        Ok(outcome)
    }

    /// Makes the change, and tells nobody but the world.
    pub(crate) async fn apply(self, verb: &str, cx: &Context) -> Result<Made, Problem> {
        self.place.check_unmoved().await?;
        let Change { place, base, edit, .. } = self;
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
        Ok(Made { place, old, edited, asked: edit })
    }
}

impl Made {
    /// The editor dropped the edit, and the text is the old one.
    fn did_nothing(&self) -> bool {
        self.edited.deviation.is_some() && self.old.as_ref() == Some(&self.edited.text)
    }

    /// Who knew the old text, and that nothing but this was changed in it, knows the new one. What
    /// an editor did instead is shown.
    pub(crate) async fn note_if_seen(&self, cx: &Context) -> Result<(), Problem> {
        let seen = cx.session.with_reads(|reads| reads.seen(&self.place.resolved));
        let (old, new) = (self.old.clone(), self.edited.text.clone());
        let (asked, shown) = (self.asked.clone(), self.edited.deviation.is_some());
        let knows = blocking(move || {
            let before = old.as_ref().map(Text::fingerprint);
            let knew = before.is_none() || seen == before;
            let as_asked =
                asked.apply(&old.unwrap_or_default()).is_ok_and(|predicted| predicted == new);
            (knew && (shown || as_asked)).then(|| (before, as_asked, new.fingerprint(), new))
        });
        if let Some((before, as_asked, fingerprint, new)) = knows.await? {
            cx.session.with_reads(|reads| {
                reads.note(&self.place.resolved, fingerprint);
                reads.keep_seen(&self.place.resolved, new);
                // What an editor made of it is known only once the result is sent.
                if as_asked {
                    reads.note_own_change(&self.place.resolved, before, fingerprint);
                }
            });
        }
        Ok(())
    }

    pub(crate) fn edited_file(&self) -> EditedFile {
        EditedFile {
            path: self.place.resolved.clone(),
            before: self.old.clone().unwrap_or_default(),
            after: self.edited.text.clone(),
            version: self.edited.version,
        }
    }

    /// What people are shown: the agent's part of what happened, and nobody else's.
    pub(crate) fn file_change(&self) -> FileChange {
        let (path, version) = (self.place.path.clone(), self.edited.version);
        let (old, new) = match &self.edited.own {
            Some(own) => (self.old.as_ref().map(|_| own.before.to_string()), own.after.to_string()),
            None => (self.old.as_ref().map(Text::to_string), self.edited.text.to_string()),
        };
        FileChange { path, version, old, new }
    }
}

/// The version of the buffer that a text is; nothing for a file that is not open.
pub(crate) fn version(file: &FileText) -> Option<i32> {
    match file.origin {
        Origin::Buffer { version, .. } => Some(version),
        Origin::Disk { .. } => None,
    }
}

fn stopped(place: &Place) -> Problem {
    let path = place.path.display();
    Problem(format!("Stopped while {path} was being changed. Read it to see what it says now."))
}

#[cfg(test)]
mod tests;
