//! What crosses the wire between a Bowline server and its clients, and nothing else.
//!
//! One file per family of methods. Every method is a unit marker type that implements [`Request`]
//! or [`Notification`]; every event is a variant of [`event::EventBody`]. The reference for people
//! is `protocol/README.md`; the reference for programs is [`schema()`]. This crate holds no logic:
//! it never opens a file, never decides, never talks to anybody.
//!
//! Conventions, the same everywhere: field names are camelCase; an optional field is left out and
//! never null; `version` of a document is null when the file is not open in the editor; ids are
//! opaque strings; unknown fields are ignored; every enum is open and keeps a value it does not
//! know, so that an old client survives a new server and the other way round.

mod macros;
mod method;
mod schema;
mod tagged;

pub mod ask;
pub mod complete;
pub mod diff;
pub mod edit;
pub mod editor;
pub mod event;
pub mod generate;
pub mod lsp;
pub mod mcp;
pub mod memory;
pub mod negotiation;
pub mod permission;
pub mod prompt;
pub mod review;
pub mod session;
pub mod snapshot;
pub mod status;
pub mod tasks;
pub mod terminal;
pub mod tool;
pub mod trust;

pub use event::{Event, EventBody};
pub use method::{Direction, Empty, MethodInfo, MethodKind, Notification, Request, methods};
pub use schema::schema;

/// The version of the contract, announced by both sides in [`negotiation`].
pub const VERSION: u32 = 1;

#[cfg(test)]
mod tests;
