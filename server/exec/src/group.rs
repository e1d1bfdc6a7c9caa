//! The group of processes that one run owns.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::alive::Entry;

/// Ends every member when dropped, so that no way out of a run leaves one behind.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Pid,
    /// Listed until the last member was told to end.
    _listed: Entry,
}

impl Group {
    /// The group that the process `leader` leads, started as `what`. `None` for a number that is
    /// no process.
    pub(crate) fn led_by(leader: u32, what: &str) -> Option<Group> {
        let pid = i32::try_from(leader).ok().and_then(Pid::from_raw)?;
        Some(Group { leader: pid, _listed: Entry::new(leader, what) })
    }

    /// Asks every member to end.
    pub(crate) fn terminate(&self) {
        self.send(Signal::TERM);
    }

    /// Ends every member at once.
    pub(crate) fn kill(&self) {
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
        match kill_process_group(self.leader, signal) {
            // No such group: all of them are gone already.
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => {
                tracing::warn!(group = ?self.leader, %error, "a process group could not be signalled");
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
