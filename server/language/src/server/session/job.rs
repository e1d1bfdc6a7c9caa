//! What others want from a server, and what they get.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use text::{PositionEncoding, Text};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::{At, Finding, Query};

/// Something to be done before a certain time.
pub(crate) struct Job {
    pub(crate) until: Instant,
    pub(crate) want: Want,
}

pub(crate) enum Want {
    Ask {
        step: Step,
        /// What the files say that the server has to know first; a file that is gone says nothing.
        texts: Vec<(PathBuf, Option<Text>)>,
        reply: oneshot::Sender<Result<Reply, Failure>>,
    },
    /// The findings about this text, and whether they are about exactly this text.
    Findings { path: PathBuf, text: Text, reply: FindingsReply },
}

pub(crate) type FindingsReply = oneshot::Sender<Result<(Vec<Finding>, bool), Failure>>;

/// One request.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Query(Query),
    PrepareRename(At),
}

/// What the server said, and what is needed to understand it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) value: Value,
    pub(crate) encoding: PositionEncoding,
    /// What the documents said that the server had open.
    pub(crate) texts: HashMap<PathBuf, Text>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// This server does not do that; another may.
    Cannot,
    /// It ended in the middle of it, and may do better when it is started again.
    Crashed(String),
    Sentence(String),
}

impl Job {
    pub(crate) fn refuse(self, failure: Failure) {
        match self.want {
            Want::Ask { reply, .. } => drop(reply.send(Err(failure))),
            Want::Findings { reply, .. } => drop(reply.send(Err(failure))),
        }
    }
}

impl Step {
    /// The file it is about.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Step::Query(query) => query.path(),
            Step::PrepareRename(at) => &at.path,
        }
    }

    /// Whether it can only be asked about a file that has a text.
    pub(crate) fn needs_text(&self) -> bool {
        !matches!(self, Step::Query(Query::WorkspaceSymbols { .. }))
    }
}
