//! A change that does not fit the text means that ours is not the editor's. It is never clamped
//! into place: the editor is asked for all of the text, and until it came nothing is written there.

use std::sync::Arc;
use std::time::Duration;

use protocol::Request as _;
use protocol::editor::{EditorText, EditorTextParams, EditorTextResult};
use workspace::DocumentUri;

use super::door::Door;
use super::event::{CoreHandle, Event};

const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Asks, or tells the user. `opened` says which opening of the document it is about.
pub fn start(core: &CoreHandle, door: &Arc<Door>, uri: DocumentUri, opened: u64) {
    tracing::warn!(uri = uri.as_str(), "the editor's text is out of step");
    let editor = door.profile().agent.editor;
    if editor.and_then(|editor| editor.text) != Some(true) {
        return tell(door, &uri);
    }
    let asked = door.ask(EditorText::METHOD, &EditorTextParams { uri: uri.as_str().to_owned() });
    let (core, door) = (core.clone(), door.clone());
    tokio::spawn(async move {
        match asked.answer::<EditorTextResult>(ANSWER_WITHIN).await {
            Ok(EditorTextResult { version, text }) => {
                core.send(Event::FullText { uri, opened, version, text }).await;
            }
            Err(error) => {
                tracing::warn!(%error, "the editor did not send its text");
                tell(&door, &uri);
            }
        }
    });
}

/// The standard has no way to ask for a text, but the user can give it: opening sends it.
fn tell(door: &Door, uri: &DocumentUri) {
    let name = uri.as_str().rsplit('/').next().unwrap_or_default();
    let message = format!(
        "Bowline lost track of the text of {name} and will not touch it. Close and reopen the file \
         to go on."
    );
    door.show_message(&message);
}
