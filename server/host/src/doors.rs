//! The doors: ways into the same core. Each turns what it hears into events, and what the core says
//! into its own language.

pub mod acp;
pub mod headless;
pub mod join;
pub mod leave;
pub mod lsp;
pub mod mcp;
mod message;
pub mod sdk;
mod wire;
