//! What the client knows: the session, the running turn, the transcript.

pub(crate) mod session;
pub(crate) mod transcript;
