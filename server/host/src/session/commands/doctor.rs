//! `/doctor`: what does not work here, and why.

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run<'a>(session: &'a mut Session, _: &'a str) -> BoxFuture<'a, Outcome> {
    examine(session).boxed()
}

async fn examine(session: &mut Session) -> Outcome {
    session.look_at_settings().await;
    // The first look at the sandbox tries it out, which takes a moment.
    let host = session.host.clone();
    let _ = tokio::task::spawn_blocking(move || host.sandbox()).await;
    let mut lines = Vec::new();
    let mut check = |what: &str, problems: Vec<String>| match problems.is_empty() {
        true => lines.push(format!("ok       {what}")),
        false => lines
            .extend(problems.iter().map(|problem| format!("problem  {what}: {}", problem.trim()))),
    };
    let model = model::provider_for(&session.config.model_env, Some(&session.config.model));
    check("model", model.err().map(|error| error.to_string()).into_iter().collect());
    check("settings", session.told.clone());
    check("instructions", session.briefing.problems().to_vec());
    check("skills", session.skills.problems().collect());
    let found = session.host.sandbox();
    check(
        "sandbox",
        found.why_not().map(str::to_owned).or_else(|| found.limits()).into_iter().collect(),
    );
    let untrusted = "this folder is not trusted, so its own settings do not count (/trust)";
    check("trust", if session.trusted { Vec::new() } else { vec![untrusted.to_owned()] });
    Ok(Done::Said(lines.join("\n")))
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
