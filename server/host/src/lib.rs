//! The process: doors, the main loop, sessions, the journal store and the command line.
//!
//! Pure crates decide, this one acts. It is the only crate that knows the wire (`protocol`), the
//! only one with a clock, and the only one that writes to stdout.

mod access;
pub mod cli;
pub mod context;
pub mod core;
mod doctor;
pub mod doors;
mod export;
mod git;
pub mod keys;
mod offered;
mod outside;
mod own;
mod plugins;
mod private_folder;
mod repository;
mod servers;
pub mod session;
mod store;
pub mod telemetry;
pub mod terminal;
mod worktree;
