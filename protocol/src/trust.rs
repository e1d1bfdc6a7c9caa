//! Trusting a folder: before that, nothing from it runs, connects or sets policy.

use crate::macros::{methods, open_enum, wire};
use crate::method::Empty;

methods! {
    /// Says whether a folder is trusted.
    ToServer Trust = "agent/trust" (TrustParams) -> Empty;
}

wire! {
    /// A decision about a folder.
    pub struct TrustParams {
        /// The folder, as a path.
        cwd: String,
        /// The decision.
        decision: TrustDecision,
    }
}

open_enum! {
    /// Whether a folder is trusted.
    pub enum TrustDecision {
        /// Its settings, hooks and servers may be used.
        Trust = "trust",
        /// They are ignored.
        Deny = "deny",
    }
}
