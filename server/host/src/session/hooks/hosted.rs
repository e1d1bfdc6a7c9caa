//! Hooks that the program which started us keeps itself: the seam for the hosts of SDKs.
//!
//! A host says at the start of a session which events it wants to hear of, by putting a
//! [`HostedHooks`] into [`Limits::hooks`](crate::session::Limits), and may say so anew with
//! [`Msg::HostedHooks`](crate::session::Msg). From then on each of its callbacks is a hook like any
//! other: it runs beside those of the settings, what it says is combined with what they say, it has
//! a deadline, and for an event that fails closed (`PreToolUse`, `PermissionRequest`,
//! `UserPromptSubmit`) one that is late or breaks down has said no, unless `failure_blocks` says
//! otherwise. Agents of the session have the same callbacks; their input then names the agent.
//!
//! [`HookHost::call`] gets the input that a command would read on its standard input, as JSON, and
//! gives the output that a command would print, as JSON (`{}` for nothing to say). The future is
//! dropped when nobody waits for the answer any more: then the host may be told so.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;

/// A host that has hooks of its own.
pub trait HookHost: Send + Sync {
    /// What it wants to hear of. Asked once for each time that it is handed over.
    fn registered(&self) -> Vec<HostedMatcher>;

    /// Asks a callback. The error says what went wrong, as the end of a sentence that begins with
    /// the hook's name.
    fn call(&self, call: HostedCall) -> BoxFuture<'static, Result<Value, String>>;
}

/// Callbacks of one event, and what they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostedMatcher {
    /// Such as `PreToolUse`; one that we do not know never happens.
    pub event: String,
    pub matcher: Option<String>,
    pub callbacks: Vec<String>,
    pub timeout: Option<Duration>,
    /// A failure counts as a no, or it does not; else the event decides.
    pub failure_blocks: Option<bool>,
}

/// One question to a callback.
#[derive(Clone, Debug, PartialEq)]
pub struct HostedCall {
    pub callback: String,
    pub input: Value,
    /// The call it is about.
    pub tool_use_id: Option<String>,
}

/// A host, to be handed over.
#[derive(Clone)]
pub struct HostedHooks(pub Arc<dyn HookHost>);

impl fmt::Debug for HostedHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostedHooks")
    }
}
