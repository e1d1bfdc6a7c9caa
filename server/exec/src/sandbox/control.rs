//! Our end of the line to the helper: what it reports, and the doors it hands out.

use std::fmt;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::net::sockopt::set_socket_passcred;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    recvmsg, socketpair,
};
use rustix::process::Pid;
use tokio::io::unix::AsyncFd;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;

use super::Network;
use super::crowd::{self, Crowd};
use super::orders::{Failure, Report};
use super::watched::watched;
use crate::proxy::Serving;

/// No report is longer.
const LONGEST: usize = 16 * 1024;
/// How long the line may stay open after the process has ended.
const HANG_UP: Duration = Duration::from_secs(2);

/// The line. Dropped, the doors are closed.
#[derive(Debug)]
pub(crate) struct Control {
    line: Arc<Line>,
    listener: JoinHandle<()>,
}

/// What the helper has said so far, and where it is heard.
struct Line {
    socket: AsyncFd<OwnedFd>,
    network: Network,
    /// The helper's process, which becomes the command and leads a group of its own.
    leader: OnceLock<Pid>,
    ready: OnceLock<()>,
    failure: OnceLock<Failure>,
    serving: Mutex<Option<Serving>>,
    /// To be bounded by us,
    crowd: Option<Crowd>,
    /// which is done meanwhile.
    watch: OnceLock<AbortHandle>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("leader", &self.leader).finish_non_exhaustive()
    }
}

/// Who leads the command behind its walls.
#[derive(Debug)]
pub(crate) struct Leader(Arc<Line>);

impl Leader {
    /// Known once the walls stand. The helper says so before it becomes the command, so whoever
    /// has heard of the command finds it here. Must be called within the runtime.
    pub(crate) fn get(&self) -> Option<Pid> {
        if self.0.leader.get().is_none()
            && let Ok(Some(message)) = receive(self.0.socket.get_ref())
        {
            self.0.take(message);
        }
        self.0.leader.get().copied()
    }
}

/// What became of a process that was started behind walls.
pub(crate) struct Outcome {
    /// The walls stood, and the command ran or was about to.
    pub(crate) ready: bool,
    pub(crate) failure: Option<Failure>,
    pub(crate) refused: Vec<(String, u16)>,
}

impl Control {
    /// A line, and the helper's end of it.
    pub(crate) fn open(network: &Network, crowd: Option<Crowd>) -> io::Result<(Control, OwnedFd)> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        // The helper writes and never waits.
        set_socket_passcred(&ours, true)?;
        let line = Arc::new(Line {
            socket: watched(ours)?,
            network: network.clone(),
            leader: OnceLock::new(),
            ready: OnceLock::new(),
            failure: OnceLock::new(),
            serving: Mutex::new(None),
            crowd,
            watch: OnceLock::new(),
        });
        let listener = tokio::spawn(listen(Arc::clone(&line)));
        Ok((Control { line, listener }, theirs))
    }

    pub(crate) fn leader(&self) -> Leader {
        Leader(Arc::clone(&self.line))
    }

    /// The process has ended, so nothing more will be said.
    pub(crate) async fn outcome(&mut self) -> Outcome {
        if !self.listener.is_finished() && timeout(HANG_UP, &mut self.listener).await.is_err() {
            self.listener.abort();
        }
        let serving = self.line.serving().take();
        Outcome {
            ready: self.line.ready.get().is_some(),
            failure: self.line.failure.get().cloned(),
            refused: serving.map(|serving| serving.refused()).unwrap_or_default(),
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.listener.abort();
        if let Some(watch) = self.line.watch.get() {
            watch.abort();
        }
        drop(self.line.serving().take());
    }
}

impl Line {
    fn serving(&self) -> MutexGuard<'_, Option<Serving>> {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch_crowd(&self) {
        let Some(Crowd { first, most }) = &self.crowd else { return };
        if let (Some(leader), Some(first)) = (self.leader.get(), first.open()) {
            let watch = tokio::spawn(crowd::watch(*leader, first, *most));
            let _ = self.watch.set(watch.abort_handle());
        }
    }

    fn take(&self, message: Message) {
        match message.report {
            Report::Ready => {
                if let Some(leader) = message.sender {
                    let _ = self.leader.set(leader);
                }
                let _ = self.ready.set(());
                self.watch_crowd();
                let mut doors = message.doors.into_iter().map(TcpListener::from);
                if let (Network::Proxy(proxy), Some(http), Some(socks)) =
                    (&self.network, doors.next(), doors.next())
                {
                    *self.serving() = Some(proxy.serve(http, socks));
                }
            }
            Report::Failed(failure) => drop(self.failure.set(failure)),
        }
    }
}

async fn listen(line: Arc<Line>) {
    loop {
        let Ok(mut ready) = line.socket.readable().await else { return };
        match ready.try_io(|socket| receive(socket.get_ref())) {
            Ok(Ok(Some(message))) => line.take(message),
            // The end, or something that no helper of ours says.
            Ok(_) => return,
            Err(_not_yet) => {}
        }
    }
}

struct Message {
    report: Report,
    sender: Option<Pid>,
    doors: Vec<OwnedFd>,
}

/// `None` at the end.
fn receive(line: &OwnedFd) -> io::Result<Option<Message>> {
    let mut text = vec![0; LONGEST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2), ScmCredentials(1))];
    let mut along = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(line, &mut [IoSliceMut::new(&mut text)], &mut along, flags)?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let (mut sender, mut doors) = (None, Vec::new());
    for message in along.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(passed) => doors.extend(passed),
            RecvAncillaryMessage::ScmCredentials(credentials) => sender = Some(credentials.pid),
            _ => {}
        }
    }
    let report = serde_json::from_slice(text.get(..received.bytes).unwrap_or_default())?;
    Ok(Some(Message { report, sender, doors }))
}
