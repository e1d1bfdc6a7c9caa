//! What the user looks at in each editor, as far as the editor says so. Only a session whose user
//! shares it asks for it.

use std::path::PathBuf;

use protocol::editor::EditorFocusParams;
use protocol::lsp::Range;
use text::PositionEncoding;
use workspace::{Document, DocumentUri};

use super::door::{Door, DoorId};
use super::state::State;

/// The last word of each editor, the latest last.
#[derive(Default)]
pub struct Focus {
    editors: Vec<(DoorId, PositionEncoding, EditorFocusParams)>,
}

/// A file that the user looks at.
#[derive(Debug)]
pub struct Focused {
    pub path: PathBuf,
    /// What is selected, and in which text; nothing when that text is not known any more.
    pub selected: Option<(Document, Range, PositionEncoding)>,
}

impl Focus {
    pub fn note(&mut self, door: &Door, params: EditorFocusParams) {
        self.forget(door.id);
        self.editors.push((door.id, door.encoding(), params));
    }

    pub fn forget(&mut self, door: DoorId) {
        self.editors.retain(|(known, ..)| *known != door);
    }
}

impl State {
    /// What was looked at last in any of these editors.
    pub fn focused(&self, doors: &[DoorId]) -> Option<Focused> {
        let mut editors = self.focus.editors.iter().rev();
        let (_, encoding, params) = editors.find(|(door, ..)| doors.contains(door))?;
        let uri = DocumentUri::new(&params.uri);
        let path = uri.to_path()?;
        let snapshot = self.buffers.snapshot();
        // The places are of that version, and of no other.
        let document =
            snapshot.by_uri(&uri).filter(|document| Some(document.version) == params.version);
        let range = params.selections.first().copied();
        let selected = document.cloned().zip(range).map(|(text, range)| (text, range, *encoding));
        Some(Focused { path, selected })
    }
}
