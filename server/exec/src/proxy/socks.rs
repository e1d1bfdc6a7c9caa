//! SOCKS5, as far as it opens connections: no login, no binding, no datagrams.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use policy::Host;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::gate::{self, Refusal};
use super::service::Service;
use super::tunnel::both_ways;

const VERSION: u8 = 5;
const NO_LOGIN: u8 = 0;
const NO_METHOD: u8 = 0xff;
const CONNECT: u8 = 1;

/// What a request is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    Done = 0,
    Forbidden = 2,
    Unreachable = 4,
    OddCommand = 7,
    OddAddress = 8,
}

pub(super) async fn talk(service: &Arc<Service>, mut client: TcpStream) -> io::Result<()> {
    let limits = service.proxy.limits;
    let asked = timeout(limits.handshake, handshake(&mut client)).await;
    let Ok(asked) = asked else { return Ok(()) };
    let (host, port) = match asked? {
        Ok(place) => place,
        Err(Some(reply)) => return end(client, reply).await,
        Err(None) => return Ok(()),
    };
    match gate::open(service, host, port).await {
        Ok((server, visit)) => {
            client.write_all(&told(Reply::Done)).await?;
            both_ways(client, server, &[], &visit, limits.idle).await
        }
        Err(Refusal::Forbidden(_)) => end(client, Reply::Forbidden).await,
        Err(Refusal::Unreachable(_)) => end(client, Reply::Unreachable).await,
    }
}

/// Where the client wants to go; or what to tell it, if anything.
type Asked = Result<(Host, u16), Option<Reply>>;

async fn handshake(client: &mut TcpStream) -> io::Result<Asked> {
    if client.read_u8().await? != VERSION {
        return Ok(Err(None));
    }
    let mut methods = vec![0; client.read_u8().await?.into()];
    client.read_exact(&mut methods).await?;
    if !methods.contains(&NO_LOGIN) {
        client.write_all(&[VERSION, NO_METHOD]).await?;
        return Ok(Err(None));
    }
    client.write_all(&[VERSION, NO_LOGIN]).await?;
    let [version, command, _, kind] = {
        let mut request = [0; 4];
        client.read_exact(&mut request).await?;
        request
    };
    if version != VERSION {
        return Ok(Err(None));
    }
    let host = match kind {
        1 => Some(Host::from(std::net::IpAddr::from(Ipv4Addr::from(client.read_u32().await?)))),
        4 => Some(Host::from(std::net::IpAddr::from(Ipv6Addr::from(client.read_u128().await?)))),
        3 => {
            let mut name = vec![0; client.read_u8().await?.into()];
            client.read_exact(&mut name).await?;
            // Too long, a NUL, or not text at all: no host.
            std::str::from_utf8(&name).ok().and_then(|name| Host::parse(name).ok())
        }
        _ => return Ok(Err(Some(Reply::OddAddress))),
    };
    let port = client.read_u16().await?;
    Ok(match host {
        _ if command != CONNECT => Err(Some(Reply::OddCommand)),
        Some(host) if port != 0 => Ok((host, port)),
        _ => Err(Some(Reply::Forbidden)),
    })
}

/// The address in an answer is that of our own end, which concerns nobody.
fn told(reply: Reply) -> [u8; 10] {
    [VERSION, reply as u8, 0, 1, 0, 0, 0, 0, 0, 0]
}

async fn end(mut client: TcpStream, reply: Reply) -> io::Result<()> {
    client.write_all(&told(reply)).await?;
    client.shutdown().await
}
