//! The group of processes that one run owns.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::alive::Entry;
use crate::sandbox::Leader;

/// Ends every member when dropped, so that no way out of a run leaves one behind.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Pid,
    /// Who leads the command behind walls, once it runs: a session of its own.
    inner: Option<Leader>,
    /// Listed until the last member was told to end.
    _listed: Entry,
}

impl Group {
    /// The group that the process `leader` leads, started as `what`. `None` for a number that is
    /// no process.
    pub(crate) fn led_by(leader: u32, inner: Option<Leader>, what: &str) -> Option<Group> {
        let pid = i32::try_from(leader).ok().and_then(Pid::from_raw)?;
        Some(Group { leader: pid, inner, _listed: Entry::new(leader, what) })
    }

    /// Asks every member to end. Behind walls only the command is asked: if the walls went first,
    /// it would be gone before it could tidy up.
    pub(crate) fn terminate(&self) {
        let inner = self.inner.as_ref().and_then(Leader::get);
        send(inner.unwrap_or(self.leader), Signal::TERM);
    }

    /// Ends every member at once, and walls with all that is behind them.
    pub(crate) fn kill(&self) {
        send(self.leader, Signal::KILL);
    }
}

fn send(leader: Pid, signal: Signal) {
    match kill_process_group(leader, signal) {
        // No such group: all of them are gone already.
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => {
            tracing::warn!(group = ?leader, %error, "a process group could not be signalled");
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
