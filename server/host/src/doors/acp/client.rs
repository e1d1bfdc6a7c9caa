//! What the core asks of an editor, as this client understands it: one file for each kind.

mod ask;
mod files;
mod permission;
mod terminal;

use std::sync::Arc;

use protocol::Request;
use protocol::ask::Ask;
use protocol::editor::{EditorApply, EditorText};
use protocol::permission::PermissionRequest;
use protocol::terminal::TerminalRun;
use serde_json::value::{RawValue, to_raw_value};

use super::peer::Peer;
use crate::core::{RpcError, RpcResult};

pub(super) use files::{read_file, write_file};

/// Whether this is one of ours, to be translated; else it is the protocol's own and goes out as it is.
pub(super) fn is_ours(method: &str) -> bool {
    ["agent/", "window/", "workspace/", "client/"].iter().any(|family| method.starts_with(family))
}

/// Asks the client in its own words. Dropping this withdraws what it was asked.
pub(super) async fn ask(peer: Arc<Peer>, method: &'static str, params: Box<RawValue>) -> RpcResult {
    match method {
        PermissionRequest::METHOD => {
            written(&permission::ask(&peer, read::<PermissionRequest>(&params)?).await?)
        }
        Ask::METHOD => written(&ask::ask(&peer, read::<Ask>(&params)?).await?),
        EditorText::METHOD => written(&peer.texts.text(&peer, read::<EditorText>(&params)?).await?),
        EditorApply::METHOD => {
            written(&peer.texts.apply(&peer, read::<EditorApply>(&params)?).await?)
        }
        TerminalRun::METHOD => written(&terminal::run(&peer, read::<TerminalRun>(&params)?).await?),
        _ => {
            let message = format!("This client does not know {method}.");
            Err(RpcError::new(RpcError::METHOD_NOT_FOUND, message))
        }
    }
}

fn read<R: Request>(params: &RawValue) -> Result<R::Params, RpcError> {
    serde_json::from_str(params.get())
        .map_err(|error| RpcError::new(RpcError::INTERNAL, error.to_string()))
}

fn written(result: &impl serde::Serialize) -> RpcResult {
    to_raw_value(result).map_err(|error| RpcError::new(RpcError::INTERNAL, error.to_string()))
}
