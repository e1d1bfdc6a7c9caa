//! One sign-in, from the page that the user is shown to the token.

use std::future::Future;
use std::time::Duration;

use rmcp::transport::auth::{AuthorizationManager, AuthorizationMetadata, OAuthClientConfig};
use tokio::time::timeout;
use url::Url;

use super::callback::{Answer, Callback, read_address};
use super::vault::Drawer;
use super::{MOST_SCOPES, OAuth, told};

/// How long the user may take: to find a password, but not for ever, because a port is open.
const WITHIN: Duration = Duration::from_secs(5 * 60);
/// What services that we register with show to the user.
const CLIENT_NAME: &str = "Bowline";

/// A page waits for the user; what it sends back is listened for. Dropping this ends the sign-in.
pub struct SignIn {
    url: Url,
    state: String,
    callback: Callback,
    manager: AuthorizationManager,
    drawer: Drawer,
}

impl OAuth {
    /// Prepares a sign-in. `challenge` is what the server said when it refused us, `secret` that of
    /// a client that was registered by hand.
    pub async fn begin(
        &self,
        challenge: Option<&str>,
        secret: Option<String>,
    ) -> Result<SignIn, String> {
        let callback = Callback::listen(self.config.callback_port).await?;
        let mut manager = self.manager().await?;
        let challenge = match challenge {
            Some(challenge) => Some(challenge.to_owned()),
            None if self.addresses.check(&self.url).is_ok() => self.http.challenge(&self.url).await,
            None => None,
        };
        let metadata = self.metadata(&manager, challenge.as_deref()).await?;
        let can_register = metadata.registration_endpoint.is_some();
        manager.set_metadata(metadata.clone());
        let scopes = self.scopes(&manager, &metadata).await?;
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let secret = match &self.config.client_id {
            Some(id) => {
                // Clients that are registered by hand know this machine by its name.
                let redirect = callback.address("localhost");
                let client = OAuthClientConfig::new(id, redirect);
                let client = match &secret {
                    Some(secret) => client.with_client_secret(secret),
                    None => client,
                };
                manager.configure_client(client).map_err(|error| told(&error))?;
                secret
            }
            None if !can_register => {
                return Err("Its sign-in service registers nobody by itself; register Bowline \
                            there by hand and write the `oauth.clientId` it gets."
                    .to_owned());
            }
            None => {
                let redirect = callback.address("127.0.0.1");
                let client = manager.register_client(CLIENT_NAME, &redirect, &scopes).await;
                client.map_err(|error| told(&error))?.client_secret
            }
        };
        if let Some(secret) = &secret {
            self.drawer.vault.learn(secret);
        }
        *self.drawer.client_secret.lock().await = secret;
        let url = manager.get_authorization_url(&scopes).await.map_err(|error| told(&error))?;
        let url = Url::parse(&url).map_err(|error| error.to_string())?;
        self.addresses.check(&url).map_err(|why| format!("Its sign-in page {why}."))?;
        let state = url.query_pairs().find(|(name, _)| name == "state");
        let state = state.map(|(_, state)| state.into_owned()).unwrap_or_default();
        let drawer = self.drawer.clone();
        Ok(SignIn { url, state, callback, manager, drawer })
    }

    /// What to ask for: the configuration's word, else the server's; and, when the server said that
    /// what was granted is not enough, both that and what it needs.
    async fn scopes(
        &self,
        manager: &AuthorizationManager,
        metadata: &AuthorizationMetadata,
    ) -> Result<Vec<String>, String> {
        let mut scopes = match self.config.scopes.is_empty() {
            true => manager.select_initial_scopes(&[]).await,
            false => self.config.scopes.clone(),
        };
        let kept = self.drawer.read().await?.filter(|kept| !kept.wanted.is_empty());
        if let Some(kept) = kept {
            scopes.extend(kept.credentials.granted_scopes);
            scopes.extend(kept.wanted);
        }
        let offline = "offline_access";
        let offers = |scope: &str| {
            metadata.scopes_supported.iter().flatten().any(|supported| supported == scope)
        };
        if !scopes.is_empty() && offers(offline) {
            // Else some services give no token to renew others with.
            scopes.push(offline.to_owned());
        }
        let mut different: Vec<String> = Vec::new();
        for scope in scopes {
            if different.len() < MOST_SCOPES && !different.contains(&scope) {
                different.push(scope);
            }
        }
        Ok(different)
    }
}

impl SignIn {
    /// The page to show to the user. It is a page of the web, whatever the server said.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Waits until the user has signed in, and keeps the token. `pasted` is the address that the
    /// browser ended at, where it cannot reach this machine.
    pub async fn finish(self, pasted: impl Future<Output = String>) -> Result<(), String> {
        let coming = async {
            tokio::select! {
                answer = self.callback.wait(&self.state) => answer,
                address = pasted => read_address(&address, &self.state),
            }
        };
        let minutes = WITHIN.as_secs() / 60;
        let answer = timeout(WITHIN, coming).await;
        let Answer { code, issuer } = answer
            .map_err(|_| format!("Nobody signed in within {minutes} minutes; begin again."))?
            .map_err(|why| format!("The sign-in failed: {}.", why.trim_end_matches('.')))?;
        self.drawer.vault.learn(&code);
        let exchanged =
            self.manager.exchange_code_for_token_with_issuer(&code, &self.state, issuer.as_deref());
        exchanged.await.map(|_| ()).map_err(|error| told(&error))
    }
}
