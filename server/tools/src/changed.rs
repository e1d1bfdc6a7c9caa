//! Files that the model has read and that say something else now: the user changed them, in the
//! editor or on the disk, or a program did.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use policy::Verdict;
use text::Text;
use workspace::{Origin, ReadError, View};

use crate::context::SessionState;
use crate::place::Sight;
use crate::world::World;

/// So many files are looked at, those that were read last.
const LOOKED_AT: usize = 100;
/// So many changes are shown, in so many bytes each; of others the model only learns that they
/// happened.
const SHOWN: usize = 5;
const LONGEST: usize = 4_000;
/// Longer texts are not compared: somebody waits.
const COMPARED: usize = 256 * 1024;
/// Lines around a change.
const AROUND: usize = 2;

/// A file that says something else than the model knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: PathBuf,
    pub how: HowChanged,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HowChanged {
    /// The change, without secrets. The model knows the file again.
    Diff(String),
    /// Too much to be shown, or nobody remembers the old text.
    Much,
    Gone,
}

/// What the model does not know yet; each change is told once. Files that may not be read without a
/// question are left out.
pub async fn changed_since_read(world: &dyn World, session: Arc<SessionState>) -> Vec<ChangedFile> {
    let view = View::new(world.snapshot_below(Path::new("/")).await);
    let look = move || {
        let sight = Sight::of(&session);
        let files = session.with_reads(|reads| reads.latest(LOOKED_AT)).into_iter();
        let mut shown = 0;
        let changed = files.filter_map(|path| {
            let how = look_at(&path, &view, &session, &sight, shown < SHOWN)?;
            shown += usize::from(matches!(how, HowChanged::Diff(_)));
            Some(ChangedFile { path, how })
        });
        changed.collect()
    };
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

fn look_at(
    path: &Path,
    view: &View,
    session: &SessionState,
    sight: &Sight,
    shows: bool,
) -> Option<HowChanged> {
    let (seen, compared) = session.with_reads(|reads| (reads.seen(path), reads.compared(path)));
    let is_open = view.snapshot().at(path).is_some();
    // One look at the disk, and not a byte read, for a file that nobody touched.
    if !is_open && compared.is_some() && workspace::stamp(path).ok().flatten() == compared {
        return None;
    }
    let file = match view.read(path) {
        Ok(file) => file,
        Err(ReadError::NotFound { .. }) => {
            session.with_reads(|reads| reads.forget(path));
            return Some(HowChanged::Gone);
        }
        Err(_) => return None,
    };
    let now = file.fingerprint();
    let known = seen == Some(now) || session.with_reads(|reads| reads.was_told(path, now));
    let how = if known || sight.of_reading(path).0 != Verdict::Allow {
        None
    } else {
        let before = session.with_reads(|reads| reads.seen_text(path).cloned());
        let diff = before.filter(|_| shows).and_then(|before| diff(&before, &file.text));
        session.with_reads(|reads| match &diff {
            Some(_) => {
                reads.note(path, now);
                reads.keep_seen(path, file.text.clone());
            }
            None => reads.tell(path, now),
        });
        let redact = |diff: String| session.redactor().redact(&diff).into_owned();
        Some(diff.map_or(HowChanged::Much, |diff| HowChanged::Diff(redact(diff))))
    };
    if let Origin::Disk { stamp } = file.origin {
        session.with_reads(|reads| reads.note_compared(path, stamp));
    }
    how
}

fn diff(before: &Text, after: &Text) -> Option<String> {
    if before.len_bytes().max(after.len_bytes()) > COMPARED {
        return None;
    }
    let diff = text::unified(&before.to_string(), &after.to_string(), AROUND);
    (diff.len() <= LONGEST).then_some(diff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_change_is_shown() {
        let check = |before: &str, after: &str, expect: Option<&str>| {
            let diff = diff(&Text::from(before), &Text::from(after));
            assert_eq!(diff.as_deref(), expect);
        };
        check("a\nb\nc\n", "a\nB\nc\n", Some("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"));
        check("", &"x\n".repeat(3_000), None);
        check(&"x".repeat(COMPARED + 1), "", None);
    }
}
