//! Which hosts commands in the sandbox may reach: what the settings say, what the user said in this
//! turn or session, and otherwise a question.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use exec::proxy::Doorman;
use extend::edit::{Scope, Target};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::{Host, HostRules, HostVerdict, Mode};
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
    turn: HashSet<Door>,
    session: HashSet<Door>,
}

/// A yes is for a port, too: the next one may be something else altogether.
type Door = (Host, u16);

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

    fn judge(&self, door: &Door) -> HostVerdict {
        let known = self.known();
        match known.rules.judge(&door.0) {
            HostVerdict::Ask if known.turn.contains(door) || known.session.contains(door) => {
                HostVerdict::Allow
            }
            verdict => verdict,
        }
    }

    fn names_address(&self, host: &Host, address: IpAddr) -> bool {
        let known = self.known();
        known.rules.judge(&Host::from(address)) == HostVerdict::Allow
            || known.rules.names_inside(host, address)
    }
}

/// Stands at the proxy of one command.
pub(super) struct SessionDoorman {
    call: String,
    own: mpsc::Sender<Msg>,
    hosts: Arc<Hosts>,
    /// Allowed for this command, and refused to it.
    once: Mutex<HashMap<Door, bool>>,
    /// One question at a time: a command must not fill the screen with them.
    asking: tokio::sync::Mutex<()>,
}

impl SessionDoorman {
    pub(super) fn new(call: &str, own: mpsc::Sender<Msg>, hosts: Arc<Hosts>) -> SessionDoorman {
        SessionDoorman {
            call: call.to_owned(),
            own,
            hosts,
            once: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        }
    }

    fn once(&self) -> MutexGuard<'_, HashMap<Door, bool>> {
        self.once.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What needs no question.
    fn known(&self, door: &Door) -> Option<Result<(), String>> {
        match self.hosts.judge(door) {
            HostVerdict::Allow => Some(Ok(())),
            HostVerdict::Deny => Some(Err("The settings deny this host.".to_owned())),
            HostVerdict::Ask => match self.once().get(door) {
                Some(true) => Some(Ok(())),
                Some(false) => Some(Err("The user did not allow this host.".to_owned())),
                None => None,
            },
        }
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
            let door = (host.clone(), port);
            if let Some(answer) = self.known(&door) {
                return answer;
            }
            let _turn = self.asking.lock().await;
            // Whoever asked before us may have got the answer for us, too.
            if let Some(answer) = self.known(&door) {
                return answer;
            }
            let answer = self.ask(host, port).await;
            self.once().insert(door, answer.is_ok());
            answer
        }
        .boxed()
    }

    fn names_address(&self, host: &Host, address: IpAddr) -> bool {
        self.hosts.names_address(host, address)
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
        let permissions = self.state.permissions();
        if permissions.mode == Mode::DontAsk || permissions.rules.limits().deny_instead_of_asking {
            let _ = answer.send(Err("What would be asked is denied here.".to_owned()));
            return;
        }
        let shown = host.to_string();
        let (_, command) = self.called(call);
        let params = PermissionRequestParams {
            request_id: request_id(&self.id, &format!("{call}:{}", host.with_port(port))),
            session_id: self.id.clone(),
            turn_id: self.running.as_ref().map(|running| running.turn.id().to_owned()),
            tool_call: None,
            title: format!("Let commands reach {}?", host.with_port(port)),
            reason: format!("No setting names this host. It is wanted by the command: {command}"),
            subject: Subject::Host(HostSubject { host: shown.clone(), port }),
            options: host_options(&shown),
            editable: None,
            agent: None,
        };
        self.on_ask(params, super::super::ask::Purpose::Host { host: host.clone(), port, answer });
    }

    pub(in crate::session) fn on_host_chosen(
        &mut self,
        host: &Host,
        port: u16,
        chosen: &Chosen,
    ) -> Result<(), String> {
        let door = (host.clone(), port);
        let Some(scope) = chosen.scope() else {
            return Err("The user did not allow this host.".to_owned());
        };
        match scope {
            OptionScope::Turn => drop(self.shelter.hosts.known().turn.insert(door)),
            OptionScope::Session => drop(self.shelter.hosts.known().session.insert(door)),
            OptionScope::User => {
                self.shelter.hosts.known().session.insert(door);
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
