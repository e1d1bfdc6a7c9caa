//! A thread that lasts as long as we do.
//!
//! A process that asked to die with its parent dies with the *thread* that started it, and threads
//! of a runtime come and go. So such processes are started here.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tokio::runtime::Handle;

type Job = Box<dyn FnOnce() + Send>;

static THREAD: OnceLock<SyncSender<Job>> = OnceLock::new();

/// Runs `job` on that thread, within the caller's runtime, and waits for it. `None` if the thread
/// could not be started.
pub(crate) fn run<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let runtime = Handle::try_current().ok();
    let (answer, answered) = sync_channel(1);
    let job: Job = Box::new(move || {
        let _within = runtime.as_ref().map(Handle::enter);
        drop(answer.send(job()));
    });
    thread().send(job).ok()?;
    answered.recv().ok()
}

fn thread() -> &'static SyncSender<Job> {
    THREAD.get_or_init(|| {
        let (jobs, todo): (SyncSender<Job>, Receiver<Job>) = sync_channel(64);
        let work = move || todo.into_iter().for_each(|job| job());
        if let Err(error) = std::thread::Builder::new().name("exec-start".to_owned()).spawn(work) {
            // The receiver is gone with the closure, so whoever asks gets an error.
            tracing::warn!(%error, "the thread that starts processes could not be started");
        }
        jobs
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_on_the_same_thread() {
        let here = || std::thread::current().id();
        let first = run(here).unwrap();
        assert_eq!(run(here).unwrap(), first);
        assert_ne!(here(), first);
    }
}
