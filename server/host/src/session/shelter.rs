//! What keeps the session's processes in: which sandbox, with which folders and which hosts.
//!
//! Every process that is started on the session's behalf asks here for its walls. A sandbox that is
//! wanted and missing is told once, and then every command that is not known to be harmless asks.

mod doorman;
mod hidden;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use exec::proxy::{Proxy, Upstream};
use exec::{Confinement, Disk, Limits, Memory, Nearby, Network, Sandbox, Walls};
use extend::plugins::Plugin;
use extend::{Locations, SandboxSettings, Settings};
use policy::{Behavior, HostPattern, HostRules, Rules};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tools::{Permissions, SessionState};

use super::Msg;
use crate::context::HostContext;
use crate::git::ASIDE;
use crate::own;
use crate::private_folder::private_folder;
pub(super) use doorman::Hosts;
use doorman::SessionDoorman;

/// Shared by the session and its calls; changes when settings are read again.
pub(super) struct Shelter {
    state: Arc<SessionState>,
    locations: Locations,
    own: mpsc::Sender<Msg>,
    /// Made when the first process needs it, gone with the session.
    temp: Mutex<Option<Arc<TempDir>>>,
    pub(super) hosts: Arc<Hosts>,
    /// Where the user keeps caches, if not in the usual place.
    caches: Option<PathBuf>,
    /// The user's own proxy.
    upstream: Upstream,
    /// The ways out that are open, so that a change of the rules reaches them.
    proxies: Mutex<Vec<Weak<Proxy>>>,
    now: RwLock<Arc<Kept>>,
}

/// What holds at the moment.
#[derive(Default)]
struct Kept {
    /// `None`: switched off, or there is none.
    sandbox: Option<Arc<Sandbox>>,
    settings: SandboxSettings,
    /// What it keeps in may run without a question.
    quiet: bool,
    /// A sandbox is demanded and there is none.
    missing: Option<String>,
    /// What of Bowline's own folder commands may read, and whether they may write it.
    shown: Vec<(PathBuf, bool)>,
    /// Folders of plugins' programs.
    programs: Vec<PathBuf>,
}

impl Shelter {
    pub(super) fn new(
        host: &HostContext,
        state: Arc<SessionState>,
        settings: &Settings,
        own: mpsc::Sender<Msg>,
    ) -> Shelter {
        let shelter = Shelter {
            state,
            locations: host.locations.clone(),
            own,
            temp: Mutex::default(),
            hosts: Arc::default(),
            caches: host
                .env
                .iter()
                .find(|(name, _)| name == "XDG_CACHE_HOME")
                .map(|(_, value)| PathBuf::from(value))
                .filter(|path| path.is_absolute()),
            upstream: Upstream::of(&host.env),
            proxies: Mutex::default(),
            now: RwLock::default(),
        };
        shelter.renew(host, settings);
        shelter
    }

    /// Takes over what the settings say now. Waits for the disk when the sandbox was never looked
    /// for.
    pub(super) fn renew(&self, host: &HostContext, settings: &Settings) {
        let wanted = settings.sandbox.enabled != Some(false);
        let found = wanted.then(|| host.sandbox());
        let demanded = wanted && settings.sandbox.fail_if_unavailable == Some(true);
        let missing = found.as_ref().and_then(|sandbox| sandbox.why_not()).filter(|_| demanded);
        let kept = Kept {
            missing: missing.map(|why| {
                format!("The settings demand a sandbox for every command. {why} Nothing was run.")
            }),
            sandbox: found.filter(|sandbox| sandbox.is_available()),
            quiet: is_quiet(settings),
            settings: settings.sandbox.clone(),
            shown: shown(&self.locations.bowline_home, settings),
            programs: settings.plugins.loaded.iter().filter_map(Plugin::programs).collect(),
        };
        self.offer_programs(&self.now().programs, &kept.programs);
        self.hosts.set_rules(host_rules(settings, &self.state.permissions().rules));
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(kept);
        let mut proxies = self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        proxies.retain(|proxy| proxy.upgrade().inspect(|proxy| proxy.recheck()).is_some());
    }

    /// Commands find programs of plugins by their names, after all others: none of them takes the
    /// place of what the user has.
    fn offer_programs(&self, before: &[PathBuf], now: &[PathBuf]) {
        if before == now {
            return;
        }
        let env = self.state.env();
        let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
        // Without one, shells look where they think best; ours would take the place of that.
        let Some(path) = path else { return };
        let others = std::env::split_paths(&path).filter(|folder| !before.contains(folder));
        match std::env::join_paths(others.chain(now.iter().cloned())) {
            Ok(path) => self.state.set_env(vec![("PATH".into(), path)]),
            Err(error) => tracing::warn!(%error, "programs of plugins cannot be found by name"),
        }
    }

    /// Whose processes it keeps in.
    pub(super) fn state(&self) -> &Arc<SessionState> {
        &self.state
    }

    fn now(&self) -> Arc<Kept> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What tools have to know; `None` when no sandbox is on.
    pub(super) fn for_tools(&self) -> Option<tools::Shelter> {
        let kept = self.now();
        let sandbox = kept.sandbox.as_ref()?;
        Some(tools::Shelter {
            description: format!("{}, network by permission", sandbox.kind().name()),
            quiet: kept.quiet,
            excluded: kept.settings.excluded_commands.clone(),
            may_be_left: kept.settings.allow_unsandboxed != Some(false),
            untold: kept.settings.ignored.clone(),
        })
    }

    /// The walls of a command: it may write in the session's folders, and reach the hosts that the
    /// user admits. May wait for the disk.
    pub(super) fn of_command(&self, call: &str, disk: Disk) -> Result<Walls, String> {
        let doorman = SessionDoorman::new(call, self.own.clone(), self.hosts.clone());
        let ports = self.now().settings.proxy_ports;
        let proxy = Proxy::beside(Arc::new(doorman), self.upstream.clone(), ports);
        let mut proxies = self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        proxies.retain(|proxy| proxy.strong_count() > 0);
        proxies.push(Arc::downgrade(&proxy));
        drop(proxies);
        self.within(Network::Proxy(proxy), disk)
    }

    /// Why no command may run at all: a sandbox is demanded, and there is none.
    pub(super) fn missing(&self) -> Option<String> {
        self.now().missing.clone()
    }

    /// The walls of a helper that needs no network: git, a language server, a line of status.
    pub(super) fn of_helper(&self, disk: Disk) -> Result<Walls, String> {
        self.within(Network::Off, disk)
    }

    /// The walls of a program of the user's own, such as an MCP server that they configured.
    pub(super) fn of_own(&self) -> Walls {
        let Some(sandbox) = self.now().sandbox.clone() else { return Walls::Open };
        own::within(sandbox, &self.locations, self.state.permissions().roots, &[])
    }

    fn within(&self, network: Network, disk: Disk) -> Result<Walls, String> {
        let kept = self.now();
        let Some(sandbox) = kept.sandbox.clone() else { return Ok(Walls::Open) };
        let permissions = self.state.permissions();
        let home = &self.locations.bowline_home;
        let closed = hidden::closed(&permissions, home, &kept.settings, &kept.shown)?;
        let temp = self.temp()?;
        Ok(Walls::Within(Arc::new(Confinement {
            sandbox,
            roots: roots(&permissions),
            temp: temp.path().to_owned(),
            aside: self.locations.bowline_home.join(ASIDE),
            cache: self.cache(&permissions),
            allow_write: kept.settings.allow_write.clone(),
            deny_write: closed.to_writing,
            deny_read: closed.to_reading,
            shown: closed.shown,
            network,
            nearby: Nearby {
                all_unix_sockets: kept.settings.all_unix_sockets == Some(true),
                unix_sockets: kept.settings.unix_sockets.clone(),
                local_binding: kept.settings.local_binding == Some(true),
            },
            disk: match kept.settings.open_disk {
                Some(true) => Disk::Open { home: permissions.home.clone() },
                _ => disk,
            },
            limits: match kept.settings.limit_memory {
                Some(false) => Limits { memory: Memory::Unbounded, ..Limits::default() },
                _ => Limits::default(),
            },
        })))
    }

    /// Of this workspace alone: what a command puts there, others would use.
    fn cache(&self, permissions: &Permissions) -> Option<PathBuf> {
        let home = || Some(permissions.home.as_ref()?.join(".cache"));
        let above = self.caches.clone().or_else(home)?;
        let mut name = DefaultHasher::new();
        self.state.cwd().hash(&mut name);
        Some(above.join("bowline/sandbox").join(format!("{:016x}", name.finish())))
    }

    /// A folder that commands may write to, gone with the session.
    pub(super) fn temp_folder(&self) -> Result<PathBuf, String> {
        Ok(self.temp()?.path().to_owned())
    }

    fn temp(&self) -> Result<Arc<TempDir>, String> {
        let mut temp = self.temp.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(temp) = temp.as_ref().filter(|temp| temp.path().is_dir()) {
            return Ok(temp.clone());
        }
        let made = private_folder().map_err(|error| {
            format!("No temporary folder could be made for the sandbox ({error}).")
        })?;
        Ok(temp.insert(Arc::new(made)).clone())
    }
}

/// What people keep in Bowline's own folder for commands to use: their skills and hooks, and plugins
/// with the folder in which each may keep something.
fn shown(bowline_home: &Path, settings: &Settings) -> Vec<(PathBuf, bool)> {
    const OWN: [&str; 3] = ["skills", "commands", "hooks"];
    let mut shown: Vec<_> = OWN.map(|name| (bowline_home.join(name), false)).into();
    for plugin in &settings.plugins.loaded {
        shown.push((plugin.root.clone(), false));
        match plugin.make_data() {
            Ok(()) => shown.push((plugin.data.clone(), true)),
            Err(error) => tracing::warn!(plugin = %plugin.id, %error, "its data have no place"),
        }
    }
    shown
}

/// Whether what is kept in may run unasked: not when a restriction may be lost, not where reading
/// has limits that walls do not have, not where the disk is open, and not in a folder whose own
/// settings wait for trust.
fn is_quiet(settings: &Settings) -> bool {
    settings.sandbox.auto_allow != Some(false)
        && settings.sandbox.open_disk != Some(true)
        && !settings.broken
        && !settings.limits.block_reads_outside
        && !settings.project_ignored
}

/// What WebFetch may not reach, a command may not reach either. A denied host that cannot be read
/// denies nothing, so then nothing is allowed without a question.
fn host_rules(settings: &Settings, given: &Rules) -> HostRules {
    let sandbox = &settings.sandbox;
    let parse = |texts: Vec<&str>| -> (Vec<HostPattern>, bool) {
        let parsed = texts.into_iter().map(HostPattern::parse);
        let (good, bad): (Vec<_>, Vec<_>) = parsed.partition(Result::is_ok);
        (good.into_iter().flatten().collect(), bad.is_empty())
    };
    let of_web = settings.rules.iter().chain(given.iter()).filter_map(|entry| {
        let denied = entry.behavior == Behavior::Deny && entry.rule.names("WebFetch");
        entry.rule.spec().filter(|_| denied)?.strip_prefix("domain:")
    });
    let denied = sandbox.denied_domains.iter().map(String::as_str).chain(of_web);
    let (denied, all_read) = parse(denied.collect());
    let (allowed, _) = parse(sandbox.allowed_domains.iter().map(String::as_str).collect());
    let allowed = if all_read { allowed } else { Vec::new() };
    HostRules { allowed, denied, strict: sandbox.only_allowed_domains }
}

/// A session in `/` or in the home directory must not make all of it writable.
fn roots(permissions: &Permissions) -> Vec<PathBuf> {
    let home = permissions.home.as_deref();
    let wide =
        |root: &Path| root.parent().is_none() || home.is_some_and(|home| home.starts_with(root));
    permissions.roots.iter().filter(|root| !wide(root)).cloned().collect()
}
