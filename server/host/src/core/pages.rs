//! Pages that a plain editor shows: a virtual document where it asks for those, a file elsewhere.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use workspace::DocumentUri;

use super::door::Door;
use super::state::State;
use crate::store;

const SHOW: &str = "window/showDocument";
/// The scheme of our virtual documents.
pub const SCHEME: &str = "bowline";
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// So many virtual documents of a client are kept.
const KEPT: usize = 20;
/// What fits a message box.
const MESSAGE_CAP: usize = 2_000;

/// The virtual documents that a client may ask for.
#[derive(Default)]
pub struct Pages(VecDeque<(String, String)>);

impl Pages {
    pub fn get(&self, uri: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == uri).map(|(_, text)| text.as_str())
    }

    fn put(&mut self, uri: String, text: String) {
        self.0.retain(|(known, _)| *known != uri);
        self.0.push_back((uri, text));
        if self.0.len() > KEPT {
            self.0.pop_front();
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShowDocument<'a> {
    uri: &'a str,
    external: bool,
    take_focus: bool,
}

/// A change of a file as a page.
pub fn diff(uri: &DocumentUri, before: &str, after: &str) -> String {
    let path = uri.to_path().unwrap_or_default();
    let shown = path.display();
    format!("--- {shown}\n+++ {shown}\n{}", text::unified(before, after, 3))
}

/// What the page about a file is called.
pub fn name(uri: &DocumentUri) -> String {
    let path = uri.to_path().unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' };
    format!("{}.diff", name.chars().map(plain).collect::<String>())
}

/// Shows a page in the best way the client has.
pub fn show(state: &State, door: &Arc<Door>, name: &str, text: String, take_focus: bool) {
    let profile = door.profile();
    if door.takes_virtual_documents() {
        let uri = format!("{SCHEME}:/{name}");
        door.pages().put(uri.clone(), text);
        // A client that has it open already looks again.
        ask(door, "workspace/textDocumentContent/refresh", &serde_json::json!({ "uri": uri }));
        return open(door, &uri, take_focus);
    }
    if !profile.show_document {
        let cut = text.floor_char_boundary(MESSAGE_CAP);
        return door.show_message(&text[..cut]);
    }
    let path = state.host.locations.bowline_home.join("diffs").join(name);
    let door = door.clone();
    tokio::spawn(async move {
        let (written, at) = (path.clone(), path.clone());
        let write = move || store::keep_page(&written, &text);
        match tokio::task::spawn_blocking(write).await {
            Ok(Ok(())) => {
                if let Some(uri) = DocumentUri::from_path(&at) {
                    open(&door, uri.as_str(), take_focus);
                }
            }
            Ok(Err(error)) => {
                let text = format!("{} could not be written: {error}.", path.display());
                door.show_message(&text);
            }
            Err(error) => tracing::error!(%error, "writing a page broke down"),
        }
    });
}

fn open(door: &Arc<Door>, uri: &str, take_focus: bool) {
    ask(door, SHOW, &ShowDocument { uri, external: false, take_focus });
}

/// Nothing depends on the answer, but leaving it unread would withdraw the request.
fn ask(door: &Arc<Door>, method: &'static str, params: &impl Serialize) {
    let asked = door.ask(method, params);
    tokio::spawn(async move {
        let _ = asked.answer::<Value>(ANSWER_WITHIN).await;
    });
}
