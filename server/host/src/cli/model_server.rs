//! `bowline model-server`: the rehearsal model, or a script, as an API on loopback.

use std::process::ExitCode;

use model::{Brain, Scenario};
use tokio::net::TcpListener;

use super::args::ModelServerArgs;
use super::{Outcome, Problem, serve};
use crate::terminal::{self, Signals};

/// A script is written by hand; one larger than this is something else.
const SCENARIO_CAP: u64 = 16 * 1024 * 1024;

pub(super) fn run(args: &ModelServerArgs) -> Outcome {
    let brain = match &args.scenario {
        None => Brain::Rehearsal,
        Some(path) => {
            let cwd = super::environment::working_directory()?;
            let (bytes, _) = workspace::read_bytes(&cwd.join(path), SCENARIO_CAP)
                .map_err(|error| Problem::failed(error.to_string()))?;
            let text = String::from_utf8_lossy(&bytes);
            let scenario = Scenario::parse(&text)
                .map_err(|error| Problem::failed(format!("{}: {error}", path.display())))?;
            Brain::Scenario(scenario)
        }
    };
    serve::runtime()?.block_on(async {
        let port = args.port;
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(|error| {
            Problem::failed(format!("Port {port} cannot be used ({error}); choose another."))
        })?;
        let address = listener.local_addr().map_err(|error| Problem::failed(error.to_string()))?;
        let mut signals = Signals::new().map_err(|error| Problem::failed(error.to_string()))?;
        terminal::print(&format!("http://{address}"));
        terminal::note(
            "serving; set ANTHROPIC_BASE_URL to this address and any ANTHROPIC_API_KEY.",
        );
        let served = model::serve(listener, brain, async move {
            signals.next().await;
        })
        .await;
        served.map_err(|error| Problem::failed(format!("The server broke down: {error}.")))?;
        Ok(ExitCode::SUCCESS)
    })
}
