//! A server that is a process of ours: spoken to by its standard input and output, behind the
//! session's walls, gone with everything it started when the connection is.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use exec::Companion;

use super::{Connected, Failure, Surroundings, handshake, lines, one_line};
use crate::client::Client;
use crate::config::{ServerConfig, Transport};

/// How long a process that broke off may take to say why.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(super) async fn connect(
    config: &ServerConfig,
    around: &Arc<dyn Surroundings>,
    client: Client,
) -> Result<Connected, Failure> {
    let log = client.log();
    let Companion { input, output, mut process } = start(config, around, &client).await?;
    log.follow(&process);
    let transport = (lines::outgoing(input), lines::incoming(output, log));
    match handshake(transport, client).await {
        Ok(service) => Ok(Connected { service, process: Some(process) }),
        Err(failure) => {
            process.end(LAST_WORDS).await;
            if let Some(why) = process.failure().await {
                return Err(not_started(&why.to_string()));
            }
            let last = one_line(&process.last_line());
            match failure {
                Failure::Passing(text) if !last.is_empty() => {
                    Err(Failure::Passing(format!("{text} It said: {last}.")))
                }
                failure => Err(failure),
            }
        }
    }
}

/// Whoever stops waiting drops the process as soon as there is one. Its keeper does not go before that
/// has happened: the thread that starts it may be left behind when we end.
async fn start(
    config: &ServerConfig,
    around: &Arc<dyn Surroundings>,
    client: &Client,
) -> Result<Companion, Failure> {
    let Transport::Stdio { command, args, env } = config.transport.clone() else {
        return Err(Failure::Final("It is no program.".to_owned()));
    };
    let (around, config) = (around.clone(), config.clone());
    let starting = client.starting().await;
    // Walls are built on the disk.
    let started = tokio::task::spawn_blocking(move || {
        let started = run(&*around, &config, (command, args, env));
        // In this order: first the process is dropped, where nobody wants it any more.
        (started, starting)
    });
    let started = started.await.map(|(started, _)| started);
    let started = started.unwrap_or_else(|error| Err(error.to_string()));
    started.map_err(|why| not_started(&why))
}

fn run(
    around: &dyn Surroundings,
    config: &ServerConfig,
    (command, args, env): (String, Vec<String>, BTreeMap<String, String>),
) -> Result<Companion, String> {
    let walls = around.walls(config)?;
    let cwd = around.cwd();
    let mut all = around.environment();
    let project = (OsString::from("CLAUDE_PROJECT_DIR"), cwd.clone().into_os_string());
    let given = env.into_iter().map(|(name, value)| (name.into(), value.into()));
    for (name, value) in std::iter::once(project).chain(given) {
        all.retain(|(known, _)| *known != name);
        all.push((name, value));
    }
    let args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
    Companion::start(command, &args, &cwd, &all, &walls).map_err(|error| error.to_string())
}

fn not_started(why: &str) -> Failure {
    Failure::Final(format!("It cannot be started: {}.", one_line(why)))
}
