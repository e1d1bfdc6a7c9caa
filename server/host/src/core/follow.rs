//! Showing a user who follows the agent where it works (`agent/editor/reveal`).
//!
//! The agent is faster than eyes and editors: only the newest place counts, and the next one is sent
//! when the last was answered.

use std::sync::Arc;
use std::time::Duration;

use protocol::Request as _;
use protocol::editor::{EditorReveal, EditorRevealParams};
use protocol::lsp::{Position, Range};
use protocol::{Empty, review::Hunk};
use tokio::sync::watch;

use super::door::Door;

/// An editor that takes longer has something better to do; the next place is sent all the same.
const SHOWN_WITHIN: Duration = Duration::from_secs(30);

/// The newest place; dropping it ends the task that shows them.
pub(super) type Follower = watch::Sender<Option<EditorRevealParams>>;

impl Door {
    /// The user wants to be shown where the agent works, or no longer.
    pub fn follow(self: &Arc<Self>, on: bool) {
        let editor = self.profile().agent.editor.unwrap_or_default();
        let mut follower = self.follower();
        if !on || editor.reveal != Some(true) || self.outbox.is_closed() {
            *follower = None;
        } else if follower.is_none() {
            let (newest, places) = watch::channel(None);
            *follower = Some(newest);
            tokio::spawn(show(self.clone(), places));
        }
    }

    /// Shows a file, as far as somebody follows.
    pub fn reveal_file(&self, uri: String) {
        self.reveal(EditorRevealParams { uri, range: None, preserve_focus: true });
    }

    /// Shows the lines of a change, as far as somebody follows. Whole lines are the same in every
    /// encoding.
    pub fn reveal_change(&self, hunk: &Hunk) {
        let line = |line| Position { line, character: 0 };
        let range = Range { start: line(hunk.range.start.line), end: line(hunk.range.end.line) };
        let uri = hunk.uri.clone();
        self.reveal(EditorRevealParams { uri, range: Some(range), preserve_focus: true });
    }

    fn reveal(&self, place: EditorRevealParams) {
        if let Some(follower) = self.follower().as_ref() {
            follower.send_replace(Some(place));
        }
    }
}

async fn show(door: Arc<Door>, mut places: watch::Receiver<Option<EditorRevealParams>>) {
    while places.changed().await.is_ok() {
        let Some(place) = places.borrow_and_update().clone() else { continue };
        if door.is_unknown(EditorReveal::METHOD) {
            return;
        }
        let shown = door.ask(EditorReveal::METHOD, &place).answer::<Empty>(SHOWN_WITHIN).await;
        if let Err(error) = shown {
            tracing::debug!(?door, %error, "a place was not shown");
        }
    }
}
