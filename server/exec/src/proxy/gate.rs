//! The way of every request, whatever protocol it came by: asked, resolved, checked, connected.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use policy::{Host, is_private};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::questions::Door;
use super::service::{Service, Visit};

/// Nobody has more addresses that are worth trying.
const TRIED: usize = 8;

/// Why there is no connection, as a sentence for whoever ran the command.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Not wanted.
    Forbidden(String),
    /// Wanted, but not to be had.
    Unreachable(String),
}

/// A connection to `host`, and the visit that must be held as long as it is used.
pub(super) async fn open(
    service: &Arc<Service>,
    host: Host,
    port: u16,
) -> Result<(TcpStream, Visit), Refusal> {
    let door = (host, port);
    let visit = service.enter(door.clone());
    let opened = async {
        if let Err(why) = service.admit(&door).await {
            return Err(forbidden(service, &door, &why));
        }
        let addresses = addresses(service, &door).await;
        if service.proxy.upstream.serves(&door.0, door.1) {
            // Whoever is behind a proxy may not know the names outside; a name that is known here
            // and leads inside is refused all the same.
            return match addresses {
                Err(Refusal::Forbidden(why)) => Err(Refusal::Forbidden(why)),
                _ => by_proxy(service, &door).await,
            };
        }
        connect(service, &door, &addresses?).await
    };
    tokio::select! {
        opened = opened => opened.map(|stream| (stream, visit)),
        () = visit.cut.cancelled() => {
            Err(forbidden(service, &door, "the rules changed meanwhile."))
        }
    }
}

fn forbidden(service: &Service, door: &Door, why: &str) -> Refusal {
    service.refuse(door);
    let why: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Refusal::Forbidden(format!("Bowline refused {}: {why}", door.0.with_port(door.1)))
}

/// Where the host is, each address checked. Nothing is looked up again after this.
async fn addresses(service: &Service, door: &Door) -> Result<Vec<IpAddr>, Refusal> {
    let (host, _) = door;
    // The doorman was asked about this very address.
    if let Some(address) = host.address() {
        return Ok(vec![address]);
    }
    // Whatever a resolver says, this is us; the doorman was asked about it by that name.
    if host.is_localhost() {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let name = host.name().unwrap_or_default();
    let looking = service.proxy.resolver.resolve(name);
    let mut found = match timeout(service.proxy.limits.resolve, looking).await {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => return Err(not_found(host, &error.to_string())),
        Err(_) => return Err(not_found(host, "the name service did not answer")),
    };
    if found.is_empty() {
        return Err(not_found(host, "it has no address"));
    }
    let named = |address: IpAddr| service.proxy.doorman.names_address(host, address);
    // One private address among others is enough: the next answer could have it first.
    if let Some(private) = found.iter().find(|address| is_private(**address) && !named(**address)) {
        let why = format!("it leads to {private}, an address of this machine or its network.");
        return Err(forbidden(service, door, &why));
    }
    found.truncate(TRIED);
    Ok(found)
}

async fn by_proxy(service: &Service, (host, port): &Door) -> Result<TcpStream, Refusal> {
    let connecting = service.proxy.upstream.connect(host, *port);
    let error = match timeout(service.proxy.limits.connect, connecting).await {
        Ok(Ok(stream)) => {
            let _ = stream.set_nodelay(true);
            return Ok(stream);
        }
        Ok(Err(error)) => error,
        Err(_) => io::ErrorKind::TimedOut.into(),
    };
    let place = host.with_port(*port);
    Err(Refusal::Unreachable(format!("No way to {place} through your proxy: {error}.")))
}

fn not_found(host: &Host, why: &str) -> Refusal {
    Refusal::Unreachable(format!("The host {host} was not found: {why}."))
}

async fn connect(
    service: &Service,
    (host, port): &Door,
    addresses: &[IpAddr],
) -> Result<TcpStream, Refusal> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in addresses {
        let to = SocketAddr::new(*address, *port);
        match timeout(service.proxy.limits.connect, TcpStream::connect(to)).await {
            Ok(Ok(stream)) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    let place = host.with_port(*port);
    Err(Refusal::Unreachable(format!("No connection to {place} could be made: {last}.")))
}
