//! HTTP: CONNECT, and requests in absolute form. One request for each connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::gate::{self, Refusal};
use super::head::{self, Body, Wanted};
use super::service::{Service, Visit};
use super::tunnel::{Pulse, both_ways, pump, pump_chunks, watched};

/// The longest head.
const HEAD: usize = 32 * 1024;
/// How much of a request that was refused is still listened to, so that the answer arrives.
const DRAIN: u64 = 64 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(1);

pub(super) async fn talk(service: &Arc<Service>, mut client: TcpStream) -> io::Result<()> {
    let limits = service.proxy.limits;
    let read = match timeout(limits.handshake, read_head(&mut client, Vec::new())).await {
        Ok(Ok(read)) => read,
        Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
            return answer(client, 431, "The request's head is too long.").await;
        }
        Ok(Err(error)) => return Err(error),
        Err(_) => return answer(client, 408, "The request took too long.").await,
    };
    let wanted = match head::request(&read.head) {
        Ok(wanted) => wanted,
        Err(why) => return answer(client, 400, &format!("Bowline refused this: {why}")).await,
    };
    let (host, port) = match &wanted {
        Wanted::Tunnel { host, port } | Wanted::Forward { host, port, .. } => (host, *port),
    };
    let (server, visit) = match gate::open(service, host.clone(), port).await {
        Ok(opened) => opened,
        Err(Refusal::Forbidden(why)) => return answer(client, 403, &why).await,
        Err(Refusal::Unreachable(why)) => return answer(client, 502, &why).await,
    };
    match wanted {
        Wanted::Tunnel { .. } => {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
            both_ways(client, server, &read.rest, &visit, limits.idle).await
        }
        Wanted::Forward { head, body, .. } => {
            let request = Forwarded { head, body, rest: read.rest };
            request.carry(client, server, &visit, limits.idle).await
        }
    }
}

struct Read {
    head: Vec<u8>,
    /// What came behind the head.
    rest: Vec<u8>,
}

/// Reads a head that begins with `bytes`.
async fn read_head(from: &mut (impl AsyncRead + Unpin), mut bytes: Vec<u8>) -> io::Result<Read> {
    let mut piece = vec![0; 4096];
    let mut looked = 0;
    loop {
        if let Some(end) = bytes[looked..].windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(looked + end + 4);
            return Ok(Read { head: bytes, rest });
        }
        if bytes.len() > HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // The end may lie across two pieces.
        looked = bytes.len().saturating_sub(3);
        match from.read(&mut piece).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

/// A request that is made for the client.
struct Forwarded {
    head: Vec<u8>,
    body: Body,
    rest: Vec<u8>,
}

impl Forwarded {
    /// Carries the request, and no more than it, to the server, and the answer back. A second
    /// request on the same connection may be meant for another host, so there is none.
    async fn carry(
        self,
        mut client: TcpStream,
        mut server: TcpStream,
        visit: &Visit,
        idle: Duration,
    ) -> io::Result<()> {
        let pulse = Pulse::default();
        let (mut from_client, mut to_client) = client.split();
        let (mut from_server, mut to_server) = server.split();
        let up = async {
            to_server.write_all(&self.head).await?;
            let mut from = self.rest.chain(&mut from_client);
            match self.body {
                Body::Bytes(length) => pump(&mut from.take(length), &mut to_server, &pulse).await,
                Body::Open => pump_chunks(&mut from, &mut to_server, &pulse).await,
            }
        };
        let down = async {
            let mut early = Vec::new();
            loop {
                let read = read_head(&mut from_server, early).await?;
                let (head, more) = head::response(&read.head)
                    .map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))?;
                to_client.write_all(&head).await?;
                pulse.beat();
                if more {
                    early = read.rest;
                    continue;
                }
                to_client.write_all(&read.rest).await?;
                pump(&mut from_server, &mut to_client, &pulse).await?;
                return to_client.shutdown().await;
            }
        };
        let work = async {
            tokio::pin!(down);
            tokio::select! {
                ended = &mut down => return ended,
                // A server may answer, or refuse, before it has heard everything.
                _ = up => {}
            }
            down.await
        };
        watched(work, visit, &pulse, idle).await
    }
}

/// Answers by ourselves, with one sentence, and ends the connection.
async fn answer(mut client: TcpStream, status: u16, sentence: &str) -> io::Result<()> {
    let reason = match status {
        400 => "Bad Request",
        403 => "Forbidden",
        408 => "Request Timeout",
        431 => "Request Header Fields Too Large",
        _ => "Bad Gateway",
    };
    let text = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{sentence}\n",
        sentence.len() + 1
    );
    client.write_all(text.as_bytes()).await?;
    client.shutdown().await?;
    // A connection closed on unread bytes is reset, and the answer lost with it.
    let mut rest = client.take(DRAIN);
    let drained = timeout(DRAIN_TIME, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
    drained.map_or(Ok(()), |copied| copied.map(|_| ()))
}
