//! One prompt, one answer: what an agent costs around its model.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use model::{Scenario, TestServer};

use super::Outcome;
use super::start::millis;
use crate::contenders::Contender;
use crate::process::{self, Run, Watch};
use crate::scenarios;
use crate::stage::Stage;
use crate::table::median;

/// A run against a model of its own; `None` for a contender that has no such door.
fn print(
    stage: &Stage,
    contender: &Contender,
    scenario: Scenario,
    watch: Watch,
) -> anyhow::Result<Option<(Run, TestServer)>> {
    let Some(arguments) = contender.headless("Go on.") else { return Ok(None) };
    let server = stage.server(scenario)?;
    let command = stage.command(&contender.program, &arguments, Some(server.url()));
    let run = process::run(command, watch)?;
    Ok(Some((run, server)))
}

pub fn hello(stage: &Stage, contender: &Contender) -> Outcome {
    let ran = print(stage, contender, scenarios::hello(), Watch::Time)?;
    let Some((run, server)) = ran else { return Ok(None) };
    ensure!(run.output.trim() == "Hello.", "it said {:?}", run.output);
    let first = server.requests().first().context("no request came")?.at;
    let first = first.saturating_duration_since(run.started);
    Ok(Some(vec![millis(first), millis(run.wall)]))
}

pub fn short_turns(stage: &Stage, contender: &Contender) -> Outcome {
    let count = stage.sizes.short_turns;
    let ran = print(stage, contender, scenarios::turns(count), Watch::Time)?;
    let Some((run, server)) = ran else { return Ok(None) };
    let gaps = gaps(&server, count)?;
    let gap = median(gaps).context("no gaps")?;
    Ok(Some(vec![millis(run.wall), gap, server.connections() as f64]))
}

pub fn long_turns(stage: &Stage, contender: &Contender) -> Outcome {
    let Stage { sizes, .. } = stage;
    let ran = print(stage, contender, scenarios::turns(sizes.long_turns), Watch::Time)?;
    let Some((run, server)) = ran else { return Ok(None) };
    let gaps = gaps(&server, sizes.long_turns)?;
    let first = median(gaps[..sizes.short_turns].to_vec()).context("no gaps")?;
    let last = median(gaps[gaps.len() - sizes.short_turns..].to_vec()).context("no gaps")?;
    Ok(Some(vec![millis(run.wall), first, last, last / first.max(1e-6)]))
}

/// From the last byte of an answer to the head of the next request, by the server's clock.
fn gaps(server: &TestServer, turns: usize) -> anyhow::Result<Vec<f64>> {
    let (requests, answered) = (server.requests(), server.answered());
    ensure!(requests.len() == turns + 1, "{} requests for {turns} turns", requests.len());
    let gap = |(request, answered): (&model::Captured, _)| {
        millis(request.at.saturating_duration_since(answered))
    };
    Ok(requests.iter().skip(1).zip(answered).map(gap).collect())
}

pub fn parallel(stage: &Stage, contender: &Contender) -> Outcome {
    let scenario = scenarios::parallel(stage.sizes.parallel_calls);
    let ran = print(stage, contender, scenario, Watch::Time)?;
    let Some((run, server)) = ran else { return Ok(None) };
    ensure!(server.requests().len() == 2, "{} requests", server.requests().len());
    Ok(Some(vec![millis(run.wall)]))
}

pub fn long_answer(stage: &Stage, contender: &Contender) -> Outcome {
    let scenario = scenarios::long_answer(stage.sizes.deltas);
    let ran = print(stage, contender, scenario, Watch::Time)?;
    let Some((run, _)) = ran else { return Ok(None) };
    ensure!(run.output.len() > stage.sizes.deltas * 50, "only {} bytes came", run.output.len());
    Ok(Some(vec![seconds(run.cpu), seconds(run.wall)]))
}

pub fn memory(stage: &Stage, contender: &Contender) -> Outcome {
    let sizes = &stage.sizes;
    let scenarios = [
        scenarios::hello(),
        scenarios::turns(sizes.short_turns),
        scenarios::turns(sizes.long_turns),
        scenarios::long_answer(sizes.deltas),
    ];
    let mut peaks = Vec::new();
    for scenario in scenarios {
        let Some((run, _)) = print(stage, contender, scenario, Watch::Memory)? else {
            return Ok(None);
        };
        peaks.push(run.peak_megabytes);
    }
    Ok(Some(peaks))
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}
