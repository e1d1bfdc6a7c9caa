//! Files as the model names them, and what a search may show of them.

use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use policy::{Behavior, Mode, Rules, Subject, Verdict};
use tokio_util::sync::CancellationToken;
use workspace::{FileText, Limits, Located, Origin, ReadError, Stamp, View};

use crate::context::{Context, Permissions, SessionState};
use crate::media::{self, MediaFile};
use crate::tool::Problem;

/// A search that takes longer than a person waits is of no use.
const SEARCH_TIME: Duration = Duration::from_secs(20);
const SEARCH_FILES: usize = 5_000_000;

/// A file or folder a call is about.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// As it was named, made absolute: what people are shown.
    pub(crate) path: PathBuf,
    /// Where that really leads: what is decided about and acted on. Nothing looks up again where it
    /// leads; who acts is refused if a link stands in it by then.
    pub(crate) resolved: PathBuf,
    /// What stood there when it was looked up.
    pub(crate) found: Option<Stamp>,
}

impl Place {
    pub(crate) async fn find(cx: &Context, given: &str) -> Result<Place, Problem> {
        check_given(given)?;
        Place::of(absolute(&cx.session, given)).await
    }

    pub(crate) async fn of(path: PathBuf) -> Result<Place, Problem> {
        let Located { path: resolved, stamp } = locate(&path).await?;
        Ok(Place { path, resolved, found: stamp })
    }

    /// Time passes between the question and the act. A link that was bent meanwhile leads
    /// somewhere nobody was asked about. Where no link was, who acts sees one that is.
    pub(crate) async fn check_unmoved(&self) -> Result<(), Problem> {
        if self.path == self.resolved || locate(&self.path).await?.path == self.resolved {
            return Ok(());
        }
        Err(self.moved())
    }

    fn moved(&self) -> Problem {
        let path = self.path.display();
        Problem(format!("{path} now leads somewhere else. Nothing was done; try again."))
    }

    /// The text of the file as the user sees it.
    pub(crate) async fn text(&self, cx: &Context) -> Result<Result<FileText, ReadError>, Problem> {
        let view = View::new(cx.world.snapshot_for(&self.resolved).await);
        let resolved = self.resolved.clone();
        let read = blocking(move || {
            // Asked for here, because it reads the whole text.
            view.read(&resolved).inspect(|file| {
                file.fingerprint();
            })
        });
        match read.await? {
            Ok(file) => match &file.origin {
                Origin::Disk { stamp } => self.check_found(stamp).map(|()| Ok(file)),
                Origin::Buffer { .. } => Ok(Ok(file)),
            },
            Err(ReadError::Moved { .. }) => Err(self.moved()),
            Err(error) => Ok(Err(error)),
        }
    }

    /// The file, if it is a picture or a PDF. What the editor shows as text is text.
    pub(crate) async fn media(&self, cx: &Context) -> Result<Option<MediaFile>, Problem> {
        let view = view(cx).await;
        let resolved = self.resolved.clone();
        let found = blocking(move || match view.snapshot().at(&resolved) {
            Some(_) => Ok(None),
            None => MediaFile::read(&resolved),
        });
        match found.await? {
            Ok(Some(file)) => self.check_found(&file.stamp).map(|()| Some(file)),
            Ok(None) => Ok(None),
            Err(ReadError::TooLarge { path, size, cap }) => Err(media::too_large(&path, size, cap)),
            // Who reads it as text says better what is wrong.
            Err(_) => Ok(None),
        }
    }

    /// Programs save by putting a new file in place of the old one, so another file is no wonder. But
    /// one that has other names too may be one that nobody would have let the agent see.
    fn check_found(&self, stamp: &Stamp) -> Result<(), Problem> {
        let is_known = self.found.is_some_and(|found| found.is_same_file(stamp));
        if stamp.links() <= 1 || is_known { Ok(()) } else { Err(self.moved()) }
    }

    pub(crate) fn read(&self) -> Subject {
        Subject::Read { path: self.path.clone(), resolved: self.resolved.clone() }
    }

    /// How many names the file has.
    pub(crate) fn links(&self) -> Option<u64> {
        self.found.map(|found| found.links())
    }

    pub(crate) fn edit(&self) -> Subject {
        let links = self.links().unwrap_or(0);
        Subject::Edit { path: self.path.clone(), resolved: self.resolved.clone(), links }
    }
}

async fn locate(path: &Path) -> Result<Located, Problem> {
    let path = path.to_owned();
    let located = blocking(move || workspace::locate(&path)).await?;
    located.map_err(|error| sentence(&error))
}

/// What no path of a tool may look like, whatever the disk says.
pub(crate) fn check_given(given: &str) -> Result<(), Problem> {
    if given.trim().is_empty() {
        return Err(Problem::new("The path is empty. Name a file."));
    }
    if given.contains('\0') {
        return Err(Problem::new("The path holds a NUL byte, and no file has such a name."));
    }
    // Elsewhere these are names of other machines, and to look at one is to log in there.
    if given.starts_with(r"\\") || given.starts_with(r"\??\") {
        let advice = "Network shares are never opened. Name a file of this machine.";
        return Err(Problem(format!("{given} is a network share. {advice}")));
    }
    Ok(())
}

/// The absolute path behind what the model wrote, without a look at the disk.
pub(crate) fn absolute(session: &SessionState, given: &str) -> PathBuf {
    let home = || session.permissions().home;
    let path = match given.strip_prefix('~') {
        Some("") => home().unwrap_or_else(|| PathBuf::from(given)),
        Some(rest) if rest.starts_with('/') => match home() {
            Some(home) => home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(given),
        },
        _ => PathBuf::from(given),
    };
    let joined = session.cwd().join(path);
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
    pub(crate) fn of(session: &SessionState) -> Sight {
        Sight(session.permissions())
    }

    /// Whether a file could be read without a question, and where it is then. May wait for the disk.
    pub(crate) fn of_reading(&self, path: &Path) -> (Verdict, Option<PathBuf>) {
        let Ok(resolved) = workspace::real_path(path) else { return (Verdict::Deny, None) };
        let subject = Subject::Read { path: path.to_owned(), resolved: resolved.clone() };
        (verdict(&self.0, "Read", &subject), Some(resolved))
    }
}

/// Whether a file may be shown to the model without a question. May wait for the disk.
pub fn may_be_read(session: &SessionState, path: &Path) -> bool {
    Sight::of(session).of_reading(path).0 == Verdict::Allow
}

/// What bounds a search, as a value that can go to another thread.
pub(crate) struct SearchBounds {
    cancel: CancellationToken,
    deadline: Instant,
    /// Only the deny rules: what may be asked about as a whole must not fail file by file.
    denied: Rules,
    permissions: Permissions,
    place: Place,
}

impl SearchBounds {
    pub(crate) fn new(cx: &Context, place: &Place) -> SearchBounds {
        let permissions = cx.session.permissions();
        let rules = permissions.rules.iter();
        let denied = rules.filter(|entry| entry.behavior == Behavior::Deny).cloned().collect();
        let deadline = Instant::now() + SEARCH_TIME;
        let (cancel, place) = (cx.cancel.clone(), place.clone());
        SearchBounds { cancel, deadline, denied, permissions, place }
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

    /// A file has two names when the search began at a link, and a rule may mean either.
    fn admits(&self, path: &Path) -> bool {
        let shown = path.strip_prefix(&self.place.resolved).ok();
        let shown = shown.map_or_else(|| path.to_owned(), |below| self.place.path.join(below));
        let subject = Subject::Read { path: shown, resolved: path.to_owned() };
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

#[cfg(test)]
mod tests;
