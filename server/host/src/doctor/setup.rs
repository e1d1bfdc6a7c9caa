//! What the user has set up: the model and its key, settings, servers, agents.

use std::path::Path;

use extend::{Settings, Standing};
use model::{Provider, Service};
use tokio::time::Instant;

use super::Finding;
use crate::context::HostContext;
use crate::keys;
use crate::{servers, session};

/// The provider that is in this program.
const REHEARSAL: &str = "rehearsal";

/// The provider that would answer here, and where its key comes from.
pub(super) fn model(host: &HostContext, wanted: Option<&str>) -> Finding {
    const FIX: &str = "run `bowline auth login`, or set ANTHROPIC_API_KEY, or OPENAI_BASE_URL and \
                       OPENAI_MODEL for a local server";
    let (provider, id) = match model::provider_for(&host.model_env, wanted) {
        Ok(found) => found,
        Err(error) => return Finding::problem("model", error.to_string(), FIX),
    };
    if provider.name() == REHEARSAL {
        return Finding::note("model", "the bundled rehearsal model: there is no key", FIX);
    }
    let service = service(&provider);
    match keys::told_origin(host, service) {
        Ok(Some(from)) => Finding::fine("model", format!("{id}; the key: {from}")),
        Ok(None) if service == Service::OpenAi => {
            Finding::fine("model", format!("{id}; without a key, as local servers want it"))
        }
        Ok(None) => Finding::fine("model", format!("{id}; the credentials of a cloud")),
        Err(error) => Finding::problem("model", format!("{id}: {error}"), FIX),
    }
}

fn service(provider: &Provider) -> Service {
    if provider.name() == "openai" { Service::OpenAi } else { Service::Anthropic }
}

/// Whether the server of that provider answers; nothing where no server is asked.
pub(super) async fn network(host: &HostContext, wanted: Option<&str>) -> Option<Finding> {
    let (provider, _) = model::provider_for(&host.model_env, wanted).ok()?;
    if provider.name() == REHEARSAL {
        return None;
    }
    let service = service(&provider);
    let server = model::server_of(&host.model_env, service).ok()?;
    let begun = Instant::now();
    Some(match model::reach(&host.model_env, service).await {
        Ok(()) => {
            let millis = begun.elapsed().as_millis();
            Finding::fine("network", format!("{server} answers, after {millis} ms"))
        }
        Err(why) => {
            let fix = "look at the network, HTTPS_PROXY and the certificates (NODE_EXTRA_CA_CERTS)";
            Finding::problem("network", format!("{server} cannot be reached: {why}"), fix)
        }
    })
}

pub(super) fn settings(settings: &Settings, trusted: bool) -> Vec<Finding> {
    let fix = "mend that line; until then Bowline is stricter than it says";
    let problems = settings.problems.iter();
    let mut found: Vec<_> =
        problems.map(|problem| Finding::problem("settings", problem.to_string(), fix)).collect();
    if found.is_empty() {
        found.push(Finding::fine("settings", "no file has a problem"));
    }
    if !trusted {
        let text = "this folder is not trusted, so nothing of its own counts";
        found.push(Finding::note(
            "trust",
            text,
            "say /trust in a session here; `bowline` starts one",
        ));
    }
    let waits = settings.unapproved.iter().map(|item| {
        let text = format!("not used until you approve it: this folder {}", item.line);
        Finding::note("trust", text, "say /trust in a session here; `bowline` starts one")
    });
    found.extend(waits);
    found
}

/// What is configured; nothing is connected to.
pub(super) fn servers(settings: &Settings) -> Vec<Finding> {
    let configured = servers::configured(settings);
    let fix = "mend the entry, or take it out with `bowline mcp remove`";
    let mut found: Vec<_> = configured
        .problems
        .into_iter()
        .map(|problem| Finding::problem("mcp", problem, fix))
        .collect();
    if found.is_empty() {
        let text = match configured.servers.len() {
            0 => "no servers are configured".to_owned(),
            1 => "one server is configured; `bowline mcp list` tells of it".to_owned(),
            count => format!("{count} servers are configured; `bowline mcp list` tells of them"),
        };
        found.push(Finding::fine("mcp", text));
    }
    found
}

/// Only what is wrong: a list of them is what `bowline agents` is for.
pub(super) fn agents(
    host: &HostContext,
    cwd: &Path,
    settings: &Settings,
    standing: &Standing,
) -> Vec<Finding> {
    let agents = session::agents_of(host, cwd, settings, standing, None);
    let fix = "mend the head of that file; `bowline agents` lists what counts";
    let problems = agents.problems.iter();
    problems.map(|problem| Finding::problem("agents", problem.to_string(), fix)).collect()
}
