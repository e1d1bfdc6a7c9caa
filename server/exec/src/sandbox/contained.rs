//! What must be kept while a contained process runs, and what is learned when it has ended.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde::Deserialize;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::control::{Control, Leader, Outcome};
use super::denial::{self, Denial};
use super::layout::Layout;
use super::orders::Failure;
use super::stubs::Stub;
use super::traces::{self, Before};
use super::watched::watched;
use crate::run::Exit;
use crate::start::SpawnError;

/// How long the last process behind the walls may take to be gone once it was killed.
const LAST: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Contained {
    control: Control,
    layout: Layout,
    /// `None` once it was looked for traces, or if nobody will.
    before: Option<Before>,
    ground: Option<Ground>,
    /// Unix sockets are open, so none is refused.
    unix_sockets: bool,
}

/// What mounts stand on. It must not go before the last process does.
#[derive(Debug)]
struct Ground {
    stubs: Vec<Arc<Stub>>,
    first: First,
}

/// The first process inside, which all others end before.
#[derive(Clone, Debug)]
pub(crate) struct First(Arc<Mutex<Known>>);

#[derive(Debug)]
enum Known {
    /// Bubblewrap writes its number here.
    File(File),
    Process(Arc<OwnedFd>),
}

impl Contained {
    pub(crate) fn new(
        control: Control,
        (layout, before): (Layout, Option<Before>),
        stubs: Vec<Arc<Stub>>,
        first: Option<First>,
        unix_sockets: bool,
    ) -> Contained {
        let ground = first.map(|first| Ground { stubs, first });
        Contained { control, layout, before, ground, unix_sockets }
    }

    /// The process stays beside the user's own work, so what comes into being meanwhile may be
    /// anybody's.
    pub(crate) fn stays(&mut self) {
        self.before = None;
    }

    /// The command itself, once it runs.
    pub(crate) fn leader(&self) -> Leader {
        self.control.leader()
    }

    /// The process has ended: why the command never ran, if it did not.
    pub(crate) async fn failure(&mut self, program: &Path, cwd: &Path) -> Option<SpawnError> {
        self.control.outcome().await.failure.map(|failure| error_of(failure, program, cwd))
    }

    /// The process has ended: whether the command ever ran, and what it was refused.
    pub(crate) async fn finish(
        mut self,
        program: &Path,
        cwd: &Path,
        exit: Exit,
        output: &str,
    ) -> Result<Vec<Denial>, SpawnError> {
        if let Some(ground) = self.ground.take() {
            ground.give_way().await;
        }
        let Outcome { ready, failure, refused } = self.control.outcome().await;
        if let Some(failure) = failure {
            return Err(error_of(failure, program, cwd));
        }
        if !ready && !matches!(exit, Exit::Cancelled | Exit::TimedOut) {
            let why = output.trim().lines().last().unwrap_or("nothing was said").trim();
            return Err(SpawnError::NoWalls(format!("the sandbox did not start: {why}")));
        }
        let hosts = refused.into_iter().map(|(host, port)| Denial::Host { host, port });
        let well = exit == Exit::Code(0);
        let paths = denial::paths(output, cwd, &self.layout, well);
        let wanted = !self.unix_sockets && !well && denial::wanted_socket(output);
        let socket = wanted.then_some(Denial::UnixSocket);
        let made = match self.before.take() {
            Some(before) => clear(before, std::mem::take(&mut self.layout)).await,
            None => Vec::new(),
        };
        let mut denials: Vec<Denial> = hosts.chain(paths).chain(socket).chain(made).collect();
        denials.sort();
        denials.dedup();
        Ok(denials)
    }
}

async fn clear(before: Before, layout: Layout) -> Vec<Denial> {
    let looking = tokio::task::spawn_blocking(move || traces::clear(&before, &layout));
    looking.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "what a command made was not looked for");
        Vec::new()
    })
}

fn error_of(failure: Failure, program: &Path, cwd: &Path) -> SpawnError {
    match failure {
        Failure::NoFolder => SpawnError::NoFolder(cwd.to_owned()),
        Failure::NoProgram => SpawnError::NoProgram(program.to_owned()),
        Failure::NotStarted(number) => SpawnError::Failed {
            program: program.to_owned(),
            source: io::Error::from_raw_os_error(number),
        },
        Failure::NoWalls(why) => SpawnError::NoWalls(why),
    }
}

impl Drop for Contained {
    fn drop(&mut self) {
        let Ok(runtime) = Handle::try_current() else { return };
        let (ground, before) = (self.ground.take(), self.before.take());
        if ground.is_none() && before.is_none() {
            return;
        }
        let layout = std::mem::take(&mut self.layout);
        runtime.spawn(async move {
            if let Some(ground) = ground {
                ground.give_way().await;
            }
            if let Some(before) = before {
                clear(before, layout).await;
            }
        });
    }
}

impl Ground {
    /// Takes away what the mounts stood on, once nobody is left who could notice.
    async fn give_way(self) {
        if let Some(first) = self.first.open()
            && let Ok(first) = first.try_clone().and_then(watched)
            && timeout(LAST, first.readable()).await.is_err()
        {
            tracing::warn!("a contained process did not end in time");
        }
        let stubs = self.stubs;
        drop(tokio::task::spawn_blocking(move || drop(stubs)).await);
    }
}

impl First {
    pub(crate) fn new(info: File) -> First {
        First(Arc::new(Mutex::new(Known::File(info))))
    }

    /// `None` if there never was one, or it is gone already.
    pub(crate) fn open(&self) -> Option<Arc<OwnedFd>> {
        #[derive(Deserialize)]
        struct Info {
            #[serde(rename = "child-pid")]
            first: i32,
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &*known {
            Known::Process(first) => return Some(Arc::clone(first)),
            Known::File(file) => file,
        };
        let mut text = [0; 256];
        let length = file.read_at(&mut text, 0).ok()?;
        let info: Info = serde_json::from_slice(text.get(..length)?).ok()?;
        let first = pidfd_open(Pid::from_raw(info.first)?, PidfdFlags::NONBLOCK).ok()?;
        let first = Arc::new(first);
        // The file is of no use any more.
        *known = Known::Process(Arc::clone(&first));
        Some(first)
    }
}
