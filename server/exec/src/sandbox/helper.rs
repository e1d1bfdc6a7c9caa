//! The helper: our own program, started inside the walls, which finishes them from there and then
//! becomes the command.
//!
//! It looks at nothing of the environment, keeps no descriptor but the three of every process and
//! the line to us, and starts nothing if any step fails. What it says goes over that line, so that
//! a failure of the walls is never mistaken for a failure of the command.

#![expect(clippy::disallowed_methods, reason = "it reads its orders and becomes the command")]

mod filter;
mod raw;
mod wall;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

pub(crate) use raw::can_leave_network;
pub(crate) use wall::is_enough as is_wall_enough;

use super::orders::{Expected, Failure, Net, Orders, Report};
use super::{DOORS, Limits, Memory};

/// What a shell says of a command that could not be run.
const NOT_RUN: u8 = 126;

/// Does what the orders say and becomes the command; comes back only if that failed.
pub(crate) fn main(arguments: &[OsString]) -> ExitCode {
    let [orders, line] = arguments else {
        tell("this is a part of the sandbox and is not started by hand");
        return ExitCode::from(NOT_RUN);
    };
    let (Some(orders), Some(line)) = (number(orders), number(line)) else {
        tell("this is a part of the sandbox and is not started by hand");
        return ExitCode::from(NOT_RUN);
    };
    let line = raw::take(line);
    let failure = match obey(orders, &line) {
        Ok(never) => match never {},
        Err(failure) => failure,
    };
    if let Failure::NoWalls(why) = &failure {
        tell(why);
    }
    drop(report(&line, &Report::Failed(failure), &[]));
    ExitCode::from(NOT_RUN)
}

#[expect(clippy::print_stderr, reason = "the last words of a process that is about to end")]
fn tell(why: &str) {
    eprintln!("bowline: {why}");
}

fn number(argument: &OsStr) -> Option<i32> {
    argument.to_str()?.parse().ok().filter(|number| *number > 2)
}

fn obey(orders: i32, line: &OwnedFd) -> Result<std::convert::Infallible, Failure> {
    let text = fs::read(format!("/proc/self/fd/{orders}")).map_err(walls("read its orders"))?;
    raw::close_all_but(line.as_fd()).map_err(walls("close what it inherited"))?;
    let orders: Orders = serde_json::from_slice(&text)
        .map_err(|error| Failure::NoWalls(format!("the sandbox got no orders: {error}")))?;
    // Already so under bubblewrap.
    let _ = rustix::process::setsid();
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    orders.expected.iter().try_for_each(check)?;
    let net = own_network(orders.net);
    let doors = match net {
        Net::Doors => Some(doors().map_err(walls("open its doors to the network"))?),
        _ => None,
    };
    bound(&orders.limits, orders.shared_count).map_err(walls("set its limits"))?;
    drop_privileges().map_err(walls("give up its privileges"))?;
    orders.wall.as_ref().map_or(Ok(()), wall::build)?;
    filter::install(net, orders.unix_sockets, orders.own)?;
    std::env::set_current_dir(orders.cwd.path()).map_err(|_| Failure::NoFolder)?;
    let doors: Vec<BorrowedFd<'_>> = doors.iter().flatten().map(AsFd::as_fd).collect();
    report(line, &Report::Ready, &doors).map_err(walls("report"))?;
    Err(become_command(orders))
}

/// Turns an error of a step into the sentence that is shown.
fn walls<E: std::fmt::Display>(step: &'static str) -> impl Fn(E) -> Failure {
    move |error| Failure::NoWalls(format!("the sandbox could not {step}: {error}"))
}

/// Mounts stay where they are now, so what is right here stays right.
fn check(expected: &Expected) -> Result<(), Failure> {
    let path = expected.path.path();
    let found = fs::symlink_metadata(path).map(|found| (found.dev(), found.ino()));
    let same = found.is_ok_and(|found| found == (expected.device, expected.inode));
    if same == expected.same {
        return Ok(());
    }
    Err(Failure::NoWalls(format!(
        "{} was changed while the sandbox was built: run the command again",
        path.display()
    )))
}

/// A namespace without any network, where nobody made one for us.
fn own_network(net: Net) -> Net {
    match net {
        Net::OwnDoors if raw::leave_network().is_ok() => Net::Doors,
        Net::OwnDoors => Net::None,
        net => net,
    }
}

/// Listeners for HTTP and SOCKS, in a network that nobody else is in.
fn doors() -> io::Result<[TcpListener; 2]> {
    let [http, socks] = DOORS;
    let listen = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    Ok([listen(http)?, listen(socks)?])
}

fn bound(limits: &Limits, shared_count: bool) -> io::Result<()> {
    let others = if shared_count { threads_of_everybody() } else { 0 };
    let set = |resource, most: u64| {
        let hard = rustix::process::getrlimit(resource).maximum;
        let most = hard.map_or(most, |hard| hard.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
    };
    set(Resource::Core, 0)?;
    set(Resource::Fsize, limits.file_size)?;
    set(Resource::Nproc, limits.processes.saturating_add(others))?;
    let memory = match limits.memory {
        Memory::Machine => memory_of_machine(),
        Memory::Bytes(most) => Some(most),
        Memory::Unbounded => None,
    };
    memory.map_or(Ok(()), |memory| set(Resource::Data, memory))?;
    Ok(())
}

/// A process that wants more for itself only makes the machine swap.
fn memory_of_machine() -> Option<u64> {
    const LEAST: u64 = 4 * 1024 * 1024 * 1024;
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes.saturating_mul(1024).max(LEAST))
}

/// From the fourth word of the load average: running/all.
fn threads_of_everybody() -> u64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all = load.split_whitespace().nth(3).and_then(|word| word.split_once('/'));
    all.and_then(|(_, all)| all.parse().ok()).unwrap_or(0)
}

/// Nothing is gained by starting a program, and nothing is left to begin with.
fn drop_privileges() -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    for capability in CapabilitySet::all().iter() {
        // Refused where there is none to give up.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

fn become_command(orders: Orders) -> Failure {
    let mut argv = orders.argv.into_iter().map(super::orders::Word::into_os);
    let Some(program) = argv.next() else { return Failure::NoProgram };
    let env = orders.env.into_iter().map(|(name, value)| (name.into_os(), value.into_os()));
    let error = Command::new(program).args(argv).env_clear().envs(env).exec();
    match error.kind() {
        io::ErrorKind::NotFound => Failure::NoProgram,
        _ => Failure::NotStarted(error.raw_os_error().unwrap_or(0)),
    }
}

fn report(line: &OwnedFd, report: &Report, doors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let text = serde_json::to_vec(report)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut along = SendAncillaryBuffer::new(&mut space);
    if !doors.is_empty() {
        along.push(SendAncillaryMessage::ScmRights(doors));
    }
    sendmsg(line, &[io::IoSlice::new(&text)], &mut along, SendFlags::NOSIGNAL)?;
    Ok(())
}
