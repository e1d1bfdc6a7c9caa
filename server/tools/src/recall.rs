//! The files the model read last, as they are now: what it gets back after its memory of them went.

use std::path::PathBuf;
use std::sync::Arc;

use text::Fingerprint;
use workspace::View;

use crate::context::SessionState;
use crate::show::{line_count, numbered};
use crate::world::World;

/// So much of one file, in bytes; the rest can be read again.
const ONE: usize = 20_000;

/// A file as the Read tool shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    pub path: PathBuf,
    pub text: String,
    seen: Fingerprint,
    /// So many lines are shown, of so many.
    shown: usize,
    lines: usize,
}

/// The last files that were read, the latest first, and no more than `cap` bytes together.
pub async fn recall(
    world: &dyn World,
    session: Arc<SessionState>,
    most: usize,
    cap: usize,
) -> Vec<Recalled> {
    let view = View::new(world.snapshot().await);
    let read = move || {
        let latest = session.with_reads(|reads| reads.latest(most));
        let mut found: Vec<Recalled> = Vec::new();
        let mut room = cap;
        for path in latest {
            let Ok(file) = view.read(&path) else { continue };
            let lines = numbered(&file.text, 1, usize::MAX, ONE.min(room));
            if lines.text.is_empty() || lines.text.len() > room {
                continue;
            }
            room -= lines.text.len();
            let (shown, of) = (lines.last, line_count(&file.text));
            let more =
                if shown >= of { "" } else { "… (the file goes on; read it for the rest)\n" };
            let (text, seen) = (format!("{}{more}", lines.text), file.fingerprint());
            found.push(Recalled { path, text, seen, shown, lines: of });
        }
        found
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

/// The model has got these files back and knows nothing of any other, so that it must read those
/// before it may change them.
pub fn settle_recalled(session: &SessionState, files: &[Recalled]) {
    session.with_reads(|reads| {
        reads.keep_only(|path| files.iter().any(|file| file.path == path));
        // The latest first: it is to be the latest again.
        for file in files.iter().rev() {
            reads.note_lines(&file.path, file.seen, 0..file.shown, file.lines);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Desk;
    use serde_json::json;

    #[tokio::test]
    async fn the_ledger_changes_only_when_it_is_settled() {
        let desk = Desk::new(&[("w/a.rs", "one\n"), ("w/b.rs", "two\n"), ("w/c.rs", "three\n")]);
        for name in ["a.rs", "b.rs", "c.rs"] {
            desk.ok("Read", json!({ "file_path": name })).await;
        }
        let files = recall(&*desk.editor, desk.session.clone(), 2, 1_000).await;
        let names: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
        assert_eq!(names, [desk.path("w/c.rs"), desk.path("w/b.rs")], "the latest first");
        let known = || {
            let seen = |name: &str| {
                desk.session.with_reads(|reads| reads.seen(&desk.path(name)).is_some())
            };
            ["w/a.rs", "w/b.rs", "w/c.rs"].map(seen)
        };
        assert_eq!(known(), [true, true, true], "a summary may still be stopped");
        settle_recalled(&desk.session, &files);
        assert_eq!(known(), [false, true, true]);
        assert_eq!(desk.session.with_reads(|reads| reads.latest(1)), [desk.path("w/c.rs")]);
    }
}
