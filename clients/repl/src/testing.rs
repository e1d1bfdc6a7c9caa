//! What tests share: a terminal that remembers what was written, and a server that says what it is
//! told to say.

pub(crate) mod emulator;
pub(crate) mod server;
