//! A repository, by the user's own git: only it knows their keys and proxies. Nothing of the repository
//! runs: no hooks, no submodules, and links become plain files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exec::{Exit, Program, Spec};
use tokio_util::sync::CancellationToken;

use super::Fetcher;

const WITHIN: Duration = Duration::from_secs(300);
const HARMLESS: [&str; 7] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "transfer.fsckObjects=true",
    "gc.auto=0",
];

/// The folder and the commit that is in it. `wanted` is a branch, a tag or a commit.
pub(super) async fn clone(
    fetcher: &Fetcher,
    url: &str,
    wanted: Option<&str>,
    to: &Path,
) -> Result<(PathBuf, String), String> {
    let place = to.as_os_str().to_owned();
    let here = to.parent().unwrap_or(to);
    run(fetcher, here, &["init".into(), "-q".into(), "--template=".into(), place]).await?;
    let wanted = wanted.unwrap_or("HEAD");
    let fetch = ["fetch", "-q", "--depth", "1", "--no-tags", "--", url, wanted];
    run(fetcher, to, &fetch.map(OsString::from)).await?;
    run(fetcher, to, &["checkout", "-q", "FETCH_HEAD"].map(OsString::from)).await?;
    let commit = run(fetcher, to, &["rev-parse", "HEAD"].map(OsString::from)).await?;
    Ok((to.to_owned(), commit.trim().to_owned()))
}

async fn run(fetcher: &Fetcher, cwd: &Path, words: &[OsString]) -> Result<String, String> {
    let harmless = HARMLESS.into_iter().flat_map(|set| ["-c".into(), set.into()]);
    let arguments = harmless.chain(words.iter().cloned()).collect();
    let mut spec =
        Spec::new(Program::Argv { program: "git".into(), arguments }, cwd, fetcher.walls.clone());
    spec.env = fetcher.env.clone();
    spec.env.push(("GIT_TERMINAL_PROMPT".into(), "0".into()));
    spec.timeout = WITHIN;
    let done = exec::run(spec, CancellationToken::new(), |_| ()).await;
    let done = done.map_err(|error| format!("git cannot be started ({error})."))?;
    match done.status {
        Exit::Code(0) => Ok(done.stdout),
        Exit::TimedOut => Err("git took longer than five minutes.".to_owned()),
        _ => Err(format!("git: {}", last_words(&done.output))),
    }
}

/// What a program says last is why it failed.
pub(super) fn last_words(output: &str) -> &str {
    output.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it failed")
}
