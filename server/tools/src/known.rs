//! What a command did to the files the model knows. A command sees and changes the disk behind
//! everybody's back, so the known files are looked at before it and after it, one `stat` each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use text::Text;
use workspace::{Origin, ReadError, Stamp, View, Watched};

use crate::context::{Context, SessionState};
use crate::place::{blocking, shown};
use crate::tool::Problem;
use crate::world::{Rewritten, Unsaved};

/// So many files are named; the model can find the others.
const NAMED: usize = 10;
/// The most text that one command's changes are compared in. What goes beyond is only named.
const COMPARED: usize = 64 * 1024 * 1024;

/// The known files as the disk has them before a command.
pub(crate) struct Before(Watched);

/// What a command changed.
#[derive(Default)]
pub(crate) struct Changed {
    pub(crate) names: Vec<PathBuf>,
    pub(crate) rewritten: Vec<Rewritten>,
}

/// Looks before a command runs.
pub(crate) async fn before(cx: &Context) -> Result<Before, Problem> {
    let session = Arc::clone(&cx.session);
    blocking(move || {
        let known: Vec<_> = session.with_reads(|reads| {
            reads.on_disk().map(|(path, stamp)| (path.to_owned(), stamp)).collect()
        });
        // Written since by the agent or by others: the command must not be blamed for it.
        for (path, known) in &known {
            if stamp(path) != *known {
                refresh(&session, path);
            }
        }
        Before(Watched::of(known.into_iter().map(|(path, _)| path)))
    })
    .await
}

/// Looks again when the command has ended.
pub(crate) async fn after(cx: &Context, before: Before) -> Result<Changed, Problem> {
    let session = Arc::clone(&cx.session);
    blocking(move || {
        let mut changed = Changed::default();
        let mut budget = COMPARED;
        for path in before.0.changed() {
            let (was, noted) = session
                .with_reads(|reads| (reads.disk_text(&path).cloned(), reads.disk_stamp(&path)));
            // Too large to be kept, and as it was as far as can be told.
            if was.is_none() && noted.is_some() && noted == stamp(&path) {
                continue;
            }
            if budget == 0 {
                session.with_reads(|reads| reads.forget_disk(&path));
                changed.names.push(path);
                continue;
            }
            let (now, text) = refresh(&session, &path);
            budget = budget.saturating_sub(text.as_ref().map_or(0, Text::len_bytes));
            if was.is_some() && was == text {
                continue;
            }
            changed.names.push(path.clone());
            if let Some(text) = &text {
                session.with_reads(|reads| reads.tell(&path, text.fingerprint()));
            }
            // Without both texts nobody can tell what the change was.
            if let (Some(before), true) = (was, text.is_some() || now.is_none()) {
                changed.rewritten.push(Rewritten { path, before, after: text });
            }
        }
        changed.names.sort();
        changed
    })
    .await
}

/// What cannot be asked is taken for gone.
fn stamp(path: &Path) -> Option<Stamp> {
    workspace::stamp(path).ok().flatten()
}

/// Reads a file of the disk, and keeps what it says.
fn refresh(session: &SessionState, path: &Path) -> (Option<Stamp>, Option<Text>) {
    match View::default().read(path) {
        Ok(file) => {
            let Origin::Disk { stamp } = file.origin else { return (None, None) };
            session.with_reads(|reads| reads.note_disk(path, stamp, Some(file.text.clone())));
            (Some(stamp), Some(file.text))
        }
        Err(ReadError::NotFound { .. }) => {
            session.with_reads(|reads| reads.forget_disk(path));
            (None, None)
        }
        Err(_) => {
            let stamp = stamp(path);
            session.with_reads(|reads| match stamp {
                Some(stamp) => reads.note_disk(path, stamp, None),
                None => reads.forget_disk(path),
            });
            (stamp, None)
        }
    }
}

/// What the model has to know about unsaved text when a command ran.
pub(crate) fn note_on_unsaved(cwd: &Path, unsaved: &Unsaved) -> Vec<String> {
    let mut notes = Vec::new();
    if !unsaved.saved.is_empty() {
        let names = names(cwd, &unsaved.saved);
        notes.push(format!("Saved in the editor before this command: {names}."));
    }
    if !unsaved.unseen.is_empty() {
        let names = names(cwd, &unsaved.unseen);
        notes.push(format!(
            "This command did not see the unsaved text of files that are open in the editor: \
             {names}. It saw the older text on the disk."
        ));
    }
    notes
}

/// What the model has to know about files it has read.
pub(crate) fn note_on_changed(cwd: &Path, changed: &Changed) -> Option<String> {
    if changed.names.is_empty() {
        return None;
    }
    let names = names(cwd, &changed.names);
    Some(format!(
        "This command changed files you have read: {names}. Read them again before you edit them."
    ))
}

fn names(cwd: &Path, paths: &[PathBuf]) -> String {
    let named: Vec<_> = paths.iter().take(NAMED).map(|path| shown(cwd, path)).collect();
    let named = named.join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} (+{more} more)"),
    }
}
