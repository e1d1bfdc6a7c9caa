//! Git for our own needs: the system's, without anything of a repository's configuration that runs
//! something, and in the sandbox where there is one.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use exec::{Confinement, Disk, Exit, Limits, Nearby, Network, Program, Sandbox, Spec, Walls};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::context::HostContext;
use crate::private_folder::private_folder;

/// In the home of Bowline: what commands made and other programs would obey, until somebody wants
/// it.
pub const ASIDE: &str = "aside";

/// The most that is read of an answer; a longer one is an error.
pub const LARGEST: usize = 16 * 1024 * 1024;

const HARMLESS: [&str; 8] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "gc.auto=0",
    "submodule.recurse=false",
    "protocol.allow=never",
    // A folder that only looks like a repository is none.
    "safe.bareRepository=explicit",
];
const OWN: [(&str, &str); 8] = [
    // A `git` in a folder that somebody put in front of the others is not the one that is meant.
    ("PATH", Sandbox::SEARCH_PATH),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_AUTHOR_NAME", "bowline"),
    ("GIT_AUTHOR_EMAIL", "bowline@localhost"),
    ("GIT_COMMITTER_NAME", "bowline"),
    ("GIT_COMMITTER_EMAIL", "bowline@localhost"),
];

pub type Variable = (OsString, OsString);

/// Walls, and the folder that must stay for as long as they do.
pub type Kept = (Walls, Option<TempDir>);

/// The walls of a git that reads and does nothing else. The repository is named, so that it can be seen
/// wherever it is. `None` where they cannot be built.
pub fn reading(host: &HostContext, repository: PathBuf) -> Option<Kept> {
    let closed = vec![repository.clone()];
    kept(host, vec![repository], Vec::new(), closed)
}

/// Those of a git that makes and removes worktrees of the repository.
pub fn with_work_trees(host: &HostContext, repository: PathBuf) -> Option<Kept> {
    let open = repository.join(".git/worktrees");
    kept(host, vec![repository], vec![open], Vec::new())
}

fn kept(
    host: &HostContext,
    roots: Vec<PathBuf>,
    allow_write: Vec<PathBuf>,
    deny_write: Vec<PathBuf>,
) -> Option<Kept> {
    let sandbox = host.sandbox();
    if !sandbox.is_available() {
        return Some((Walls::Open, None));
    }
    let temp = private_folder().ok()?;
    let walls = Walls::Within(Arc::new(Confinement {
        sandbox,
        roots,
        temp: temp.path().to_owned(),
        aside: host.locations.bowline_home.join(ASIDE),
        cache: None,
        allow_write,
        deny_write,
        deny_read: Vec::new(),
        shown: Vec::new(),
        network: Network::Off,
        nearby: Nearby::default(),
        disk: Disk::Roots,
        limits: Limits::default(),
    }));
    Some((walls, Some(temp)))
}

/// One call.
pub struct Git {
    pub repository: PathBuf,
    pub walls: Walls,
    pub within: Duration,
    /// Beside our own.
    pub env: Vec<Variable>,
}

impl Git {
    /// What git prints. `home` is where the user's own configuration is. The error is what git says.
    pub async fn run(self, home: Option<OsString>, words: Vec<OsString>) -> Result<String, String> {
        let harmless = HARMLESS.into_iter().flat_map(|set| ["-c".into(), set.into()]);
        let own = OWN.into_iter().map(|(key, value)| (key.into(), value.into()));
        let home = home.map(|home| ("HOME".into(), home));
        let spec = Spec {
            program: Program::Argv {
                program: "git".into(),
                arguments: harmless.chain(words).collect(),
            },
            cwd: self.repository,
            env: own.chain(home).chain(self.env).collect(),
            walls: self.walls,
            input: Vec::new(),
            timeout: self.within,
            output_cap: LARGEST,
        };
        let finished = exec::run(spec, CancellationToken::new(), |_| ()).await;
        let finished = finished.map_err(|error| error.to_string())?;
        match finished.status {
            Exit::Code(0) if finished.stdout.len() < LARGEST => Ok(finished.stdout),
            Exit::Code(0) => Err("git said too much".to_owned()),
            Exit::TimedOut => Err("git took too long".to_owned()),
            _ => Err(finished.output.lines().last().unwrap_or("git failed").trim().to_owned()),
        }
    }
}
