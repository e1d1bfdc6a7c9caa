//! What lets us into remote MCP servers.

use std::sync::Arc;

use mcp::{OAuth, ServerConfig, Transport};
use url::Url;

use crate::context::HostContext;
use crate::keys::Tokens;

/// The sign-in to a server whose configuration is expanded.
pub(crate) fn oauth(host: &HostContext, config: &ServerConfig) -> Result<OAuth, String> {
    let Transport::Remote { url, oauth, .. } = &config.transport else {
        return Err(format!("`{}` is no remote server, so there is no sign-in.", config.name));
    };
    let tokens = Tokens::new(&host.locations.bowline_home, host.home(), host.secrets.clone());
    let http = host.model_env.http().clone();
    let builder = move |url: &Url| http.builder(url).map_err(|error| error.to_string());
    OAuth::new(&config.name, url, oauth.clone(), Arc::new(tokens), Arc::new(builder))
}
