//! Keys that are not in the environment: from a helper command of the user's, or stored by
//! `bowline auth login`. The helper comes first.

mod helper;
mod keychain;
/// Where the key for a service comes from, in words; nothing where there is none.
pub(crate) fn told_origin(host: &HostContext, service: Service) -> Result<Option<String>, String> {
    if let Some(variable) = variable(host, service) {
        return Ok(Some(format!("{variable} in the environment")));
    }
    let server = model::server_of(&host.model_env, service).map_err(|error| error.to_string())?;
    match host.keys.origin(service, &server).map_err(|error| error.to_string())? {
        Origin::Helper => Ok(Some("the command of `apiKeyHelper`".to_owned())),
        Origin::Stored { .. } => Ok(Some("stored by `bowline auth login`".to_owned())),
        Origin::Nowhere => Ok(None),
    }
}

/// The variable that holds a key, if one does.
pub(crate) fn variable(host: &HostContext, service: Service) -> Option<&'static str> {
    let names: &[&'static str] = match service {
        Service::Anthropic => &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
        Service::OpenAi => &["OPENAI_API_KEY"],
    };
    names.iter().copied().find(|name| host.model_env.get(name).is_some())
}

#[cfg(test)]
mod tests;
mod tokens;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use exec::Walls;
use extend::Locations;
use extend::credentials::{Credential, Credentials, CredentialsError};
use futures::future::BoxFuture;
use model::{Key, Keys, Service};
use policy::Secrets;

use crate::context::HostContext;
use helper::Helper;
pub(crate) use keychain::Keychain;
pub(crate) use tokens::Tokens;

/// The keys of this process. One for all sessions: helpers are named in the user's own settings or
/// by the administrator, never by a project.
pub struct KeyRing {
    bowline_home: PathBuf,
    helper: Helper,
    /// The command line of the helper, and what keeps it in.
    command: RwLock<Option<(String, Walls)>>,
    keychain: Keychain,
    secrets: Secrets,
}

/// Where a service's key would come from.
#[derive(Debug, PartialEq, Eq)]
pub enum Origin {
    Helper,
    Stored { host: String },
    Nowhere,
}

impl KeyRing {
    pub fn new(
        locations: &Locations,
        env: Vec<(OsString, OsString)>,
        secrets: Secrets,
    ) -> Arc<KeyRing> {
        let home = locations.home.clone().unwrap_or_else(|| PathBuf::from("/"));
        Arc::new(KeyRing {
            bowline_home: locations.bowline_home.clone(),
            keychain: Keychain::new(home.clone()),
            helper: Helper::new(home, env),
            command: RwLock::default(),
            secrets,
        })
    }

    /// The setting `apiKeyHelper`, as the user or the administrator wrote it.
    pub fn use_helper(&self, helper: Option<(String, Walls)>) {
        let helper = helper.filter(|(command, _)| !command.trim().is_empty());
        *self.command.write().unwrap_or_else(PoisonError::into_inner) = helper;
    }

    /// Where the key for a server would come from; nothing is run.
    pub fn origin(&self, service: Service, host: &str) -> Result<Origin, CredentialsError> {
        if self.command(service).is_some() {
            return Ok(Origin::Helper);
        }
        Ok(match Credentials::load(&self.bowline_home)?.get(name(service)) {
            Some(stored) if stored.host == host => Origin::Stored { host: host.to_owned() },
            _ => Origin::Nowhere,
        })
    }

    /// Keeps a key for a server, and returns where.
    pub async fn store(&self, service: Service, host: &str, key: &str) -> Result<String, String> {
        self.secrets.learn(key);
        let said = |error: CredentialsError| error.to_string();
        let mut credentials = Credentials::load(&self.bowline_home).map_err(said)?;
        let in_keychain = self.keychain.is_there();
        if in_keychain {
            self.keychain.store(name(service), key).await?;
        }
        let key = (!in_keychain).then(|| key.to_owned());
        let credential = Credential { host: host.to_owned(), key };
        credentials.set(name(service), credential).map_err(said)?;
        Ok(match in_keychain {
            true => "the keychain".to_owned(),
            false => credentials.path().display().to_string(),
        })
    }

    /// Whether there was a key.
    pub async fn remove(&self, service: Service) -> Result<bool, String> {
        let said = |error: CredentialsError| error.to_string();
        let mut credentials = Credentials::load(&self.bowline_home).map_err(said)?;
        if credentials.get(name(service)).is_some_and(|stored| stored.key.is_none()) {
            self.keychain.remove(name(service)).await?;
        }
        credentials.remove(name(service)).map_err(said)
    }

    /// The helper speaks for one service only.
    fn command(&self, service: Service) -> Option<(String, Walls)> {
        let command = self.command.read().unwrap_or_else(PoisonError::into_inner).clone();
        command.filter(|_| service == Service::Anthropic)
    }

    async fn find(&self, service: Service, host: &str, fresh: bool) -> Result<Option<Key>, String> {
        if let Some((command, walls)) = self.command(service) {
            let key = self.helper.key(&command, walls, fresh).await?;
            self.secrets.learn(&key);
            return Ok(Some(Key::Any(key)));
        }
        let credentials = Credentials::load(&self.bowline_home).map_err(|e| e.to_string())?;
        let Some(stored) = credentials.get(name(service)).filter(|stored| stored.host == host)
        else {
            return Ok(None);
        };
        let key = match &stored.key {
            Some(key) => key.clone(),
            None => self.keychain.find(name(service)).await?,
        };
        self.secrets.learn(&key);
        Ok(Some(Key::Own(key)))
    }
}

impl Keys for KeyRing {
    fn has(&self, service: Service, host: &str) -> bool {
        // A file that cannot be used counts: its error is told when a key is needed.
        self.origin(service, host).map_or(true, |origin| origin != Origin::Nowhere)
    }

    fn key<'a>(
        &'a self,
        service: Service,
        host: &'a str,
        fresh: bool,
    ) -> BoxFuture<'a, Result<Option<Key>, String>> {
        Box::pin(self.find(service, host, fresh))
    }
}

fn name(service: Service) -> &'static str {
    match service {
        Service::Anthropic => "anthropic",
        Service::OpenAi => "openai",
    }
}
