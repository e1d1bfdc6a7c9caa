//! The walls around a process: what it may write, read and reach is decided before it starts, and
//! kept by the kernel, whatever the process turns out to be.

mod denial;

use std::path::PathBuf;
use std::sync::Arc;

pub use denial::Denial;

/// Where a process may go. Every executor says so: there is no default.
#[derive(Debug, Clone)]
pub enum Walls {
    /// Anywhere we may go ourselves.
    Open,
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
    /// Writable as well.
    pub allow_write: Vec<PathBuf>,
    /// Never writable, wherever they lie.
    pub deny_write: Vec<PathBuf>,
    /// Never readable. Patterns were expanded by the caller.
    pub deny_read: Vec<PathBuf>,
    pub network: Network,
    pub limits: Limits,
}

/// What a contained process reaches of the network.
#[derive(Debug, Clone)]
pub enum Network {
    Off,
    Open,
}

/// What a contained process may use up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Processes and threads beside those that run already.
    pub processes: u64,
    /// The bytes of one file.
    pub file_size: u64,
    /// The bytes of address space of one process; many runtimes reserve far more than they use.
    pub memory: Option<u64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { processes: 4096, file_size: 16 * 1024 * 1024 * 1024, memory: None }
    }
}

/// What this machine offers to contain a process.
#[derive(Debug)]
pub struct Sandbox {
    kind: Kind,
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

impl Sandbox {
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
