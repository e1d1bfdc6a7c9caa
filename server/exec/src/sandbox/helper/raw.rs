//! The few things for which there is no safe call.

#![expect(unsafe_code, reason = "descriptors by number, and system calls without a wrapper")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{getgid, getuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// The descriptor with this number, which was passed to us.
pub(super) fn take(number: RawFd) -> OwnedFd {
    // SAFETY: the number stands in our command line because the descriptor was opened for us, and
    // this is the only place that takes it. If it is not open, every use of it is an error.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Closes whatever we inherited, but the three of every process and `kept`.
pub(super) fn close_all_but(kept: BorrowedFd<'_>) -> io::Result<()> {
    let kept = u32::try_from(kept.as_raw_fd()).unwrap_or(u32::MAX);
    close_range(3, kept.saturating_sub(1), 0)?;
    close_range(kept.saturating_add(1), u32::MAX, 0)?;
    close_range(kept, kept, libc::CLOSE_RANGE_CLOEXEC)
}

fn close_range(first: u32, last: u32, flags: libc::c_uint) -> io::Result<()> {
    if first > last {
        return Ok(());
    }
    // SAFETY: nothing in this process owns a descriptor yet but the one that is kept.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Moves us into a network of our own, where only the loopback is.
pub(super) fn leave_network() -> io::Result<()> {
    leave_as(&Maps::ours())
}

/// Whether a process that we start can do that. `program` must do nothing and end well.
#[expect(clippy::disallowed_methods, reason = "tried before it is relied on")]
pub(crate) fn can_leave_network(program: &Path) -> bool {
    let maps = Maps::ours();
    let mut command = Command::new(program);
    command.args(["-c", ":"]).env_clear().current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: the child has one thread, and only system calls are made in it.
    unsafe { command.pre_exec(move || leave_as(&maps)) };
    command.status().is_ok_and(|status| status.success())
}

/// Who we are inside: the same as outside.
struct Maps {
    user: String,
    group: String,
}

impl Maps {
    fn ours() -> Maps {
        let (user, group) = (getuid().as_raw(), getgid().as_raw());
        Maps { user: format!("{user} {user} 1"), group: format!("{group} {group} 1") }
    }
}

fn leave_as(maps: &Maps) -> io::Result<()> {
    let flags = UnshareFlags::NEWUSER | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    // SAFETY: no table of descriptors is unshared, and there is one thread only.
    unsafe { unshare_unsafe(flags) }?;
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &maps.user)?;
    write("/proc/self/gid_map", &maps.group)?;
    raise_loopback()
}

#[expect(clippy::disallowed_methods, reason = "the kernel's files about ourselves")]
fn write(path: &str, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}

fn raise_loopback() -> io::Result<()> {
    let socket = std::net::UdpSocket::bind((std::net::Ipv4Addr::UNSPECIFIED, 0))?;
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru {
            ifru_flags: (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short,
        },
    };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    // SAFETY: the request is a whole `ifreq` with a name that ends in NUL, and outlives the call.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &request) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
