//! A descriptor that can be waited for.

#![expect(unsafe_code, reason = "the runtime must be told that a descriptor stays the same")]

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::unix::AsyncFd;

/// Must be called within the runtime.
pub(crate) fn watched(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open and the same one until it is dropped, which is when the result
    // is.
    unsafe { AsyncFd::register(descriptor) }.map_err(io::Error::from)
}
