//! `MessageDisplay`: hooks that write anew what people see of an answer. The model's own words stay what
//! they are, in the conversation and in the journal.
//!
//! Where there are such hooks, an answer is shown when it is whole. What happens while they look at it
//! is shown after it, in its order.

use std::collections::VecDeque;

use extend::hooks::HookEvent;
use protocol::event::MessageEnded;
use protocol::snapshot::Role;
use serde_json::json;

use super::{Heard, Hooking, Then};
use crate::session::Session;
use crate::session::events::Emission;

/// An answer that hooks look at.
#[derive(Default)]
pub(in crate::session) struct Display {
    text: String,
    under_way: Option<(String, Hooking)>,
    /// What is shown when they are done.
    pub(in crate::session) held: VecDeque<Emission>,
}

impl Display {
    pub(in crate::session) fn is_held(&self) -> bool {
        self.under_way.is_some()
    }
}

impl Session {
    /// Keeps a piece of an answer back. False: it is shown as it is.
    pub(in crate::session) fn hold_words(&mut self, text: &str) -> bool {
        // Whoever an agent works for reads its words, and nobody else.
        let wanted = self.agents.member.is_none() && self.hooks.any(HookEvent::MessageDisplay);
        if wanted {
            self.display.text.push_str(text);
        }
        wanted
    }

    /// An answer is whole. False: it ends as it is.
    pub(in crate::session) fn show_whole(&mut self, message_id: &str) -> bool {
        if self.display.text.is_empty() {
            return false;
        }
        let text = self.display.text.clone();
        let turn = self.running.as_ref().map(|running| running.turn.id().to_owned());
        let fields = || {
            json!({
                "turn_id": turn,
                "message_id": message_id,
                // The first piece of its message, and the last.
                "index": 0,
                "final": true,
                "delta": text,
            })
        };
        match self.ask_hooks(HookEvent::MessageDisplay, None, fields, Then::Display) {
            Ok(hooking) => {
                self.display.under_way = Some((message_id.to_owned(), hooking));
                true
            }
            Err(_) => {
                let text = Some(std::mem::take(&mut self.display.text));
                let (message_id, role) = (message_id.to_owned(), Role::Assistant);
                self.emit(MessageEnded { message_id, role, text });
                true
            }
        }
    }

    pub(super) fn on_display_heard(&mut self, heard: Heard) {
        let Some((message_id, _)) = self.display.under_way.take() else { return };
        let whole = std::mem::take(&mut self.display.text);
        let text = Some(heard.more.display_content.unwrap_or(whole));
        self.emit(MessageEnded { message_id, role: Role::Assistant, text });
        for event in std::mem::take(&mut self.display.held) {
            self.send(event);
        }
    }

    /// The answer never was: it is asked for again.
    pub(in crate::session) fn forget_words(&mut self) {
        self.display.text.clear();
    }
}
