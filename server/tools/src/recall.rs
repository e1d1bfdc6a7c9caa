//! The files the model read last, as they are now: what it gets back after its memory of them went.

use std::path::PathBuf;

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
}

/// The last files that were read, the latest first, and no more than `cap` bytes together. Of all
/// others the model knows nothing any more, so that it must read them before it may change them.
pub async fn recall(
    world: &dyn World,
    session: std::sync::Arc<SessionState>,
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
            let all = lines.last >= line_count(&file.text);
            let more = if all { "" } else { "… (the file goes on; read it for the rest)\n" };
            session.with_reads(|reads| {
                reads.note_lines(&path, file.fingerprint(), 0..lines.last, line_count(&file.text));
            });
            found.push(Recalled { path, text: format!("{}{more}", lines.text) });
        }
        session.with_reads(|reads| {
            reads.keep_only(|path| found.iter().any(|file| file.path == path));
        });
        found
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}
