//! The window and what is in it: how full it is, what may be cleared, and what a summary must keep.
//!
//! In this order, before each request: results are kept small when they are written down
//! (`budget`), results that nobody needs any more are cleared (`clear`), and when the window is
//! nearly full the conversation is summarised (`summary`). Each step is a record of the journal, so
//! that a replay sends the same bytes.

pub mod budget;
pub mod summary;
mod window;

pub use window::{Breaker, Fullness, Window};
