//! The mode in which nothing is asked: a person agrees to it once on a machine, and nobody who can
//! merely start us does. What they agreed is kept in the user's settings.

use extend::Settings;
use extend::edit::{Scope, Target};
use policy::Mode;
use protocol::event::{ConfigUpdated, Severity};
use protocol::permission::{ModeSubject, PermissionRequestParams, Subject};

use super::ask::{Purpose, mode_options, request_id};
use super::{Msg, Session};
use crate::context::HostContext;

const AGREED: &str = "skipDangerousModePermissionPrompt";
const NEEDS: &str = "The mode bypassPermissions must be agreed to once on this machine: choose it in \
                     `bowline`, in a terminal, or set \"skipDangerousModePermissionPrompt\": true in \
                     your user settings.";
/// What containers leave at the root.
const SIGNS_OF_A_CONTAINER: [&str; 2] = ["/.dockerenv", "/run/.containerenv"];

/// How things stand with the mode.
#[derive(Clone, Debug, Default)]
pub(super) struct Bypass {
    pub(super) agreed: bool,
    /// Why it cannot be had here at all.
    refused: Option<String>,
    /// Somebody chose it and has to be asked.
    pub(super) wanted: bool,
}

impl Bypass {
    pub(super) fn of(host: &HostContext, settings: &Settings) -> Bypass {
        let contained = settings.sandbox.enabled != Some(false) && host.sandbox().is_available();
        let is_there = |place: &&str| matches!(workspace::kind(place.as_ref()), Ok(Some(_)));
        let in_container = || {
            host.var("IS_SANDBOX").is_some_and(|value| value == "1")
                || SIGNS_OF_A_CONTAINER.iter().any(&is_there)
        };
        let exposed = rustix::process::geteuid().is_root() && !contained && !in_container();
        let refused = exposed.then(|| {
            "The mode bypassPermissions is not for root outside of a sandbox; turn the sandbox on, \
             or work as another user."
                .to_owned()
        });
        Bypass { agreed: settings.bypass_agreed, refused, wanted: false }
    }

    /// The settings were read again; whoever chose the mode is still to be asked.
    pub(super) fn still(self, wanted: bool) -> Bypass {
        Bypass { wanted, ..self }
    }

    /// The mode to begin with. One that needs a yes first waits for it, where somebody may come and
    /// give it.
    pub(super) fn admit(&mut self, mode: Mode, headless: bool) -> Result<Mode, String> {
        match &self.refused {
            _ if mode != Mode::BypassPermissions => Ok(mode),
            Some(refused) => Err(refused.clone()),
            None if self.agreed => Ok(mode),
            None if headless => Err(NEEDS.to_owned()),
            None => {
                self.wanted = true;
                Ok(Mode::Default)
            }
        }
    }
}

impl Session {
    /// Somebody chooses a mode: what it becomes now. `None` when they are asked first.
    pub(super) fn chosen_mode(&mut self, mode: Mode) -> Result<Option<Mode>, String> {
        let nobody = !self.somebody_can_be_asked();
        let admitted = self.bypass.admit(mode, nobody)?;
        Ok((admitted == mode).then_some(mode))
    }

    /// Asks, as soon as there is somebody to be asked.
    pub(super) fn ask_bypass(&mut self) {
        if !self.somebody_can_be_asked() || !std::mem::take(&mut self.bypass.wanted) {
            return;
        }
        let params = PermissionRequestParams {
            request_id: request_id(&self.id, "bypass"),
            session_id: self.id.clone(),
            turn_id: None,
            tool_call: None,
            title: "Let everything happen without being asked?".to_owned(),
            reason: "In the mode bypassPermissions commands run and files change without a \
                     question; only what a rule denies or wants asked is stopped. Use it where \
                     nothing can be lost."
                .to_owned(),
            subject: Subject::Mode(ModeSubject { mode: Mode::BypassPermissions.name().to_owned() }),
            options: mode_options(),
            editable: None,
            agent: None,
        };
        self.on_ask(params, Purpose::Bypass);
    }

    pub(super) fn on_bypass_chosen(&mut self, yes: bool) {
        let mode = Mode::BypassPermissions;
        if !yes || super::reload::forbidden_mode(mode, &self.forbidden).is_some() {
            return;
        }
        self.bypass.agreed = true;
        self.set_mode(mode);
        let config = self.wire_config();
        self.emit(ConfigUpdated { config });
        if let Err(error) = self.journal_config() {
            self.notice(Severity::Warning, format!("The setting was not saved: {error}"));
        }
        let target = Target::new(Scope::User, &self.host.locations, self.state.cwd());
        let own = self.own.clone();
        tokio::task::spawn_blocking(move || {
            let written = extend::edit::set_value(&target, AGREED, &true.into());
            let written = written.map(Some).map_err(|error| {
                format!("You will be asked about the mode again, because it was not kept: {error}")
            });
            let _ = own.blocking_send(Msg::Kept { written });
        });
    }
}
