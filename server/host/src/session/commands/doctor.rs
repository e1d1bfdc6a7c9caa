//! `/doctor`: what does not work here, and why.

use std::sync::Arc;

use super::asks::Asking;
use crate::doctor::{Finding, Patient, examine, network};
use crate::session::{Session, setup};

/// What `bowline doctor` says, and what is wrong with what this session goes by.
pub(super) fn run(session: &mut Session, _: &str) -> Result<Asking, String> {
    let (host, limits) = (session.host.clone(), session.limits.clone());
    let (cwd, model) = (session.state.cwd().to_owned(), session.config.model.clone());
    let redactor = session.state.redactor();
    let own = own_findings(session);
    Ok(Box::pin(async move {
        let looked = host.clone();
        // The first look at the sandbox tries it out, which takes a moment.
        let examined = tokio::task::spawn_blocking(move || {
            let setup::Found { settings, standing, .. } = setup::find(&looked, &cwd, &limits);
            let patient = Arc::new(Patient { cwd, settings, standing, model: Some(model) });
            (examine(&looked, &patient), patient)
        });
        let (mut found, patient) = examined.await.map_err(|error| error.to_string())?;
        found.extend(network(&host, &patient).await);
        found.extend(own);
        let lines: Vec<String> = found.iter().map(Finding::as_text).collect();
        Ok(redactor.redact(&lines.join("\n")).into_owned())
    }))
}

fn own_findings(session: &Session) -> Vec<Finding> {
    let check = |about: &'static str, problems: Vec<String>, fix: &str| match problems.is_empty() {
        true => vec![Finding::fine(about, "nothing is wrong with their files")],
        false => problems.iter().map(|it| Finding::problem(about, it.as_str(), fix)).collect(),
    };
    let memory = session.briefing.problems().to_vec();
    let mut found = check("memory", memory, "mend that file; /memory lists those that count");
    let skills = session.skills.problems().collect();
    found.extend(check("skills", skills, "mend that file; /skills lists those that count"));
    found
}

/// What keeps commands in, as far as it was looked at.
pub(super) fn sandbox(session: &Session) -> String {
    match session.host.sandbox.get() {
        None => "not looked for yet".to_owned(),
        Some(found) => match found.why_not() {
            Some(why) => format!("none: {why}"),
            None => found.kind().name().to_owned(),
        },
    }
}
