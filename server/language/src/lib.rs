//! What language servers know, whoever runs them: questions, answers and findings.
//!
//! The editor has servers of its own, and Bowline starts others where the editor has none. Both are
//! asked the same [`Query`] and give the same [`Answer`], in lines and columns as the model counts
//! them: from one, columns in characters.

mod answer;
mod config;
mod files;
mod finding;
pub mod lsp;
mod query;
mod server;
mod servers;

pub use answer::{Answer, FileEdit, Place, Symbol};
pub use config::ServerConfig;
pub use files::Files;
pub use finding::{Finding, Severity};
pub use query::{At, Query};
pub use servers::{Servers, WallsFor};
