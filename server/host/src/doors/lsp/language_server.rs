//! The standard methods that tower-lsp answers: the life cycle.

use std::sync::Arc;

use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::Result;

use super::profile;
use super::types::{InitializeParams, InitializeResult, InitializedParams};
use crate::context::HostContext;
use crate::core::{CoreHandle, Door};
use crate::doors::leave::Leave;

pub(super) struct Lsp {
    door: Arc<Door>,
    core: CoreHandle,
    host: Arc<HostContext>,
    leave: Leave,
    watch_parent: Box<dyn Fn(u32) + Send + Sync>,
}

impl Lsp {
    pub(super) fn new(
        door: Arc<Door>,
        core: CoreHandle,
        host: Arc<HostContext>,
        leave: Leave,
        watch_parent: impl Fn(u32) + Send + Sync + 'static,
    ) -> Self {
        Self { door, core, host, leave, watch_parent: Box::new(watch_parent) }
    }
}

impl LanguageServer for Lsp {
    /// Never awaits: the transport counts on an answer at the first poll.
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let profile = profile::of(&params);
        let answer = profile::answer(&self.host, &profile);
        self.door.set_profile(profile);
        if let Some(parent) = params.process_id {
            (self.watch_parent)(parent);
        }
        Ok(answer)
    }

    async fn initialized(&self, _: InitializedParams) {}

    async fn shutdown(&self) -> Result<()> {
        self.leave.announced(&self.core).await;
        Ok(())
    }
}
