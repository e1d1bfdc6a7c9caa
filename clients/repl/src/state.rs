//! What the client knows: the session, what was said and changed in it, the running turn, the
//! transcript.

pub(crate) mod changes;
pub(crate) mod queue;
pub(crate) mod said;
pub(crate) mod session;
pub(crate) mod transcript;
