//! The standard methods, as tower-lsp wants them: the life cycle and two commands.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use super::plain::{self, Asker};
use super::profile;
use super::transport::close_sessions;
use super::types::{ExecuteCommandParams, InitializeParams, InitializeResult, InitializedParams};
use crate::context::HostContext;
use crate::core::{CoreHandle, Door, RpcError};

pub(super) struct Lsp {
    pub(super) door: Arc<Door>,
    pub(super) core: CoreHandle,
    pub(super) host: Arc<HostContext>,
    asker: Asker,
    watch_parent: Box<dyn Fn(u32) + Send + Sync>,
}

impl Lsp {
    pub(super) fn new(
        door: Arc<Door>,
        core: CoreHandle,
        host: Arc<HostContext>,
        watch_parent: impl Fn(u32) + Send + Sync + 'static,
    ) -> Self {
        let asker = Asker::new(door.clone(), core.clone());
        Self { door, core, host, asker, watch_parent: Box::new(watch_parent) }
    }
}

impl LanguageServer for Lsp {
    /// Never awaits: the transport counts on an answer at the first poll.
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let profile = profile::of(&params);
        let answer = profile::answer(&self.host, &profile);
        self.asker.set_folder(plain::folder(&params));
        self.door.set_profile(profile);
        if let Some(parent) = params.process_id {
            (self.watch_parent)(parent);
        }
        Ok(answer)
    }

    async fn initialized(&self, _: InitializedParams) {}

    async fn shutdown(&self) -> Result<()> {
        close_sessions(&self.core).await;
        Ok(())
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        match params.command.as_str() {
            profile::ASK => {
                let text = params.arguments.first().and_then(Value::as_str).unwrap_or_default();
                self.asker.ask(text).await.map(Some).map_err(rpc)
            }
            profile::CANCEL => self.asker.cancel().await.map(Some).map_err(rpc),
            other => Err(Error::invalid_params(format!("There is no command {other}."))),
        }
    }
}

fn rpc(error: RpcError) -> Error {
    Error { code: ErrorCode::from(error.code), message: error.message.into(), data: None }
}
