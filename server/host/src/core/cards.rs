//! Questions for editors that cannot put one, or do not answer: a diagnostic at the place says what
//! is asked, and code actions answer it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use workspace::DocumentUri;

use super::door::{Door, DoorId};
use super::event::CoreHandle;
use super::state::State;

const INFORMATION: u8 = 3;

/// What is asked, and the answers there are.
#[derive(Clone, Debug)]
pub struct Card {
    pub request_id: String,
    /// Where it belongs: the file to be changed, and the first line that would be.
    pub place: Option<(DocumentUri, u32)>,
    pub title: String,
    pub message: String,
    /// The id and the label of each.
    pub options: Vec<(String, String)>,
}

#[derive(Default)]
pub struct Cards {
    shown: BTreeMap<(DoorId, String), (DocumentUri, u32, Card)>,
}

impl Cards {
    pub fn of(&self, door: DoorId) -> impl Iterator<Item = &Card> {
        let own = self.shown.iter().filter(move |((of, _), _)| *of == door);
        own.map(|(_, (_, _, card))| card)
    }

    pub fn forget(&mut self, door: DoorId) {
        self.shown.retain(|(of, _), _| *of != door);
    }

    fn diagnostics(&self, door: DoorId, uri: &DocumentUri) -> Vec<Value> {
        let here = self.shown.iter().filter(|((of, _), (at, _, _))| *of == door && at == uri);
        let diagnostics = here.map(|(_, (_, line, card))| {
            let place = json!({ "line": line, "character": 0 });
            json!({
                "range": { "start": place, "end": { "line": line + 1, "character": 0 } },
                "severity": INFORMATION,
                "source": "bowline",
                "code": "permission",
                "message": format!("Bowline asks (answer with a code action): {}", card.message),
            })
        });
        diagnostics.collect()
    }
}

impl State {
    /// Shows a card; `false` when the client has no document to show it in.
    fn show_card(&mut self, door: &Arc<Door>, card: Card) -> bool {
        let named = card
            .place
            .clone()
            .filter(|(uri, _)| self.buffers.owner(uri).is_some_and(|owner| owner.id == door.id));
        let place = named.or_else(|| Some((self.buffers.latest_of(door.id)?, 0)));
        let Some((uri, line)) = place else { return false };
        let id = (door.id, card.request_id.clone());
        self.cards.shown.insert(id, (uri.clone(), line, card));
        self.publish_cards(door, &uri);
        true
    }

    fn hide_card(&mut self, door: &Arc<Door>, request_id: &str) {
        let gone = self.cards.shown.remove(&(door.id, request_id.to_owned()));
        if let Some((uri, _, _)) = gone {
            self.publish_cards(door, &uri);
        }
    }

    fn publish_cards(&self, door: &Door, uri: &DocumentUri) {
        let diagnostics = self.cards.diagnostics(door.id, uri);
        let params = json!({ "uri": uri.as_str(), "diagnostics": diagnostics });
        door.notify("textDocument/publishDiagnostics", &params);
    }
}

/// A card while it is shown; dropping this takes it away.
pub struct Shown {
    core: CoreHandle,
    door: Arc<Door>,
    request_id: String,
}

/// Shows a card; nothing when there is no place for it.
pub async fn show(core: &CoreHandle, door: &Arc<Door>, card: Card) -> Option<Shown> {
    let (reply, shown) = tokio::sync::oneshot::channel();
    let (core, door, request_id) = (core.clone(), door.clone(), card.request_id.clone());
    // Made before it is shown: whoever is stopped meanwhile leaves nothing behind.
    let guard = Shown { core: core.clone(), door: door.clone(), request_id };
    core.go_on(move |state| {
        let _ = reply.send(state.show_card(&door, card));
    })
    .await;
    shown.await.unwrap_or(false).then_some(guard)
}

impl Drop for Shown {
    fn drop(&mut self) {
        let (core, door) = (self.core.clone(), self.door.clone());
        let request_id = std::mem::take(&mut self.request_id);
        tokio::spawn(async move {
            core.go_on(move |state| state.hide_card(&door, &request_id)).await;
        });
    }
}
