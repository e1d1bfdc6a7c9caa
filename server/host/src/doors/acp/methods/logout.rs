//! `logout`: the stored keys go. One in the environment is not ours to take away.

use std::sync::Arc;

use model::Service;

use crate::core::{Reply, RpcError};
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{LogoutRequest, LogoutResponse};

pub(in crate::doors::acp) async fn handle(peer: &Arc<Peer>, _: LogoutRequest, reply: Reply) {
    let host = peer.host.clone();
    tokio::spawn(async move {
        for service in [Service::Anthropic, Service::OpenAi] {
            if let Err(problem) = host.keys.remove(service).await {
                return reply.err(RpcError::failed(problem));
            }
        }
        reply.ok(&LogoutResponse::new());
    });
}
