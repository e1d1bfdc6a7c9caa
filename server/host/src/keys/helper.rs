//! The setting `apiKeyHelper`: a command line whose output is the key. It is the user's own, so it
//! runs in the user's environment and folder, as written, behind the walls of such programs: keychains
//! and vaults can be asked.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use exec::{Exit, Program, Spec, Walls};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a helper may think.
const WITHIN: Duration = Duration::from_secs(10);
/// How long its answer holds.
const HOLDS: Duration = Duration::from_secs(300);
/// No key is longer.
const LONGEST: usize = 16 * 1024;

pub(super) struct Helper {
    home: PathBuf,
    env: Vec<(OsString, OsString)>,
    /// Held while the command runs, so that it runs once for all who wait.
    last: Mutex<Option<Answer>>,
}

struct Answer {
    command: String,
    key: String,
    at: Instant,
}

impl Helper {
    pub(super) fn new(home: PathBuf, env: Vec<(OsString, OsString)>) -> Helper {
        Helper { home, env, last: Mutex::default() }
    }

    /// The last key, or a new one when that is old, refused, or another helper's.
    pub(super) async fn key(
        &self,
        command: &str,
        walls: Walls,
        fresh: bool,
    ) -> Result<String, String> {
        let asked = Instant::now();
        let mut last = self.last.lock().await;
        if let Some(answer) = last.as_ref().filter(|answer| answer.command == command) {
            // Whoever waited for the same news has it now.
            let news = answer.at >= asked;
            if news || (!fresh && answer.at.elapsed() < HOLDS) {
                return Ok(answer.key.clone());
            }
        }
        *last = None;
        let key = self.run(command, walls).await?;
        *last = Some(Answer { command: command.to_owned(), key: key.clone(), at: Instant::now() });
        Ok(key)
    }

    /// What it printed is never told, not even when it fails: it may be the key.
    async fn run(&self, command: &str, walls: Walls) -> Result<String, String> {
        let arguments = vec!["-c".into(), command.into()];
        let program = Program::Argv { program: "/bin/sh".into(), arguments };
        let mut spec = Spec::new(program, &self.home, walls);
        (spec.env, spec.timeout, spec.output_cap) = (self.env.clone(), WITHIN, LONGEST);
        let failed = |why: String| {
            format!(
                "The command of `apiKeyHelper` {why}; try it in a shell, or correct the setting."
            )
        };
        let finished = exec::run(spec, CancellationToken::new(), |_| ())
            .await
            .map_err(|error| failed(format!("did not start ({error})")))?;
        match finished.status {
            Exit::Code(0) => {}
            Exit::Code(code) => return Err(failed(format!("failed with exit code {code}"))),
            Exit::TimedOut => {
                return Err(failed(format!("took longer than {} s", WITHIN.as_secs())));
            }
            _ => return Err(failed("was stopped".to_owned())),
        }
        let key = finished.stdout.trim();
        if key.is_empty() || key.contains(char::is_whitespace) || key.len() >= LONGEST {
            return Err(failed("did not print a key".to_owned()));
        }
        Ok(key.to_owned())
    }
}
