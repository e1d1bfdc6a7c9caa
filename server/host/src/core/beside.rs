//! Documents that a client has open while another had them first. The first one's text counts; these are
//! kept in step, and take its place when it is closed there.

use std::collections::HashMap;
use std::sync::Arc;

use workspace::{Document, DocumentUri, Documents};

use super::door::{Door, DoorId};
use super::event::Sync;

#[derive(Default)]
pub struct Beside(HashMap<DoorId, (Arc<Door>, Documents)>);

impl Beside {
    /// A message about a document that is somebody else's. What does not fit is forgotten: such a
    /// document cannot take anybody's place.
    pub fn sync(&mut self, door: &Arc<Door>, sync: Sync) {
        let (_, documents) =
            self.0.entry(door.id).or_insert_with(|| (door.clone(), Documents::default()));
        let uri = match sync {
            Sync::Open { uri, language, version, text } => {
                return documents.open(uri, language, version, &text);
            }
            Sync::Change { uri, version, changes } => {
                match documents.change(&uri, version, changes, door.encoding()) {
                    Ok(_) => return,
                    Err(_) => uri,
                }
            }
            Sync::Save { .. } => return,
            Sync::Close { uri } => uri,
        };
        // One that was not open here is gone as well.
        let _ = documents.close(&uri);
    }

    /// Whoever else has it open, with its text: it is theirs from now on.
    pub fn heir(&mut self, uri: &DocumentUri) -> Option<(Arc<Door>, Sync)> {
        self.0.values_mut().find_map(|(door, documents)| {
            let snapshot = documents.snapshot();
            let document = snapshot.by_uri(uri)?;
            let open = Sync::Open {
                uri: uri.clone(),
                language: document.language.clone(),
                version: document.version,
                text: document.text.to_string(),
            };
            let _ = documents.close(uri);
            Some((door.clone(), open))
        })
    }

    /// A message of a client was lost: none of these can take anybody's place.
    pub fn lose(&mut self, door: DoorId) {
        self.forget(door);
    }

    /// Everybody else who has a document open, with their own text of it.
    pub fn all_of(&self, uri: &DocumentUri) -> impl Iterator<Item = (Arc<Door>, Document)> {
        self.0.values().filter_map(|(door, documents)| {
            Some((door.clone(), documents.snapshot().by_uri(uri)?.clone()))
        })
    }

    pub fn forget(&mut self, door: DoorId) {
        self.0.remove(&door);
    }
}
