//! The transport: reads frames, feeds the service, and ends for exactly four reasons: `exit`, the
//! end of the pipe, a pipe that nobody reads, or the death of the process that started us.

use std::sync::Arc;
use std::time::Duration;

use futures::future::poll_fn;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower::Service as _;
use tower_lsp::LspService;

use super::frame::{Frame, FrameReader};
use super::language_server::Lsp;
use super::service::Front;
use super::{skipped, writer};
use crate::context::HostContext;
use crate::core::{CoreHandle, Door, Event, RpcError};
use crate::doors::leave::Leave;
use crate::doors::message::{self, Incoming};

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// `shutdown`, then `exit`, as it should be.
    Properly,
    /// `exit` without `shutdown`.
    Abruptly,
    /// The client went away.
    Gone,
}

/// Serves one client until it leaves. Returns when its sessions are closed, their journals written,
/// where they end with it.
pub async fn serve(
    host: Arc<HostContext>,
    core: CoreHandle,
    leave: Leave,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> Ended {
    let door = Door::new();
    let (died, mut parent_died) = mpsc::channel::<()>(1);
    let watch = move |pid| watch_parent(pid, died.clone());
    let (standard, _socket) = {
        let (door, core) = (door.clone(), core.clone());
        LspService::new(move |_| Lsp::new(door, core, host, leave, watch))
    };
    let mut front = Front::new(door.clone(), core.clone(), standard);
    let mut written = tokio::spawn(writer::run(door.clone(), output));
    let mut input = FrameReader::new(input);
    let ended = loop {
        let frame = tokio::select! {
            frame = input.read() => frame,
            _ = parent_died.recv() => break Ended::Gone,
            _ = &mut written => break Ended::Gone,
        };
        let message = match frame {
            Ok(Some(Frame::Message(bytes))) => message::parse(&bytes),
            Ok(Some(Frame::Malformed(problem))) => {
                let error = RpcError::new(RpcError::PARSE, problem);
                Incoming::Invalid { id: None, error }
            }
            // What it was is known at its end.
            Ok(Some(Frame::TooLong(problem))) => {
                let error = RpcError::new(RpcError::INVALID_REQUEST, problem);
                Incoming::Invalid { id: None, error }
            }
            Ok(Some(Frame::Skipped { start, end })) => {
                let reserved = poll_fn(|cx| front.poll_ready(cx)).await;
                match skipped::describe(&start, &end) {
                    _ if reserved.is_err() => break Ended::Gone,
                    Some(lost) => front.report_lost(lost),
                    None => {}
                }
                continue;
            }
            Ok(None) | Err(_) => break Ended::Gone,
        };
        if poll_fn(|cx| front.poll_ready(cx)).await.is_err() {
            break Ended::Gone;
        }
        if front.call(message).await.is_err() {
            break if front.was_shut_down() { Ended::Properly } else { Ended::Abruptly };
        }
    };
    if ended != Ended::Gone {
        front.settle().await;
    }
    door.close();
    core.send(Event::DoorClosed(door.id)).await;
    leave.gone(&core).await;
    if !written.is_finished() {
        // What was queued before the end is still delivered to a client that reads.
        let _ = tokio::time::timeout(Duration::from_secs(2), written).await;
    }
    ended
}

/// Waits for the end of the editor's process without polling: a server that outlives its editor
/// is a leak that users find weeks later.
#[cfg(target_os = "linux")]
fn watch_parent(pid: u32, died: mpsc::Sender<()>) {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    let descriptor = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(descriptor) => descriptor,
        Err(rustix::io::Errno::SRCH) => {
            let _ = died.try_send(());
            return;
        }
        Err(error) => return tracing::debug!(%error, "the parent cannot be watched"),
    };
    // A thread that sleeps in the kernel: no timer, no wake-up until the day it is needed.
    std::thread::spawn(move || {
        let mut watched = [PollFd::new(&descriptor, PollFlags::IN)];
        while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
        let _ = died.blocking_send(());
    });
}

/// Elsewhere the end of the pipe tells.
#[cfg(not(target_os = "linux"))]
fn watch_parent(_: u32, _: mpsc::Sender<()>) {}
