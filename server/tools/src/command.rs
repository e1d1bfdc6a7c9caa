//! Commands, as the tools that run one look at them, start them and see them to their end.

mod kept;
mod linked;
mod programs;
mod refused;
mod terminal;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use exec::{Finished, Sandbox, Shell, Spec, Walls};
use policy::{Run, Subject};
use tokio_util::sync::CancellationToken;
use workspace::Kind as FileKind;

use crate::context::Context;
use crate::known::{self, Before};
use crate::place::{blocking, sentence};
use crate::tool::{Plan, Preview, Problem};
use crate::world::{Shelter, Terminal, Unsaved};
pub(crate) use kept::{INLINE, Kept};
use refused::{is_untold, notes_on_refused};

/// A command that was looked at: where it would run, and in what.
#[derive(Clone)]
pub(crate) struct Looked {
    pub(crate) command: String,
    pub(crate) cwd: PathBuf,
    pub(crate) staying: Staying,
    /// Where the user wants to see it run.
    pub(crate) terminal: Option<Arc<dyn Terminal>>,
}

/// Where a command runs, and what policy makes of that.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Staying {
    pub(crate) inside: bool,
    pub(crate) run: Run,
}

impl Staying {
    pub(crate) fn of(
        command: &str,
        leave_sandbox: bool,
        shelter: Option<&Shelter>,
    ) -> Result<Staying, Problem> {
        let Some(shelter) = shelter else { return Ok(Staying { inside: false, run: Run::Open }) };
        if leave_sandbox {
            if !shelter.may_be_left {
                let message = "The settings do not let commands leave the sandbox. Do it without \
                               leaving, or tell the user what you would need.";
                return Err(Problem::new(message));
            }
            return Ok(Staying { inside: false, run: Run::Escaping });
        }
        if policy::is_excluded(command, &shelter.excluded) {
            return Ok(Staying { inside: false, run: Run::Open });
        }
        let run = if shelter.quiet { Run::Contained } else { Run::Watched };
        Ok(Staying { inside: true, run })
    }
}

/// Looks at a command: everything that is decided about, and what a yes is bound to.
pub(crate) async fn look(
    command: &str,
    leave_sandbox: bool,
    terminal: Option<Arc<dyn Terminal>>,
    cx: &Context,
) -> Result<(Looked, Planned), Problem> {
    if command.trim().is_empty() {
        return Err(Problem::new("The command is empty. Say what to run."));
    }
    let cwd = starting_folder(cx).await?;
    let command = command.to_owned();
    let shelter = cx.world.shelter().map_err(Problem)?;
    // Nothing keeps a command in there, so it is decided about as one that nothing keeps in.
    let terminal = terminal.filter(|_| shelter.as_ref().is_none_or(|it| it.may_be_left));
    let staying = match &terminal {
        Some(_) => Staying { inside: false, run: Run::Open },
        None => Staying::of(&command, leave_sandbox, shelter.as_ref())?,
    };
    let mut subjects =
        vec![Subject::Command { command: command.clone(), cwd: cwd.clone(), run: staying.run }];
    subjects.extend(linked::elsewhere(&command, &cwd, staying.inside, cx).await?);
    let identity = programs::identity(&command, &cwd, cx).await?;
    let sandbox = shelter.filter(|_| staying.inside).map(|shelter| shelter.description);
    let preview = Preview::Command { command: command.clone(), cwd: cwd.clone(), sandbox };
    Ok((Looked { command, cwd, staying, terminal }, Planned { subjects, identity, preview }))
}

/// What the pipeline has to know of a command.
pub(crate) struct Planned {
    pub(crate) subjects: Vec<Subject>,
    identity: Vec<String>,
    preview: Preview,
}

impl Planned {
    pub(crate) fn describe(self, plan: Plan) -> Plan {
        plan.preview(self.preview).identity(self.identity)
    }
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

/// A command that is about to run.
pub(crate) struct Ready {
    command: String,
    spec: Spec,
    unsaved: Unsaved,
    before: Before,
    /// What was kept of work that the command may throw away.
    kept: Vec<String>,
    terminal: Option<Arc<dyn Terminal>>,
}

/// A command that has run.
pub(crate) struct Done {
    pub(crate) finished: Finished,
    /// What the model has to know besides the output.
    pub(crate) notes: Vec<String>,
}

impl Looked {
    /// Everything that has to be done first: saving, walls, a look at the known files.
    pub(crate) async fn ready(&self, limit: Duration, cx: &Context) -> Result<Ready, Problem> {
        let unsaved = tokio::select! {
            unsaved = cx.world.before_command() => unsaved,
            () = cx.cancel.cancelled() => {
                return Err(Problem::new("Stopped before the command ran."));
            }
        };
        // After the saving, which is not the command's doing.
        let before = known::before(cx).await?;
        let home = cx.session.permissions().home;
        let walls = match self.staying.inside {
            true => {
                let looks = policy::only_looks(&self.command, home.as_deref());
                cx.world.walls(looks).await.map_err(Problem)?
            }
            false => Walls::Open,
        };
        let losing = policy::loses_work_in(&self.command, &self.cwd, home.as_deref());
        let kept = cx.world.keep_work(losing).await;
        let env = cx.session.env();
        // The system's own first: a folder of the workspace on PATH must not bring its own shell.
        let shell = Shell::find(OsStr::new(Sandbox::SEARCH_PATH));
        let shell = shell.or_else(|_| Shell::find(&programs::search_path(&env)));
        let shell = shell.map_err(|error| sentence(&error))?;
        let mut spec = shell.command(self.command.as_str(), &self.cwd, walls);
        spec.env = env.to_vec();
        spec.timeout = limit;
        spec.output_cap = INLINE;
        let (command, terminal) = (self.command.clone(), self.terminal.clone());
        Ok(Ready { command, spec, unsaved, before, kept, terminal })
    }
}

impl Ready {
    /// Runs it to its end, and finds out what it changed. Dropping this ends the command.
    pub(crate) async fn run(
        self,
        cx: &Context,
        cancel: CancellationToken,
        on_output: impl FnMut(&str) + Send,
    ) -> Result<Done, Problem> {
        let mut finished = match &self.terminal {
            Some(terminal) => {
                let work = terminal.run(self.command.clone(), self.spec.cwd.clone());
                terminal::run(work, self.spec.timeout, cancel, on_output).await?
            }
            None => {
                let finished = exec::run(self.spec, cancel, on_output).await;
                finished.map_err(|error| sentence(&error))?
            }
        };
        let changed = known::after(cx, self.before).await?;
        let mut notes = known::note_on_unsaved(cx.session.cwd(), &self.unsaved);
        notes.extend(self.kept);
        notes.extend(known::note_on_changed(cx.session.cwd(), &changed));
        cx.world.after_command(changed.rewritten).await;
        if !finished.denials.is_empty() {
            let shelter = cx.world.shelter().ok().flatten();
            if let Some(shelter) = &shelter {
                finished.denials.retain(|denial| !is_untold(&self.command, denial, shelter));
            }
            cx.world.refused(&finished.denials).await;
            notes.extend(notes_on_refused(&self.command, &finished.denials, shelter.as_ref()));
        }
        Ok(Done { finished, notes })
    }
}
