//! Trusting a folder: before that, nothing from it runs, connects or sets policy.

use crate::macros::{methods, open_enum, wire};
use crate::method::Empty;

methods! {
    /// Says whether a folder is trusted.
    ToServer Trust = "agent/trust" (TrustParams) -> Empty;
    /// What was decided about a folder, and what it would switch on.
    ToServer TrustState = "agent/trust/state" (TrustStateParams) -> TrustStateResult;
}

wire! {
    /// A decision about a folder.
    pub struct TrustParams {
        /// The folder, as a path.
        cwd: String,
        /// The decision.
        decision: TrustDecision,
        /// With `trust`: the hashes of everything that the user was shown. The folder is not trusted
        /// when it brings anything else by now.
        shown?: Vec<String>,
    }

    /// Asks about a folder.
    pub struct TrustStateParams {
        /// The folder, as a path.
        cwd: String,
    }

    /// What is known about a folder.
    pub struct TrustStateResult {
        /// The folder, with all links followed.
        cwd: String,
        /// The decision that holds; absent while there is none.
        decision?: TrustDecision,
        /// The folder that was decided about: this one, or one above it.
        decided_for?: String,
        /// When it was decided, in milliseconds since 1970.
        since?: u64,
        /// What the folder switches on.
        items: Vec<TrustItem>,
        /// How many more there are, which cannot be approved.
        more: u64,
        /// What is wrong with the folder's files or with what was decided, in sentences.
        problems: Vec<String>,
    }

    /// One thing that a folder's files switch on.
    pub struct TrustItem {
        /// What it is, in one line.
        what: String,
        /// Changes with the thing.
        hash: String,
        /// Whether it is used as it is.
        approved: bool,
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
