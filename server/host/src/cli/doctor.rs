//! `bowline doctor`: what works here, what does not, and what to do about it.

use std::process::ExitCode;

use serde_json::json;

use super::args::DoctorArgs;
use super::log::Beginning;
use super::{Outcome, Problem, config, environment, serve};
use crate::doctor::{Finding, Patient, State, examine, network};
use crate::own;
use crate::terminal;

pub(super) fn run(args: &DoctorArgs, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host()?;
    let here = environment::working_directory()?;
    let cwd = workspace::real_path(&here).map_err(|error| Problem::failed(error.to_string()))?;
    let (settings, standing) = config::load_with_trust(&host, &cwd);
    host.keys.use_helper(own::key_helper(&host, &settings));
    let patient = Patient { cwd, settings, standing, model: None };
    let mut found = examine(&host, &patient);
    if !args.offline {
        found.extend(serve::runtime()?.block_on(network(&host, &patient)));
    }
    let text = match args.json {
        true => format!("{:#}", json!(found.iter().map(Finding::as_json).collect::<Vec<_>>())),
        false => found.iter().map(Finding::as_text).collect::<Vec<_>>().join("\n"),
    };
    terminal::print(&host.secrets.redactor().redact(&text));
    let wrong = found.iter().any(|finding| finding.state == State::Problem);
    Ok(ExitCode::from(u8::from(wrong)))
}
