//! The task that owns one server: connects, reads what it offers, reads it again when the server says
//! so, connects again when it is lost, and sees it to its end.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use exec::{Exit, Process};
use rmcp::RoleClient;
use rmcp::service::Peer;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::catalogue::{self, Offer};
use crate::client::Client;
use crate::config::{ServerConfig, Transport};
use crate::lists::{List, all};
use crate::server::{Now, Server, Status};
use crate::transport::{Connected, Failure, Surroundings, connect, one_line};

/// A server may say that its lists changed as often as it likes; they are read this often at most.
const CALM: Duration = Duration::from_millis(200);
/// How long a server may take to end by itself.
const FAREWELL: Duration = Duration::from_secs(1);
/// A server that lived this long has all its tries again.
const HEALTHY: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How often a server somewhere else is called before the first success.
const FIRST_TRIES: u32 = 3;

/// What a keeper can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Reconnect,
    Enable,
    Disable,
}

pub(crate) struct Keeper {
    pub(crate) server: Arc<Server>,
    pub(crate) around: Arc<dyn Surroundings>,
    pub(crate) orders: mpsc::Receiver<Order>,
    pub(crate) stop: CancellationToken,
    /// Says to whoever watches the hub that something is different.
    pub(crate) changed: Arc<watch::Sender<u64>>,
}

/// How an attempt ended.
enum End {
    Stopped,
    Ordered(Order),
    Failed(Failure),
    /// It was there, for so long; a sentence says what happened.
    Lost(Duration, String),
}

/// Why a rest is over.
enum Woken {
    Stopped,
    Ordered(Order),
    Rested,
}

/// What a keeper remembers from one attempt to the next.
#[derive(Default)]
struct Past {
    off: bool,
    /// How many attempts in a row came to nothing.
    lost: u32,
    /// It was connected before; what it offered is still shown.
    had: bool,
}

impl Past {
    fn ordered(order: Order) -> Past {
        Past { off: order == Order::Disable, ..Past::default() }
    }
}

impl Keeper {
    pub(crate) async fn keep(mut self) {
        let mut past = Past::default();
        loop {
            let pause = if past.off {
                self.say(Status::Disabled, None, Keep::Nothing);
                None
            } else {
                let waiting = if past.had { Keep::Offer } else { Keep::Nothing };
                self.say(Status::Connecting, None, waiting);
                match self.attempt().await {
                    End::Stopped => return,
                    End::Ordered(order) => {
                        past = Past::ordered(order);
                        continue;
                    }
                    End::Lost(lived, why) => self.lost(&mut past, lived, &why),
                    End::Failed(failure) => self.failed(&mut past, failure),
                }
            };
            match self.rest(pause).await {
                Woken::Stopped => return,
                Woken::Ordered(order) => past = Past::ordered(order),
                Woken::Rested => {}
            }
        }
    }

    fn lost(&self, past: &mut Past, lived: Duration, why: &str) -> Option<Duration> {
        past.had = true;
        past.lost = if lived >= HEALTHY { 1 } else { past.lost + 1 };
        self.again(past.lost, self.server.patience.tries, why)
    }

    fn failed(&self, past: &mut Past, failure: Failure) -> Option<Duration> {
        match failure {
            Failure::Passing(why) => {
                past.lost += 1;
                let remote = matches!(self.server.config.transport, Transport::Remote { .. });
                let tries = match (past.had, remote) {
                    (true, _) => self.server.patience.tries,
                    (false, true) => FIRST_TRIES - 1,
                    // A program that does not start will not start the next moment either.
                    (false, false) => 0,
                };
                self.again(past.lost, tries, &why)
            }
            Failure::Final(why) => self.give_up(Status::Failed, &why),
            Failure::SignIn { challenge } => {
                self.server.now.send_modify(|now| now.challenge = challenge);
                self.give_up(Status::NeedsAuth, "The user has to sign in first.")
            }
        }
    }

    /// How long to wait before the next try; `None` when there is none.
    fn again(&self, lost: u32, tries: u32, why: &str) -> Option<Duration> {
        if lost > tries {
            return self.give_up(Status::Failed, why);
        }
        let pause = self.server.patience.pause * 2_u32.saturating_pow((lost - 1).min(10));
        let pause = pause.min(LONGEST_PAUSE);
        self.server.shared.log.note(why);
        let text = format!("{why} It is called again in {} ms.", pause.as_millis());
        self.say(Status::Connecting, Some(text), Keep::Offer);
        Some(pause)
    }

    fn give_up(&self, status: Status, why: &str) -> Option<Duration> {
        self.server.shared.log.note(why);
        self.say(status, Some(why.to_owned()), Keep::Nothing);
        None
    }

    /// Waits for an order, or no longer than this.
    async fn rest(&mut self, pause: Option<Duration>) -> Woken {
        let over = async {
            match pause {
                Some(pause) => sleep(pause).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.stop.cancelled() => Woken::Stopped,
            order = self.orders.recv() => order.map_or(Woken::Stopped, Woken::Ordered),
            () = over => Woken::Rested,
        }
    }

    async fn attempt(&mut self) -> End {
        let server = self.server.clone();
        let (config, problems) = server.config.expand(&self.around.variables());
        problems.iter().for_each(|problem| server.shared.log.note(&problem.message));
        let client = Client::new(server.name(), self.around.clone(), server.shared.clone());
        let connecting = connect(&config, &self.around, client, server.patience.start);
        let given_up = tokio::select! {
            connected = connecting => Ok(connected),
            () = self.stop.cancelled() => Err(End::Stopped),
            order = self.orders.recv() => Err(order.map_or(End::Stopped, End::Ordered)),
        };
        let connected = match given_up {
            Ok(connected) => connected,
            Err(end) => {
                // A process that is just being started must not be left behind.
                drop(timeout(FAREWELL, server.shared.starting.lock()).await);
                return end;
            }
        };
        match connected {
            Ok(connected) => self.live(&config, connected).await,
            Err(failure) => End::Failed(failure),
        }
    }

    /// From the handshake to the end of the connection.
    async fn live(&mut self, config: &ServerConfig, connected: Connected) -> End {
        let Connected { service, process } = connected;
        let (peer, cancel) = (service.peer().clone(), service.cancellation_token());
        let began = Instant::now();
        let end = {
            let mut closed = pin!(service.waiting());
            let end = tokio::select! {
                _ = &mut closed => None,
                () = self.stop.cancelled() => Some(End::Stopped),
                order = self.orders.recv() => Some(order.map_or(End::Stopped, End::Ordered)),
                failed = serve(&self.server, &self.changed, &peer) => Some(End::Failed(failed)),
            };
            cancel.cancel();
            if end.is_some() {
                drop(timeout(FAREWELL, closed).await);
            }
            end
        };
        self.server.now.send_modify(|now| now.peer = None);
        let left = match process {
            Some(process) => Some(see_off(process).await),
            None => None,
        };
        end.unwrap_or_else(|| {
            let why = left.unwrap_or_else(|| "The connection was closed.".to_owned());
            tracing::debug!(server = config.name, why, "an MCP server was lost");
            End::Lost(began.elapsed(), why)
        })
    }

    fn say(&self, status: Status, error: Option<String>, keep: Keep) {
        self.server.now.send_modify(|now| {
            let offer = match keep {
                Keep::Offer => now.offer.clone(),
                Keep::Nothing => Arc::default(),
            };
            let challenge = now.challenge.take().filter(|_| status == Status::NeedsAuth);
            *now = Now { status, error, offer, challenge, peer: None };
        });
        self.changed.send_modify(|count| *count += 1);
    }
}

/// What stays known of a server that is not connected.
#[derive(Clone, Copy)]
enum Keep {
    Offer,
    Nothing,
}

/// Reads the lists, and again whenever they change. Returns only when a server cannot even say what
/// it offers: that is told as a failure, never as an empty list.
async fn serve(server: &Server, changed: &watch::Sender<u64>, peer: &Peer<RoleClient>) -> Failure {
    let mut offer = Offer::default();
    let info = peer.peer_info();
    offer.instructions = info
        .as_ref()
        .and_then(|info| info.instructions.as_deref())
        .and_then(catalogue::instructions);
    let has = |list: List| {
        let Some(info) = &info else { return false };
        let capabilities = &info.capabilities;
        match list {
            List::Tools => capabilities.tools.is_some(),
            List::Prompts => capabilities.prompts.is_some(),
            List::Resources | List::Templates => capabilities.resources.is_some(),
        }
    };
    let changes = &server.shared.changes;
    for flag in [&changes.tools, &changes.prompts, &changes.resources] {
        flag.store(true, Ordering::Release);
    }
    loop {
        let within = server.patience.start;
        let read = timeout(within, refresh(server, peer, &mut offer, &has)).await;
        match read {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return failure,
            Err(_) => return Failure::Passing("It does not say what it offers.".to_owned()),
        }
        let known = server.now.borrow().clone();
        if known.peer.is_none() || *known.offer != offer {
            server.now.send_modify(|now| {
                *now = Now {
                    status: Status::Connected,
                    error: None,
                    offer: Arc::new(offer.clone()),
                    challenge: None,
                    peer: Some(peer.clone()),
                };
            });
            changed.send_modify(|count| *count += 1);
        }
        changes.told.notified().await;
        sleep(CALM).await;
    }
}

/// Reads those lists again that are not what they were.
async fn refresh(
    server: &Server,
    peer: &Peer<RoleClient>,
    offer: &mut Offer,
    has: &impl Fn(List) -> bool,
) -> Result<(), Failure> {
    let changes = &server.shared.changes;
    let (name, log) = (server.name(), &server.shared.log);
    if changes.tools.swap(false, Ordering::AcqRel) && has(List::Tools) {
        let (tools, left_out) = catalogue::tools(name, &all(peer, List::Tools).await?);
        if left_out != offer.left_out {
            left_out.iter().for_each(|note| log.note(note));
        }
        (offer.tools, offer.left_out) = (tools, left_out);
    }
    if changes.prompts.swap(false, Ordering::AcqRel) && has(List::Prompts) {
        // Prompts and resources are extras: without them the tools still work.
        match all(peer, List::Prompts).await {
            Ok(items) => offer.prompts = catalogue::prompts(name, &items),
            Err(why) => log.note(&format!("Its prompts are not known. {why}")),
        }
    }
    if changes.resources.swap(false, Ordering::AcqRel) && has(List::Resources) {
        match all(peer, List::Resources).await {
            Ok(items) => offer.resources = catalogue::resources(&items, "uri"),
            Err(why) => log.note(&format!("Its resources are not known. {why}")),
        }
        let templates = all(peer, List::Templates).await.unwrap_or_default();
        offer.templates = catalogue::resources(&templates, "uriTemplate");
    }
    Ok(())
}

/// Ends a process with everything it started, and says how it ended.
async fn see_off(mut process: Process) -> String {
    let exit = match process.end(FAREWELL).await {
        Exit::Code(code) => format!("It ended with code {code}."),
        Exit::Signal(signal) => format!("It was ended by signal {signal}."),
        Exit::TimedOut | Exit::Cancelled => "It was ended.".to_owned(),
    };
    match one_line(&process.last_line()) {
        last if last.is_empty() => exit,
        last => format!("{exit} It said: {last}."),
    }
}
