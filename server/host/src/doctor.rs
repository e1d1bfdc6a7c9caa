//! What works here, what does not, and what to do about it: for `bowline doctor` and `/doctor`. It looks
//! and tries, but changes nothing, runs nothing of the folder and shows no key.

mod machine;
mod setup;

use std::path::PathBuf;

use extend::{Settings, Standing, one_line};
use serde_json::{Value, json};

use crate::context::HostContext;

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Fine,
    /// Worth knowing, but nothing is broken.
    Note,
    Problem,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Fine => "ok",
            State::Note => "note",
            State::Problem => "problem",
        }
    }
}

/// What was found out about one thing.
pub(crate) struct Finding {
    about: &'static str,
    pub(crate) state: State,
    text: String,
    /// What to do, where there is something.
    fix: Option<String>,
}

impl Finding {
    pub(crate) fn fine(about: &'static str, text: impl Into<String>) -> Self {
        Self { about, state: State::Fine, text: text.into(), fix: None }
    }

    fn note(about: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { about, state: State::Note, text: text.into(), fix: Some(fix.into()) }
    }

    pub(crate) fn problem(
        about: &'static str,
        text: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { about, state: State::Problem, text: text.into(), fix: Some(fix.into()) }
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({
            "about": self.about,
            "state": self.state.name(),
            "text": self.text,
            "fix": self.fix,
        })
    }

    pub(crate) fn as_text(&self) -> String {
        let text = one_line(self.text.trim());
        let line = format!("{:<8} {:<9} {text}", self.state.name(), self.about);
        match &self.fix {
            Some(fix) => format!("{line}\n{:19}→ {}", "", one_line(fix)),
            None => line,
        }
    }
}

/// What is looked at.
pub(crate) struct Patient {
    pub(crate) cwd: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) standing: Standing,
    /// The model that is asked, where it is not that of the settings.
    pub(crate) model: Option<String>,
}

impl Patient {
    fn model(&self) -> Option<&str> {
        self.model.as_deref().or(self.settings.model.as_deref())
    }
}

/// Everything but the network. Waits for the disk, and for the sandbox that is tried out.
pub(crate) fn examine(host: &HostContext, patient: &Patient) -> Vec<Finding> {
    let Patient { cwd, settings, standing, .. } = patient;
    let mut found = vec![machine::version(host)];
    found.push(setup::model(host, patient.model()));
    found.extend(setup::settings(settings, standing.is_trusted()));
    found.extend(setup::servers(settings));
    found.extend(setup::agents(host, cwd, settings, standing));
    found.push(machine::sandbox(host));
    found.push(machine::search());
    found.push(machine::editors(host));
    found.push(machine::git(host));
    found.push(machine::state(host));
    found
}

/// Whether the server of the model answers; nothing where no server is asked.
pub(crate) async fn network(host: &HostContext, patient: &Patient) -> Option<Finding> {
    setup::network(host, patient.model()).await
}
