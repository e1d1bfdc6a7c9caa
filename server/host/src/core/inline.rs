//! Inline edits under way, as the loop sees them: where each one works, so that a key stroke there
//! stops it and one elsewhere moves it along.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use text::{Bias, Edit, OutsideText, Position, PositionEncoding, Text};
use tokio_util::sync::CancellationToken;
use workspace::DocumentUri;

use super::event::{CoreHandle, OpenEdit};

/// The means to stop an inline edit, with a sentence for whoever asks why.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    token: CancellationToken,
    why: Arc<OnceLock<&'static str>>,
}

impl Stop {
    /// The first reason counts.
    pub fn now(&self, why: &'static str) {
        let _ = self.why.set(why);
        self.token.cancel();
    }

    pub async fn wanted(&self) {
        self.token.cancelled().await;
    }

    pub fn is_wanted(&self) -> bool {
        self.token.is_cancelled()
    }

    pub fn why(&self) -> &'static str {
        self.why.get().copied().unwrap_or("Stopped.")
    }

    /// Nobody works on it any more.
    fn is_over(&self) -> bool {
        Arc::strong_count(&self.why) == 1
    }
}

/// The bytes of an open document that an inline edit is about.
#[derive(Clone, Debug)]
pub struct Place {
    uri: DocumentUri,
    range: Range<usize>,
    /// It ends with a line break: what is typed right behind it is typed on another line.
    whole_lines: bool,
}

impl Place {
    pub fn new(uri: DocumentUri, range: Range<usize>, text: &Text) -> Place {
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start);
        let last = last.and_then(|last| text.slice(last..range.end));
        let whole_lines = last.is_some_and(|last| last == "\n" || last == "\r");
        Place { uri, range, whole_lines }
    }

    fn is_touched(&self, change: &Edit) -> bool {
        let Range { start, end } = self.range;
        change.splices().iter().any(|splice| {
            let theirs = &splice.range;
            if theirs.is_empty() || start == end {
                let ends_before =
                    if self.whole_lines { theirs.start < end } else { theirs.start <= end };
                return theirs.end >= start && ends_before;
            }
            theirs.start < end && theirs.end > start
        })
    }

    fn follow(&mut self, change: &Edit) {
        let start = change.map_offset(self.range.start, Bias::After);
        let end = change.map_offset(self.range.end, Bias::Before);
        self.range = start..end.max(start);
    }
}

/// The bytes that a range of the client means.
pub fn bytes(
    text: &Text,
    range: &protocol::lsp::Range,
    encoding: PositionEncoding,
) -> Result<Range<usize>, OutsideText> {
    let position = |at: protocol::lsp::Position| Position { line: at.line, column: at.character };
    text.range(position(range.start)..position(range.end), encoding)
}

const TYPED: &str = "Stopped, because the text was changed at the same place.";
const CLOSED: &str = "Stopped, because the file was closed.";

#[derive(Default)]
pub struct InlineEdits {
    running: BTreeMap<String, Running>,
}

struct Running {
    /// None for a file that is not open: nobody types there.
    place: Option<Place>,
    stop: Stop,
}

impl InlineEdits {
    pub fn start(&mut self, edit_id: String, place: Option<Place>, stop: Stop) {
        self.sweep();
        self.running.insert(edit_id, Running { place, stop });
    }

    /// An open document changed. Costs nothing where no edit is under way.
    pub fn changed(&mut self, uri: &DocumentUri, change: &Edit) {
        if self.running.is_empty() {
            return;
        }
        for Running { place, stop } in self.running.values_mut() {
            match place.as_mut().filter(|place| place.uri == *uri) {
                Some(place) if place.is_touched(change) => stop.now(TYPED),
                Some(place) => place.follow(change),
                None => {}
            }
        }
        self.sweep();
    }

    /// A document was closed or opened anew, or nobody knows what it says.
    pub fn reset(&mut self, uri: &DocumentUri) {
        let there = |running: &&Running| running.place.as_ref().is_some_and(|at| at.uri == *uri);
        self.running.values().filter(there).for_each(|running| running.stop.now(CLOSED));
        self.sweep();
    }

    /// Stops one; `false` when it is not under way, or about to land already.
    pub fn stop(&mut self, edit_id: &str, why: &'static str) -> bool {
        let Some(running) = self.running.remove(edit_id) else { return false };
        running.stop.now(why);
        true
    }

    /// From here on what is typed is weighed against the edit itself. `false` when it was stopped.
    fn land(&mut self, edit_id: &str) -> bool {
        self.running.remove(edit_id).is_some_and(|running| !running.stop.is_wanted())
    }

    fn sweep(&mut self) {
        self.running.retain(|_, running| !running.stop.is_wanted() && !running.stop.is_over());
    }
}

/// Sends an inline edit to the editor, unless it was stopped at the last moment: then its reply is
/// dropped.
pub async fn land(core: &CoreHandle, edit_id: String, edit: OpenEdit) {
    core.go_on(move |state| {
        if state.inline.land(&edit_id) {
            state.on_edit(edit);
        }
    })
    .await;
}

#[cfg(test)]
mod tests;
