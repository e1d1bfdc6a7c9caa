//! Rewinding: the conversation goes back to before a message, the files with it, and both can come
//! again.

use agent::Record;
use protocol::event::{SessionRewound, Severity};
use protocol::session::{RewindWhat, SessionRewindParams, SessionRewindResult};
use tokio::sync::oneshot;

use super::{Msg, Session};
use crate::core::{Event, Receiver, Reply, Rewind, RpcError};

/// A rewind whose files are done.
pub struct Rewound {
    pub params: SessionRewindParams,
    pub result: SessionRewindResult,
    pub reply: Reply,
}

impl Session {
    pub(super) async fn on_rewind(
        &mut self,
        params: SessionRewindParams,
        receiver: Receiver,
        reply: Reply,
    ) {
        if self.running.is_some() {
            let message = "A turn is running. Stop it first, then go back.";
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        }
        let Some(turns) = self.conversation.turns_from(&params.to_message) else {
            let message = "There is no such message to go back to.";
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        };
        let files = params.what != RewindWhat::Conversation;
        let (answer, answered) = oneshot::channel();
        let rewind = Rewind {
            session: self.id.clone(),
            receiver,
            turns: if files { turns } else { Vec::new() },
            preview: params.preview.unwrap_or(false),
            cuts: params.what != RewindWhat::Files,
            reply: answer,
        };
        self.core.send(Event::Rewind(Box::new(rewind))).await;
        let own = self.own.clone();
        tokio::spawn(async move {
            match answered.await {
                Ok(result) => {
                    let rewound = Rewound { params, result, reply };
                    let _ = own.send(Msg::Rewound(Box::new(rewound))).await;
                }
                Err(_) => reply.err(RpcError::failed("The rewind broke off; try again.")),
            }
        });
    }

    /// The files are as they were; now the conversation.
    pub(super) async fn on_rewound(&mut self, rewound: Rewound) {
        let Rewound { params, result, reply } = rewound;
        let (Some(token), false) = (&result.undo_token, params.preview.unwrap_or(false)) else {
            return reply.ok(&result);
        };
        let cuts = params.what != RewindWhat::Files;
        if cuts {
            // A turn may have begun while the files went back; cutting under it would break it.
            if self.running.is_some() {
                let message =
                    "A turn began meanwhile: the files went back, the conversation stays.";
                self.notice(Severity::Warning, message);
                return reply.ok(&result);
            }
            let (to, token) = (params.to_message.clone(), token.clone());
            if let Err(error) = self.journal_durably(&Record::Rewound { to, token }).await {
                let message = format!("The files went back, but not the conversation: {error}");
                return reply.err(RpcError::failed(message));
            }
            self.attachments.forget();
        }
        self.emit(SessionRewound {
            to_message: params.to_message,
            what: params.what,
            undo_token: Some(token.clone()),
        });
        reply.ok(&result);
    }

    /// The files are back, or the reason says why not all of them; the conversation follows, unless
    /// it went on since.
    pub(super) async fn on_unrewind(
        &mut self,
        token: String,
        reason: Option<String>,
        reply: Reply,
    ) {
        if self.running.is_some() || !self.conversation.can_unrewind(&token) {
            let message = "The files are back. The conversation went on since, so it stays.";
            return reply.err(RpcError::failed(message));
        }
        if let Err(error) = self.journal_durably(&Record::Unrewound { token }).await {
            return reply.err(RpcError::failed(error.to_string()));
        }
        self.attachments.forget();
        self.emit(protocol::event::SessionUnrewound {});
        match reason {
            Some(reason) => reply.err(RpcError::failed(reason)),
            None => reply.ok(&protocol::Empty {}),
        }
    }
}
