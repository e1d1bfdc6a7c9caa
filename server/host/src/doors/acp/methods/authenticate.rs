//! `authenticate`: is there a key? It comes from where it always comes from, the environment, a
//! helper or `bowline auth login`; no key ever crosses this wire.

use std::sync::Arc;

use model::Service;

use crate::context::HostContext;
use crate::core::{Reply, RpcError};
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{
    AuthMethod, AuthMethodAgent, AuthMethodTerminal, AuthenticateRequest, AuthenticateResponse,
    ClientCapabilities,
};
use crate::keys::Origin;

const KEY: &str = "key";
const LOGIN: &str = "login";

/// What can be done about a missing key. A client with a terminal can run the login itself.
pub(super) fn offered(capabilities: &ClientCapabilities) -> Vec<AuthMethod> {
    let key = AuthMethodAgent::new(KEY, "A key that is there already").description(
        "ANTHROPIC_API_KEY in the environment, `apiKeyHelper` in the settings, or a key stored by \
         `bowline auth login`"
            .to_owned(),
    );
    let login = AuthMethodTerminal::new(LOGIN, "Store a key")
        .description("Runs `bowline auth login` in a terminal".to_owned())
        .args(vec!["auth".to_owned(), "login".to_owned()]);
    let mut offered = vec![AuthMethod::Agent(key)];
    if capabilities.auth.terminal {
        offered.push(AuthMethod::Terminal(login));
    }
    offered
}

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: AuthenticateRequest,
    reply: Reply,
) {
    let method = params.method_id.0.to_string();
    if method != KEY && method != LOGIN {
        let message = format!("There is no way to sign in called {method}; there are {KEY} and {LOGIN}.");
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
    }
    let host = peer.host.clone();
    // Helpers and keychains take their time.
    tokio::spawn(async move {
        let found = tokio::task::spawn_blocking(move || has_key(&host)).await;
        match found {
            Ok(Ok(true)) => reply.ok(&AuthenticateResponse::new()),
            Ok(Ok(false)) => {
                let message = "There is no key. Set ANTHROPIC_API_KEY, or run `bowline auth login`.";
                reply.err(RpcError::new(RpcError::AUTH_REQUIRED, message));
            }
            Ok(Err(problem)) => reply.err(RpcError::new(RpcError::AUTH_REQUIRED, problem)),
            Err(error) => reply.err(RpcError::new(RpcError::INTERNAL, error.to_string())),
        }
    });
}

/// Whether a key would be found, without running anything or showing it.
fn has_key(host: &HostContext) -> Result<bool, String> {
    let service = Service::Anthropic;
    let variables = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
    if variables.iter().any(|name| host.model_env.get(name).is_some()) {
        return Ok(true);
    }
    let server =
        model::server_of(&host.model_env, service).map_err(|error| error.to_string())?;
    let origin = host.keys.origin(service, &server).map_err(|error| error.to_string())?;
    Ok(!matches!(origin, Origin::Nowhere))
}
