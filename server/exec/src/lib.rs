//! The only place a process is started.
//!
//! Every process leads a group of its own, gets exactly the environment it is handed, has its
//! output capped, and is gone, with all of its group, when `run` returns or is dropped, or when the
//! [`Companion`] is. This room never decides whether something may run: callers ask `policy` first.
//!
//! Behind walls ([`Walls::Within`]) it also holds when we are killed ourselves, and for processes
//! that leave their group on purpose (`setsid`): everything inside a namespace of processes ends with
//! its first one. Without walls neither is covered: such processes lose the pipes they write to,
//! and no more.

mod alive;
mod capture;
mod companion;
mod group;
mod inherit;
mod lasting;
mod listen;
pub mod proxy;
mod run;
mod sandbox;
mod shell;
mod spec;
mod start;

pub use alive::alive;
pub use companion::{Companion, LastWords, Process};
pub use run::{Exit, Finished, run};
pub use sandbox::{
    Confinement, Denial, Disk, Kind, Limits, Memory, Nearby, Network, Own, Sandbox, Walls, enter,
    sweep,
};
pub use shell::{NoShell, Shell};
pub use spec::{Program, Spec};
pub use start::SpawnError;
