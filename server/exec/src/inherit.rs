//! What a child gets from us: nothing but what it is given on purpose.

#![expect(unsafe_code, reason = "what happens between fork and exec has no safe form")]

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::io::{FdFlags, fcntl_setfd};
use tokio::process::Command;

/// The child leads a session of its own, so that no terminal is there to be read or written, and
/// keeps no descriptor but the three of every process and those in `passed`.
pub(crate) fn limit(command: &mut Command, passed: &[OwnedFd]) {
    let passed: Vec<RawFd> = passed.iter().map(AsRawFd::as_raw_fd).collect();
    let before_exec = move || {
        rustix::process::setsid()?;
        close_all_on_exec();
        for number in &passed {
            // SAFETY: the caller keeps the descriptors open until the child has started.
            let descriptor = unsafe { BorrowedFd::borrow_raw(*number) };
            fcntl_setfd(descriptor, FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: only system calls are made, nothing is allocated and no lock is taken.
    unsafe { command.pre_exec(before_exec) };
}

/// Ours are all closed on exec. Those that somebody left us with may not be. An old kernel refuses
/// this, and then they stay, as they always did.
#[cfg(target_os = "linux")]
fn close_all_on_exec() {
    // SAFETY: marks descriptors and changes no memory.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

#[cfg(not(target_os = "linux"))]
fn close_all_on_exec() {}
