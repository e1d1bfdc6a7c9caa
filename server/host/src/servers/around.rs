//! What surrounds the servers of one user of them: folder, variables, network, and the way in.
//!
//! A server that is a program gets a small base of the user's environment and what its configuration
//! declares, nothing else: keys in the environment are not for everybody who is started.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use exec::Walls;
use futures::future::BoxFuture;
use mcp::{
    Access, Elicitation, Elicited, HeadersHelper, HttpClient, HttpClientBuilder, Keeping, Scope,
    SdkLine, ServerConfig, Surroundings, Transport,
};
use url::Url;

use crate::access;
use crate::context::HostContext;

/// What only the one who uses the servers knows.
pub(crate) trait Master: Send + Sync + 'static {
    /// The walls around what a project brings, and around what the user wants to be kept in like
    /// that. May wait for the disk.
    fn walls(&self, server: &str) -> Result<Walls, String>;

    /// The walls around the user's own programs.
    fn own_walls(&self) -> Result<Walls, String>;

    /// The folders the user works in, as URIs.
    fn roots(&self) -> Vec<String>;

    /// The line to a server that lives in a client.
    fn line(&self, server: &str) -> Option<SdkLine>;

    /// A server wants to know something from the user.
    fn elicit(&self, server: &str, asked: Elicitation) -> BoxFuture<'static, Elicited>;
}

pub(crate) struct Around<M> {
    host: Arc<HostContext>,
    cwd: PathBuf,
    /// What the settings add to the environment of processes.
    env: BTreeMap<String, String>,
    /// The ways into remote servers, with what they were made from.
    accesses: Mutex<HashMap<String, (ServerConfig, Arc<Access>)>>,
    pub(crate) master: M,
}

/// What any program needs to be found, to find its files and to reach the network.
const BASE: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TMPDIR",
    "TZ",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DOCKER_HOST",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
];

fn is_base(name: &std::ffi::OsStr) -> bool {
    let locale = name.to_str().is_some_and(|name| name.starts_with("LC_"));
    locale || BASE.iter().any(|known| name == *known)
}

impl<M: Master> Around<M> {
    pub(crate) fn new(
        host: &Arc<HostContext>,
        cwd: PathBuf,
        env: BTreeMap<String, String>,
        master: M,
    ) -> Around<M> {
        Around { host: host.clone(), cwd, env, accesses: Mutex::default(), master }
    }

    fn make_access(&self, config: &ServerConfig) -> Result<Access, String> {
        let access = Access::by_headers(config)?;
        let access = match &config.transport {
            Transport::Remote { headers_helper: Some(command), .. } => {
                access.with_helper(self.helper(command, config)?)
            }
            _ => access,
        };
        // Where nobody can sign in, headers alone may do.
        Ok(match access::oauth(&self.host, config) {
            Ok(oauth) => access.with_oauth(oauth),
            Err(_) => access,
        })
    }

    /// The user's own command may use the user's keys; a project's may not.
    fn helper(&self, command: &str, config: &ServerConfig) -> Result<HeadersHelper, String> {
        let (cwd, walls) = (self.cwd.clone(), self.walls(config)?);
        Ok(match config.scope {
            Scope::Project => HeadersHelper::new(command, cwd, self.environment(), walls),
            _ => {
                let mut env = self.host.env.clone();
                env.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
                HeadersHelper::new(command, cwd, env, walls)
            }
        })
    }
}

impl<M: Master> Surroundings for Around<M> {
    fn cwd(&self) -> PathBuf {
        self.cwd.clone()
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let base = self.host.env.iter().filter(|(name, _)| is_base(name)).cloned();
        let set = self.env.iter().map(|(name, value)| (name.into(), value.into()));
        let mut all: Vec<(OsString, OsString)> = base.collect();
        for (name, value) in set {
            all.retain(|(known, _)| *known != name);
            all.push((name, value));
        }
        all
    }

    fn variables(&self) -> BTreeMap<String, String> {
        let env = self.host.env.iter();
        let env = env.filter_map(|(key, value)| {
            Some((key.to_str()?.to_owned(), value.to_str()?.to_owned()))
        });
        env.chain(self.env.clone()).collect()
    }

    /// The user's own servers are the user's own programs. What a project brings is kept in as
    /// commands are.
    fn walls(&self, config: &ServerConfig) -> Result<Walls, String> {
        match (config.scope, config.keeping) {
            (Scope::Project, _) | (_, Keeping::Strict) => self.master.walls(&config.name),
            (_, Keeping::Own) => self.master.own_walls(),
            (_, Keeping::Off) => Ok(Walls::Open),
        }
    }

    fn http(&self, url: &str) -> Result<HttpClient, String> {
        let url = Url::parse(url).map_err(|error| format!("Its address is wrong: {error}."))?;
        self.host.model_env.http().client(&url).map_err(|error| error.to_string())
    }

    fn http_builder(&self, url: &str) -> Result<HttpClientBuilder, String> {
        let url = Url::parse(url).map_err(|error| format!("Its address is wrong: {error}."))?;
        self.host.model_env.http().builder(&url).map_err(|error| error.to_string())
    }

    fn access(&self, config: &ServerConfig) -> Result<Arc<Access>, String> {
        let mut known = self.accesses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((same, access)) = known.get(&config.name)
            && same == config
        {
            return Ok(access.clone());
        }
        let access = Arc::new(self.make_access(config)?);
        known.insert(config.name.clone(), (config.clone(), access.clone()));
        Ok(access)
    }

    fn sdk(&self, server: &str) -> Option<SdkLine> {
        self.master.line(server)
    }

    fn roots(&self) -> Vec<String> {
        self.master.roots()
    }

    fn elicit(&self, server: &str, asked: Elicitation) -> BoxFuture<'static, Elicited> {
        self.master.elicit(server, asked)
    }
}
