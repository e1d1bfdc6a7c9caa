//! The LSP door: JSON-RPC with LSP framing over a pair of pipes.
//!
//! The transport loop is our own; tower-lsp keeps the life cycle and the standard methods. Nothing
//! outside this folder names it.

pub(super) mod frame;
mod language_server;
mod plain;
mod profile;
mod quirks;
mod service;
mod skipped;
mod sync;
mod transport;
mod writer;

/// The one place where the LSP types come from.
mod types {
    pub use tower_lsp::ls_types::*;
}

pub use transport::{Ended, serve};
