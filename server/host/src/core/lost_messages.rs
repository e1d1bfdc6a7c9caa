//! Messages of a client that could not be read: its texts may have changed without our knowledge, so
//! nothing is written to them before the editor has sent them again.

use std::sync::Arc;

use super::door::Door;
use super::event::LostMessage;
use super::resync;
use super::state::State;

impl State {
    pub(super) fn on_message_lost(&mut self, door: &Arc<Door>, lost: LostMessage) {
        let only = match lost {
            LostMessage::Unknown => None,
            LostMessage::Change(uri) => Some(uri),
            LostMessage::Open(uri) => {
                if self.buffers.open_unread(door, uri.clone()) {
                    tracing::warn!(uri = uri.as_str(), "a document is too large to be read");
                    let name = uri.as_str().rsplit('/').next().unwrap_or_default();
                    door.show_message(&format!(
                        "{name} is too large for Bowline. The agent cannot read or change it while \
                         it is open in the editor."
                    ));
                    let key = self.ledgers.key(&uri);
                    self.on_reset(&uri, &key);
                }
                return;
            }
        };
        for (uri, opened) in self.buffers.lose(door.id, only.as_ref()) {
            self.inline.reset(&uri);
            resync::start(&self.core, door, uri, opened);
        }
    }
}
