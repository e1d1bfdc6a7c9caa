//! The language servers of one folder that Bowline itself starts.
//!
//! Each is started when it is first needed and ends with the last handle. A file may be served by
//! several: each is asked for its findings, and a question goes to the first that knows an answer.

mod overlaid;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use exec::{Companion, Walls};
use text::Text;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};
use workspace::DocumentUri;

use crate::server::{
    Connection, ENDED, Failure, Handle, Job, Keeper, Launch, Limits, Reply, Step, Want,
};
use crate::{Answer, Files, Finding, Query, ServerConfig, lsp};
use overlaid::Overlaid;

/// How long a server that runs may think about a question.
const ANSWER: Duration = Duration::from_secs(30);
/// How long a model that asks for nothing but findings waits for them.
const FINDINGS: Duration = Duration::from_secs(10);
/// A server's own answer that time is up comes this little later.
const GRACE: Duration = Duration::from_millis(250);
/// More servers than this no folder needs at once.
const MOST: usize = 16;

/// Says which walls a server starts in. The error is the end of a sentence.
pub type WallsFor = Arc<dyn Fn() -> Result<Walls, String> + Send + Sync>;

/// A cheap handle; clones share the servers.
#[derive(Clone)]
pub struct Servers {
    shared: Arc<Shared>,
}

struct Shared {
    root: DocumentUri,
    servers: Vec<Server>,
    limits: Limits,
    stop: CancellationToken,
    /// Ends every server when the last handle goes.
    _ends: DropGuard,
}

struct Server {
    config: Arc<ServerConfig>,
    launch: Launch,
    /// Nothing until it is first needed.
    handle: Mutex<Option<Handle>>,
}

impl Servers {
    /// The servers of the folder `root`, which must be trusted: they are programs that it names.
    /// They get exactly this environment and what each one's settings add, and run in these walls.
    pub fn new(
        root: PathBuf,
        configs: Vec<ServerConfig>,
        env: Vec<(OsString, OsString)>,
        walls: WallsFor,
    ) -> Servers {
        let env = Arc::new(env);
        let launch = |config: &Arc<ServerConfig>| -> Launch {
            let (config, root, env) = (Arc::clone(config), root.clone(), Arc::clone(&env));
            let walls = Arc::clone(&walls);
            Arc::new(move || start(&config, &root, &env, &walls))
        };
        Servers::with(&root, configs, &launch, Limits::default())
    }

    pub(crate) fn with(
        root: &Path,
        configs: Vec<ServerConfig>,
        launch: &dyn Fn(&Arc<ServerConfig>) -> Launch,
        limits: Limits,
    ) -> Servers {
        let servers = configs.into_iter().take(MOST).map(|config| {
            let config = Arc::new(config);
            Server { launch: launch(&config), config, handle: Mutex::new(None) }
        });
        let stop = CancellationToken::new();
        let root = DocumentUri::from_path(root).unwrap_or_else(|| DocumentUri::new("file:///"));
        let shared = Shared {
            root,
            servers: servers.collect(),
            limits,
            _ends: stop.clone().drop_guard(),
            stop,
        };
        Servers { shared: Arc::new(shared) }
    }

    /// Whether there is a server for this file.
    pub fn serves(&self, path: &Path) -> bool {
        self.serving(path).next().is_some()
    }

    fn serving<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Server> {
        self.shared.servers.iter().filter(|server| server.config.language(path).is_some())
    }

    /// Brings a server to the texts that `files` has and asks it.
    pub async fn ask(&self, query: &Query, files: Arc<dyn Files>) -> Result<Answer, String> {
        let path = query.path();
        if !self.serves(path) {
            return Err(no_server(path));
        }
        if let Query::Diagnostics { path } = query {
            let wanted = path.clone();
            let text = blocking(move || files.text(&wanted)).await?;
            let text = text.ok_or_else(|| unreadable(path))?;
            return self.find(path, &text, FINDINGS).await;
        }
        let mut poor = None;
        for server in self.serving(path) {
            let answer = match self.ask_one(server, query, &files).await {
                Err(Failure::Cannot) => continue,
                Err(Failure::Crashed(sentence) | Failure::Sentence(sentence)) => Err(sentence),
                Ok(answer) => Ok(answer),
            };
            if answer.as_ref().is_ok_and(|answer| !answer.is_empty()) {
                return answer;
            }
            // A linter may offer hovers and know nothing of types: the next one may know.
            poor = poor.filter(Result::is_ok).or(Some(answer));
        }
        poor.unwrap_or_else(|| {
            let names = self.serving(path).map(|server| format!("`{}`", server.config.name));
            let names: Vec<_> = names.collect();
            let names = names.join(" or ");
            Err(format!("The language server {names} cannot tell that; search instead."))
        })
    }

    async fn ask_one(
        &self,
        server: &Server,
        query: &Query,
        files: &Arc<dyn Files>,
    ) -> Result<Answer, Failure> {
        if let Query::Rename { at, .. } = query {
            match self.step(server, Step::PrepareRename(at.clone()), files).await {
                Ok(reply) => lsp::prepared(&reply.value).map_err(Failure::Sentence)?,
                // It can only be found out by doing it.
                Err(Failure::Cannot) => {}
                Err(failure) => return Err(failure),
            }
        }
        let Reply { value, encoding, texts } =
            self.step(server, Step::Query(query.clone()), files).await?;
        let (query, files) = (query.clone(), Arc::clone(files));
        let read = move || {
            let overlaid = Overlaid { texts, files: &*files };
            lsp::answer(&query, value, encoding, &overlaid)
        };
        blocking(read).await.and_then(|answer| answer).map_err(Failure::Sentence)
    }

    /// One request, made again once if the server crashed over it.
    async fn step(
        &self,
        server: &Server,
        step: Step,
        files: &Arc<dyn Files>,
    ) -> Result<Reply, Failure> {
        let again = step.clone();
        match self.try_step(server, step, files).await {
            Err(Failure::Crashed(_)) => self.try_step(server, again, files).await,
            other => other,
        }
    }

    async fn try_step(
        &self,
        server: &Server,
        step: Step,
        files: &Arc<dyn Files>,
    ) -> Result<Reply, Failure> {
        let (jobs, open) = self.reach(server);
        let (config, files) = (Arc::clone(&server.config), Arc::clone(files));
        let about = step.path().to_owned();
        // Everything the server has open is brought up to date, and what is unsaved besides.
        let gather = move || {
            let mut texts: Vec<(PathBuf, Option<Text>)> = Vec::new();
            let unsaved = files.unsaved().into_iter();
            let unsaved = unsaved.filter(|(path, _)| config.language(path).is_some());
            texts.extend(unsaved.map(|(path, text)| (path, Some(text))));
            for path in open.into_iter().chain([about.clone()]) {
                if texts.iter().all(|(known, _)| *known != path) {
                    let text = files.text(&path);
                    texts.push((path, text));
                }
            }
            // Last, so that no other document takes its place.
            texts.sort_by_key(|(path, _)| *path == about);
            texts
        };
        let texts = blocking(gather).await.map_err(Failure::Sentence)?;
        let asked = step.path();
        if !texts.iter().any(|(path, text)| path == asked && text.is_some()) && step.needs_text() {
            return Err(Failure::Sentence(unreadable(asked)));
        }
        let (reply, answer) = oneshot::channel();
        let until = Instant::now() + server.config.startup_timeout + ANSWER;
        let job = Job { until, want: Want::Ask { step, texts, reply } };
        deliver(&jobs, job).await;
        receive(answer, until).await
    }

    /// The findings about exactly this text. The second value is false when they may be about
    /// another: when a server did not tell in time, or not at all.
    pub async fn diagnostics(
        &self,
        path: &Path,
        text: &Text,
        wait: Duration,
    ) -> (Vec<Finding>, bool) {
        match self.find(path, text, wait).await {
            Ok(Answer::Diagnostics { findings, verified }) => (findings, verified),
            _ => (Vec::new(), false),
        }
    }

    async fn find(&self, path: &Path, text: &Text, wait: Duration) -> Result<Answer, String> {
        let until = Instant::now() + wait;
        let asked = self.serving(path).filter(|server| server.config.diagnostics);
        let mut answers = Vec::new();
        for server in asked {
            let (jobs, _) = self.reach(server);
            let (reply, answer) = oneshot::channel();
            let (path, text) = (path.to_owned(), text.clone());
            deliver(&jobs, Job { until, want: Want::Findings { path, text, reply } }).await;
            answers.push(answer);
        }
        if answers.is_empty() {
            return Err(no_server(path));
        }
        let (mut findings, mut verified) = (Vec::new(), true);
        let mut failure = None;
        for answer in answers {
            match receive(answer, until).await {
                Ok((found, sure)) => {
                    findings.extend(found);
                    verified &= sure;
                }
                Err(why) => {
                    verified = false;
                    failure = Some(why);
                }
            }
        }
        match failure {
            Some(Failure::Crashed(sentence) | Failure::Sentence(sentence))
                if findings.is_empty() =>
            {
                Err(sentence)
            }
            _ => Ok(Answer::Diagnostics { findings, verified }),
        }
    }

    /// Ends all servers and waits until they are gone.
    pub async fn shutdown(&self) {
        self.shared.stop.cancel();
        let handles = self.shared.servers.iter().filter_map(|server| {
            server.handle.lock().unwrap_or_else(PoisonError::into_inner).take()
        });
        let handles: Vec<_> = handles.collect();
        for handle in handles {
            drop(handle.task.await);
        }
    }

    /// The way to a server, and the documents it has open.
    fn reach(&self, server: &Server) -> (mpsc::Sender<Job>, Vec<PathBuf>) {
        let mut handle = server.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = handle.get_or_insert_with(|| {
            let Shared { root, limits, stop, .. } = &*self.shared;
            let (config, launch) = (Arc::clone(&server.config), Arc::clone(&server.launch));
            Keeper::start(config, root.clone(), launch, *limits, stop.clone())
        });
        (handle.jobs.clone(), handle.open_paths().into_iter().collect())
    }
}

/// A job for a server that has no room for it until it is over is not done.
async fn deliver(jobs: &mpsc::Sender<Job>, job: Job) {
    match timeout_at(job.until, jobs.reserve()).await {
        Ok(Ok(room)) => room.send(job),
        Ok(Err(_)) => job.refuse(Failure::Sentence(ENDED.to_owned())),
        Err(_) => job.refuse(Failure::Sentence(
            "The language server has too much to do; ask again later.".to_owned(),
        )),
    }
}

/// The reply to a job. Servers are watched over, but one that is just being started again or ended
/// answers late, and nobody waits longer than they said.
async fn receive<T>(
    answer: oneshot::Receiver<Result<T, Failure>>,
    until: Instant,
) -> Result<T, Failure> {
    let late = || Failure::Sentence("The language server did not answer in time.".to_owned());
    match timeout_at(until + GRACE, answer).await {
        Ok(answer) => answer.unwrap_or_else(|_| Err(Failure::Crashed(ENDED.to_owned()))),
        Err(_) => Err(late()),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    spawn_blocking(work).await.map_err(|_| "Reading the files failed; ask again.".to_owned())
}

fn no_server(path: &Path) -> String {
    format!("No language server is configured for {}; search instead.", path.display())
}

fn unreadable(path: &Path) -> String {
    format!("{} cannot be read as text; check the path.", path.display())
}

/// Starts the program of a server. The error is the end of a sentence.
fn start(
    config: &ServerConfig,
    root: &Path,
    env: &[(OsString, OsString)],
    walls: &WallsFor,
) -> Result<Connection, String> {
    let walls = walls()?;
    let mut env = env.to_vec();
    env.retain(|(name, _)| name.to_str().is_none_or(|name| !config.env.contains_key(name)));
    env.extend(config.env.iter().map(|(name, value)| (name.into(), value.into())));
    let arguments: Vec<OsString> = config.args.iter().map(OsString::from).collect();
    let started = Companion::start(&config.command, &arguments, root, &env, &walls);
    let Companion { input, output, process } = started.map_err(|error| error.to_string())?;
    Ok(Connection { input: Box::new(input), output: Box::new(output), process: Some(process) })
}
