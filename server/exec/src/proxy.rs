//! The only way out of a sandbox: an HTTP (CONNECT and absolute form) and SOCKS5 proxy that asks a
//! [`Doorman`] about every host.
//!
//! It serves listeners that were made inside the sandbox's own network and handed out, so nothing
//! else can reach it. Names are resolved here, once, and the connection goes to exactly the address
//! that was checked. A name that leads to this machine or its network is refused. Redirects are
//! never followed: the client asks again, and so does the proxy.
//!
//! What it does not see is what goes through a tunnel: a client that is let through to one host may
//! speak of another inside TLS, as far as that first host plays along.

mod chunks;
mod gate;
mod head;
mod http;
mod questions;
mod resolve;
mod service;
mod socks;
#[cfg(test)]
mod tests;
mod tunnel;
mod upstream;

use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures::future::BoxFuture;
use policy::Host;
use tokio::task::AbortHandle;

use questions::Questions;
pub use resolve::Resolver;
use resolve::System;
use service::Service;
pub use upstream::Upstream;

/// Who says where a connection may go.
pub trait Doorman: Send + Sync {
    /// Whether this host may be reached; if not, why, as a sentence. May take as long as a person
    /// needs. While it takes, others who want the same wait for the same answer, and the future is
    /// dropped when nobody waits any more.
    fn admit<'a>(&'a self, host: &'a Host, port: u16) -> BoxFuture<'a, Result<(), String>>;

    /// Whether a connection that was admitted may go on after the rules changed.
    fn keeps<'a>(&'a self, host: &'a Host, port: u16) -> BoxFuture<'a, bool> {
        Box::pin(async move { self.admit(host, port).await.is_ok() })
    }

    /// Whether a rule says that this name may lead to this private address: it names the one or the
    /// other, and not by a wildcard.
    fn names_address(&self, _host: &Host, _address: IpAddr) -> bool {
        false
    }
}

/// How much of everything there may be.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Connections at a time for one `serve`; more wait to be accepted.
    connections: usize,
    /// For the request itself, or the greetings of SOCKS.
    handshake: Duration,
    /// For the doorman.
    answer: Duration,
    resolve: Duration,
    connect: Duration,
    /// A connection without a byte in either direction for this long is closed.
    idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 256,
            handshake: Duration::from_secs(30),
            answer: Duration::from_secs(600),
            resolve: Duration::from_secs(10),
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(300),
        }
    }
}

/// The proxy of one session; each command has a [`Serving`] of its own.
pub struct Proxy {
    doorman: Arc<dyn Doorman>,
    resolver: Arc<dyn Resolver>,
    upstream: Upstream,
    /// The user's own proxies on this machine for HTTP and SOCKS, which decide in our place.
    beside: [Option<u16>; 2],
    limits: Limits,
    questions: Questions,
    services: Mutex<Vec<Weak<Service>>>,
}

impl Proxy {
    pub fn new(doorman: Arc<dyn Doorman>) -> Arc<Proxy> {
        Proxy::with_resolver(doorman, Arc::new(System))
    }

    /// One that goes out through the user's own proxy.
    pub fn through(doorman: Arc<dyn Doorman>, upstream: Upstream) -> Arc<Proxy> {
        Proxy::beside(doorman, upstream, [None; 2])
    }

    /// As [`Proxy::through`]; but what comes for HTTP or SOCKS goes to these ports as it is, where
    /// there is one: a proxy of the user's own decides about it.
    pub fn beside(
        doorman: Arc<dyn Doorman>,
        upstream: Upstream,
        ports: [Option<u16>; 2],
    ) -> Arc<Proxy> {
        Proxy::with(doorman, Arc::new(System), (upstream, ports), Limits::default())
    }

    /// With another way to find addresses than the system's.
    pub fn with_resolver(doorman: Arc<dyn Doorman>, resolver: Arc<dyn Resolver>) -> Arc<Proxy> {
        Proxy::with(doorman, resolver, (Upstream::default(), [None; 2]), Limits::default())
    }

    fn with(
        doorman: Arc<dyn Doorman>,
        resolver: Arc<dyn Resolver>,
        (upstream, beside): (Upstream, [Option<u16>; 2]),
        limits: Limits,
    ) -> Arc<Proxy> {
        let questions = Questions::new(Arc::clone(&doorman), limits.answer);
        let services = Mutex::default();
        Arc::new(Proxy { doorman, resolver, upstream, beside, limits, questions, services })
    }

    /// Serves these listeners until the result is dropped. A host is asked about once for each
    /// `serve`. Must be called within the runtime; a listener that cannot be used serves nobody.
    pub fn serve(self: &Arc<Self>, http: TcpListener, socks: TcpListener) -> Serving {
        let service = Service::new(Arc::clone(self));
        let mut services = self.services();
        services.retain(|service| service.strong_count() > 0);
        services.push(Arc::downgrade(&service));
        drop(services);
        let tasks = [(http, service::Speaks::Http), (socks, service::Speaks::Socks)]
            .into_iter()
            .filter_map(|(listener, speaks)| service::listen(&service, listener, speaks))
            .collect();
        Serving { service, tasks }
    }

    /// The rules have changed: what is no longer admitted is cut, and every host is asked about
    /// again. Must be called within the runtime.
    pub fn recheck(&self) {
        self.questions.forget();
        let services: Vec<_> = self.services().iter().filter_map(Weak::upgrade).collect();
        for service in services {
            service.recheck();
        }
    }

    fn services(&self) -> MutexGuard<'_, Vec<Weak<Service>>> {
        self.services.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// A proxy at work for one command. Dropped, it closes its listeners and every connection.
pub struct Serving {
    service: Arc<Service>,
    tasks: Vec<AbortHandle>,
}

impl Serving {
    /// The hosts that were refused, each once, in the order of the first attempt.
    pub fn refused(&self) -> Vec<(String, u16)> {
        self.service.refused()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // The connections belong to these tasks and go with them.
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// The variables by which programs find the proxy. The sandbox's own loopback is reached without
/// it: it leads nowhere else.
pub fn environment(http: u16, socks: u16) -> Vec<(OsString, OsString)> {
    let through = format!("http://127.0.0.1:{http}");
    let any = format!("socks5h://127.0.0.1:{socks}");
    let direct = "localhost,127.0.0.1,::1".to_owned();
    let upper = [
        ("HTTP_PROXY", &through),
        ("HTTPS_PROXY", &through),
        ("ALL_PROXY", &any),
        ("NO_PROXY", &direct),
    ];
    let lower = upper.map(|(name, value)| (name.to_ascii_lowercase(), value));
    let upper = upper.map(|(name, value)| (name.to_owned(), value));
    upper.into_iter().chain(lower).map(|(name, value)| (name.into(), value.into())).collect()
}
