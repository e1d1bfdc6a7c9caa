//! Texts of a client that has some but never says which (an ACP client with `fs/*`): asked for when
//! somebody is about to look, and from then on open documents like any other.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use protocol::Request as _;
use protocol::editor::{EditorText, EditorTextParams, EditorTextResult};
use tokio::sync::oneshot;
use workspace::DocumentUri;

use super::door::Door;
use super::event::Sync;
use super::rpc::RpcError;
use super::state::State;

const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// So many texts are asked for again when a whole folder is looked at.
const MOST: usize = 64;
/// So many requests are under way at once.
const AT_ONCE: usize = 8;
/// Nothing reads it, and nobody told us.
const NO_LANGUAGE: &str = "";

/// Somebody is about to look at a file, or at what is known below a folder.
pub struct Refresh {
    /// Behind all links.
    pub path: PathBuf,
    pub what: Wanted,
    /// Told when what the client has is known.
    pub done: oneshot::Sender<()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The text of this file.
    Text,
    /// This file is to be made: if there is none yet, the client makes it.
    Creation,
    /// What is known of files below.
    Below,
}

pub fn refresh(state: &State, refresh: Refresh) {
    let Refresh { path, what, done } = refresh;
    let Some(door) = state.doors.values().find(|door| door.profile().texts_on_demand) else {
        let _ = done.send(());
        return;
    };
    let documents = wanted(state, door, path, what);
    let (core, door) = (state.core.clone(), door.clone());
    tokio::spawn(async move {
        let asked = documents.into_iter().map(|uri| {
            let (core, door) = (core.clone(), door.clone());
            async move {
                let params = EditorTextParams { uri: uri.as_str().to_owned() };
                let asked = door.ask(EditorText::METHOD, &params);
                let answer = asked.answer::<EditorTextResult>(ANSWER_WITHIN).await;
                core.go_on(move |state| take(state, &door, uri, answer, what)).await;
            }
        });
        futures::stream::iter(asked).buffer_unordered(AT_ONCE).for_each(async |()| ()).await;
        let _ = done.send(());
    });
}

/// What another client has open is that client's to tell.
fn wanted(state: &State, door: &Arc<Door>, path: PathBuf, what: Wanted) -> Vec<DocumentUri> {
    if what != Wanted::Below {
        let Some(uri) = DocumentUri::from_path(&path) else { return Vec::new() };
        let taken = state.buffers.owner(&uri).is_some_and(|owner| owner.id != door.id);
        return if taken { Vec::new() } else { vec![uri] };
    }
    let snapshot = state.buffers.snapshot();
    let below = snapshot.iter().filter(|document| {
        let is_below = document.path.as_ref().is_some_and(|known| known.starts_with(&path));
        is_below && state.buffers.owner(&document.uri).is_some_and(|owner| owner.id == door.id)
    });
    let known = below.take(MOST).map(|document| document.uri.clone());
    // It may be a file; the client's door knows better than to ask for the text of a folder.
    let itself = DocumentUri::from_path(&path).filter(|uri| state.buffers.owner(uri).is_none());
    known.chain(itself).collect()
}

/// The client's text becomes the document's; a file it does not know is on the disk or nowhere.
fn take(
    state: &mut State,
    door: &Arc<Door>,
    uri: DocumentUri,
    answer: Result<EditorTextResult, RpcError>,
    what: Wanted,
) {
    let open = state.buffers.opened(&uri);
    let (version, text) = match (answer, open) {
        (Ok(EditorTextResult { version, text }), _) => (version, text),
        (Err(error), None) if what == Wanted::Creation && error.code == RpcError::NOT_THERE => {
            (0, String::new())
        }
        (Err(error), Some(_)) if error.code == RpcError::NOT_THERE => {
            return state.on_sync(door, Sync::Close { uri });
        }
        (Err(error), _) => {
            return tracing::debug!(%error, uri = uri.as_str(), "the client has no such text");
        }
    };
    match open {
        Some(opened) if state.buffers.version(&uri) != Some(version) => {
            state.on_full_text(uri.clone(), opened, version, &text);
            // Another text may be one that was saved.
            state.look_at_disk(uri);
        }
        Some(_) => {}
        None => {
            let language = NO_LANGUAGE.to_owned();
            state.on_sync(door, Sync::Open { uri, language, version, text });
        }
    }
}
