//! The user's hooks as guards: commands that are told of a call before it runs, or before the user
//! is asked about it, and may stand in its way.
//!
//! Which hooks may run at all was decided when the settings were read: those of a folder only when
//! it is trusted and this very hook was approved.

mod answer;
mod input;
mod matcher;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use exec::{Program, Spec, Walls};
use extend::{HookKind, HookSetting, Settings};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::Rule;
use tokio_util::sync::CancellationToken;
use tools::{Guard, Guarded, Moment, Opinion, SessionState};

use super::Session;
use crate::telemetry::spans;
use matcher::Matcher;

/// How long a hook may take if it does not say otherwise.
const DEADLINE: Duration = Duration::from_secs(60);
/// Longer answers than this are no answers.
const OUTPUT_CAP: usize = 1024 * 1024;
/// How much of a command its name holds.
const NAME_CAP: usize = 60;

/// What all hooks of a session share.
struct Surroundings {
    session: String,
    /// Where the session is written down, if it is.
    transcript: Option<PathBuf>,
    state: Arc<SessionState>,
    walls: WallsOf,
}

/// Where a hook runs that looks at this call. Asked anew each time, because the settings may change.
type WallsOf = Arc<dyn Fn(&str) -> Result<Walls, String> + Send + Sync>;

impl Session {
    /// Takes over what the settings say about those who look at calls.
    pub(super) fn renew_guards(&mut self, settings: &Settings) {
        self.auto.renew(settings);
        let shelter = self.shelter.clone();
        let around = Arc::new(Surroundings {
            session: self.id.clone(),
            transcript: self.journal.path().map(Path::to_owned),
            state: self.state.clone(),
            walls: Arc::new(move |call| shelter.of_command(call)),
        });
        let hooks = settings.hooks.iter().filter_map(|hook| Hook::new(hook, around.clone()));
        self.guards = hooks.map(|hook| Arc::new(hook) as Arc<dyn Guard>).collect();
    }
}

struct Hook {
    name: String,
    moment: Moment,
    matcher: Matcher,
    condition: Option<Rule>,
    /// Why it cannot be run, or what to run.
    run: Result<Run, String>,
    deadline: Duration,
    around: Arc<Surroundings>,
}

#[derive(Clone)]
struct Run {
    command: String,
    /// Without a shell, and with these arguments.
    args: Option<Vec<String>>,
}

impl Hook {
    fn new(hook: &HookSetting, around: Arc<Surroundings>) -> Option<Hook> {
        let moment = match hook.event.as_str() {
            "PreToolUse" => Moment::BeforeCall,
            "PermissionRequest" => Moment::BeforeAsk,
            _ => return None,
        };
        // One that nobody waits for cannot stand in the way.
        if hook.definition.get("async").and_then(serde_json::Value::as_bool) == Some(true) {
            return None;
        }
        let command = hook.command.clone();
        let run = match hook.kind {
            HookKind::Command => Ok(Run { command, args: hook.args.clone() }),
            _ => Err("is of a kind that cannot be run yet; use a command, or remove it".to_owned()),
        };
        let line = hook.command.lines().next().unwrap_or_default();
        let shown = &line[..line.floor_char_boundary(NAME_CAP)];
        let more = if shown.len() < hook.command.len() { "…" } else { "" };
        Some(Hook {
            name: format!("the hook `{shown}{more}` from {}", hook.source),
            moment,
            matcher: Matcher::parse(hook.matcher.as_deref()),
            // A condition that cannot be read leaves the hook out of nothing.
            condition: hook.condition.as_deref().and_then(|rule| rule.parse().ok()),
            run,
            deadline: hook.timeout.unwrap_or(DEADLINE),
            around,
        })
    }

    async fn ask(&self, moment: Moment, call: &Guarded<'_>) -> Result<Opinion, String> {
        let run = self.run.clone()?;
        let around = &self.around;
        let (walls_of, id) = (around.walls.clone(), call.call.id.clone());
        // Building walls looks at the disk.
        let walls = tokio::task::spawn_blocking(move || walls_of(&id)).await;
        let walls = walls.map_err(|error| format!("has no walls to run in ({error})"))?;
        let walls = walls.map_err(|error| format!("has no walls to run in: {error}"))?;
        let mut spec = Spec::new(self.program(run), around.state.cwd(), walls);
        spec.env = around.env();
        spec.input =
            input::text(&around.session, around.transcript.as_deref(), moment, call).into();
        // Ended by us a little before the one who waits gives up, so that it ends as a whole.
        spec.timeout = self.deadline;
        spec.output_cap = OUTPUT_CAP;
        let finished = exec::run(spec, CancellationToken::new(), |_| {}).await;
        let finished = finished.map_err(|error| format!("could not be started: {error}"))?;
        answer::read(moment, &finished)
    }

    /// A shell gets the command as it was written, and finds everything else in its environment and
    /// on its standard input: nothing of the call becomes part of a command line.
    fn program(&self, run: Run) -> Program {
        let Run { command, args } = run;
        match args {
            None => {
                let arguments = vec!["-c".into(), command.into()];
                Program::Argv { program: "/bin/sh".into(), arguments }
            }
            Some(args) => {
                let fill = |text: String| OsString::from(self.around.filled(&text));
                let program = fill(command);
                Program::Argv { program, arguments: args.into_iter().map(fill).collect() }
            }
        }
    }
}

/// What the settings call the moment.
fn event(moment: Moment) -> &'static str {
    match moment {
        Moment::BeforeCall => "PreToolUse",
        Moment::BeforeAsk => "PermissionRequest",
    }
}

impl Surroundings {
    fn env(&self) -> Vec<(OsString, OsString)> {
        let cwd = self.state.cwd().as_os_str().to_owned();
        let own: [(&str, OsString); 4] = [
            ("CLAUDE_PROJECT_DIR", cwd.clone()),
            ("BOWLINE_PROJECT_DIR", cwd),
            ("CLAUDECODE", "1".into()),
            ("CLAUDE_CODE_SESSION_ID", self.session.clone().into()),
        ];
        let mut env = self.state.env().to_vec();
        env.retain(|(name, _)| own.iter().all(|(ours, _)| name != ours));
        env.extend(own.map(|(name, value)| (name.into(), value)));
        env
    }

    /// Without a shell there is nobody else to fill in the folder.
    fn filled(&self, text: &str) -> String {
        text.replace("${CLAUDE_PROJECT_DIR}", &self.state.cwd().display().to_string())
    }
}

impl Guard for Hook {
    fn name(&self) -> &str {
        &self.name
    }

    fn watches(&self, moment: Moment, call: &Guarded<'_>) -> bool {
        let in_scope = || self.condition.as_ref().is_none_or(|rule| call.falls_under(rule));
        moment == self.moment && self.matcher.matches(&call.call.name) && in_scope()
    }

    /// A little more than the process has, which then ends by itself.
    fn deadline(&self) -> Duration {
        self.deadline + Duration::from_secs(5)
    }

    fn judge<'a>(
        &'a self,
        moment: Moment,
        call: &'a Guarded<'a>,
    ) -> BoxFuture<'a, Result<Opinion, String>> {
        async move {
            let work = spans::hook(&self.around.session, event(moment), &call.call.id);
            let opinion = self.ask(moment, call).await;
            work.end(if opinion.is_ok() { "completed" } else { "failed" });
            opinion
        }
        .boxed()
    }
}
