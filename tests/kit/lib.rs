//! What an end-to-end proof needs: a project in a folder of its own, a model that says what the
//! script says, a server, and an editor that behaves like a real one.
//!
//! Everything waits with one generous deadline, and nothing sleeps for luck. A client that is
//! dropped with something unanswered fails its test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what goes wrong in a test should stop it, loudly, where it happens"
)]

mod acp;
mod author;
mod binary;
mod client;
mod dice;
mod editor;
pub mod files;
mod frame;
mod inline;
mod oauth;
mod profile;
mod project;
mod sdk_host;
mod server;
mod stage;
mod talk;

pub use acp::{AcpClient, Decision};
pub use author::{Author, Letters};
pub use binary::{Bowline, Finished, Serving, bystander, finished, interrupt, program};
pub use client::{Asked, Client, RpcError, within};
pub use dice::Dice;
pub use editor::{Applied, Batch, Buffer, Editor, Fault, Typist};
pub use frame::{encode, read_frame};
pub use inline::Edited;
pub use oauth::{Doorway, Quirks};
pub use profile::{Change, Encoding, Profile};
pub use project::Project;
pub use sdk_host::SdkHost;
pub use server::{Server, model, model_with};
pub use stage::{Stage, session_in};
pub use talk::{Called, Turned};
