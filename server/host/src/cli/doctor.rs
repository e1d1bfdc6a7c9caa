//! `bowline doctor`: what works here, what does not, and what to do about it. It looks and tries, but
//! changes nothing, runs nothing of the folder and shows no key.

mod machine;
mod setup;

use std::path::Path;
use std::process::ExitCode;

use extend::one_line;
use serde_json::{Value, json};

use super::args::DoctorArgs;
use super::log::Beginning;
use super::{Outcome, Problem, config, environment, serve};
use crate::context::HostContext;
use crate::own;
use crate::terminal;

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
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
struct Finding {
    about: &'static str,
    state: State,
    text: String,
    /// What to do, where there is something.
    fix: Option<String>,
}

impl Finding {
    fn fine(about: &'static str, text: impl Into<String>) -> Self {
        Self { about, state: State::Fine, text: text.into(), fix: None }
    }

    fn note(about: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { about, state: State::Note, text: text.into(), fix: Some(fix.into()) }
    }

    fn problem(about: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { about, state: State::Problem, text: text.into(), fix: Some(fix.into()) }
    }

    fn as_json(&self) -> Value {
        json!({
            "about": self.about,
            "state": self.state.name(),
            "text": self.text,
            "fix": self.fix,
        })
    }

    fn as_text(&self) -> String {
        let text = one_line(self.text.trim());
        let line = format!("{:<8} {:<9} {text}", self.state.name(), self.about);
        match &self.fix {
            Some(fix) => format!("{line}\n{:19}→ {}", "", one_line(fix)),
            None => line,
        }
    }
}

pub(super) fn run(args: &DoctorArgs, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host()?;
    let here = environment::working_directory()?;
    let cwd = workspace::real_path(&here).map_err(|error| Problem::failed(error.to_string()))?;
    let found = examine(&host, &cwd, args.offline)?;
    let text = match args.json {
        true => format!("{:#}", json!(found.iter().map(Finding::as_json).collect::<Vec<_>>())),
        false => found.iter().map(Finding::as_text).collect::<Vec<_>>().join("\n"),
    };
    terminal::print(&host.secrets.redactor().redact(&text));
    let wrong = found.iter().any(|finding| finding.state == State::Problem);
    Ok(ExitCode::from(u8::from(wrong)))
}

fn examine(host: &HostContext, cwd: &Path, offline: bool) -> Result<Vec<Finding>, Problem> {
    let (settings, standing) = config::load_with_trust(host, cwd);
    host.keys.use_helper(own::key_helper(host, &settings));
    let mut found = vec![machine::version(host)];
    found.push(setup::model(host, &settings));
    if !offline {
        found.extend(serve::runtime()?.block_on(setup::network(host, &settings)));
    }
    found.extend(setup::settings(&settings, standing.is_trusted()));
    found.extend(setup::servers(&settings));
    found.extend(setup::agents(host, cwd, &settings, &standing));
    found.push(machine::sandbox(host));
    found.push(machine::search());
    found.push(machine::editors(host));
    found.push(machine::git(host));
    found.push(machine::state(host));
    Ok(found)
}
