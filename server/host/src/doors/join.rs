//! Joining a server that runs: a private socket on which further clients come in, each through an LSP
//! door of its own, to the same sessions.
//!
//! The socket lies in a folder that nobody but its user may enter, and who connects must be that user:
//! the kernel says who it is, whatever the folder's mode has become.

#![expect(clippy::disallowed_methods, reason = "sockets and their folder are this module's own")]

mod ask;

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use super::leave::Leave;
use super::lsp;
use crate::context::HostContext;
use crate::core::CoreHandle;

pub use ask::live_sessions;

const ENDING: &str = "sock";
/// More clients than this nobody means to have.
const MOST: usize = 32;

/// A server that can be joined, by the number of its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    pub pid: u32,
    pub socket: PathBuf,
}

/// An open socket. Dropping what it serves puts everybody out.
pub struct Entrance {
    listener: UnixListener,
    socket: PathBuf,
}

impl Entrance {
    /// Opens the socket of this process, and sweeps away those of servers that are gone.
    pub fn open(home: &Path) -> io::Result<Self> {
        let folder = folder(home)?;
        sweep(&folder);
        let socket = folder.join(format!("{}.{ENDING}", std::process::id()));
        // One of this number is left from a process that is gone, or it would not be ours.
        let _ = fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket)?;
        fs::set_permissions(&socket, Permissions::from_mode(0o600))?;
        Ok(Self { listener, socket })
    }

    /// Lets clients in until it is dropped.
    pub async fn serve(self, host: Arc<HostContext>, core: CoreHandle) {
        let mut inside = JoinSet::new();
        loop {
            let joined = tokio::select! {
                joined = self.listener.accept() => joined,
                Some(_) = inside.join_next() => continue,
            };
            let stream = match joined {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "nobody can join any more");
                    return;
                }
            };
            if !is_ours(&stream) || inside.len() >= MOST {
                tracing::warn!("somebody was not let in");
                continue;
            }
            let (host, core) = (host.clone(), core.clone());
            inside.spawn(async move {
                let (input, output) = stream.into_split();
                lsp::serve(host, core, Leave::Guest, input, output).await
            });
        }
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.socket);
    }
}

/// Whether the process at the other end belongs to the same user.
fn is_ours(stream: &UnixStream) -> bool {
    let ours = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == ours)
}

/// Where the sockets are. A folder that others may enter, or that is somebody else's, is not used.
fn folder(home: &Path) -> io::Result<PathBuf> {
    let folder = home.join("run");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let found = fs::symlink_metadata(&folder)?;
    let ours = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
    if !ours {
        let message = format!("{} is not a folder of yours; remove it.", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(&folder, Permissions::from_mode(0o700))?;
    }
    Ok(folder)
}

/// The servers that can be joined, without this one. May wait for the disk.
pub fn running(home: &Path) -> Vec<Running> {
    let Ok(folder) = folder(home) else { return Vec::new() };
    sweep(&folder);
    let mut found: Vec<_> = sockets(&folder).collect();
    found.retain(|server| server.pid != std::process::id());
    found.sort_by_key(|server| server.pid);
    found
}

fn sockets(folder: &Path) -> impl Iterator<Item = Running> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let socket = entry.path();
        let pid = socket.file_stem()?.to_str()?.parse().ok()?;
        (socket.extension()? == ENDING).then_some(Running { pid, socket })
    })
}

/// A socket that refuses belongs to nobody any more.
fn sweep(folder: &Path) {
    for server in sockets(folder) {
        let tried = std::os::unix::net::UnixStream::connect(&server.socket);
        if tried.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            let _ = fs::remove_file(&server.socket);
        }
    }
}

/// A way to a server that runs.
pub async fn connect(server: &Running) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(&server.socket).await?;
    match is_ours(&stream) {
        true => Ok(stream),
        false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is somebody else's")),
    }
}
