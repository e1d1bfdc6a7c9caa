//! The walls around a process: what it may write, read and reach is decided before it starts, and
//! kept by the kernel, whatever the process turns out to be.
//!
//! ```text
//! Confinement ─survey─▶ Layout ─┬─▶ mounts of bubblewrap ─┐
//!  (what is meant)  (what it is  ├─▶ grants of Landlock ───┼─▶ helper, inside ─▶ the command
//!                    on the disk)└─▶ a profile of macOS    ┘   (limits, filter, second wall)
//! ```
//!
//! With bubblewrap a process has the whole disk to read, its roots and a temporary folder to
//! write, and sees no other process; everything in it ends with us, even if we are killed. Names
//! that other programs obey stay as they are (`policy::pinned`), the folders above them cannot be
//! moved away, and those that are missing are held by empty stubs (`stubs`).
//!
//! Without it Landlock keeps the same paths, more strictly than asked: a folder that holds a
//! guarded name gets no new entries at all, so nothing is created directly in a workspace, git
//! cannot commit, and hidden folders can be listed though nothing in them can be read. There a
//! process that leaves its session outlives the command.
//!
//! Either way there is no Unix socket, no namespace to be made, no other process's memory, no
//! privilege to be gained and no descriptor of ours; the network is off, or leads to our proxy.
//! What cannot be built is an error, and nothing runs.
//!
//! When a command has ended, what it made that other programs obey is moved aside (`traces`).
//!
//! The user's own programs have walls of another kind (`own`): nearly everything is open to them.

#[cfg(target_os = "linux")]
mod bubblewrap;
mod caches;
#[cfg(target_os = "linux")]
mod contained;
#[cfg(target_os = "linux")]
mod control;
#[cfg(target_os = "linux")]
mod crowd;
mod denial;
#[cfg(target_os = "linux")]
mod detect;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod grants;
#[cfg(target_os = "linux")]
mod helper;
#[cfg(target_os = "linux")]
mod launch;
mod layout;
#[cfg(target_os = "linux")]
mod orders;
mod own;
#[cfg(any(test, not(target_os = "linux")))]
mod seatbelt;
mod stubs;
mod survey;
mod traces;
#[cfg(target_os = "linux")]
mod watched;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::proxy::Proxy;

pub use denial::Denial;
pub use own::Own;
pub use stubs::sweep;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Contained, Launch, Leader};
#[cfg(target_os = "linux")]
pub(crate) use {contained::Contained, control::Leader, launch::Launch};

/// The first argument of our own program when it is started as the helper.
const HELPER: &str = "sandbox-exec";

/// Where the proxy is found in a network that nobody else is in: HTTP and SOCKS.
#[cfg(target_os = "linux")]
const DOORS: [u16; 2] = [3128, 1080];

/// To be called before anything else in `main`: if we were started as the sandbox's helper, this
/// becomes the command, and comes back only if that failed.
pub fn enter() -> Option<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (first, rest) = arguments.split_first()?;
    if first != HELPER {
        return None;
    }
    #[cfg(target_os = "linux")]
    return Some(helper::main(rest));
    #[cfg(not(target_os = "linux"))]
    return rest.is_empty().then_some(ExitCode::FAILURE);
}

/// A command as its caller wants it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) program: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    pub(crate) cwd: &'a Path,
    pub(crate) env: &'a [(OsString, OsString)],
}

/// Where a process may go. Every executor says so: there is no default.
#[derive(Debug, Clone)]
pub enum Walls {
    /// Anywhere we may go ourselves.
    Open,
    /// Where the user's own programs may go.
    Own(Arc<Own>),
    Within(Arc<Confinement>),
}

/// Everything that a contained process may do.
#[derive(Debug, Clone)]
pub struct Confinement {
    pub sandbox: Arc<Sandbox>,
    /// The folders that are worked in: writable, but for the names in them that other programs
    /// obey (`policy::pinned`).
    pub roots: Vec<PathBuf>,
    /// A folder of the session's own, which nobody else may enter. It becomes `TMPDIR`, and `/tmp`
    /// where there are mounts.
    pub temp: PathBuf,
    /// Where things go that a command made and other programs would obey. Made when it is needed;
    /// commands must not reach it.
    pub aside: PathBuf,
    /// Where package managers and compilers keep what they fetched and made, from one command to the
    /// next. Made when it is needed.
    pub cache: Option<PathBuf>,
    /// Writable as well.
    pub allow_write: Vec<PathBuf>,
    /// Never writable, wherever they lie.
    pub deny_write: Vec<PathBuf>,
    /// Never readable. Patterns were expanded by the caller.
    pub deny_read: Vec<PathBuf>,
    /// Folders inside what is not readable that are all the same, and whether they are writable.
    pub shown: Vec<(PathBuf, bool)>,
    pub network: Network,
    pub nearby: Nearby,
    pub disk: Disk,
    pub limits: Limits,
}

/// What a contained process reaches of this machine itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nearby {
    /// Whoever listens at any Unix socket,
    pub all_unix_sockets: bool,
    /// or at these, where walls go by paths.
    pub unix_sockets: Vec<PathBuf>,
    /// It may listen at ports, where it shares them with others.
    pub local_binding: bool,
}

/// Which part of the disk a contained process may write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Disk {
    /// Its roots.
    #[default]
    Roots,
    /// What is in its roots, but nothing new directly in them. For a process that stays: what would have
    /// to stand in for names that are missing would be in the user's way all the time.
    Entries,
    /// Nothing but its temporary folder: it only looks. So nothing has to be guarded, nothing stands in
    /// for names that are missing, and there is nothing to be looked for afterwards.
    Closed,
    /// What a program of the user's own may, whose home this is.
    Open { home: Option<PathBuf> },
}

/// What a contained process reaches of the network.
#[derive(Clone)]
pub enum Network {
    Off,
    /// Only what the proxy lets through.
    Proxy(Arc<Proxy>),
    Open,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Network::Off => "Off",
            Network::Proxy(_) => "Proxy",
            Network::Open => "Open",
        })
    }
}

/// What a contained process may use up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processes and threads beside those that run already.
    pub processes: u64,
    /// The bytes of one file.
    pub file_size: u64,
    /// What one process may have for itself. Address space that is only reserved does not count.
    pub memory: Memory,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Memory {
    /// As much as the machine has.
    Machine,
    Bytes(u64),
    Unbounded,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { processes: 4096, file_size: 16 * 1024 * 1024 * 1024, memory: Memory::Machine }
    }
}

/// What this machine offers to contain a process.
#[derive(Debug)]
pub struct Sandbox {
    kind: Kind,
    /// Of bubblewrap.
    program: Option<PathBuf>,
    /// Whether it may make namespaces of users.
    user_namespace: bool,
    /// Whether a process can be given a network of its own.
    own_network: bool,
    /// Our own program as it was when we started. A file that a contained process replaced would
    /// otherwise become the next one's helper.
    helper: Option<OwnedFd>,
    why_not: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Namespaces and mounts, by the `bwrap` program.
    Bubblewrap,
    /// The kernel's own rules, which we set up ourselves.
    Landlock,
    /// Profiles of macOS.
    Seatbelt,
    None,
}

impl Kind {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bubblewrap => "bubblewrap",
            Kind::Landlock => "landlock",
            Kind::Seatbelt => "seatbelt",
            Kind::None => "none",
        }
    }
}

impl Sandbox {
    /// None, and why: one sentence.
    pub fn none(why: String) -> Sandbox {
        Sandbox {
            kind: Kind::None,
            program: None,
            user_namespace: false,
            own_network: false,
            helper: None,
            why_not: Some(why),
        }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn is_available(&self) -> bool {
        self.kind != Kind::None
    }

    /// Why there is no sandbox, as a sentence that says what to do; `None` if there is one.
    pub fn why_not(&self) -> Option<&str> {
        self.why_not.as_deref()
    }
}
