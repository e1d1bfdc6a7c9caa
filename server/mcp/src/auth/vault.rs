//! Where the tokens of a server are kept between runs, and how the SDK reaches them there.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;
use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

/// A place for secrets, such as the system's keychain. Texts are JSON of ours.
pub trait Vault: Send + Sync + 'static {
    fn read<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<String>, String>>;

    /// `host` is the server that the secret belongs to.
    fn write<'a>(
        &'a self,
        key: &'a str,
        host: &'a str,
        text: &'a str,
    ) -> BoxFuture<'a, Result<(), String>>;

    /// Whether there was something.
    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<bool, String>>;

    /// Keeps other processes from renewing the same token at the same time, until it is dropped.
    fn lock<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Box<dyn Send>, String>>;

    /// This text is never to be shown, logged or written down.
    fn learn(&self, secret: &str);
}

/// What is kept for a server.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kept {
    pub(crate) credentials: StoredCredentials,
    /// Some services give one even to clients that register themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_secret: Option<String>,
    /// Scopes that the server asked for when those granted were not enough. The next sign-in asks
    /// for them, whichever process it happens in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) wanted: Vec<String>,
}

/// One server's place in the vault.
#[derive(Clone)]
pub(crate) struct Drawer {
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) key: String,
    pub(crate) host: String,
    /// Of the client that is signing in; kept along with what it gets.
    pub(crate) client_secret: Arc<Mutex<Option<String>>>,
    /// What was last read or written. Opening a keychain for each request would take too long.
    last: Arc<Mutex<Option<Kept>>>,
}

impl Drawer {
    pub(crate) fn new(vault: Arc<dyn Vault>, key: String, host: String) -> Drawer {
        Drawer { vault, key, host, client_secret: Arc::default(), last: Arc::default() }
    }

    /// What is there now.
    pub(crate) async fn read(&self) -> Result<Option<Kept>, String> {
        let text = self.vault.read(&self.key).await?;
        // What cannot be read is no token; signing in again replaces it.
        let kept = text.and_then(|text| serde_json::from_str::<Kept>(&text).ok());
        kept.iter().for_each(|kept| self.learn(kept));
        *self.last.lock().await = kept.clone();
        Ok(kept)
    }

    /// What was there when we last looked; it may be old.
    pub(crate) async fn recall(&self) -> Result<Option<Kept>, String> {
        let last = self.last.lock().await.clone();
        match last {
            Some(kept) => Ok(Some(kept)),
            None => self.read().await,
        }
    }

    pub(crate) async fn write(&self, kept: &Kept) -> Result<(), String> {
        self.learn(kept);
        let text = serde_json::to_string(kept).map_err(|error| error.to_string())?;
        self.vault.write(&self.key, &self.host, &text).await?;
        *self.last.lock().await = Some(kept.clone());
        Ok(())
    }

    pub(crate) async fn remove(&self) -> Result<bool, String> {
        *self.last.lock().await = None;
        self.vault.remove(&self.key).await
    }

    fn learn(&self, kept: &Kept) {
        let token = kept.credentials.token_response.as_ref();
        let token = token.and_then(|token| serde_json::to_value(token).ok());
        let texts = token.iter().flat_map(|token| {
            ["access_token", "refresh_token", "id_token"]
                .into_iter()
                .filter_map(|name| token.get(name)?.as_str())
        });
        texts.chain(kept.client_secret.as_deref()).for_each(|text| self.vault.learn(text));
    }
}

#[async_trait]
impl CredentialStore for Drawer {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let kept = self.recall().await.map_err(AuthError::CredentialStoreError)?;
        Ok(kept.map(|kept| kept.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let client_secret = self.client_secret.lock().await.clone();
        let kept = Kept { credentials, client_secret, wanted: Vec::new() };
        self.write(&kept).await.map_err(AuthError::CredentialStoreError)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.remove().await.map(|_| ()).map_err(AuthError::CredentialStoreError)
    }
}
