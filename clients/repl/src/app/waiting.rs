//! Questions to the server that are open, each with what its answer is for.

use protocol::session::RewindWhat;
use protocol::trust::TrustDecision;

use super::rewind::Rewinding;
use super::{Listing, QueueWish, Ruling, SessionWish};
use crate::prompt::review::Verdict;
use crate::state::changes::Decision;

/// Why an answer of the server is waited for.
#[derive(Debug)]
pub(crate) enum Waiting {
    Initialize,
    NewSession,
    Attach,
    Fork,
    /// A list of sessions: to take the newest, or to pick from.
    Latest,
    Pick(Option<String>),
    Prompt(String),
    Cancel,
    Config(&'static str),
    Complete {
        generation: u64,
    },
    Decision,
    Rewind(Rewinding),
    /// A rewind is being taken back: its token, and what had gone back.
    Unrewind(String, RewindWhat),
    /// The conversation, as it is after a rewind was taken back.
    Reattach,
    Changes(Listing),
    Resolve(Verdict),
    Undecide(Decision),
    Rules(Ruling),
    Trust(TrustDecision),
    Remember,
    /// `agreed`: the user has said yes before seeing what it is about.
    TrustState {
        agreed: bool,
    },
    /// The memory files, or the text of one.
    Memory(Option<String>),
    Queue(QueueWish),
    Session(SessionWish),
    /// The tasks there are, or the output of one.
    Tasks(Option<String>),
    /// A command of the user's own.
    Shell(String),
}
