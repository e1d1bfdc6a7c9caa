//! The servers somebody uses: started side by side, each with a task of its own.
//!
//! A session has one hub; whoever needs servers for a part of a session, such as an agent that brings
//! its own, makes another. Dropping a hub ends its servers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::catalogue::names_server;
use crate::client::Shared;
use crate::config::ServerConfig;
use crate::keeper::{Keeper, Order};
use crate::name::server_key;
use crate::patience::Patience;
use crate::server::{Now, Server};
use crate::sign_in::SignIns;
use crate::transport::Surroundings;

#[cfg(test)]
mod tests;

/// Orders that a keeper has not read yet; more say nothing new.
const ORDERS: usize = 4;
/// More servers than this are a mistake.
const MOST_SERVERS: usize = 100;
/// How long all servers together may take to end.
const FAREWELL: Duration = Duration::from_secs(3);

pub struct Hub {
    around: Arc<dyn Surroundings>,
    patience: Patience,
    /// By key, because that is what tells their tools apart.
    kept: Mutex<BTreeMap<String, Kept>>,
    changed: Arc<watch::Sender<u64>>,
}

struct Kept {
    server: Arc<Server>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// A server whose owner is gone has no reason to live.
impl Drop for Kept {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Hub {
    /// Must be made within a runtime of tokio.
    pub fn new(around: Arc<dyn Surroundings>, patience: Patience) -> Hub {
        let changed = Arc::new(watch::Sender::new(0));
        Hub { around, patience, kept: Mutex::default(), changed }
    }

    /// From now on these are the servers; those that are new or configured otherwise are started.
    /// Of two that cannot be told apart the first one counts.
    pub fn set(&self, configs: Vec<ServerConfig>) {
        let mut kept = self.kept();
        let mut next = BTreeMap::new();
        for config in configs.into_iter().take(MOST_SERVERS) {
            let key = server_key(&config.name);
            if next.contains_key(&key) {
                continue;
            }
            let known = kept.remove(&key).filter(|kept| kept.server.config == config);
            next.insert(key, known.unwrap_or_else(|| self.start(config)));
        }
        // What is left over ends by being dropped.
        *kept = next;
        drop(kept);
        self.changed.send_modify(|count| *count += 1);
    }

    fn start(&self, config: ServerConfig) -> Kept {
        let (orders, heard) = mpsc::channel(ORDERS);
        let server = Arc::new(Server {
            config,
            patience: self.patience,
            shared: Shared::new(),
            now: watch::Sender::new(Now::default()),
            orders,
            around: self.around.clone(),
            sign_ins: SignIns::default(),
        });
        let stop = CancellationToken::new();
        let keeper = Keeper {
            server: server.clone(),
            around: self.around.clone(),
            orders: heard,
            stop: stop.clone(),
            changed: self.changed.clone(),
        };
        Kept { server, stop, task: tokio::spawn(keeper.keep()) }
    }

    pub fn patience(&self) -> Patience {
        self.patience
    }

    /// All of them, by name.
    pub fn servers(&self) -> Vec<Arc<Server>> {
        self.kept().values().map(|kept| kept.server.clone()).collect()
    }

    /// The server that is written like this.
    pub fn server(&self, name: &str) -> Option<Arc<Server>> {
        let kept = self.kept();
        let found = kept.values().find(|kept| names_server(name, kept.server.name()));
        found.map(|kept| kept.server.clone())
    }

    /// Whose tool this is, `mcp__server__tool`, and what its server calls it.
    pub fn find_tool(&self, full_name: &str) -> Option<(Arc<Server>, String)> {
        self.servers().into_iter().find_map(|server| {
            let now = server.now();
            let tool = now.offer.tools.iter().find(|tool| tool.full_name == full_name)?;
            Some((server, tool.name.clone()))
        })
    }

    /// Calls a tool by the names that the server and its configuration have, and gives its words: for
    /// whoever is no model. Nothing is asked here, so the caller must have been allowed to. The error
    /// is a sentence, also where the tool failed in its own terms.
    pub async fn call_text(
        &self,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<String, String> {
        let found = self.server(server);
        let found = found.ok_or_else(|| format!("There is no MCP server {server:?} here."))?;
        let Value::Object(arguments) = arguments else {
            return Err(format!("The tool {tool} takes an object, not {arguments}."));
        };
        let answer = found.call_tool(tool, arguments, |_| ()).await?;
        match answer.is_error {
            true => Err(answer.text()),
            false => Ok(answer.text()),
        }
    }

    /// Counts up whenever a server, or what it offers, is not what it was.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Connects again, whatever stood in the way before.
    pub fn reconnect(&self, server: &Server) {
        let _ = server.orders.try_send(Order::Reconnect);
    }

    pub fn switch(&self, server: &Server, on: bool) {
        let order = if on { Order::Enable } else { Order::Disable };
        let _ = server.orders.try_send(order);
    }

    /// Waits until none of these servers is on its way any more, or so long.
    pub async fn settled(&self, within: Duration, of: impl Fn(&Server) -> bool) {
        let mut changed = self.changed();
        let on_its_way = |server: &Arc<Server>| server.is_on_its_way() && of(server);
        let all = async {
            while self.servers().iter().any(on_its_way) {
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        drop(timeout(within, all).await);
    }

    /// Ends all servers and waits for it.
    pub async fn close(&self) {
        let kept = std::mem::take(&mut *self.kept());
        let ended = async {
            for mut kept in kept.into_values() {
                kept.stop.cancel();
                drop((&mut kept.task).await);
            }
        };
        if timeout(FAREWELL, ended).await.is_err() {
            tracing::warn!("an MCP server did not end in time");
        }
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
