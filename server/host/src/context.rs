//! What the process was started with: read once in `main`, handed down as a value.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use exec::Sandbox;
use extend::{Given, Locations};

use crate::keys::KeyRing;
use crate::outside::UserFiles;
use crate::telemetry::{Observed, Startup};
use crate::terminal;

/// Shared by everything in the process; never changes.
pub struct HostContext {
    /// The user's environment, for commands the agent runs.
    pub env: Vec<(OsString, OsString)>,
    /// The same, as the model providers read it.
    pub model_env: model::Env,
    /// What is never shown, logged or written down.
    pub secrets: policy::Secrets,
    /// Keys that are not in the environment.
    pub keys: Arc<KeyRing>,
    pub locations: Locations,
    pub clock: Clock,
    pub version: &'static str,
    /// What this machine offers to keep commands in; looked for when it is first needed.
    pub sandbox: OnceLock<Arc<Sandbox>>,
    /// The program that becomes the sandbox's inner helper, where that is not this one.
    pub sandbox_helper: Option<PathBuf>,
    /// How the process came up.
    pub startup: Startup,
    /// Told when a session begins: before that, nothing of ours need be on the disk.
    pub begun: tokio::sync::Notify,
    /// The settings of the command line, once somebody serves.
    pub given: OnceLock<Given>,
    /// Where the log and the telemetry go, once that is set up.
    pub observed: OnceLock<Observed>,
}

impl HostContext {
    pub fn new(
        env: Vec<(OsString, OsString)>,
        locations: Locations,
        clock: Clock,
        version: &'static str,
    ) -> HostContext {
        let readable = env.iter().filter_map(|(key, value)| {
            Some((key.to_str()?.to_owned(), value.to_str()?.to_owned()))
        });
        let pairs = env.iter().map(|(key, value)| (&**key, &**value));
        let secrets = policy::Secrets::new(policy::secret_values(pairs));
        let keys = KeyRing::new(&locations, env.clone(), secrets.clone());
        let outside = UserFiles { home: locations.home.clone(), clock };
        let model_env =
            model::Env::new(readable).with_keys(keys.clone()).with_outside(Arc::new(outside));
        HostContext {
            env,
            model_env,
            secrets,
            keys,
            locations,
            clock,
            version,
            sandbox: OnceLock::new(),
            sandbox_helper: None,
            startup: Startup::default(),
            begun: tokio::sync::Notify::new(),
            given: OnceLock::new(),
            observed: OnceLock::new(),
        }
    }

    pub fn sessions_dir(&self) -> PathBuf {
        self.locations.bowline_home.join("sessions")
    }

    /// Where processes write down in which folders they make temporary files.
    pub fn temporary_records(&self) -> PathBuf {
        self.locations.bowline_home.join("temporaries")
    }

    pub fn home(&self) -> Option<PathBuf> {
        self.locations.home.clone()
    }

    /// The first call tries what there is, and may wait.
    pub fn sandbox(&self) -> Arc<Sandbox> {
        self.sandbox.get_or_init(|| Arc::new(self.detect_sandbox())).clone()
    }

    /// Begins to look, so that the first session need not wait for all of it.
    pub fn look_for_sandbox(self: &Arc<Self>) {
        let host = Arc::clone(self);
        let look = move || drop(host.sandbox());
        if let Err(error) = std::thread::Builder::new().name("sandbox".to_owned()).spawn(look) {
            tracing::debug!(%error, "the sandbox is looked for when it is needed");
        }
    }

    fn detect_sandbox(&self) -> Sandbox {
        // Never from the user's PATH, which may lead into a workspace.
        let found = Sandbox::detect(OsStr::new(Sandbox::SEARCH_PATH), Path::new("/nowhere"));
        let Some(helper) = &self.sandbox_helper else { return found };
        found.with_helper(helper).unwrap_or_else(|error| {
            Sandbox::none(format!("There is no sandbox: {} ({error}).", helper.display()))
        })
    }

    /// The model is asked something. The first time, how the process came up is told to whoever
    /// wants to know.
    pub fn on_request(&self) {
        let Some(table) = self.startup.finish("first request") else { return };
        tracing::info!("{table}");
        if self.is_set("BOWLINE_STARTUP_PROFILE") {
            terminal::note(&table);
        }
    }

    /// Whether a variable says yes.
    pub fn is_set(&self, name: &str) -> bool {
        self.var(name).is_some_and(|value| !value.is_empty() && value != "0")
    }

    /// One variable of the environment.
    pub fn var(&self, name: &str) -> Option<&OsString> {
        self.env.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

/// The only clock. Tests bring their own.
#[derive(Clone, Copy)]
pub struct Clock(pub fn() -> chrono::DateTime<chrono::Utc>);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn system() -> Self {
        Self(chrono::Utc::now)
    }

    pub fn now(&self) -> chrono::DateTime<chrono::Utc> {
        (self.0)()
    }

    /// Since 1970, as events and the journal count.
    pub fn millis(&self) -> u64 {
        u64::try_from(self.now().timestamp_millis()).unwrap_or_default()
    }
}
