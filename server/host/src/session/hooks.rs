//! Hooks: what users, plugins, skills and the hosts of SDKs want to hear of, and what they make of it.
//!
//! [`Hooks`] is the one engine. Whoever comes to an event of the table (`extend::hooks::HookEvent`)
//! asks [`Hooks::due`] who wants to hear of it, which costs nothing where nobody does, and has them
//! run: all at the same time, each of its kind (`command`, `http`, `mcp_tool`, `judge`, or a callback
//! of the host, `hosted`), each with its deadline. What they say ([`output`]) becomes one verdict
//! ([`heard`]). Who waits for it decides what it means: the pipeline of calls (`guard`, `after_call`),
//! or the session, which never waits itself: it goes on with a message ([`then`]).
//!
//! Which hooks may run at all was decided when the settings were read: those of a folder only when it
//! is trusted and this very hook was approved.

mod after_call;
mod around;
mod command;
mod display;
mod env_file;
pub(in crate::session) mod fire;
mod guard;
mod heard;
mod hook;
mod hosted;
mod http;
mod judge;
mod matcher;
mod mcp_tool;
mod news;
mod output;
mod prompts;
mod run;
mod runs;
mod spill;
mod stops;
mod then;
mod watch;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use extend::hooks::{HookEvent, HookSetting};
use extend::{HttpHookLimits, Settings};
use futures::future::join_all;
use policy::Rule;
use serde_json::Value;
use tokio::task::JoinSet;

use super::Session;
pub(in crate::session) use after_call::AfterCalls;
use around::{Around, Now};
pub(in crate::session) use display::Display;
pub(in crate::session) use heard::Heard;
use hook::Hook;
pub use hosted::{HookHost, HostedCall, HostedHooks, HostedMatcher};
pub use mcp_tool::HookTools;
pub use news::HookNews;
pub(in crate::session) use output::Action;
pub(in crate::session) use prompts::{HeldPrompt, PromptChecks};
pub use runs::HookRow;
use runs::Runs;
pub(in crate::session) use then::{Hooking, Then};
pub(in crate::session) use watch::Watched;

/// The hooks of a session, for everybody who comes to an event.
#[derive(Clone)]
pub(in crate::session) struct Hooks(Arc<Shared>);

struct Shared {
    around: Around,
    set: RwLock<Arc<Set>>,
    /// What can be called of MCP servers.
    tools: RwLock<Option<Arc<dyn HookTools>>>,
    runs: Mutex<Runs>,
    /// Calls that hooks put off, by their ids, until it is known whether somebody can be asked.
    deferred: Mutex<HashSet<String>>,
    /// Those that nobody waits for. They end with the session.
    background: Mutex<JoinSet<()>>,
}

/// Those that hold at the moment.
#[derive(Default)]
struct Set {
    by_event: BTreeMap<HookEvent, Vec<Arc<Hook>>>,
    limits: HttpHookLimits,
}

/// Where the hooks of a session come from.
#[derive(Default)]
pub(in crate::session) struct HookSources {
    settings: Vec<HookSetting>,
    limits: HttpHookLimits,
    /// Nothing but the administrator's counts, so neither do those of skills, agents and hosts.
    managed_only: bool,
    /// Of the skills that were called up, and of the agent that this session is.
    heads: Vec<HookSetting>,
    hosted: Option<HostedHooks>,
}

impl HookSources {
    fn hooks(&self) -> impl Iterator<Item = Arc<Hook>> {
        let hosted = self.hosted.iter().flat_map(|hosted| {
            let matchers = hosted.0.registered().into_iter();
            matchers.flat_map(|matcher| Hook::hosted(&hosted.0, &matcher))
        });
        let others = self.heads.iter().filter_map(Hook::written).chain(hosted);
        let others = others.filter(|_| !self.managed_only);
        self.settings.iter().filter_map(Hook::written).chain(others).map(Arc::new)
    }
}

impl Hooks {
    /// Who wants to hear of this. `about` says whether a rule speaks about the call.
    fn due(
        &self,
        event: HookEvent,
        word: Option<&str>,
        about: &dyn Fn(&Rule) -> bool,
    ) -> Vec<Arc<Hook>> {
        let set = self.set();
        let Some(hooks) = set.by_event.get(&event) else { return Vec::new() };
        hooks.iter().filter(|hook| hook.wants(word, about)).cloned().collect()
    }

    /// Whether anybody might want to hear of such events.
    pub(in crate::session) fn any(&self, event: HookEvent) -> bool {
        self.set().by_event.contains_key(&event)
    }

    /// Runs the hooks of an event that is not about a call. `fields` is asked for only when there is
    /// somebody to tell.
    pub(in crate::session) async fn run(
        &self,
        event: HookEvent,
        word: Option<&str>,
        fields: impl FnOnce() -> Value,
    ) -> Heard {
        let due = self.due(event, word, &|_| false);
        if due.is_empty() {
            return Heard::default();
        }
        self.run_all(event, due, fields(), None).await
    }

    /// Runs all of these at the same time.
    async fn run_all(
        &self,
        event: HookEvent,
        due: Vec<Arc<Hook>>,
        fields: Value,
        call: Option<&str>,
    ) -> Heard {
        let input = Arc::new(self.0.around.input(event, fields));
        let env_file = self.env_file(event).await;
        let runs = due.into_iter().map(|hook| {
            let (hooks, input, env_file) = (self.clone(), input.clone(), env_file.clone());
            async move {
                let said = hooks.run_one(&hook, &input, call, env_file.as_deref()).await;
                (hook, said)
            }
        });
        let mut heard = Heard::default();
        for (hook, said) in join_all(runs).await {
            heard.add(&hook, said);
        }
        self.take_env(env_file.as_deref().map(Path::to_owned)).await;
        heard
    }

    fn set(&self) -> Arc<Set> {
        self.0.set.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the hooks; those that run go on.
    fn renew(&self, sources: &HookSources) {
        let mut set = Set { limits: sources.limits.clone(), ..Set::default() };
        for hook in sources.hooks() {
            set.by_event.entry(hook.event).or_default().push(hook);
        }
        *self.0.set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
    }

    /// Connects hooks of the kind `mcp_tool`.
    pub(in crate::session) fn connect_tools(&self, tools: Arc<dyn HookTools>) {
        *self.0.tools.write().unwrap_or_else(PoisonError::into_inner) = Some(tools);
    }

    pub(in crate::session) fn note(&self, change: impl FnOnce(&mut Now)) {
        self.0.around.update(change);
    }

    /// Remembers that a call is put off.
    fn defer(&self, call: &str) {
        let mut deferred = self.0.deferred.lock().unwrap_or_else(PoisonError::into_inner);
        deferred.insert(call.to_owned());
    }

    /// Whether a call is put off, or was.
    pub(in crate::session) fn is_deferred(&self, call: &str) -> bool {
        self.0.deferred.lock().unwrap_or_else(PoisonError::into_inner).contains(call)
    }

    /// A call is over. Whether it was put off.
    pub(in crate::session) fn take_deferred(&self, call: &str) -> bool {
        self.0.deferred.lock().unwrap_or_else(PoisonError::into_inner).remove(call)
    }

    /// Ends what nobody waits for.
    pub(in crate::session) fn stop(&self) {
        self.0.background.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}

/// What a session starts its engine with.
pub(in crate::session) struct HookSeat<'a> {
    pub(in crate::session) session: &'a str,
    pub(in crate::session) transcript: Option<&'a Path>,
    pub(in crate::session) state: &'a Arc<tools::SessionState>,
    pub(in crate::session) shelter: &'a Arc<super::shelter::Shelter>,
    pub(in crate::session) host: &'a Arc<crate::context::HostContext>,
    pub(in crate::session) own: &'a tokio::sync::mpsc::Sender<super::Msg>,
    pub(in crate::session) tasks: &'a super::tasks::SessionTasks,
}

impl Hooks {
    pub(in crate::session) fn new(seat: &HookSeat<'_>) -> Hooks {
        let around = Around {
            session: seat.session.to_owned(),
            transcript: seat.transcript.map(Path::to_owned),
            state: seat.state.clone(),
            shelter: seat.shelter.clone(),
            host: seat.host.clone(),
            own: seat.own.clone(),
            tasks: seat.tasks.clone(),
            now: RwLock::default(),
        };
        Hooks(Arc::new(Shared {
            around,
            set: RwLock::default(),
            tools: RwLock::default(),
            runs: Mutex::default(),
            deferred: Mutex::default(),
            background: Mutex::default(),
        }))
    }
}

impl Session {
    /// Takes over what the settings say about those who look at what happens.
    pub(super) fn renew_hooks(&mut self, settings: &Settings) {
        self.auto.renew(settings);
        let sources = &mut self.hook_sources;
        sources.settings.clone_from(&settings.hooks);
        sources.limits = settings.http_hooks.clone();
        sources.managed_only = settings.disable_all_hooks || settings.allow_managed_hooks_only;
        if sources.hosted.is_none() {
            sources.hosted = self.limits.hooks.clone();
        }
        self.apply_hooks();
    }

    /// The host of an SDK says anew what it wants to hear of.
    pub(super) fn on_hosted_hooks(&mut self, hosted: HostedHooks) {
        self.limits.hooks = Some(hosted.clone());
        self.hook_sources.hosted = Some(hosted);
        self.apply_hooks();
    }

    /// Hooks in the head of a skill that was called up, or of the agent that this is.
    pub(super) fn add_hooks(&mut self, hooks: Vec<HookSetting>) {
        let heads = &mut self.hook_sources.heads;
        for hook in hooks {
            if !heads.iter().any(|known| known.is_same(&hook)) {
                heads.push(hook);
            }
        }
        self.apply_hooks();
    }

    fn apply_hooks(&mut self) {
        self.hooks.renew(&self.hook_sources);
        self.guards = self.hooks.guards();
        self.watch_files();
    }
}
