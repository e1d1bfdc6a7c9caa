//! The standard methods that tower-lsp answers: the life cycle.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::Result;

use super::profile;
use super::types::{InitializeParams, InitializeResult, InitializedParams};
use crate::context::HostContext;
use crate::core::{CoreHandle, Door, PAGE_SCHEME};
use crate::doors::leave::Leave;

const REGISTERED_WITHIN: Duration = Duration::from_secs(10);

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

/// Our virtual documents; the answer to `initialize` has no room for them yet.
fn register_pages(door: &Arc<Door>) {
    let method = "workspace/textDocumentContent";
    let options = json!({ "schemes": [PAGE_SCHEME] });
    let registration =
        json!({ "id": "bowline.pages", "method": method, "registerOptions": options });
    let asked = door.ask("client/registerCapability", &json!({ "registrations": [registration] }));
    tokio::spawn(async move {
        // Nothing depends on the answer, but leaving it unread would withdraw the request.
        let _ = asked.answer::<Value>(REGISTERED_WITHIN).await;
    });
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

    async fn initialized(&self, _: InitializedParams) {
        if self.door.takes_virtual_documents() {
            register_pages(&self.door);
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.leave.announced(&self.core).await;
        Ok(())
    }
}
