//! How servers stand: each is connected to, side by side, asked what it offers, and left again.

use std::path::Path;
use std::sync::Arc;

use exec::Walls;
use extend::{Settings, one_line};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use mcp::{Elicitation, Elicited, Hub, Patience, SdkLine, Server, ServerConfig, Status};

use crate::context::HostContext;
use crate::own;
use crate::servers::{Around, Master};

/// Why a server is not looked at.
const IN_SESSIONS: &str = "it is kept in as commands are, which only a session does";

/// Nobody is asked. What a session keeps in as it does commands needs a session's walls; without a
/// sandbox there are none.
struct Nobody {
    roots: Vec<String>,
    sandbox: bool,
    own: Walls,
}

impl Master for Nobody {
    fn walls(&self, _: &str) -> Result<Walls, String> {
        match self.sandbox {
            true => Err(IN_SESSIONS.to_owned()),
            false => Ok(Walls::Open),
        }
    }

    fn own_walls(&self) -> Result<Walls, String> {
        Ok(self.own.clone())
    }

    fn roots(&self) -> Vec<String> {
        self.roots.clone()
    }

    fn line(&self, _: &str) -> Option<SdkLine> {
        None
    }

    fn elicit(&self, _: &str, _: Elicitation) -> BoxFuture<'static, Elicited> {
        std::future::ready(Elicited::Declined).boxed()
    }
}

/// How one stands.
pub(super) struct Stands {
    /// In one word, for scripts.
    pub(super) status: &'static str,
    /// In a few, for people.
    pub(super) words: String,
    pub(super) tools: usize,
}

/// All of them, in their order.
pub(super) async fn at(
    host: &Arc<HostContext>,
    cwd: &Path,
    settings: &Settings,
    configs: Vec<ServerConfig>,
) -> Vec<Stands> {
    let patience = Patience::from_env(|name| host.var(name)?.to_str().map(str::to_owned));
    let roots = workspace::DocumentUri::from_path(cwd).map(|uri| uri.as_str().to_owned());
    let sandbox = settings.sandbox.enabled != Some(false);
    let own = own::walls(host, &settings.sandbox, vec![cwd.to_owned()], &[]);
    let master = Nobody { roots: roots.into_iter().collect(), sandbox, own };
    let around = Around::new(host, cwd.to_owned(), settings.env.clone(), master);
    let hub = Hub::new(Arc::new(around), patience);
    let names: Vec<String> = configs.iter().map(|config| config.name.clone()).collect();
    hub.set(configs);
    hub.settled(patience.start, |_| true).await;
    let redactor = host.secrets.redactor();
    let stands = |name: &String| match hub.server(name) {
        Some(server) => {
            let stands = described(&server);
            Stands { words: redactor.redact(&stands.words).into_owned(), ..stands }
        }
        None => Stands { status: "unused", words: "✗ Not used".to_owned(), tools: 0 },
    };
    let said = names.iter().map(stands).collect();
    hub.close().await;
    said
}

fn described(server: &Server) -> Stands {
    let now = server.now();
    let why = now.error.as_deref().map(one_line).unwrap_or_default();
    let tools = now.offer.tools.len();
    let (status, words) = match now.status {
        Status::Connected => {
            let count = if tools == 1 { "1 tool".to_owned() } else { format!("{tools} tools") };
            ("connected", format!("✓ Connected, {count}"))
        }
        Status::NeedsAuth => {
            let login = format!("bowline mcp login {}", one_line(server.name()));
            ("needs-auth", format!("! Wants a sign-in: {login}"))
        }
        Status::Connecting => ("connecting", "✗ Still connecting".to_owned()),
        Status::Failed if why.contains(IN_SESSIONS) => {
            let words = "– Starts in sessions only, where it is kept in as commands are";
            ("in-sessions", words.to_owned())
        }
        Status::Failed => ("failed", format!("✗ Failed: {why}")),
        Status::Disabled => ("disabled", format!("✗ Failed: {why}")),
    };
    Stands { status, words, tools }
}
