//! Other agents that do work for this one: started, written to, listed. A tool says what is wanted,
//! the session does it.

use std::path::PathBuf;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

/// Implemented by the host, whose sessions start and keep agents.
pub trait Agents: Send + Sync {
    /// The full name of an agent that may be started here. The error is a sentence for the model.
    fn resolve(&self, name: &str) -> Result<String, String>;

    /// Starts an agent, and waits for it unless it works in the background. `cancel`, and dropping
    /// this, ends an agent that is waited for.
    fn start(
        &self,
        wish: AgentWish,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<AgentReport, String>>;

    /// Says something to an agent, by its name or its id; one that has ended goes on with it. Says
    /// what became of the message.
    fn send(&self, to: String, text: String) -> BoxFuture<'_, Result<String, String>>;

    /// The agents of the session, the newest first.
    fn list(&self) -> BoxFuture<'_, Vec<AgentView>>;
}

/// What the model wants of an agent.
#[derive(Clone, Debug, Default)]
pub struct AgentWish {
    /// As [`Agents::resolve`] gave it.
    pub agent: String,
    /// In a few words.
    pub description: String,
    pub prompt: String,
    pub model: Option<String>,
    pub effort: Option<String>,
    /// `None`: as it is usual.
    pub background: Option<bool>,
    /// Under which others can write to it.
    pub name: Option<String>,
    /// In a git worktree of its own.
    pub worktree: bool,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentReport {
    /// It has ended, and this is what it says.
    Done {
        id: String,
        text: String,
        /// It ended without having done what it was asked; the text says why.
        failed: bool,
        calls: u64,
        tokens: u64,
        /// What became of its worktree, and the like.
        notes: Vec<String>,
    },
    /// It works in the background.
    Begun { id: String, output: Option<PathBuf> },
}

/// An agent as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentView {
    pub id: String,
    pub name: Option<String>,
    /// Which agent it is.
    pub agent: String,
    pub description: String,
    /// `running`, `completed`, `failed` or `stopped`.
    pub state: &'static str,
}
