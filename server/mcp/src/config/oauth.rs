//! `"oauth": {…}` of a remote server: what the user knows about its sign-in beforehand.

use serde_json::{Map, Value};
use url::Url;

/// All of it may be left out; then it is found out, and the client registers itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OAuthConfig {
    /// A client that was registered by hand.
    pub client_id: Option<String>,
    /// The port its redirect address names.
    pub callback_port: Option<u16>,
    /// What to ask for, in place of what the server suggests.
    pub scopes: Vec<String>,
    /// Where the sign-in service describes itself, where that is not to be found by the usual way.
    pub metadata_url: Option<Url>,
}

impl OAuthConfig {
    pub(super) fn read(server: &Map<String, Value>) -> Result<OAuthConfig, String> {
        let Some(value) = server.get("oauth") else { return Ok(OAuthConfig::default()) };
        let Value::Object(oauth) = value else {
            return Err("`oauth` must be an object.".to_owned());
        };
        let text = |key: &str| match oauth.get(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.trim())),
            Some(_) => Err(format!("`oauth.{key}` must be a text.")),
        };
        let port = |value: &Value| value.as_u64().and_then(|port| u16::try_from(port).ok());
        let callback_port = match oauth.get("callbackPort") {
            None => None,
            Some(value) => Some(
                port(value)
                    .filter(|port| *port > 0)
                    .ok_or("`oauth.callbackPort` must be a number from 1 to 65535.")?,
            ),
        };
        let metadata_url = match text("authServerMetadataUrl")? {
            None => None,
            Some(text) => Some(
                Url::parse(text)
                    .map_err(|_| "`oauth.authServerMetadataUrl` must be an address.")?,
            ),
        };
        let scopes = text("scopes")?.unwrap_or_default();
        Ok(OAuthConfig {
            client_id: text("clientId")?.map(str::to_owned),
            callback_port,
            scopes: scopes.split_whitespace().map(str::to_owned).collect(),
            metadata_url,
        })
    }
}
