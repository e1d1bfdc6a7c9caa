//! The provider's prompt cache, watched: a session stays cheap as long as each request begins like
//! the last one. When it is lost without anybody having meant it, `/cost` says why.

use std::collections::VecDeque;

use agent::cache::{CacheWatch, Fingerprint};
use agent::{CacheTtl, ModelRequest, Record, Usage};

/// How many losses are remembered.
const REMEMBERED: usize = 5;

#[derive(Default)]
pub(super) struct PromptCache {
    watch: CacheWatch,
    /// The model that was asked last, and the request that waits for its answer.
    model: String,
    sent: Option<Fingerprint>,
    losses: VecDeque<String>,
}

impl PromptCache {
    /// Another model has a cache of its own, which is nobody's fault.
    pub(super) fn asked(&mut self, request: &ModelRequest) {
        if self.model != request.model {
            self.model.clone_from(&request.model);
            self.watch.reset();
        }
        self.sent = Some(Fingerprint::of(request));
    }

    /// What was written down may have changed the history on purpose.
    pub(super) fn journalled(&mut self, record: &Record) {
        if matches!(
            record,
            Record::Compacted { .. }
                | Record::Cleared { .. }
                | Record::ClearedByProvider { .. }
                | Record::Snipped { .. }
                | Record::MediaStripped { .. }
                | Record::ToolsLoaded { .. }
                | Record::Rewound { .. }
                | Record::Unrewound { .. }
        ) {
            self.watch.reset();
        }
    }

    pub(super) fn answered(&mut self, usage: &Usage, ttl: CacheTtl, now_ms: u64) {
        let Some(sent) = self.sent.take() else { return };
        let Some(loss) = self.watch.observe(sent, usage, ttl, now_ms) else { return };
        tracing::info!("{loss}");
        if self.losses.len() == REMEMBERED {
            self.losses.pop_front();
        }
        self.losses.push_back(loss);
    }

    /// The last ones, the oldest first.
    pub(super) fn losses(&self) -> Option<Vec<String>> {
        (!self.losses.is_empty()).then(|| self.losses.iter().cloned().collect())
    }
}
