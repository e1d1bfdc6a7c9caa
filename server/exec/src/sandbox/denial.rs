//! What the walls refused.

use std::path::PathBuf;

/// Something a contained process tried and was not allowed to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Denial {
    Write(PathBuf),
    Read(PathBuf),
    Host { host: String, port: u16 },
}
