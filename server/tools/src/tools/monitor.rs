//! Monitor: a command whose output lines the model hears of as they come.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::bash;
use crate::command::{self, Kept, Looked};
use crate::context::Context;
use crate::tasks::{NewTask, TaskEnd, TaskKind, TaskState};
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

const TIMEOUT: Duration = Duration::from_secs(300);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(1_800);
/// The most of one line that the model hears.
const LINE: usize = 2_000;

pub(crate) struct Monitor;

/// Runs a command in the background and tells you every line that it prints, as it comes, also when
/// nothing else goes on. Use it to wait for something that happens by itself, such as an error in a
/// log or the end of a deployment, and let the command print only what matters (grep --line-buffered,
/// a loop that echoes changes): every line interrupts you. TaskStop ends it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The command. What it prints is what you hear.
    command: String,
    /// What you wait for, in five to ten words, for the user.
    description: String,
    /// Milliseconds until it is stopped: 300000 if left out, 1800000 at most.
    timeout_ms: Option<u64>,
}

impl Tool for Monitor {
    type Input = Input;
    const NAME: &'static str = "Monitor";
    const KIND: Kind = Kind::Execute;
    const RARE: bool = true;

    fn title(input: &Input, _: &Path) -> String {
        let described = Some(input.description.trim()).filter(|text| !text.is_empty());
        bash::one_line(&input.command, described)
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let (looked, planned) = command::look(&input.command, false, None, &cx).await?;
        let subjects = planned.subjects.clone();
        Ok(planned.describe(Plan::new(subjects, move |cx| run(input, looked, cx))))
    }
}

async fn run(input: Input, looked: Looked, cx: Context) -> Result<Outcome, Problem> {
    let reserved = cx.world.tasks().reserve(TaskKind::Monitor).map_err(Problem)?;
    let limit = input.timeout_ms.map_or(TIMEOUT, Duration::from_millis).min(LONGEST_TIMEOUT);
    let ready = looked.ready(limit, &cx).await?;
    let redactor = cx.session.redactor();
    let kept = Kept::new(reserved.output.clone(), &redactor);
    kept.to_file().map_err(Problem)?;
    let cancel = CancellationToken::new();
    let work = {
        let (cx, cancel, id) = (cx.clone(), cancel.clone(), reserved.id.clone());
        let command = input.command.clone();
        async move {
            let world = Arc::clone(&cx.world);
            let mut lines = Lines { redact: redactor.stream(), rest: String::new() };
            let heard = kept.clone();
            let on_output = move |output: &str| {
                heard.push(output);
                lines.push(output, |line| world.tasks().tell(&id, line));
            };
            let done = ready.run(&cx, cancel.clone(), on_output).await;
            kept.finish();
            match done {
                Ok(done) => bash::ended(&command, done, cancel.is_cancelled()),
                Err(problem) => TaskEnd {
                    state: TaskState::Failed,
                    exit_code: None,
                    how: format!("failed: {problem}"),
                    notes: Vec::new(),
                },
            }
        }
    };
    let new = NewTask {
        id: reserved.id.clone(),
        kind: TaskKind::Monitor,
        title: Monitor::title(&input, cx.session.cwd()),
        call_id: cx.call_id.clone(),
        output: reserved.output.clone(),
        cancel,
        work: Box::pin(work),
    };
    cx.world.tasks().keep(new).await.map_err(Problem)?;
    Ok(Outcome::text(format!(
        "Watching as task {}, for {} seconds at most. You will be told what it prints; all of it is \
         in {}.",
        reserved.id,
        limit.as_secs(),
        reserved.output.display()
    )))
}

/// Whole lines out of pieces of output.
struct Lines {
    redact: policy::RedactStream,
    rest: String,
}

impl Lines {
    fn push(&mut self, output: &str, mut tell: impl FnMut(&str)) {
        self.rest.push_str(&self.redact.push(output));
        while let Some(end) = self.rest.find('\n') {
            let line: String = self.rest.drain(..=end).collect();
            let line = line.trim_end();
            if !line.is_empty() {
                tell(&line[..line.floor_char_boundary(LINE)]);
            }
        }
        // A line without an end is told in pieces, so that it does not grow for ever.
        if self.rest.len() > LINE {
            tell(&self.rest);
            self.rest.clear();
        }
    }
}

#[cfg(test)]
mod tests;
