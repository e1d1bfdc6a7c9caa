//! Git for our own needs: the system's, without anything of a repository's configuration that runs
//! something, and in the sandbox where there is one.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use exec::{Exit, Program, Sandbox, Spec, Walls};
use tokio_util::sync::CancellationToken;

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
