//! One of our own requests, from inside the process: how doors other than LSP speak to the core.

use std::sync::Arc;

use protocol::Request;
use tokio::sync::oneshot;

use super::door::Door;
use super::event::{CoreHandle, Event};
use super::rpc::{Reply, RpcError, RpcResult};

pub async fn request<R: Request>(
    core: &CoreHandle,
    door: &Arc<Door>,
    params: &R::Params,
) -> Result<R::Result, RpcError> {
    let internal = |error: serde_json::Error| RpcError::new(RpcError::INTERNAL, error.to_string());
    let params = serde_json::value::to_raw_value(params).map_err(internal)?;
    let (answer, answered) = oneshot::channel::<RpcResult>();
    let reply = Reply::new(move |result| {
        let _ = answer.send(result);
    });
    let method = R::METHOD.to_owned();
    core.send(Event::Request { door: door.clone(), method, params: Some(params), reply }).await;
    let gone = |_| RpcError::new(RpcError::INTERNAL, "The server is shutting down.");
    let result = answered.await.map_err(gone)??;
    serde_json::from_str(result.get()).map_err(internal)
}
