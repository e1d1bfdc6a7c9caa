//! Starting up and standing still.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::Outcome;
use crate::contenders::{Contender, Role};
use crate::lsp::Client;
use crate::process::{self, Watch};
use crate::scenarios;
use crate::stage::Stage;

pub fn version(stage: &Stage, contender: &Contender) -> Outcome {
    let mut command = stage.command(&contender.program, &contender.version(), None);
    command.stdin(Stdio::null());
    let run = process::run(command, Watch::Time)?;
    ensure!(!run.output.trim().is_empty(), "no version was printed");
    Ok(Some(vec![millis(run.wall)]))
}

pub fn size(_: &Stage, contender: &Contender) -> Outcome {
    if contender.role == Role::Peer {
        // What is on the PATH is often a launcher, whose size says nothing.
        return Ok(None);
    }
    Ok(Some(vec![std::fs::metadata(&contender.program)?.len() as f64 / 1e6]))
}

pub fn initialize(stage: &Stage, contender: &Contender) -> Outcome {
    let Some(client) = Client::start(stage, contender, None)? else { return Ok(None) };
    Ok(Some(vec![millis(client.started.elapsed())]))
}

pub fn idle(stage: &Stage, contender: &Contender) -> Outcome {
    let server = stage.server(scenarios::turns(stage.sizes.short_turns))?;
    let started = Client::start(stage, contender, Some(server.url()))?;
    let Some(mut client) = started else { return Ok(None) };
    let pause = Duration::from_secs_f64(stage.sizes.idle_seconds);
    // What a start leaves to do is not idleness.
    std::thread::sleep(Duration::from_millis(100));
    let fresh = resident(&client)?;
    let before = process::cpu_so_far(client.pid())?;
    std::thread::sleep(pause);
    let used = process::cpu_so_far(client.pid())?.saturating_sub(before);
    let share = 100.0 * used.as_secs_f64() / pause.as_secs_f64();
    if contender.role == Role::Floor {
        // A bare server has no sessions.
        return Ok(Some(vec![fresh, share]));
    }
    let begun = Instant::now();
    let session = client.new_session(stage)?;
    let made = begun.elapsed();
    let asked = Instant::now();
    client.prompt(&session, "Read the file line by line.")?;
    client.turn_ended()?;
    let first = server.requests().first().context("no request came")?.at;
    std::thread::sleep(Duration::from_millis(100));
    let first = millis(first.saturating_duration_since(asked));
    Ok(Some(vec![fresh, share, millis(made), first, resident(&client)?]))
}

fn resident(client: &Client) -> anyhow::Result<f64> {
    process::memory(client.pid(), "VmRSS:").context("the server has ended")
}

pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
