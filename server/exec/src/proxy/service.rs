//! What the connections of one command share, and the loops that accept them.

use std::collections::{BTreeSet, HashMap};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::questions::{Answer, Door};
use super::{Proxy, http, socks};

/// More hosts than this are not remembered for one command.
const REMEMBERED: usize = 1024;
const REFUSALS: usize = 64;

#[derive(Debug, Clone, Copy)]
pub(super) enum Speaks {
    Http,
    Socks,
}

pub(super) struct Service {
    pub(super) proxy: Arc<Proxy>,
    seats: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    answers: HashMap<Door, Answer>,
    /// Counts the changes of the rules: an answer from before one is not kept.
    epoch: u64,
    live: HashMap<u64, (Door, CancellationToken)>,
    next: u64,
    refused: Vec<(String, u16)>,
}

impl Service {
    pub(super) fn new(proxy: Arc<Proxy>) -> Arc<Service> {
        let seats = Arc::new(Semaphore::new(proxy.limits.connections));
        Arc::new(Service { proxy, seats, state: Mutex::default() })
    }

    /// Asks about a host unless the answer is known.
    pub(super) async fn admit(&self, door: &Door) -> Answer {
        let epoch = {
            let state = self.state();
            if let Some(answer) = state.answers.get(door) {
                return answer.clone();
            }
            state.epoch
        };
        let answer = self.proxy.questions.ask(door).await;
        let mut state = self.state();
        if state.epoch == epoch && state.answers.len() < REMEMBERED {
            state.answers.insert(door.clone(), answer.clone());
        }
        answer
    }

    /// Makes a connection known before it is asked about, so that no change of the rules passes
    /// it by.
    pub(super) fn enter(self: &Arc<Self>, door: Door) -> Visit {
        let cut = CancellationToken::new();
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        state.live.insert(id, (door, cut.clone()));
        Visit { service: Arc::clone(self), id, cut }
    }

    pub(super) fn recheck(self: &Arc<Self>) {
        let doors: BTreeSet<Door> = {
            let mut state = self.state();
            state.answers.clear();
            state.epoch += 1;
            state.live.values().map(|(door, _)| door.clone()).collect()
        };
        for door in doors {
            let service = Arc::clone(self);
            tokio::spawn(async move {
                let kept = service.proxy.doorman.keeps(&door.0, door.1);
                let kept = timeout(service.proxy.limits.answer, kept).await;
                if !kept.unwrap_or(false) {
                    service.cut(&door);
                }
            });
        }
    }

    fn cut(&self, door: &Door) {
        self.refuse(door);
        let state = self.state();
        state.live.values().filter(|(live, _)| live == door).for_each(|(_, cut)| cut.cancel());
    }

    pub(super) fn refuse(&self, (host, port): &Door) {
        let refusal = (host.to_string(), *port);
        let mut state = self.state();
        if state.refused.len() < REFUSALS && !state.refused.contains(&refusal) {
            state.refused.push(refusal);
        }
    }

    pub(super) fn refused(&self) -> Vec<(String, u16)> {
        self.state().refused.clone()
    }

    #[cfg(test)]
    pub(super) fn free_seats(&self) -> usize {
        self.seats.available_permits()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection to one host, for as long as it lasts.
pub(super) struct Visit {
    service: Arc<Service>,
    id: u64,
    /// Cancelled when the host is no longer admitted.
    pub(super) cut: CancellationToken,
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.service.state().live.remove(&self.id);
    }
}

/// Starts to accept connections. The task owns them all.
pub(super) fn listen(
    service: &Arc<Service>,
    listener: TcpListener,
    speaks: Speaks,
) -> Option<AbortHandle> {
    let listener = listener
        .set_nonblocking(true)
        .and_then(|()| tokio::net::TcpListener::from_std(listener))
        .inspect_err(|error| tracing::warn!(%error, "a listener of the proxy cannot be used"))
        .ok()?;
    let task = tokio::spawn(accept(Arc::clone(service), listener, speaks));
    Some(task.abort_handle())
}

async fn accept(service: Arc<Service>, listener: tokio::net::TcpListener, speaks: Speaks) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Nobody else is accepted until there is a seat: they wait in the kernel's queue.
                let Ok(seat) = Arc::clone(&service.seats).acquire_owned().await else { return };
                let service = Arc::clone(&service);
                connections.spawn(async move {
                    talk(&service, stream, speaks).await;
                    drop(seat);
                });
            }
            Err(error) => {
                tracing::debug!(%error, "the proxy could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn talk(service: &Arc<Service>, stream: TcpStream, speaks: Speaks) {
    let [of_http, of_socks] = service.proxy.beside;
    let own = match speaks {
        Speaks::Http => of_http,
        Speaks::Socks => of_socks,
    };
    let ended = match (own, speaks) {
        (Some(port), _) => hand_on(service, stream, port).await,
        (None, Speaks::Http) => http::talk(service, stream).await,
        (None, Speaks::Socks) => socks::talk(service, stream).await,
    };
    if let Err(error) = ended {
        tracing::trace!(%error, "a connection of the proxy broke off");
    }
}

/// To a proxy of the user's own, byte for byte.
async fn hand_on(service: &Service, mut stream: TcpStream, port: u16) -> std::io::Result<()> {
    let connecting = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
    let mut there = timeout(service.proxy.limits.connect, connecting).await??;
    tokio::io::copy_bidirectional(&mut stream, &mut there).await.map(drop)
}
