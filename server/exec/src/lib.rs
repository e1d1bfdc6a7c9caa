//! The only place a process is started.
//!
//! Every process leads a group of its own, gets exactly the environment it is handed, has its
//! output capped, and is gone, with all of its group, when `run` returns or is dropped, or when the
//! [`Companion`] is. This room never decides whether something may run: callers ask `policy` first.
//!
//! What this does not cover: if we are killed with SIGKILL there is nobody left to end the group.
//! Its members then lose the pipes they write to, and no more; a sandbox with its own process
//! namespace is what closes that gap. A process that leaves its group on purpose (`setsid`) is
//! likewise out of reach here.

mod alive;
mod capture;
mod companion;
mod group;
mod listen;
pub mod proxy;
mod run;
mod sandbox;
mod shell;
mod spec;
mod start;

pub use alive::alive;
pub use companion::{Companion, Process};
pub use run::{Exit, Finished, run};
pub use sandbox::{Confinement, Denial, Kind, Limits, Network, Sandbox, Walls};
pub use shell::{NoShell, Shell};
pub use spec::{Program, Spec};
pub use start::SpawnError;
