//! From a skill's file to what the model reads: arguments filled in, commands replaced by what they
//! print, files attached.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent::turn::ToolCall;
use agent::{Block, ResultPart};
use extend::hooks::WrittenBy;
use extend::skills::{Fork, Piece, Values, pieces, substitute};
use extend::{HookEvent, Skill, SkillSource};
use policy::{Entry, Source};
use protocol::event::Severity;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tools::{CallReport, CallStatus, Context, Progress, Registry, SessionState, run_call};

use super::gate::SkillGate;
use super::terms::{Lent, Terms};
use super::used;
use crate::session::Session;
use crate::session::hooks::AfterCalls;
use crate::session::prompt_media::mentions;
use crate::session::world::SessionWorld;

/// One command may take so long.
const WITHIN: Duration = Duration::from_secs(120);
/// More in one text is a program, and belongs into a script.
const MOST_COMMANDS: usize = 20;
const MOST_FILES: usize = 10;

/// The tool that starts agents; not every session has it.
pub(super) const AGENT: &str = "Agent";

/// What stands for the output of a command that may not run.
const SWITCHED_OFF: &str = "[shell command execution disabled by policy]";

/// A skill that is being called, with all it needs; it can be carried to another task.
pub struct Expansion {
    skill: Skill,
    values: Values,
    /// Commands do not run.
    no_shell: bool,
    /// What it allows counts for its own commands, too.
    also: Arc<[Entry]>,
    /// The tools of whoever calls it, and those that its own commands run with.
    registry: Arc<Registry>,
    runs_with: Arc<Registry>,
    state: Arc<SessionState>,
    world: Arc<SessionWorld>,
    gate: SkillGate,
    id: String,
    pub(super) cancel: CancellationToken,
}

/// A skill, ready to be read.
pub struct Ready {
    pub(super) name: String,
    pub(super) note: String,
    /// Files that its text names.
    pub(super) attached: Vec<Block>,
    pub(super) terms: Terms,
    /// It wants a conversation of its own.
    pub(super) fork: Option<Fork>,
}

impl Ready {
    /// Where its files are.
    pub(in crate::session) fn folder(&self) -> Option<PathBuf> {
        self.terms.folder.clone()
    }

    /// As notes for the model, for whoever is to know it from the beginning.
    pub(in crate::session) fn into_blocks(self) -> Vec<Block> {
        let note = Block::text(tools::reminder(&self.note));
        std::iter::once(note).chain(self.attached).collect()
    }
}

impl Session {
    /// A skill that an agent's file names. The error is a sentence for the user.
    pub(in crate::session) fn preloadable(&self, name: &str) -> Result<Skill, String> {
        let not = |why: &str| format!("The skill {name}, which the agent's file names, {why}.");
        match self.skills.find(name) {
            Some(skill) if skill.head.not_for_model => Err(not("is for the user alone")),
            Some(skill) => Ok(skill.clone()),
            None => Err(not("is not there")),
        }
    }

    /// Everything that calling a skill takes.
    pub(in crate::session) fn expansion(&mut self, skill: Skill, arguments: &str) -> Expansion {
        self.take_hooks_of(&skill);
        let cwd = self.state.cwd().display().to_string();
        let effort = self.config.options.effort().map(|effort| effort.name()).unwrap_or("default");
        let mut values = Values::new(arguments, &skill.head.arguments)
            .with("SESSION_ID", self.id.clone())
            .with("PROJECT_DIR", cwd)
            .with("EFFORT", skill.head.effort.map_or(effort, |effort| effort.name()));
        if let Some(folder) = skill.file.as_deref().and_then(Path::parent) {
            values = values.with("SKILL_DIR", folder.display().to_string());
        }
        if let Some((root, data)) = &skill.plugin {
            values = values.with("PLUGIN_ROOT", root.display().to_string());
            let data = data.as_deref().unwrap_or(root).display().to_string();
            values = values.with("PLUGIN_DATA", data);
        }
        let also = self.turn_rules_of(&Terms::of(&skill)).into();
        let ours = matches!(skill.source, SkillSource::Managed | SkillSource::Bundled);
        let turn = self.running.as_ref().map(|running| running.turn.id().to_owned());
        let turn = turn.unwrap_or_default();
        let id = self.next_id("skill");
        Expansion {
            also,
            no_shell: self.skills.settings.no_shell && !ours,
            registry: self.registry.clone(),
            runs_with: self.all_tools(),
            state: self.state.clone(),
            world: Arc::new(self.world(turn.clone(), id.clone())),
            gate: SkillGate {
                turn,
                own: self.own.clone(),
                guards: self.guards.clone(),
                after: AfterCalls(self.hooks.clone()),
            },
            cancel: CancellationToken::new(),
            skill,
            values,
            id,
        }
    }
}

impl Session {
    /// From now on the hooks in its head count.
    fn take_hooks_of(&mut self, skill: &Skill) {
        let Some(hooks) = &skill.head.hooks else { return };
        let by = WrittenBy {
            source: match skill.source {
                SkillSource::Managed => Source::Managed,
                SkillSource::Project => Source::Project,
                _ => Source::User,
            },
            of: format!("the skill {}", skill.name),
            file: skill.file.clone().unwrap_or_default(),
            is_agent: false,
        };
        match extend::hooks::written(hooks, &by) {
            Ok(mut hooks) => {
                let root = skill.plugin.as_ref().map(|(root, _)| root.display().to_string());
                let env = root.map(|root| ("CLAUDE_PLUGIN_ROOT".to_owned(), root));
                hooks.iter_mut().for_each(|hook| hook.env.extend(env.clone()));
                self.add_hooks(hooks);
            }
            Err(problem) => self.notice(Severity::Warning, problem),
        }
    }
}

impl Expansion {
    /// Whether it takes a while: it has commands to run, or files to read, or hooks look at it.
    pub(in crate::session) fn takes_time(&self) -> bool {
        let body = &self.skill.body;
        if self.gate.after.0.any(HookEvent::UserPromptExpansion) {
            return true;
        }
        let runs = pieces(body).iter().any(|piece| matches!(piece, Piece::Shell(_)));
        (runs && !self.no_shell) || body.contains('@')
    }

    /// Hooks may say no to what a prompt stands for, and add to it.
    pub(in crate::session) async fn run_for_prompt(
        &self,
        written: &str,
        arguments: &str,
    ) -> Result<Ready, String> {
        let (name, source) = (&self.skill.name, self.skill.source.name());
        let fields = || {
            json!({
                "expansion_type": "slash_command",
                "command_name": name,
                "command_args": arguments,
                "command_source": source,
                "prompt": written,
            })
        };
        let hooks = &self.gate.after.0;
        let heard = hooks.run(HookEvent::UserPromptExpansion, Some(name), fields).await;
        if let Some(reason) = heard.no() {
            return Err(format!("A hook did not let /{name} through: {reason}"));
        }
        let mut ready = self.run().await?;
        let words = heard.context.iter().map(|words| Block::text(tools::reminder(words)));
        ready.attached.extend(words);
        Ok(ready)
    }

    /// The error is a sentence for the user or the model. Must not run on the session's own task:
    /// what it does is written down there.
    pub(in crate::session) async fn run(&self) -> Result<Ready, String> {
        let name = &self.skill.name;
        let text = self.filled().await?;
        let attached = self.attach(&text).await;
        let note = used::written(name, &self.about(), &text);
        let fork = self.skill.head.fork.clone();
        Ok(Ready { name: name.clone(), note, attached, terms: Terms::of(&self.skill), fork })
    }

    /// Its text alone, with its arguments filled in and what its commands print.
    pub(super) async fn filled(&self) -> Result<String, String> {
        let name = &self.skill.name;
        let filled = substitute(&pieces(&self.skill.body), &self.values);
        let commands = filled.iter().filter(|piece| matches!(piece, Piece::Shell(_))).count();
        if commands > MOST_COMMANDS {
            return Err(format!("The skill {name} has more than {MOST_COMMANDS} commands in it."));
        }
        let mut text = String::new();
        for (number, piece) in filled.iter().enumerate() {
            match piece {
                Piece::Text(words) => text.push_str(words),
                Piece::Shell(_) if self.no_shell => text.push_str(SWITCHED_OFF),
                Piece::Shell(command) => text.push_str(&self.print(number, command).await?),
            }
        }
        Ok(text.trim().to_owned())
    }

    /// The same without anything that takes time.
    pub(in crate::session) fn at_once(self) -> Ready {
        let text: String = substitute(&pieces(&self.skill.body), &self.values)
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(words) => words,
                Piece::Shell(_) => SWITCHED_OFF.to_owned(),
            })
            .collect();
        let name = self.skill.name.clone();
        let note = used::written(&name, &self.about(), text.trim());
        let fork = self.skill.head.fork.clone();
        Ready { name, note, attached: Vec::new(), terms: Terms::of(&self.skill), fork }
    }

    fn about(&self) -> String {
        let called = "This skill was called up. Do what it says.";
        match (&self.skill.folder, self.skill.file.as_deref().and_then(Path::parent)) {
            (Some(_), Some(folder)) => {
                format!("{called} Files it speaks of are in {}.", folder.display())
            }
            _ => called.to_owned(),
        }
    }

    /// What a command prints.
    async fn print(&self, number: usize, command: &str) -> Result<String, String> {
        let failed = |why: &str| {
            let name = &self.skill.name;
            format!("The skill {name} was not used: its command `{command}` {why}")
        };
        if self.skill.head.no_shell {
            return Err(failed("is for a shell that is not there."));
        }
        let input = json!({ "command": command, "timeout": WITHIN.as_millis() as u64 * 2 });
        let Some(report) = self.in_time(self.call(number, "Bash", input)).await else {
            return Err(failed("took longer than two minutes."));
        };
        let text = words(&report);
        match report.status {
            CallStatus::Completed => Ok(text.trim_end().to_owned()),
            CallStatus::Denied => {
                // What follows is for a model that might try again.
                let why = text.lines().next().unwrap_or_default();
                let why = why.trim_start_matches("This call was not allowed: ");
                Err(failed(&format!("may not run. {why}")))
            }
            CallStatus::Cancelled => Err(failed("was stopped.")),
            CallStatus::Failed => Err(failed(&format!("failed.\n{text}"))),
        }
    }

    /// One call through the ordinary pipeline.
    async fn call(&self, number: usize, tool: &str, input: Value) -> CallReport {
        let cx = Context {
            world: self.world.clone(),
            session: self.state.clone(),
            call_id: format!("{}_{number}", self.id),
            cancel: self.cancel.clone(),
            progress: Progress::new(|_| ()),
            also: self.also.clone(),
        };
        let call = ToolCall { id: cx.call_id.clone(), name: tool.to_owned(), input };
        let registry = if tool == AGENT { &self.registry } else { &self.runs_with };
        run_call(registry, call, cx, &self.gate).await
    }

    /// `None` when it was not over in time; who is dropped ends what it started.
    async fn in_time(&self, call: impl Future<Output = CallReport>) -> Option<CallReport> {
        tokio::time::timeout(WITHIN, call).await.ok()
    }

    /// Has a skill that wants a conversation of its own carried out by an agent, where there are
    /// any: what the agent reports. `None`: it is read here.
    pub(in crate::session) async fn delegate(
        &self,
        ready: &Ready,
    ) -> Option<Result<String, String>> {
        let fork = ready.fork.as_ref().filter(|_| self.registry.kind(AGENT).is_some())?;
        // What the skill allows, the agent has from the session.
        let (done, is_lent) = oneshot::channel();
        self.gate.lend(&self.id, Lent(ready.terms.clone()), done).await;
        let _ = is_lent.await;
        let mut input = json!({
            "description": format!("Skill {}", ready.name),
            "prompt": ready.note,
            "run_in_background": fork.background,
        });
        let wishes = [
            ("subagent_type", fork.agent.as_deref()),
            ("model", ready.terms.model.as_deref()),
            ("effort", ready.terms.effort.map(|effort| effort.name())),
        ];
        for (key, wish) in wishes {
            if let Some(wish) = wish {
                input[key] = json!(wish);
            }
        }
        let report = self.call(0, AGENT, input).await;
        let text = words(&report);
        Some(if report.status == CallStatus::Completed { Ok(text) } else { Err(text) })
    }

    /// The files that a text names with `@`, as the model would read them. A name that leads nowhere
    /// is only a word.
    async fn attach(&self, text: &str) -> Vec<Block> {
        let mut names: Vec<&str> = mentions::of(text);
        names.dedup();
        let mut blocks = Vec::new();
        for name in names {
            if blocks.len() == MOST_FILES {
                break;
            }
            let path = self.state.cwd().join(name);
            let is_file = tokio::task::spawn_blocking(move || {
                matches!(workspace::kind(&path), Ok(Some(workspace::Kind::File)))
            });
            if !is_file.await.unwrap_or(false) {
                continue;
            }
            let path = self.state.cwd().join(name).display().to_string();
            let number = 1_000 + blocks.len();
            let report = self.call(number, "Read", json!({ "file_path": path })).await;
            let text = match report.status {
                CallStatus::Completed => {
                    format!("{name}, which the skill names:\n{}", words(&report))
                }
                _ => format!("{name}, which the skill names, was not attached: {}", words(&report)),
            };
            blocks.push(Block::text(tools::reminder(&text)));
            let media = report.outcome.content.into_iter();
            let media = media.filter(|part| !matches!(part, ResultPart::Text { .. }));
            blocks.extend(media.map(Block::from));
        }
        blocks
    }
}

/// What a call said, without our own notes to the model.
fn words(report: &CallReport) -> String {
    let texts = report.outcome.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } if !tools::is_reminder(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
