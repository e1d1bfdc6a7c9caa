//! Bash: a command in the user's shell.

mod programs;
mod refused;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agent::ResultPart;
use exec::{Exit, Finished, Sandbox, Shell, Walls};
use policy::{Run, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use workspace::{Kind as FileKind, ResolveError};

use crate::context::Context;
use crate::known;
use crate::place::{blocking, sentence};
use crate::show::{head_and_tail, reminder};
use crate::tool::{Kind, Outcome, Plan, Preview, Problem, Tool};
use crate::world::Shelter;
use refused::notes_on_refused;

const TIMEOUT: Duration = Duration::from_secs(120);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);
/// How much of the output is shown. A failure is explained at its start or at its end.
const OUTPUT_CAP: usize = 30_000;
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
/// A command that runs longer than its timeout is stopped. Commands may run in a sandbox, which lets
/// them write in the working directories and reach only hosts that the user allows; the result says
/// what it refused.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The command.
    command: String,
    /// Milliseconds until it is stopped: 120000 if left out, 600000 at most.
    timeout: Option<u64>,
    /// What it does, in five to ten words, for the user.
    description: Option<String>,
    /// Run it outside the sandbox. The user is asked each time, so only after the sandbox refused
    /// something that the task needs.
    #[serde(default, rename = "dangerouslyDisableSandbox")]
    leave_sandbox: bool,
}

/// Where a command runs, and what policy makes of that.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Staying {
    inside: bool,
    run: Run,
}

impl Staying {
    fn of(input: &Input, shelter: Option<&Shelter>) -> Result<Staying, Problem> {
        let Some(shelter) = shelter else { return Ok(Staying { inside: false, run: Run::Open }) };
        if input.leave_sandbox {
            if !shelter.may_be_left {
                let message = "The settings do not let commands leave the sandbox. Do it without \
                               leaving, or tell the user what you would need.";
                return Err(Problem::new(message));
            }
            return Ok(Staying { inside: false, run: Run::Escaping });
        }
        if policy::is_excluded(&input.command, &shelter.excluded) {
            return Ok(Staying { inside: false, run: Run::Open });
        }
        let run = if shelter.quiet { Run::Contained } else { Run::Open };
        Ok(Staying { inside: true, run })
    }
}

impl Tool for Bash {
    type Input = Input;
    const NAME: &'static str = "Bash";
    const KIND: Kind = Kind::Execute;

    fn title(input: &Input, _: &Path) -> String {
        let described = input.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let command = input.command.trim();
        // The whole command is in the preview; a title is one line.
        let line = described.unwrap_or(command).lines().next().unwrap_or_default();
        let head = &line[..line.floor_char_boundary(TITLE)];
        if described.is_none() && head.len() < command.len() {
            format!("{head} …")
        } else {
            head.to_owned()
        }
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        if input.command.trim().is_empty() {
            return Err(Problem::new("The command is empty. Say what to run."));
        }
        let cwd = starting_folder(&cx).await?;
        let command = input.command.clone();
        let shelter = cx.world.shelter().map_err(Problem)?;
        let staying = Staying::of(&input, shelter.as_ref())?;
        let mut subjects =
            vec![Subject::Command { command: command.clone(), cwd: cwd.clone(), run: staying.run }];
        subjects.extend(linked_elsewhere(&command, &cwd, &cx).await?);
        let identity = programs::identity(&command, &cwd, &cx).await?;
        let sandbox = shelter.filter(|_| staying.inside).map(|shelter| shelter.description);
        let preview = Preview::Command { command, cwd: cwd.clone(), sandbox };
        let plan = Plan::new(subjects, move |cx| run(input, cwd, staying, cx));
        Ok(plan.preview(preview).identity(identity))
    }
}

/// The files a command names that really lie elsewhere. The policy judges a command by the names in
/// it; a link must not lead a harmless-looking one out of the workspace.
async fn linked_elsewhere(
    command: &str,
    cwd: &Path,
    cx: &Context,
) -> Result<Vec<Subject>, Problem> {
    let home = cx.session.permissions().home;
    let touched = policy::touched_paths(command, cwd, home.as_deref());
    blocking(move || {
        let linked = touched.into_iter().filter_map(|touched| {
            let path = touched.path;
            let resolved = match workspace::real_path(&path) {
                // The command would open whatever the kernel keeps there. No such path is decided
                // about, and the policy knows that by its spelling.
                Err(ResolveError::Magic { .. }) => path.join(".."),
                // What else cannot be resolved does not exist, or the command cannot open it.
                resolved => resolved.ok().filter(|resolved| *resolved != path)?,
            };
            Some(if touched.writes {
                Subject::Edit { path, resolved, links: 0 }
            } else {
                Subject::Read { path, resolved }
            })
        });
        linked.collect()
    })
    .await
}

/// Where the last command ended, if that folder is still there.
async fn starting_folder(cx: &Context) -> Result<PathBuf, Problem> {
    let folder = cx.session.shell_cwd();
    let looked_at = folder.clone();
    let kind = blocking(move || workspace::kind(&looked_at)).await?;
    if matches!(kind, Ok(Some(FileKind::Folder))) {
        return Ok(folder);
    }
    let start = cx.session.cwd().to_owned();
    cx.session.set_shell_cwd(start.clone());
    Ok(start)
}

async fn run(
    input: Input,
    cwd: PathBuf,
    staying: Staying,
    cx: Context,
) -> Result<Outcome, Problem> {
    let unsaved = tokio::select! {
        unsaved = cx.world.before_command() => unsaved,
        () = cx.cancel.cancelled() => return Err(Problem::new("Stopped before the command ran.")),
    };
    // After the saving, which is not the command's doing.
    let before = known::before(&cx).await?;
    let walls = match staying.inside {
        true => cx.world.walls().await.map_err(Problem)?,
        false => Walls::Open,
    };
    let home = cx.session.permissions().home;
    let losing = policy::loses_work_in(&input.command, &cwd, home.as_deref());
    let kept = cx.world.keep_work(losing).await;
    let finished = execute(&input, &cwd, walls, &cx).await?;
    let changed = known::after(&cx, before).await?;
    let mut notes = known::note_on_unsaved(cx.session.cwd(), &unsaved);
    notes.extend(kept);
    notes.extend(known::note_on_changed(cx.session.cwd(), &changed));
    cx.world.after_command(changed.rewritten).await;
    let mut outcome = report(&input.command, &finished, timeout(&input));
    notes.extend(keep_folder(&cx, &cwd, finished.cwd_after).await);
    if !finished.denials.is_empty() {
        cx.world.refused(&finished.denials).await;
        let shelter = cx.world.shelter().ok().flatten();
        notes.extend(notes_on_refused(&input.command, &finished.denials, shelter.as_ref()));
    }
    let notes = notes.iter().map(|note| ResultPart::Text { text: reminder(note) });
    outcome.content.extend(notes);
    Ok(outcome)
}

fn timeout(input: &Input) -> Duration {
    input.timeout.map_or(TIMEOUT, Duration::from_millis).min(LONGEST_TIMEOUT)
}

async fn execute(
    input: &Input,
    cwd: &Path,
    walls: Walls,
    cx: &Context,
) -> Result<Finished, Problem> {
    let env = cx.session.env();
    // The system's own first: a folder of the workspace on PATH must not bring its own shell.
    let shell = Shell::find(OsStr::new(Sandbox::SEARCH_PATH));
    let shell = shell.or_else(|_| Shell::find(&programs::search_path(env)));
    let mut spec =
        shell.map_err(|error| sentence(&error))?.command(input.command.as_str(), cwd, walls);
    spec.env = env.to_vec();
    spec.timeout = timeout(input);
    spec.output_cap = OUTPUT_CAP;
    let progress = cx.progress.clone();
    let finished = exec::run(spec, cx.cancel.clone(), move |output| progress.output(output)).await;
    finished.map_err(|error| sentence(&error))
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
    let cap = if failed { FAILED_OUTPUT_CAP } else { OUTPUT_CAP };
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
