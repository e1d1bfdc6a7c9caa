//! Bytes in both directions, until an end, a cut, or silence.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use super::chunks::Chunks;
use super::service::Visit;

const PIECE: usize = 16 * 1024;

/// Whether something went by lately.
#[derive(Default)]
pub(super) struct Pulse(AtomicBool);

impl Pulse {
    pub(super) fn beat(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Ends after a whole `idle` without a beat.
    async fn stops(&self, idle: Duration) {
        loop {
            tokio::time::sleep(idle).await;
            if !self.0.swap(false, Ordering::Relaxed) {
                return;
            }
        }
    }
}

/// Runs `work` until it ends by itself, the host is no longer admitted, or nothing moves.
pub(super) async fn watched(
    work: impl Future<Output = io::Result<()>>,
    visit: &Visit,
    pulse: &Pulse,
    idle: Duration,
) -> io::Result<()> {
    tokio::select! {
        ended = work => ended,
        () = visit.cut.cancelled() => Ok(()),
        () = pulse.stops(idle) => Ok(()),
    }
}

/// Carries everything both ways. `early` is what the client said before we listened.
pub(super) async fn both_ways(
    mut client: TcpStream,
    mut server: TcpStream,
    early: &[u8],
    visit: &Visit,
    idle: Duration,
) -> io::Result<()> {
    let pulse = Pulse::default();
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let work = async {
        let up = async {
            to_server.write_all(early).await?;
            pump(&mut from_client, &mut to_server, &pulse).await?;
            to_server.shutdown().await
        };
        let down = async {
            pump(&mut from_server, &mut to_client, &pulse).await?;
            to_client.shutdown().await
        };
        tokio::try_join!(up, down).map(|_| ())
    };
    watched(work, visit, &pulse, idle).await
}

/// Carries bytes until there are no more.
pub(super) async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    pulse: &Pulse,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece).await? {
            0 => return Ok(()),
            read => {
                pulse.beat();
                to.write_all(&piece[..read]).await?;
                pulse.beat();
            }
        }
    }
}

/// Carries a body in chunks, and nothing that comes behind it.
pub(super) async fn pump_chunks(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    pulse: &Pulse,
) -> io::Result<()> {
    let mut chunks = Chunks::default();
    let mut piece = vec![0; PIECE];
    while !chunks.is_done() {
        let read = from.read(&mut piece).await?;
        if read == 0 {
            return Ok(());
        }
        pulse.beat();
        let body = chunks.read(&piece[..read]).ok_or(io::ErrorKind::InvalidData)?;
        to.write_all(&piece[..body]).await?;
        pulse.beat();
    }
    Ok(())
}
