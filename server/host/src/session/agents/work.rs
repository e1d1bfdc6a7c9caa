//! An agent's work from its beginning to its end: the worktree, the journal, the session, and what is
//! left of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::HookEvent;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::event::{AgentEnded, AgentStarted};
use protocol::tool::ToolStatus;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tools::{AgentReport, NewTask, TaskEnd, TaskKind, TaskState, Tasks as _};

use super::drive::{Closing, Driver, Heard};
use super::launch::{Launch, Place, mailbox};
use super::{AgentNews, Family, Member, Ran};
use crate::context::HostContext;
use crate::core::{Door, Reply};
use crate::session::hooks::Hooks;
use crate::session::setup::working_directory;
use crate::session::{Attach, Origin, Start, spawn};
use crate::store;
use crate::worktree::Worktree;

/// The longest answer that is told as it is; the output file has the rest.
const LONGEST_ANSWER: usize = 48 * 1024;

/// What came of it.
struct Worked {
    text: String,
    state: &'static str,
    calls: u64,
    tokens: u64,
    notes: Vec<String>,
}

/// Tells the family when an agent is not at work any more, however that came about.
struct AtWork {
    family: Arc<Family>,
    id: String,
    state: &'static str,
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.family.ended(&self.id, self.state);
    }
}

impl Launch {
    /// A value, because a hook may start an agent, and an agent has hooks.
    pub(in crate::session) fn start(
        self,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<AgentReport, String>> {
        self.run(cancel).boxed()
    }

    async fn run(self, cancel: CancellationToken) -> Result<AgentReport, String> {
        let (sender, mail) = mailbox();
        // In the background it goes on when the call, or its turn, is over.
        let cancel = match self.background {
            true => CancellationToken::new(),
            false => cancel.child_token(),
        };
        let ran = Ran { mailbox: Some(sender), cancel: cancel.clone(), ..self.ran.clone() };
        self.family.admit(ran)?;
        let (family, id) = (self.family.clone(), self.ran.id.clone());
        let at_work = AtWork { family, id: id.clone(), state: "stopped" };
        if !self.background {
            let Worked { text, state, calls, tokens, notes } =
                Box::pin(self.work(at_work, mail, cancel)).await;
            return Ok(AgentReport::Done {
                id,
                text,
                failed: state != "completed",
                calls,
                tokens,
                notes,
            });
        }
        let (tasks, output) = (self.tasks.clone(), self.reserved.output.clone());
        let task = NewTask {
            id: id.clone(),
            kind: TaskKind::Agent,
            title: format!("{}: {}", self.ran.agent, self.ran.description),
            call_id: self.kin.member.call.clone(),
            output: output.clone(),
            cancel: cancel.clone(),
            work: self.work(at_work, mail, cancel).map(Worked::into_end).boxed(),
        };
        tasks.keep(task).await?;
        Ok(AgentReport::Begun { id, output: Some(output) })
    }

    async fn work(
        self,
        mut at_work: AtWork,
        mail: mpsc::Receiver<String>,
        cancel: CancellationToken,
    ) -> Worked {
        let (family, member) = (self.family.clone(), self.kin.member.clone());
        let (agent_id, agent_type) = (self.ran.id.clone(), self.ran.agent.clone());
        let parent_tool_call_id = member.call.clone();
        let started = AgentStarted {
            agent_id: agent_id.clone(),
            agent_type: agent_type.clone(),
            parent_tool_call_id: parent_tool_call_id.clone(),
            description: Some(self.ran.description.clone()),
            name: self.ran.name.clone(),
            color: member.color.clone(),
        };
        let (clock, began) = (self.host.clock, self.host.clock.millis());
        family.tell(AgentNews::Event(Box::new(started.into()))).await;
        let output = self.reserved.output.clone();
        let worked = match Box::pin(self.try_work(mail, cancel)).await {
            Ok(worked) => worked,
            Err(problem) => Worked {
                text: format!("The agent could not begin: {problem}"),
                state: "failed",
                calls: 0,
                tokens: 0,
                notes: Vec::new(),
            },
        };
        let text = worked.text.clone();
        let _ =
            tokio::task::spawn_blocking(move || store::append(&output, &format!("{text}\n"))).await;
        at_work.state = worked.state;
        drop(at_work);
        let status = Some(match worked.state {
            "completed" => ToolStatus::Completed,
            "stopped" => ToolStatus::Cancelled,
            _ => ToolStatus::Failed,
        });
        let ended = AgentEnded {
            agent_id,
            agent_type,
            parent_tool_call_id,
            status,
            tool_calls: Some(worked.calls),
            tokens: Some(worked.tokens),
            duration_ms: Some(clock.millis().saturating_sub(began)),
        };
        family.tell(AgentNews::Event(Box::new(ended.into()))).await;
        worked
    }

    /// In a worktree of its own, where it is to have one. Whatever becomes of the work, a worktree with
    /// nothing in it goes again.
    async fn try_work(
        mut self,
        mail: mpsc::Receiver<String>,
        cancel: CancellationToken,
    ) -> Result<Worked, String> {
        if !self.place.worktree {
            return self.drive(mail, cancel).await;
        }
        let (host, hooks) = (self.host.clone(), self.hooks.clone());
        let tree = Tree::open(&host, &hooks, &self.place.cwd, &self.ran.id).await?;
        self.place.cwd = tree.path().to_owned();
        let worked = self.drive(mail, cancel).await;
        let note = tree.close(&host, &hooks).await;
        worked.map(|mut worked| {
            worked.notes.extend(note);
            worked
        })
    }

    async fn drive(
        self,
        mail: mpsc::Receiver<String>,
        cancel: CancellationToken,
    ) -> Result<Worked, String> {
        let Launch { host, core, family, reserved, ran, place, limits, kin, prompt, .. } = self;
        let prompt = told_by_hooks(&self.hooks, &ran, prompt).await;
        let member = kin.member.clone();
        let origin = origin(&place, &member, host.clock.millis()).await?;
        let door = Door::new();
        door.set_profile(family.profile());
        let (reply, begun) = oneshot::channel();
        let reply = Reply::new(move |result| drop(reply.send(result)));
        let attach = Attach { door: door.clone(), since: None, created: true, reply };
        let start = Start { id: ran.id.clone(), origin, limits, attach, kin: Some(kin) };
        let inbox = Closing(spawn(host, core, start).inbox);
        family.joined(&ran.id, inbox.0.clone());
        let begun = begun.await.map_err(|_| "its session broke down.".to_owned())?;
        begun.map_err(|error| error.message)?;
        let driver = Driver {
            inbox,
            door,
            family,
            member,
            mail,
            cancel,
            output: Some(reserved.output),
            heard: Heard::nothing(),
        };
        let heard = driver.run(prompt).await;
        let (text, state) = heard.outcome();
        Ok(Worked { text, state, calls: heard.calls, tokens: heard.tokens, notes: Vec::new() })
    }
}

/// An agent begins: what hooks want it to know comes with its task.
async fn told_by_hooks(hooks: &Hooks, ran: &Ran, prompt: String) -> String {
    let fields = || json!({ "agent_id": ran.id, "agent_type": ran.agent });
    let heard = hooks.run(HookEvent::SubagentStart, Some(&ran.agent), fields).await;
    let words = heard.context.iter().map(|words| tools::reminder(words));
    std::iter::once(prompt).chain(words).collect::<Vec<_>>().join("\n\n")
}

/// Where an agent works apart from others: a worktree of ours, or a folder that a hook made.
enum Tree {
    Git(Worktree),
    Hook(PathBuf),
}

impl Tree {
    async fn open(host: &HostContext, hooks: &Hooks, cwd: &Path, id: &str) -> Result<Tree, String> {
        let name = format!("agent-{id}");
        let heard = hooks.run(HookEvent::WorktreeCreate, None, || json!({ "name": name })).await;
        if let Some(reason) = heard.no().or(heard.failures.first().map(String::as_str)) {
            return Err(format!("no worktree could be made: {reason}"));
        }
        match heard.more.worktree_path {
            Some(path) => Ok(Tree::Hook(working_directory(&cwd.join(path.trim()))?)),
            None => Ok(Tree::Git(Worktree::open(host, cwd, &name).await?)),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Tree::Git(tree) => &tree.path,
            Tree::Hook(path) => path,
        }
    }

    async fn close(self, host: &HostContext, hooks: &Hooks) -> Option<String> {
        let path = self.path().display().to_string();
        let fields = || json!({ "worktree_path": path.clone() });
        match self {
            Tree::Git(tree) => {
                let kept = tree.close(host).await;
                // One that holds something stays where it is.
                if matches!(workspace::kind(Path::new(&path)), Ok(None)) {
                    drop(hooks.run(HookEvent::WorktreeRemove, None, fields).await);
                }
                kept
            }
            Tree::Hook(_) => {
                drop(hooks.run(HookEvent::WorktreeRemove, None, fields).await);
                Some(format!("It worked in {path}."))
            }
        }
    }
}

/// A fork begins with a copy of its parent's journal, one that goes on with its own.
async fn origin(place: &Place, member: &Arc<Member>, now: u64) -> Result<Origin, String> {
    let Some(journal) = place.journal.clone() else {
        return Ok(Origin::Agent { cwd: place.cwd.clone(), journal: None });
    };
    if place.goes_on {
        return Ok(Origin::Stored { path: journal, instead: Some(place.cwd.clone()) });
    }
    let Some(from) = place.copies.clone() else {
        return Ok(Origin::Agent { cwd: place.cwd.clone(), journal: Some(journal) });
    };
    let member = member.clone();
    let copied = tokio::task::spawn_blocking(move || {
        let copy = store::Copy { from: &from, to: &journal, id: &member.id, now };
        store::copy_for_agent(&copy, &member.record).map(|()| journal)
    });
    let path = copied.await.map_err(|error| error.to_string())??;
    Ok(Origin::Stored { path, instead: None })
}

impl Worked {
    /// As the model is told about it.
    fn into_end(self) -> TaskEnd {
        let (state, how) = match self.state {
            "completed" => (TaskState::Completed, "has ended"),
            "stopped" => (TaskState::Stopped, "was stopped"),
            _ => (TaskState::Failed, "has failed"),
        };
        let cut = self.text.floor_char_boundary(LONGEST_ANSWER);
        let more = if cut < self.text.len() { " (cut; its output file has the rest)" } else { "" };
        let mut notes = vec![format!("It says{more}:\n{}", &self.text[..cut])];
        notes.extend(self.notes);
        notes.push(format!("\n\n({} calls, {} tokens.)", self.calls, self.tokens));
        TaskEnd { state, exit_code: None, how: how.to_owned(), notes }
    }
}
