//! The task that owns one server: starts it when it is first needed, carries bytes, starts it again
//! after a crash, and sees it to its end.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use exec::{Exit, Process};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use workspace::DocumentUri;

use super::frame::Frames;
use super::session::{Failure, Job, Session};
use crate::ServerConfig;

/// So many jobs may wait in front of one server.
const QUEUE: usize = 64;
/// What those hear who ask too late.
pub(crate) const ENDED: &str = "The language servers have been ended.";
/// How long a process that broke off may take to end by itself.
const LAST_WORDS: Duration = Duration::from_secs(1);
const CHUNK: usize = 64 * 1024;

/// How patient a keeper is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// How often a server is started again.
    pub(crate) restarts: u32,
    /// The pause before the first restart; each next one is four times as long.
    pub(crate) pause: Duration,
    /// A server that lived this long has all its restarts again.
    pub(crate) healthy: Duration,
    /// How long it may take to say goodbye.
    pub(crate) farewell: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            restarts: 3,
            pause: Duration::from_millis(200),
            healthy: Duration::from_secs(600),
            farewell: Duration::from_secs(1),
        }
    }
}

/// A server that was just started.
pub(crate) struct Connection {
    pub(crate) input: Box<dyn AsyncWrite + Send + Unpin>,
    pub(crate) output: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) process: Option<Process>,
}

/// Starts a server; the error is the end of a sentence.
pub(crate) type Launch = Arc<dyn Fn() -> Result<Connection, String> + Send + Sync>;

/// The way to a keeper.
#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) jobs: mpsc::Sender<Job>,
    open: OpenPaths,
    pub(crate) task: JoinHandle<()>,
}

type OpenPaths = Arc<Mutex<BTreeSet<PathBuf>>>;

impl Handle {
    /// The documents the server has open now.
    pub(crate) fn open_paths(&self) -> BTreeSet<PathBuf> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(crate) struct Keeper {
    config: Arc<ServerConfig>,
    root: DocumentUri,
    launch: Launch,
    limits: Limits,
    jobs: mpsc::Receiver<Job>,
    open: OpenPaths,
    stop: CancellationToken,
}

/// How a conversation ended.
enum End {
    Stopped,
    /// The end of a sentence about the server.
    Crashed(String),
}

impl Keeper {
    /// The task; the server itself is started by the first job.
    pub(crate) fn start(
        config: Arc<ServerConfig>,
        root: DocumentUri,
        launch: Launch,
        limits: Limits,
        stop: CancellationToken,
    ) -> Handle {
        let (sender, jobs) = mpsc::channel(QUEUE);
        let open = OpenPaths::default();
        let keeper = Keeper { config, root, launch, limits, jobs, open: Arc::clone(&open), stop };
        Handle { jobs: sender, open, task: tokio::spawn(keeper.keep()) }
    }

    async fn keep(mut self) {
        let mut crashes = 0;
        let mut last_words = String::new();
        while let Some(job) = self.next_job().await {
            if crashes > self.limits.restarts {
                job.refuse(Failure::Sentence(self.gave_up(crashes, &last_words)));
                continue;
            }
            if crashes > 0 {
                let pause = self.limits.pause * 4_u32.saturating_pow(crashes - 1);
                tokio::select! {
                    () = sleep(pause) => {}
                    () = self.stop.cancelled() => return,
                }
            }
            let launch = Arc::clone(&self.launch);
            // Walls are built from what is on the disk.
            let launched = tokio::task::spawn_blocking(move || launch()).await;
            let connection = match launched.unwrap_or_else(|error| Err(error.to_string())) {
                Ok(connection) => connection,
                Err(why) => {
                    let name = &self.config.name;
                    let sentence = format!("The language server `{name}` does not start: {why}.");
                    job.refuse(Failure::Sentence(sentence));
                    continue;
                }
            };
            let started = Instant::now();
            match self.talk(connection, job).await {
                End::Stopped => return,
                End::Crashed(why) => {
                    tracing::debug!(server = self.config.name, "{why}");
                    crashes =
                        if started.elapsed() >= self.limits.healthy { 1 } else { crashes + 1 };
                    last_words = why;
                }
            }
        }
    }

    async fn next_job(&mut self) -> Option<Job> {
        tokio::select! {
            // Nothing is started any more once all is to end.
            biased;
            () = self.stop.cancelled() => None,
            job = self.jobs.recv() => job,
        }
    }

    fn gave_up(&self, crashes: u32, last_words: &str) -> String {
        let ServerConfig { name, command, .. } = &*self.config;
        format!(
            "The language server `{name}` failed {crashes} times and is not started again; it \
             {last_words}. See whether `{command}` works in a terminal, then start Bowline anew."
        )
    }

    /// Talks to a running server until it ends or is not needed any more. When this returns, or is
    /// dropped, the process and its whole group are gone.
    async fn talk(&mut self, connection: Connection, first: Job) -> End {
        let Connection { mut input, mut output, mut process } = connection;
        let mut session = Session::new(Arc::clone(&self.config), self.root.clone(), Instant::now());
        session.take(first, Instant::now());
        let mut frames = Frames::default();
        let mut chunk = vec![0; CHUNK];
        let why = loop {
            session.tick(Instant::now());
            self.note_open(&session);
            if let Some(why) = session.broken() {
                break why.to_owned();
            }
            let wake = session.wake();
            tokio::select! {
                () = self.stop.cancelled() => {
                    let connection = Connection { input, output, process };
                    farewell(connection, frames, session, self.limits.farewell).await;
                    return End::Stopped;
                }
                job = self.jobs.recv(), if session.has_room() => match job {
                    Some(job) => session.take(job, Instant::now()),
                    // Nobody is left who could ask; `stop` says so as well.
                    None => self.stop.cancel(),
                },
                read = output.read(&mut chunk) => {
                    let bytes = chunk.get(..read.unwrap_or(0)).unwrap_or_default();
                    if let Err(why) = hear(bytes, &mut frames, &mut session) {
                        break why;
                    }
                }
                wrote = input.write(session.outgoing()), if !session.outgoing().is_empty() => {
                    match wrote {
                        Ok(count) if count > 0 => session.sent(count),
                        _ => break "does not listen any more".to_owned(),
                    }
                }
                exit = ended(&mut process) => break ending(exit),
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
            }
        };
        let why = match process {
            Some(process) => with_last_line(why, process).await,
            None => why,
        };
        let name = &self.config.name;
        session.refuse_all(&Failure::Crashed(format!("The language server `{name}` {why}.")));
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clear();
        End::Crashed(why)
    }

    fn note_open(&self, session: &Session) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = session.open_paths();
    }
}

/// Everything that is whole of what came; an error when nothing more will come.
fn hear(bytes: &[u8], frames: &mut Frames, session: &mut Session) -> Result<(), String> {
    if bytes.is_empty() {
        return Err("closed its output".into());
    }
    frames.push(bytes);
    while let Some(body) = frames.next().map_err(|lost| lost.0)? {
        match serde_json::from_slice::<Value>(&body) {
            Ok(message) => session.hear(message, Instant::now()),
            // What it was an answer to will run out of time.
            Err(error) => tracing::debug!(%error, "a language server sent no JSON"),
        }
    }
    Ok(())
}

async fn ended(process: &mut Option<Process>) -> Exit {
    match process {
        Some(process) => process.ended().await,
        None => std::future::pending().await,
    }
}

fn ending(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("ended with code {code}"),
        Exit::Signal(signal) => format!("was ended by signal {signal}"),
        Exit::TimedOut | Exit::Cancelled => "ended".to_owned(),
    }
}

/// Why it ended, with the last thing it said to people. It is gone afterwards.
async fn with_last_line(why: String, mut process: Process) -> String {
    // A pipe that breaks is often only the first sign of an end.
    let why = timeout(LAST_WORDS, process.ended()).await.map_or(why, ending);
    process.end(Duration::ZERO).await;
    let line: String = process.last_line().trim().chars().take(300).collect();
    if line.is_empty() { why } else { format!("{why} and said: {line}") }
}

/// Asks it to end as the protocol wants it, but not for long.
async fn farewell(
    connection: Connection,
    frames: Frames,
    mut session: Session,
    patience: Duration,
) {
    let Connection { input, output, process } = connection;
    session.refuse_all(&Failure::Sentence(ENDED.into()));
    // One that has not even started has nothing to put in order.
    let patience = if session.is_ready() { patience } else { Duration::ZERO };
    let until = Instant::now() + patience;
    drop(timeout(patience, say_goodbye(input, output, frames, session)).await);
    if let Some(mut process) = process {
        process.end(until.saturating_duration_since(Instant::now())).await;
    }
}

/// When this is over, a server that missed `exit` still sees that nobody will say anything more.
async fn say_goodbye(
    mut input: Box<dyn AsyncWrite + Send + Unpin>,
    mut output: Box<dyn AsyncRead + Send + Unpin>,
    mut frames: Frames,
    mut session: Session,
) {
    let mut chunk = vec![0; CHUNK];
    session.leave();
    while !session.may_exit() {
        tokio::select! {
            read = output.read(&mut chunk) => {
                let bytes = chunk.get(..read.unwrap_or(0)).unwrap_or_default();
                if hear(bytes, &mut frames, &mut session).is_err() {
                    return;
                }
            }
            wrote = input.write(session.outgoing()), if !session.outgoing().is_empty() => {
                match wrote {
                    Ok(count) if count > 0 => session.sent(count),
                    _ => return,
                }
            }
        }
    }
    session.exit();
    drop(input.write_all(session.outgoing()).await);
}
