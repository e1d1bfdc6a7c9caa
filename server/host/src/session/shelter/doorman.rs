//! Which hosts commands in the sandbox may reach: what the settings say, what the user said in this
//! turn or session, and otherwise a question.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use exec::proxy::Doorman;
use extend::edit::{Scope, Target};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::{Host, HostRules, HostVerdict};
use protocol::permission::{HostSubject, OptionScope, PermissionRequestParams, Subject};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

use super::super::ask::{Chosen, host_options, request_id};
use super::super::{CallNews, Msg, Session};

/// What the session knows about hosts.
#[derive(Default)]
pub(in crate::session) struct Hosts(Mutex<Known>);

#[derive(Default)]
struct Known {
    rules: HostRules,
    turn: HashSet<Host>,
    session: HashSet<Host>,
}

impl Hosts {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_rules(&self, rules: HostRules) {
        self.known().rules = rules;
    }

    /// What was allowed for a turn ends with it.
    pub(in crate::session) fn forget_turn(&self) {
        self.known().turn.clear();
    }

    fn judge(&self, host: &Host) -> HostVerdict {
        let known = self.known();
        match known.rules.judge(host) {
            HostVerdict::Ask if known.turn.contains(host) || known.session.contains(host) => {
                HostVerdict::Allow
            }
            verdict => verdict,
        }
    }
}

/// Stands at the proxy of one command.
pub(super) struct SessionDoorman {
    call: String,
    own: mpsc::Sender<Msg>,
    hosts: Arc<Hosts>,
    /// Allowed for this command.
    once: Mutex<HashSet<Host>>,
}

impl SessionDoorman {
    pub(super) fn new(call: &str, own: mpsc::Sender<Msg>, hosts: Arc<Hosts>) -> SessionDoorman {
        SessionDoorman { call: call.to_owned(), own, hosts, once: Mutex::default() }
    }

    fn once(&self) -> MutexGuard<'_, HashSet<Host>> {
        self.once.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, host: &Host, port: u16) -> Result<(), String> {
        let (answer, answered) = oneshot::channel();
        let news = CallNews::Host { host: host.clone(), port, answer };
        let asked = self.own.send(Msg::Call { id: self.call.clone(), news }).await;
        let gone = || "The session is over.".to_owned();
        asked.map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Doorman for SessionDoorman {
    fn admit<'a>(&'a self, host: &'a Host, port: u16) -> BoxFuture<'a, Result<(), String>> {
        async move {
            match self.hosts.judge(host) {
                HostVerdict::Allow => Ok(()),
                HostVerdict::Deny => Err("The settings deny this host.".to_owned()),
                HostVerdict::Ask if self.once().contains(host) => Ok(()),
                HostVerdict::Ask => {
                    self.ask(host, port).await?;
                    self.once().insert(host.clone());
                    Ok(())
                }
            }
        }
        .boxed()
    }
}

impl Session {
    /// A command wants to reach a host that nobody has spoken about.
    pub(in crate::session) fn on_host(
        &mut self,
        call: &str,
        host: &Host,
        port: u16,
        answer: oneshot::Sender<Result<(), String>>,
    ) {
        let shown = host.to_string();
        let params = PermissionRequestParams {
            request_id: request_id(&self.id, &format!("{call}:{}", host.with_port(port))),
            session_id: self.id.clone(),
            turn_id: self.running.as_ref().map(|running| running.turn.id().to_owned()),
            tool_call: None,
            title: format!("Let commands reach {}?", host.with_port(port)),
            reason: "A command in the sandbox wants to reach a host that no setting names."
                .to_owned(),
            subject: Subject::Host(HostSubject { host: shown.clone(), port }),
            options: host_options(&shown),
            editable: None,
        };
        self.on_ask(params, super::super::ask::Purpose::Host(host.clone(), answer));
    }

    pub(in crate::session) fn on_host_chosen(
        &mut self,
        host: &Host,
        chosen: &Chosen,
    ) -> Result<(), String> {
        let Some(scope) = chosen.scope() else {
            return Err("The user did not allow this host.".to_owned());
        };
        match scope {
            OptionScope::Turn => drop(self.shelter.hosts.known().turn.insert(host.clone())),
            OptionScope::Session => drop(self.shelter.hosts.known().session.insert(host.clone())),
            OptionScope::User => {
                self.shelter.hosts.known().session.insert(host.clone());
                self.keep_host(host);
            }
            _ => {}
        }
        Ok(())
    }

    /// Into the user's own settings: a project cannot open the network.
    fn keep_host(&self, host: &Host) {
        let target = Target::new(Scope::User, &self.host.locations, self.state.cwd());
        let (own, host) = (self.own.clone(), host.to_string());
        tokio::task::spawn_blocking(move || {
            let key = "sandbox.network.allowedDomains";
            let written = extend::edit::add_to_list(&target, key, &host);
            let written = written.map(Some).map_err(|error| {
                format!("{host} is allowed in this session, but was not kept: {error}")
            });
            let _ = own.blocking_send(Msg::Kept { written });
        });
    }
}
