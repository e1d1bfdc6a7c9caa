//! `conversation_reset`: the conversation begins anew.

use protocol::event::SessionRewound;
use protocol::session::RewindWhat;
use serde_json::json;

use super::Teller;

impl Teller {
    /// A rewind can be taken back and names its token; `/clear` cannot.
    pub(super) fn on_rewound(&mut self, rewound: &SessionRewound) {
        if rewound.undo_token.is_none() && rewound.what == RewindWhat::Conversation {
            let id = self.session_id.clone();
            self.push(json!({
                "type": "conversation_reset",
                "new_conversation_id": id,
                "trigger": "clear",
            }));
        }
    }
}
