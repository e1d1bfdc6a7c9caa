//! Files as the model names them, and what a search may show of them.

use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use policy::{Behavior, Mode, Rules, Subject, Verdict};
use tokio_util::sync::CancellationToken;
use workspace::{Limits, View};

use crate::context::{Context, Permissions};
use crate::tool::Problem;

/// A search that takes longer than a person waits is of no use.
const SEARCH_TIME: Duration = Duration::from_secs(20);
const SEARCH_FILES: usize = 5_000_000;

/// A file or folder a call is about.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// As it was named, made absolute: what people are shown.
    pub(crate) path: PathBuf,
    /// Where that really leads: what is decided about and acted on.
    pub(crate) resolved: PathBuf,
}

impl Place {
    pub(crate) async fn find(cx: &Context, given: &str) -> Result<Place, Problem> {
        if given.trim().is_empty() {
            return Err(Problem::new("The path is empty. Name a file."));
        }
        Place::of(absolute(cx, given)).await
    }

    pub(crate) async fn of(path: PathBuf) -> Result<Place, Problem> {
        let resolved = resolve(&path).await?;
        Ok(Place { path, resolved })
    }

    /// Time passes between the question and the act. A link that was bent meanwhile leads
    /// somewhere nobody was asked about.
    pub(crate) async fn check_unmoved(&self) -> Result<(), Problem> {
        if resolve(&self.path).await? == self.resolved {
            return Ok(());
        }
        let path = self.path.display();
        Err(Problem(format!("{path} now leads somewhere else. Nothing was done; try again.")))
    }

    pub(crate) fn read(&self) -> Subject {
        Subject::Read { path: self.path.clone(), resolved: self.resolved.clone() }
    }

    pub(crate) fn edit(&self) -> Subject {
        Subject::Edit { path: self.path.clone(), resolved: self.resolved.clone() }
    }
}

async fn resolve(path: &Path) -> Result<PathBuf, Problem> {
    let path = path.to_owned();
    let resolved = blocking(move || workspace::real_path(&path)).await?;
    resolved.map_err(|error| sentence(&error))
}

/// The absolute path behind what the model wrote, without a look at the disk.
pub(crate) fn absolute(cx: &Context, given: &str) -> PathBuf {
    let home = || cx.session.permissions().home;
    let path = match given.strip_prefix('~') {
        Some("") => home().unwrap_or_else(|| PathBuf::from(given)),
        Some(rest) if rest.starts_with('/') => match home() {
            Some(home) => home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(given),
        },
        _ => PathBuf::from(given),
    };
    let joined = cx.session.cwd().join(path);
    joined.components().filter(|part| *part != Component::CurDir).collect()
}

/// A path as people like to read it: short below the session's folder, whole elsewhere.
pub(crate) fn shown(cwd: &Path, path: &Path) -> String {
    match path.strip_prefix(cwd) {
        Ok(relative) if relative.as_os_str().is_empty() => ".".to_owned(),
        Ok(relative) => relative.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

/// The same for a path as the model wrote it.
pub(crate) fn shown_as_given(cwd: &Path, given: &str) -> String {
    shown(cwd, &cwd.join(given))
}

/// Whether a rule or the mode refuses this outright. A tool that would tell something about the
/// file while it plans asks this first.
pub(crate) fn is_denied(cx: &Context, tool: &str, subject: &Subject) -> bool {
    verdict(&cx.session.permissions(), tool, subject) == Verdict::Deny
}

fn verdict(permissions: &Permissions, tool: &str, subject: &Subject) -> Verdict {
    let Permissions { mode, rules, roots, home } = permissions;
    let context = policy::Context { mode: *mode, rules, roots, home: home.as_deref() };
    let request = policy::Request { tool, subjects: std::slice::from_ref(subject), params: &[] };
    policy::decide(&request, &context).verdict
}

/// What an answer may show of files that it names and nobody asked about, as a value that can go
/// to another thread.
pub(crate) struct Sight(Permissions);

impl Sight {
    pub(crate) fn of(cx: &Context) -> Sight {
        Sight(cx.session.permissions())
    }

    /// Whether a file could be read without a question. May wait for the disk.
    pub(crate) fn of_reading(&self, path: &Path) -> Verdict {
        let Ok(resolved) = workspace::real_path(path) else { return Verdict::Deny };
        verdict(&self.0, "Read", &Subject::Read { path: path.to_owned(), resolved })
    }
}

/// What bounds a search, as a value that can go to another thread.
pub(crate) struct SearchBounds {
    cancel: CancellationToken,
    deadline: Instant,
    /// Only the deny rules: what may be asked about as a whole must not fail file by file.
    denied: Rules,
    permissions: Permissions,
}

impl SearchBounds {
    pub(crate) fn new(cx: &Context) -> SearchBounds {
        let permissions = cx.session.permissions();
        let rules = permissions.rules.iter();
        let denied = rules.filter(|entry| entry.behavior == Behavior::Deny).cloned().collect();
        let deadline = Instant::now() + SEARCH_TIME;
        SearchBounds { cancel: cx.cancel.clone(), deadline, denied, permissions }
    }

    /// Runs a search within the bounds. Files that a rule hides are not in its result.
    pub(crate) fn search<T>(&self, search: impl FnOnce(&Limits<'_>) -> T) -> T {
        let any_denied = self.denied.iter().next().is_some();
        search(&Limits {
            cancelled: &|| self.cancel.is_cancelled(),
            deadline: Some(self.deadline),
            max_files: SEARCH_FILES,
            admits: &|path| !any_denied || self.admits(path),
        })
    }

    fn admits(&self, path: &Path) -> bool {
        let subject = Subject::Read { path: path.to_owned(), resolved: path.to_owned() };
        let request = policy::Request { tool: "Read", subjects: &[subject], params: &[] };
        let context = policy::Context {
            mode: Mode::Default,
            rules: &self.denied,
            roots: &self.permissions.roots,
            home: self.permissions.home.as_deref(),
        };
        policy::decide(&request, &context).verdict != Verdict::Deny
    }
}

/// The files as they are at this moment.
pub(crate) async fn view(cx: &Context) -> View {
    View::new(cx.world.snapshot().await)
}

/// Does work that may wait for the disk where waiting is allowed.
pub(crate) async fn blocking<T, W>(work: W) -> Result<T, Problem>
where
    T: Send + 'static,
    W: FnOnce() -> T + Send + 'static,
{
    tokio::task::spawn_blocking(work).await.map_err(|_| {
        Problem::new("The tool broke down while it looked at the disk. Try again, and report this.")
    })
}

/// An error of a lower room as a sentence of its own.
pub(crate) fn sentence(error: &dyn std::error::Error) -> Problem {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    // A path keeps its spelling.
    let text = if text.starts_with(['/', '~']) { text } else { first + characters.as_str() };
    // What is quoted at the end of a long one ends as it does.
    let ended = text.contains('\n') || text.ends_with(['.', '?', '!']);
    let end = if ended { "" } else { "." };
    Problem(format!("{text}{end}"))
}
