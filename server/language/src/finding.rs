//! What a language server found wrong.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

/// One finding; lines and columns from one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    pub start: (u32, u32),
    pub end: (u32, u32),
    pub severity: Severity,
    pub code: Option<String>,
    /// Who found it, for example `rust-analyzer`.
    pub source: Option<String>,
    pub message: String,
}
