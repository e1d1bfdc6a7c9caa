//! The window and what is in it: how full it is, what may be cleared, and what a summary must keep.
//!
//! In this order, before each request: results are kept small when they are written down
//! (`budget`), work of old turns is left out (`snip`), results that nobody needs any more are cleared
//! (`clear`), and when the window is nearly full the conversation is replaced by the notes that were
//! kept on it (`notes`) or by a summary (`summary`). Each step is a record of the journal, so that a
//! replay sends the same bytes.

pub mod budget;
pub mod clear;
pub mod notes;
pub mod snip;
pub mod summary;
mod window;

pub use window::{Breaker, Fullness, Window};
