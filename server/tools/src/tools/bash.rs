//! Bash: a command in the user's shell, waited for or left to run in the background.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agent::ResultPart;
use exec::{Exit, Finished};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::task::{AbortHandle, JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::command::{self, Done, INLINE, Kept, Looked};
use crate::context::Context;
use crate::place::blocking;
use crate::show::{head_and_tail, reminder};
use crate::tasks::{NewTask, Reserved, TaskEnd, TaskKind, TaskState};
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

const TIMEOUT: Duration = Duration::from_secs(120);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);
/// The same for a command in the background.
const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(1_800);
const LONGEST_BACKGROUND_TIMEOUT: Duration = Duration::from_secs(7_200);
/// How much of the output of a failure is shown: it is explained at its start or at its end.
const FAILED_OUTPUT_CAP: usize = 10_000;
/// The most of a command that its title shows.
const TITLE: usize = 200;
/// Programs that say "no" with exit code 1 and mean nothing bad by it.
const SAY_NO: [&str; 8] = ["grep", "rg", "egrep", "fgrep", "find", "diff", "test", "["];

pub(crate) struct Bash;

/// Runs a command in a shell and returns what it prints. The working directory stays as a command
/// leaves it, as long as that is inside the working directories of the session; variables do not
/// stay. Commands cannot be typed to. Quote paths with blanks. Use Read, Edit, Write, Grep and Glob
/// for files instead of cat, sed, grep and find: they see what the user sees, unsaved text included.
/// A command that runs longer than its timeout goes on in the background or, where that makes no
/// sense (sleep, git), is stopped. Start servers, watchers and long builds with run_in_background:
/// you get a task id and an output file at once, are told when the command ends, and need not wait
/// or look again and again. Commands may run in a sandbox, which lets them write in the working
/// directories and reach only hosts that the user allows; the result says what it refused.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The command.
    command: String,
    /// Milliseconds it may take: 120000 if left out, 600000 at most; in the background 1800000 if
    /// left out, 7200000 at most.
    timeout: Option<u64>,
    /// What it does, in five to ten words, for the user.
    description: Option<String>,
    /// Do not wait for it. Read its output file when you need it.
    #[serde(default)]
    run_in_background: bool,
    /// Run it outside the sandbox. The user is asked each time, so only after the sandbox refused
    /// something that the task needs.
    #[serde(default, rename = "dangerouslyDisableSandbox")]
    leave_sandbox: bool,
}

impl Tool for Bash {
    type Input = Input;
    const NAME: &'static str = "Bash";
    const KIND: Kind = Kind::Execute;

    fn title(input: &Input, _: &Path) -> String {
        let described = input.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
        one_line(&input.command, described)
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let (looked, planned) =
            command::look(&input.command, input.leave_sandbox, cx.world.terminal(), &cx).await?;
        let subjects = planned.subjects.clone();
        Ok(planned.describe(Plan::new(subjects, move |cx| run(input, looked, cx))))
    }
}

/// The whole command is in the preview; a title is one line.
pub(super) fn one_line(command: &str, described: Option<&str>) -> String {
    let command = command.trim();
    let line = described.unwrap_or(command).lines().next().unwrap_or_default();
    let head = &line[..line.floor_char_boundary(TITLE)];
    if described.is_none() && head.len() < command.len() {
        format!("{head} …")
    } else {
        head.to_owned()
    }
}

/// A command under way. Dropped, it ends.
struct Working {
    task: JoinHandle<Result<Done, Problem>>,
    abort: AbortOnDrop,
    cancel: CancellationToken,
    kept: Kept,
    reserved: Reserved,
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn run(input: Input, looked: Looked, cx: Context) -> Result<Outcome, Problem> {
    let reserved = cx.world.tasks().reserve(TaskKind::Shell).map_err(Problem)?;
    let movable = !input.run_in_background && looked.terminal.is_none() && may_move(&looked, &cx);
    let patience = patience(&input);
    // One that may go on in the background is not ended by its first timeout.
    let limit = if movable { BACKGROUND_TIMEOUT.max(patience) } else { patience };
    let ready = looked.ready(limit, &cx).await?;
    let kept = Kept::new(reserved.output.clone(), &cx.session.redactor());
    let cancel = CancellationToken::new();
    let task = tokio::spawn({
        let (cx, cancel, kept) = (cx.clone(), cancel.clone(), kept.clone());
        async move {
            let progress = cx.progress.clone();
            let heard = kept.clone();
            let on_output = move |output: &str| {
                heard.push(output);
                progress.output(output);
            };
            let done = ready.run(&cx, cancel, on_output).await;
            kept.finish();
            done
        }
    });
    let abort = AbortOnDrop(task.abort_handle());
    let mut working = Working { task, abort, cancel, kept, reserved };
    if input.run_in_background {
        let id = working.leave(&input, &cx).await?;
        return Ok(left_running(&id, Why::Begun));
    }
    let ended = tokio::select! {
        ended = &mut working.task => ended,
        () = cx.cancel.cancelled() => {
            working.cancel.cancel();
            (&mut working.task).await
        }
        () = tokio::time::sleep(patience), if movable => {
            let id = working.leave(&input, &cx).await?;
            return Ok(left_running(&id, Why::Late(patience)));
        }
        () = cx.session.told_to_leave(&cx.call_id), if movable => {
            let id = working.leave(&input, &cx).await?;
            return Ok(left_running(&id, Why::Wished));
        }
    };
    let Done { finished, mut notes } = ended.map_err(broke_down)??;
    let mut outcome = report(&input.command, &finished, patience);
    if let Some((path, total)) = working.kept.file() {
        let path = path.display();
        notes.push(format!("The whole output, {total} bytes, is in {path}. Read what you need."));
    }
    notes.extend(keep_folder(&cx, &looked.cwd, finished.cwd_after).await);
    let notes = notes.iter().map(|note| ResultPart::Text { text: reminder(note) });
    outcome.content.extend(notes);
    Ok(outcome)
}

fn broke_down(error: tokio::task::JoinError) -> Problem {
    Problem(format!("The command could not be seen to its end ({error}). Try again."))
}

impl Working {
    /// The session keeps it from here on. Gives the task's id.
    async fn leave(self, input: &Input, cx: &Context) -> Result<Reserved, Problem> {
        let Working { task, abort, cancel, kept, reserved } = self;
        kept.to_file().map_err(Problem)?;
        let stopped = cancel.clone();
        let command = input.command.clone();
        let work = async move {
            // Held until the end: who drops this work ends the command.
            let _abort = abort;
            match task.await.map_err(broke_down).and_then(|done| done) {
                Ok(done) => ended(&command, done, stopped.is_cancelled()),
                Err(problem) => TaskEnd {
                    state: TaskState::Failed,
                    exit_code: None,
                    how: format!("failed: {problem}"),
                    notes: Vec::new(),
                },
            }
        };
        let new = NewTask {
            id: reserved.id.clone(),
            kind: TaskKind::Shell,
            title: Bash::title(input, cx.session.cwd()),
            call_id: cx.call_id.clone(),
            output: reserved.output.clone(),
            cancel,
            work: Box::pin(work),
        };
        cx.world.tasks().keep(new).await.map_err(Problem)?;
        Ok(reserved)
    }
}

/// Why nobody waits for a command.
enum Why {
    Begun,
    Late(Duration),
    /// The user does not want to.
    Wished,
}

fn left_running(task: &Reserved, why: Why) -> Outcome {
    let Reserved { id, output } = task;
    let why = match why {
        Why::Late(waited) => {
            format!("The command took longer than {} seconds and goes on", waited.as_secs_f64())
        }
        Why::Wished => "The user does not want to wait for the command, so it goes on".to_owned(),
        Why::Begun => "The command runs".to_owned(),
    };
    Outcome::text(format!(
        "{why} in the background as task {id}. What it prints goes to {}; read that file when you \
         need it. You will be told when it ends. TaskStop stops it.",
        output.display()
    ))
}

/// How a command in the background ended.
pub(super) fn ended(command: &str, done: Done, stopped: bool) -> TaskEnd {
    let Done { finished, notes } = done;
    let (state, exit_code, how) = match finished.status {
        _ if stopped => (TaskState::Stopped, None, "was stopped".to_owned()),
        Exit::Code(code) => {
            let well = code == 0 || (code == 1 && says_no(command));
            let state = if well { TaskState::Completed } else { TaskState::Failed };
            (state, Some(code), format!("ended with exit code {code}"))
        }
        Exit::Signal(signal) => (TaskState::Failed, None, format!("was ended by signal {signal}")),
        Exit::TimedOut => {
            (TaskState::Failed, None, "ran into its timeout and was stopped".to_owned())
        }
        Exit::Cancelled => (TaskState::Stopped, None, "was stopped".to_owned()),
    };
    TaskEnd { state, exit_code, how, notes }
}

fn patience(input: &Input) -> Duration {
    let (usual, longest) = match input.run_in_background {
        true => (BACKGROUND_TIMEOUT, LONGEST_BACKGROUND_TIMEOUT),
        false => (TIMEOUT, LONGEST_TIMEOUT),
    };
    input.timeout.map_or(usual, Duration::from_millis).min(longest)
}

/// Whether a command that takes too long may go on behind everybody's back. Nothing is gained by
/// one that only waits; git holds locks that others need; and of what cannot be read nobody knows.
fn may_move(looked: &Looked, cx: &Context) -> bool {
    let home = cx.session.permissions().home;
    let parts = policy::explain(&looked.command, &looked.cwd, home.as_deref());
    let program = |words: &[String]| {
        let name = words.first().map(String::as_str).unwrap_or_default();
        name.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let starts_waiting = parts.first().is_some_and(|part| program(&part.words) == "sleep");
    let git = parts
        .iter()
        .any(|part| part.words.iter().any(|word| program(std::slice::from_ref(word)) == "git"));
    !parts.is_empty() && !starts_waiting && !git
}

/// The next command starts where this one ended, if a session may stand there.
async fn keep_folder(cx: &Context, before: &Path, after: Option<PathBuf>) -> Option<String> {
    let after = after.filter(|after| after != before)?;
    let roots = cx.session.permissions().roots;
    let looked_at = after.clone();
    let real = blocking(move || workspace::real_path(&looked_at)).await.ok()?.ok()?;
    let start = cx.session.cwd();
    if roots.iter().any(|root| real.starts_with(root)) || real.starts_with(start) {
        cx.session.set_shell_cwd(after);
        return None;
    }
    cx.session.set_shell_cwd(start.to_owned());
    Some(format!("Shell cwd was reset to {}", start.display()))
}

fn report(command: &str, finished: &Finished, timeout: Duration) -> Outcome {
    let (headline, failed) = match finished.status {
        Exit::Code(0) => (None, false),
        Exit::Code(1) if says_no(command) => (Some("Exit code 1".to_owned()), false),
        Exit::Code(code) => (Some(format!("Exit code {code}")), true),
        Exit::Signal(signal) => (Some(format!("The command was ended by signal {signal}.")), true),
        Exit::TimedOut => {
            let seconds = timeout.as_secs_f64();
            let advice = "Give a larger timeout, or run less at once.";
            (Some(format!("The command was stopped after {seconds} seconds. {advice}")), true)
        }
        Exit::Cancelled => (Some("The user interrupted the command.".to_owned()), true),
    };
    let cap = if failed { FAILED_OUTPUT_CAP } else { INLINE };
    let output = head_and_tail(finished.output.trim_end(), cap);
    let text = match (headline, output.is_empty()) {
        (None, true) => "(no output)".to_owned(),
        (None, false) => output,
        (Some(headline), true) => headline,
        (Some(headline), false) => format!("{headline}\n{output}"),
    };
    let exit_code = match finished.status {
        Exit::Code(code) => Some(code),
        _ => None,
    };
    Outcome { is_error: failed, exit_code, ..Outcome::text(text) }
}

/// Whether exit code 1 is an answer and no failure. The last command of a line gives the code.
fn says_no(command: &str) -> bool {
    let last = command.trim().rsplit(['|', ';', '&', '\n']).next().unwrap_or_default();
    let mut words = last.split_whitespace();
    match words.next() {
        Some("git") => matches!(words.next(), Some("diff" | "grep")),
        Some(program) => SAY_NO.contains(&program),
        None => false,
    }
}

#[cfg(test)]
mod tests;
