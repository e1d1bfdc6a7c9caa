//! All agents of one session: who they are, how they stand, what they wrote to each other, what they
//! want to be asked and what they have spent. Shared by the root and every agent.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent::{Record, Spending};
use policy::{Entry as RuleEntry, Mode};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{AgentNews, Bubble};
use crate::context::HostContext;
use crate::core::Profile;
use crate::session::Msg;
use crate::store::{self, Sidechain};

/// So many at once, and so deep, unless the environment says otherwise.
const MOST: usize = 20;
const DEEPEST: u32 = 3;
/// So many that have ended are remembered; the others are found by their journals.
const REMEMBERED: usize = 200;

pub(in crate::session) struct Family {
    root: String,
    /// The root's.
    inbox: mpsc::Sender<Msg>,
    /// For their journals; `None` where nothing is stored.
    folder: Option<PathBuf>,
    most: usize,
    deepest: u32,
    /// Somebody wants every word of every agent.
    verbatim: AtomicBool,
    roster: Mutex<Roster>,
}

#[derive(Default)]
struct Roster {
    /// The session's, which is that of its agents, too.
    mode: Mode,
    /// The oldest first.
    agents: Vec<Ran>,
    bubbles: VecDeque<Bubble>,
    unpaid: Spending,
}

/// An agent, at work or ended.
#[derive(Clone)]
pub struct Ran {
    pub(in crate::session) id: String,
    pub(in crate::session) name: Option<String>,
    pub(in crate::session) agent: String,
    pub(in crate::session) description: String,
    pub(in crate::session) state: &'static str,
    pub(in crate::session) depth: u32,
    /// Where others put what they have to say to it, while it is at work.
    pub(super) mailbox: Option<mpsc::Sender<String>>,
    /// The agent's own, while it is at work.
    pub(super) inbox: Option<mpsc::Sender<Msg>>,
    /// Ends its work.
    pub(super) cancel: CancellationToken,
}

impl Ran {
    /// By its id, or the name it was given.
    pub(in crate::session) fn answers_to(&self, who: &str) -> bool {
        self.id == who || self.name.as_deref() == Some(who)
    }
}

pub(super) const RUNNING: &str = "running";

impl Family {
    /// The way to the root.
    pub(in crate::session) fn inbox(&self) -> mpsc::Sender<Msg> {
        self.inbox.clone()
    }

    pub(in crate::session) fn new(
        host: &HostContext,
        root: &str,
        inbox: mpsc::Sender<Msg>,
        journal: Option<&Path>,
    ) -> Arc<Family> {
        let number = |name: &str| {
            let value = host.var(name)?.to_str()?.trim().parse::<u32>().ok()?;
            Some(value.clamp(1, 100))
        };
        let most = number("BOWLINE_MAX_CONCURRENT_SUBAGENTS")
            .or_else(|| number("CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS"));
        let deepest = number("BOWLINE_MAX_SUBAGENT_SPAWN_DEPTH")
            .or_else(|| number("CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH"));
        Arc::new(Family {
            root: root.to_owned(),
            inbox,
            folder: journal.map(|journal| store::belongings(journal).join("agents")),
            most: most.map_or(MOST, |most| most as usize),
            deepest: deepest.unwrap_or(DEEPEST),
            verbatim: AtomicBool::new(false),
            roster: Mutex::default(),
        })
    }

    pub(in crate::session) fn root(&self) -> &str {
        &self.root
    }

    /// Whether a client of the root wants every word. Agents that are at work by then stay as they are.
    pub(in crate::session) fn listens(&self, verbatim: bool) {
        self.verbatim.fetch_or(verbatim, Ordering::Relaxed);
    }

    /// What the door of an agent is for.
    pub(super) fn profile(&self) -> Profile {
        Profile { verbatim: self.verbatim.load(Ordering::Relaxed), ..Profile::default() }
    }

    pub(super) fn deepest(&self) -> u32 {
        self.deepest
    }

    pub(in crate::session) fn journal_of(&self, id: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{id}.jsonl")))
    }

    fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an agent in, unless there are too many at work or its name is taken by one of them.
    pub(super) fn admit(&self, agent: Ran) -> Result<(), String> {
        let mut roster = self.roster();
        let at_work = || roster.agents.iter().filter(|known| known.state == RUNNING);
        if at_work().count() >= self.most {
            return Err(format!(
                "{} agents are at work already. Wait until one has ended, or stop one.",
                self.most
            ));
        }
        if let Some(name) = &agent.name
            && at_work().any(|known| known.name.as_ref() == Some(name))
        {
            return Err(format!(
                "An agent named {name:?} is at work already; choose another name."
            ));
        }
        roster.agents.retain(|known| known.id != agent.id);
        roster.agents.push(agent);
        let ended = roster.agents.iter().filter(|known| known.state != RUNNING).count();
        if ended > REMEMBERED
            && let Some(oldest) = roster.agents.iter().position(|known| known.state != RUNNING)
        {
            roster.agents.remove(oldest);
        }
        Ok(())
    }

    /// Its session has begun.
    pub(super) fn joined(&self, id: &str, inbox: mpsc::Sender<Msg>) {
        if let Some(agent) = self.roster().agents.iter_mut().find(|agent| agent.id == id) {
            agent.inbox = Some(inbox);
        }
    }

    /// From here on nobody reaches it at work any more.
    pub(super) fn ended(&self, id: &str, state: &'static str) {
        if let Some(agent) = self.roster().agents.iter_mut().find(|agent| agent.id == id) {
            agent.state = state;
            agent.mailbox = None;
            agent.inbox = None;
        }
    }

    /// The agent of that name or id: the newest of a name, and one at work before one that is not.
    pub(super) fn find(&self, who: &str) -> Option<Ran> {
        let roster = self.roster();
        let mut fitting: Vec<&Ran> =
            roster.agents.iter().filter(|agent| agent.answers_to(who)).collect();
        fitting.sort_by_key(|agent| agent.state == RUNNING);
        fitting.last().map(|agent| (*agent).clone())
    }

    /// The newest first.
    pub(in crate::session) fn all(&self) -> Vec<Ran> {
        self.roster().agents.iter().rev().cloned().collect()
    }

    /// With those of earlier lives of the session. May wait for the disk.
    pub(in crate::session) fn all_stored(&self) -> Vec<Ran> {
        let mut all = self.all();
        let stored = self.folder.as_deref().map(store::sidechains).unwrap_or_default();
        for Sidechain { id, record } in stored {
            let Record::Agent { agent, name, description, depth, .. } = record else { continue };
            if all.iter().all(|known| known.id != id) {
                let (state, cancel) = ("ended", CancellationToken::new());
                let (mailbox, inbox) = (None, None);
                all.push(Ran {
                    id,
                    name,
                    agent,
                    description,
                    state,
                    depth,
                    mailbox,
                    inbox,
                    cancel,
                });
            }
        }
        all
    }

    /// What an agent's session cannot decide goes to the root, in order.
    pub(in crate::session) fn bubble(&self, bubble: Bubble) {
        self.roster().bubbles.push_back(bubble);
        self.nudge(AgentNews::Bubbled);
    }

    pub(super) fn take_bubbles(&self) -> VecDeque<Bubble> {
        std::mem::take(&mut self.roster().bubbles)
    }

    pub(in crate::session) fn spent(&self, model: &str, usage: agent::Usage) {
        self.roster().unpaid.add(model, usage);
    }

    pub(super) fn take_unpaid(&self) -> Spending {
        std::mem::take(&mut self.roster().unpaid)
    }

    /// Rules that the user has just granted hold for those at work, too. One whose inbox is full asks
    /// again, which is only a nuisance.
    pub(in crate::session) fn granted(&self, rules: &[RuleEntry]) {
        for agent in &self.roster().agents {
            if let Some(inbox) = &agent.inbox {
                let _ = inbox.try_send(Msg::Granted(rules.to_vec()));
            }
        }
    }

    pub(super) fn mode(&self) -> Mode {
        self.roster().mode
    }

    /// Those at work are told, and look for themselves which it is: of two changes the later counts.
    pub(super) fn mode_is(&self, mode: Mode) {
        let mut roster = self.roster();
        if std::mem::replace(&mut roster.mode, mode) == mode {
            return;
        }
        for inbox in roster.agents.iter().filter_map(|agent| agent.inbox.clone()) {
            if let Err(mpsc::error::TrySendError::Full(msg)) = inbox.try_send(Msg::ModeChanged) {
                tokio::spawn(async move { inbox.send(msg).await });
            }
        }
    }

    /// Ends the work of those that answer to this, or of all. The ends come as events. Gives their
    /// ids.
    pub(in crate::session) fn stop(&self, who: &str) -> Vec<String> {
        let roster = self.roster();
        let at_work = roster.agents.iter().filter(|agent| agent.state == RUNNING);
        let meant = at_work.filter(|agent| who == "all" || agent.answers_to(who));
        meant.inspect(|agent| agent.cancel.cancel()).map(|agent| agent.id.clone()).collect()
    }

    /// How many are at work, how many may be, and how deep.
    pub(in crate::session) fn room(&self) -> (usize, usize, u32) {
        let at_work = self.roster().agents.iter().filter(|agent| agent.state == RUNNING).count();
        (at_work, self.most, self.deepest)
    }

    pub(super) async fn tell(&self, news: AgentNews) {
        // The root outlives its agents; if it is gone, nobody cares any more.
        let _ = self.inbox.send(Msg::Agent(Box::new(news))).await;
    }

    /// The same from where nobody can wait.
    fn nudge(&self, news: AgentNews) {
        let full = match self.inbox.try_send(Msg::Agent(Box::new(news))) {
            Err(mpsc::error::TrySendError::Full(msg)) => msg,
            _ => return,
        };
        let inbox = self.inbox.clone();
        tokio::spawn(async move { inbox.send(full).await });
    }
}
