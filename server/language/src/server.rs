//! One language server of our own: from its start to its end.
//!
//! A [`keeper`] task owns the process. It carries bytes between it and a [`session`], which is the
//! conversation as a state machine without any IO: messages, jobs and the time go in, bytes and
//! replies come out. If the server crashes, the keeper starts it again a few times, with a new
//! session.

mod asked;
mod capabilities;
mod frame;
mod keeper;
mod opened;
mod session;
mod verdict;

#[cfg(test)]
pub(crate) mod fake;

pub(crate) use keeper::{Connection, ENDED, Handle, Keeper, Launch, Limits};
pub(crate) use session::{Failure, Job, Reply, Step, Want};
