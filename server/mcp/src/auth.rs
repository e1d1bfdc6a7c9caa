//! Signing in to a server: OAuth 2.1 as the MCP specification wants it, on the SDK's own code.
//!
//! The SDK finds the sign-in service, registers us, and exchanges codes and tokens. This room says
//! where it may go ([`addresses`]), carries its requests ([`http`]), keeps what it gets ([`vault`]),
//! and waits for the browser ([`callback`]). A token belongs to one server: it is filed under the
//! server's address, and is shown to no other.

mod addresses;
mod callback;
mod http;
mod sign_in;
mod vault;

use std::sync::Arc;

use policy::Host;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, OAuthClientConfig, StoredCredentials,
    WWWAuthenticateParams,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use url::Url;

use crate::config::OAuthConfig;
use crate::name::server_key;
use addresses::Addresses;
use http::Careful;
pub use http::ClientBuilder;
pub use sign_in::SignIn;
use vault::Drawer;
pub use vault::Vault;

/// The sign-in to one server.
pub struct OAuth {
    url: Url,
    config: OAuthConfig,
    drawer: Drawer,
    addresses: Arc<Addresses>,
    http: Arc<Careful>,
    /// Held while a token is renewed, so that it is done once for all who wait.
    renewing: Mutex<()>,
}

impl OAuth {
    /// `builder` makes clients with the user's certificates and proxies.
    pub fn new(
        server: &str,
        url: &str,
        config: OAuthConfig,
        vault: Arc<dyn Vault>,
        builder: ClientBuilder,
    ) -> Result<OAuth, String> {
        let mut url = Url::parse(url).map_err(|error| format!("Its address is none: {error}."))?;
        // A WebSocket begins as HTTP. Both schemes are ones that the web knows, so it is possible.
        let changed = match url.scheme() {
            "ws" => url.set_scheme("http"),
            "wss" => url.set_scheme("https"),
            _ => Ok(()),
        };
        changed.map_err(|()| "Its address is none.".to_owned())?;
        let addresses = Arc::new(Addresses::new(&url, config.metadata_url.as_ref()));
        let host = Host::of(&url).map_err(|error| error.to_string())?;
        let host = host.with_port(url.port_or_known_default().unwrap_or_default());
        let drawer = Drawer::new(vault.clone(), key(server, &url, &config), host);
        let http = Arc::new(Careful::new(builder, addresses.clone(), vault));
        Ok(OAuth { url, config, drawer, addresses, http, renewing: Mutex::default() })
    }

    /// The token to show, renewed when it is about to expire. `None`: nobody has signed in.
    pub async fn token(&self) -> Result<Option<String>, String> {
        // Before anything is looked up: what is sent in the clear can be read on the way.
        if self.addresses.check(&self.url).is_err() {
            return Ok(None);
        }
        let Some(kept) = self.drawer.recall().await? else { return Ok(None) };
        let Some(token) = access_token(&kept.credentials) else { return Ok(None) };
        // Without a client the SDK's manager can do no more than look at the time.
        match self.manager().await?.get_access_token().await {
            Ok(token) => Ok(Some(token)),
            Err(AuthError::CredentialStoreError(why)) => Err(why),
            Err(_) => self.renew(&token).await,
        }
    }

    /// The token that is kept now, whoever put it there.
    pub async fn latest(&self) -> Result<Option<String>, String> {
        Ok(self.drawer.read().await?.and_then(|kept| access_token(&kept.credentials)))
    }

    /// Another token in place of one that the server refused or that expires. `None`: the user has
    /// to sign in.
    pub async fn renew(&self, refused: &str) -> Result<Option<String>, String> {
        let _alone_here = self.renewing.lock().await;
        let _alone = self.drawer.vault.lock(&self.drawer.key).await?;
        let Some(kept) = self.drawer.read().await? else { return Ok(None) };
        match access_token(&kept.credentials) {
            None => return Ok(None),
            // Somebody else has renewed it.
            Some(token) if token != refused => return Ok(Some(token)),
            Some(_) => {}
        }
        let mut manager = self.manager().await?;
        let metadata = self.metadata(&manager, None).await?;
        let issuers = (&kept.credentials.issuer, &metadata.issuer);
        if let (Some(then), Some(now)) = issuers
            && then != now
        {
            // Another service must not get the token of the one that gave it.
            self.drawer.remove().await?;
            return Ok(None);
        }
        manager.set_metadata(metadata);
        *self.drawer.client_secret.lock().await = kept.client_secret.clone();
        let client =
            OAuthClientConfig::new(kept.credentials.client_id, "http://127.0.0.1/callback");
        let client = match kept.client_secret {
            Some(secret) => client.with_client_secret(secret),
            None => client,
        };
        manager.configure_client(client).map_err(|error| told(&error))?;
        match manager.refresh_token().await {
            Ok(_) => {
                let kept = self.drawer.read().await?;
                Ok(kept.and_then(|kept| access_token(&kept.credentials)))
            }
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(None),
            Err(error) => Err(told(&error)),
        }
    }

    /// The server says that the token allows too little: what it needs is asked for the next time
    /// the user signs in.
    pub async fn needs_more(&self, challenge: &str) -> Result<(), String> {
        let said = WWWAuthenticateParams::parse(challenge, &self.url);
        let scopes = said.scope.unwrap_or_default();
        let Some(mut kept) = self.drawer.read().await? else { return Ok(()) };
        for scope in scopes.split_whitespace().take(MOST_SCOPES) {
            if !kept.wanted.iter().any(|known| known == scope) {
                kept.wanted.push(scope.to_owned());
            }
        }
        kept.wanted.truncate(MOST_SCOPES);
        self.drawer.write(&kept).await
    }

    /// Forgets what is kept. Whether there was something.
    pub async fn forget(&self) -> Result<bool, String> {
        self.drawer.remove().await
    }

    async fn manager(&self) -> Result<AuthorizationManager, String> {
        let manager =
            AuthorizationManager::new_with_oauth_http_client(self.url.clone(), self.http.clone());
        let mut manager = manager.await.map_err(|error| told(&error))?;
        manager.set_credential_store(self.drawer.clone());
        Ok(manager)
    }

    /// What the sign-in service says about itself, with all its addresses checked.
    async fn metadata(
        &self,
        manager: &AuthorizationManager,
        challenge: Option<&str>,
    ) -> Result<AuthorizationMetadata, String> {
        self.addresses.check(&self.url).map_err(|why| {
            format!("Its address {why}, and nobody should sign in that way; use HTTPS.")
        })?;
        let found = manager.resolve_metadata_from_challenge(challenge).await;
        let metadata = match &self.config.metadata_url {
            // The usual way still says which scopes the server wants.
            Some(url) => self.http.metadata(url).await?,
            None => found.map_err(|error| told(&error))?.metadata,
        };
        let addresses = [
            ("authorization_endpoint", Some(&metadata.authorization_endpoint)),
            ("token_endpoint", Some(&metadata.token_endpoint)),
            ("registration_endpoint", metadata.registration_endpoint.as_ref()),
        ];
        for (name, text) in addresses {
            let Some(text) = text else { continue };
            let url = Url::parse(text).map_err(|_| "is no address".to_owned());
            url.and_then(|url| self.addresses.check(&url))
                .map_err(|why| format!("The {name} of its sign-in service {why}."))?;
        }
        Ok(metadata)
    }
}

/// No server needs more, and a browser's address line has an end.
const MOST_SCOPES: usize = 64;

fn access_token(credentials: &StoredCredentials) -> Option<String> {
    let token = serde_json::to_value(credentials.token_response.as_ref()?).ok()?;
    token.get("access_token").and_then(Value::as_str).map(str::to_owned)
}

/// What a token is filed under. Another address, or another client, is another entry.
fn key(server: &str, url: &Url, config: &OAuthConfig) -> String {
    let client = config.client_id.as_deref().unwrap_or_default();
    let hash = Sha256::digest(format!("{url}\n{client}"));
    let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{hash}", server_key(server))
}

fn told(error: &AuthError) -> String {
    format!("Its sign-in service: {}.", one_line(&error.to_string()))
}

/// Somebody else's words within a sentence of ours.
fn one_line(text: &str) -> String {
    const CAP: usize = 300;
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line[..line.floor_char_boundary(CAP)].trim_end_matches('.').to_owned()
}
