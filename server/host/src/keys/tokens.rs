//! The tokens of MCP servers: in the system's keychain where there is one, else in a file for the
//! user alone.

use std::path::{Path, PathBuf};

use extend::credentials::{self, Credential, Credentials};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::Secrets;

use super::Keychain;

pub(crate) struct Tokens {
    bowline_home: PathBuf,
    keychain: Keychain,
    secrets: Secrets,
}

impl Tokens {
    pub(crate) fn new(bowline_home: &Path, home: Option<PathBuf>, secrets: Secrets) -> Tokens {
        let keychain = Keychain::new(home.unwrap_or_else(|| PathBuf::from("/")));
        Tokens { bowline_home: bowline_home.to_owned(), keychain, secrets }
    }

    async fn find(&self, key: &str) -> Result<Option<String>, String> {
        let home = self.bowline_home.clone();
        let loaded = blocking(move || Credentials::load_mcp(&home).map_err(|e| e.to_string()));
        match loaded.await?.get(key) {
            None => Ok(None),
            Some(Credential { key: Some(text), .. }) => Ok(Some(text.clone())),
            Some(_) => self.keychain.find(&account(key)).await.map(Some),
        }
    }

    async fn store(&self, key: &str, host: &str, text: &str) -> Result<(), String> {
        // A keychain that does not take it, perhaps because it is too long, is none.
        let in_keychain =
            self.keychain.is_there() && self.keychain.store(&account(key), text).await.is_ok();
        let kept = (!in_keychain).then(|| text.to_owned());
        let credential = Credential { host: host.to_owned(), key: kept };
        let (home, key) = (self.bowline_home.clone(), key.to_owned());
        blocking(move || {
            let _lock = credentials::lock(&home).map_err(|error| error.to_string())?;
            let mut all = Credentials::load_mcp(&home).map_err(|error| error.to_string())?;
            all.set(&key, credential).map_err(|error| error.to_string())
        })
        .await
    }

    async fn take_out(&self, key: &str) -> Result<bool, String> {
        if self.keychain.is_there() {
            // It may be in the file alone.
            drop(self.keychain.remove(&account(key)).await);
        }
        let (home, key) = (self.bowline_home.clone(), key.to_owned());
        blocking(move || {
            let _lock = credentials::lock(&home).map_err(|error| error.to_string())?;
            let mut all = Credentials::load_mcp(&home).map_err(|error| error.to_string())?;
            all.remove(&key).map_err(|error| error.to_string())
        })
        .await
    }

    async fn alone(&self, key: &str) -> Result<Box<dyn Send>, String> {
        let (home, key) = (self.bowline_home.clone(), key.to_owned());
        blocking(move || match credentials::lock_renewal(&home, &key) {
            Ok(lock) => Ok(Box::new(lock) as Box<dyn Send>),
            Err(error) => Err(format!("The token cannot be renewed now ({error}).")),
        })
        .await
    }
}

/// Keys of ours are letters, digits, `-` and `_`, as the keychain's program wants them.
fn account(key: &str) -> String {
    format!("mcp-{key}")
}

/// Files are small, but a lock may be waited for.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(error.to_string()))
}

impl mcp::Vault for Tokens {
    fn read<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<String>, String>> {
        self.find(key).boxed()
    }

    fn write<'a>(
        &'a self,
        key: &'a str,
        host: &'a str,
        text: &'a str,
    ) -> BoxFuture<'a, Result<(), String>> {
        self.store(key, host, text).boxed()
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<bool, String>> {
        self.take_out(key).boxed()
    }

    fn lock<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Box<dyn Send>, String>> {
        self.alone(key).boxed()
    }

    fn learn(&self, secret: &str) {
        self.secrets.learn(secret);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use mcp::Vault as _;

    use super::*;

    #[tokio::test]
    async fn tokens_are_for_the_user_alone_and_side_by_side() {
        let home = tempfile::tempdir().unwrap();
        let secrets = Secrets::new(Vec::new());
        let tokens = Tokens::new(&home.path().join("new"), None, secrets.clone());
        assert_eq!(tokens.read("git-1").await.unwrap(), None);
        tokens.write("git-1", "x.example:443", "one").await.unwrap();
        tokens.write("git-2", "y.example:443", "two").await.unwrap();
        assert_eq!(tokens.read("git-1").await.unwrap().as_deref(), Some("one"));
        let file = home.path().join("new/mcp-credentials.json");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(tokens.remove("git-1").await.unwrap());
        assert!(!tokens.remove("git-1").await.unwrap());
        assert_eq!(tokens.read("git-2").await.unwrap().as_deref(), Some("two"));
        // One renewal of a token at a time; that of another does not wait.
        let held = tokens.lock("git-1").await.unwrap();
        drop(tokens.lock("git-2").await.unwrap());
        drop(held);
        drop(tokens.lock("git-1").await.unwrap());
        tokens.learn("canary-token-1234");
        assert!(!secrets.redactor().redact("x canary-token-1234 y").contains("canary"));
    }
}
