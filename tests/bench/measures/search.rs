//! Searching a big tree, against the program that does nothing else.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::Outcome;
use super::start::millis;
use crate::contenders::{Contender, Role};
use crate::process::{self, Watch};
use crate::scenarios;
use crate::stage::Stage;

const PATTERN: &str = "needle is h[a-z]re";

/// One Grep call in a turn, without what the same turn costs with nothing to search. `rg` runs right
/// before and after, so that both see the same machine and the same warm cache.
pub fn grep(stage: &Stage, contender: &Contender) -> Outcome {
    let Some(rg) = stage.on_path("rg") else { return Ok(None) };
    let tree = stage.tree()?;
    let root = tree.display().to_string();
    if contender.role == Role::Floor {
        return Ok(Some(vec![millis(ripgrep(stage, &rg, &root)?)]));
    }
    if contender.role == Role::Peer {
        // Their search tools have other names.
        return Ok(None);
    }
    let before = ripgrep(stage, &rg, &root)?;
    let empty = stage.project().join("empty");
    std::fs::create_dir_all(&empty)?;
    let nothing = searched(stage, contender, &empty.display().to_string(), "No matches found")?;
    let all = searched(stage, contender, &root, "file_7.rs")?;
    let after = ripgrep(stage, &rg, &root)?;
    let took = all.saturating_sub(nothing);
    Ok(Some(vec![millis(took), took.as_secs_f64() / ((before + after) / 2).as_secs_f64()]))
}

fn searched(
    stage: &Stage,
    contender: &Contender,
    root: &str,
    found: &str,
) -> anyhow::Result<Duration> {
    let arguments = contender.headless("Search.").context("a headless door")?;
    let arguments: Vec<_> =
        arguments.into_iter().chain(["--add-dir".to_owned(), root.to_owned()]).collect();
    let server = stage.server(scenarios::grep(PATTERN, root))?;
    let command = stage.command(&contender.program, &arguments, Some(server.url()));
    let run = process::run(command, Watch::Time)?;
    let requests = server.requests();
    let results = requests.last().map(|request| request.body["messages"].to_string());
    let results = results.unwrap_or_default();
    ensure!(results.contains(found), "the search found something else: {results}");
    Ok(run.wall)
}

fn ripgrep(stage: &Stage, rg: &std::path::Path, root: &str) -> anyhow::Result<Duration> {
    // Unsorted, because sorting would keep it to one thread.
    let arguments = ["--files-with-matches", PATTERN, root];
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let mut command: Command = stage.command(rg, &arguments, None);
    let begun = Instant::now();
    let output = command.output()?;
    let took = begun.elapsed();
    ensure!(output.status.success(), "rg found nothing");
    Ok(took)
}
