//! Whether the session's folder may set policy and run things. Asked when a client can show the
//! question, and again when what the folder switches on has changed.

use std::path::Path;

use extend::{Brings, Decision, Locations, Settings, Standing, TrustError, TrustStore};
use protocol::event::Severity;
use protocol::permission::{PermissionRequestParams, Subject, TrustSubject};

use super::ask::{Purpose, request_id, trust_options};
use super::{Msg, Session};

/// What there is to ask about a folder.
pub(super) struct TrustQuestion {
    reason: String,
    what: Vec<String>,
    /// What a yes approves: exactly what was shown.
    hashes: Vec<String>,
}

impl TrustQuestion {
    /// `None` when there is nothing to ask: the folder brings nothing, the user has refused it, or
    /// all it switches on is approved. May wait for the disk.
    pub(super) fn about(
        locations: &Locations,
        cwd: &Path,
        decision: Option<Decision>,
        settings: &Settings,
    ) -> Option<TrustQuestion> {
        match decision {
            Some(Decision::Deny) => None,
            Some(Decision::Trust) => {
                let reason = "This trusted folder now switches on something it did not before. \
                              Until you agree, it stays off.";
                let changed = !settings.unapproved.is_empty();
                changed.then(|| TrustQuestion::new(reason, &settings.unapproved, 0))
            }
            None if settings.project_ignored => {
                let brought = extend::bring(locations, cwd);
                let reason = "This folder brings settings or instructions of its own. Until you \
                              trust it, they are ignored: nothing in it runs or sets policy.";
                let mut question = TrustQuestion::new(reason, &brought.items, brought.more);
                if brought.broken {
                    question.what.push("a settings file that cannot be read".to_owned());
                }
                Some(question)
            }
            None => None,
        }
    }

    fn new(reason: &str, items: &[Brings], more: usize) -> TrustQuestion {
        let mut what: Vec<String> = items.iter().map(|item| item.line.clone()).collect();
        if more > 0 {
            what.push(format!("{more} more, which are not approved with these"));
        }
        let hashes = items.iter().map(|item| item.hash.clone()).collect();
        TrustQuestion { reason: reason.to_owned(), what, hashes }
    }
}

impl Session {
    /// Asks, as soon as there is somebody to be asked.
    pub(super) fn ask_trust(&mut self) {
        if !self.somebody_can_be_asked() {
            return;
        }
        let Some(TrustQuestion { reason, what, hashes }) = self.trust_question.take() else {
            return;
        };
        let cwd = self.state.cwd().display().to_string();
        let params = PermissionRequestParams {
            request_id: request_id(&self.id, "trust"),
            session_id: self.id.clone(),
            turn_id: None,
            tool_call: None,
            title: format!("Trust {cwd}?"),
            reason,
            subject: Subject::Trust(TrustSubject { cwd, what }),
            options: trust_options(),
            editable: None,
            agent: None,
        };
        self.on_ask(params, Purpose::Trust { hashes });
    }

    /// No is "not now": the next session asks again.
    pub(super) fn on_trust_chosen(&mut self, yes: bool, hashes: Vec<String>) {
        if !yes {
            return;
        }
        let (own, host) = (self.own.clone(), self.host.clone());
        let cwd = self.state.cwd().to_owned();
        tokio::task::spawn_blocking(move || {
            let home = host.home();
            let (mut store, _) = TrustStore::load(&host.locations.bowline_home, home.as_deref());
            let remembered = remember(&mut store, &cwd, hashes, host.clock.millis());
            let problem = remembered.err().map(|error| error.to_string());
            let _ = own.blocking_send(Msg::Trusted { problem });
        });
    }

    /// The decision is kept; what the folder says counts from now on.
    pub(super) async fn on_trusted(&mut self, problem: Option<String>) {
        match problem {
            Some(problem) => self.notice(Severity::Error, problem),
            None => self.read_settings_again().await,
        }
    }
}

fn remember(
    store: &mut TrustStore,
    cwd: &Path,
    hashes: Vec<String>,
    at: u64,
) -> Result<(), TrustError> {
    store.set(cwd, Decision::Trust, at)?;
    store.approve(cwd, hashes)
}

/// What may be used of a folder, and what was decided about it.
pub(super) fn standing(
    locations: &Locations,
    cwd: &Path,
    vouched: bool,
) -> (Standing, Option<Decision>, Option<TrustError>) {
    if vouched {
        return (Standing::vouched(), Some(Decision::Trust), None);
    }
    let (store, problem) = TrustStore::load(&locations.bowline_home, locations.home.as_deref());
    (store.standing(cwd), store.decision(cwd), problem)
}
