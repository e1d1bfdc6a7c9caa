//! The pipes an editor gave us, read and written by the event loop itself.
//!
//! `tokio::io::stdin` and `stdout` hand every read and write to a thread of the pool and wait for
//! it; with a key stroke for every message that is most of what a message costs. Pipes and sockets
//! need no such help. Anything else (a terminal, a file) gets it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{UnixStream, unix::pipe};

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Must be called within the runtime.
pub(super) fn input() -> Input {
    let direct = || -> io::Result<Input> {
        let fd = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(match socket(&fd)? {
            Some(socket) => Box::new(socket),
            None => Box::new(pipe::Receiver::from_owned_fd(fd)?),
        })
    };
    direct().unwrap_or_else(|_| Box::new(tokio::io::stdin()))
}

/// Must be called within the runtime.
pub(super) fn output() -> Output {
    let direct = || -> io::Result<Output> {
        let fd = io::stdout().as_fd().try_clone_to_owned()?;
        // Where the log shares the pipe (`2>&1`), a full pipe must make it wait, not fail.
        if place(&fd)? == place(io::stderr())? {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(match socket(&fd)? {
            Some(socket) => Box::new(socket),
            None => Box::new(pipe::Sender::from_owned_fd(fd)?),
        })
    };
    direct().unwrap_or_else(|_| Box::new(tokio::io::stdout()))
}

/// Node gives its children sockets for pipes.
fn socket(fd: &OwnedFd) -> io::Result<Option<UnixStream>> {
    let file = File::from(fd.try_clone()?);
    if !file.metadata()?.file_type().is_socket() {
        return Ok(None);
    }
    let socket = std::os::unix::net::UnixStream::from(OwnedFd::from(file));
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket).map(Some)
}

/// What tells two open files apart.
fn place(fd: impl AsFd) -> io::Result<(u64, u64)> {
    let metadata = File::from(fd.as_fd().try_clone_to_owned()?).metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}
