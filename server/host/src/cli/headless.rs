//! `bowline -p`: the headless door from the command line.

use std::process::ExitCode;
use std::time::Duration;

use super::args::Args;
use super::log::Beginning;
use super::{Outcome, Problem, environment, serve, worktree};
use crate::context::HostContext;
use crate::core;
use crate::doors::headless::{self, ForkAt, Job, Resume};
use crate::session::AnswerSchema;
use crate::telemetry::Exporter;
use crate::terminal::{self, Signals};

pub(super) fn run(args: &Args, begin: &Beginning) -> Outcome {
    let (host, exporter) = begin.host()?;
    host.look_for_sandbox();
    let cwd = environment::working_directory()?;
    let mut limits = environment::limits(&args.session, &cwd)?;
    limits.strict_settings = true;
    limits.waits_for_servers = true;
    limits.schema = schema(args)?;
    let prompt = prompt(args)?;
    let resume = resume(args)?;
    let fork = fork(args);
    let runtime = serve::runtime()?;
    host.startup.mark("runtime");
    let keeper = host.clone();
    let tree = worktree::open(&host, &cwd, args.worktree.as_deref())?;
    let cwd = tree.as_ref().map_or(cwd, |tree| tree.path.clone());
    let report = runtime.block_on(async {
        let mut signals = Signals::new().map_err(|error| Problem::failed(error.to_string()))?;
        let telemetry = exporter.map(Exporter::start);
        let schema = limits.schema.clone();
        super::sweep::start(&host);
        let patience = patience(&host);
        let core = core::spawn(host, limits);
        let session_id = args.stream.session_id.clone();
        let ephemeral = args.stream.no_session_persistence;
        let job = Job { prompt, cwd, session_id, ephemeral, resume, fork, schema, patience };
        let run = headless::run(&core, job, &mut signals, terminal::note);
        let report = run.await.map_err(|error| Problem::failed(error.message));
        if let Some(telemetry) = telemetry {
            telemetry.send().await;
        }
        report
    });
    worktree::close(&keeper, tree);
    runtime.shutdown_background();
    let report = report?;
    terminal::print(&report.print(args.output_format));
    Ok(ExitCode::from(report.exit_code()))
}

/// Which conversation is meant.
pub(super) fn resume(args: &Args) -> Result<Resume, Problem> {
    match (&args.resume, args.continue_latest) {
        (Some(id), _) if id.is_empty() => {
            let message = "--resume needs an id with -p; `bowline --resume` lets you choose one.";
            Err(Problem::usage(message))
        }
        (Some(id), _) => Ok(Resume::Id(id.clone())),
        (None, true) => Ok(Resume::Latest),
        (None, false) => Ok(Resume::New),
    }
}

pub(super) fn fork(args: &Args) -> Option<ForkAt> {
    match &args.resume_session_at {
        Some(message) => Some(ForkAt::Message(message.clone())),
        None => args.fork_session.then_some(ForkAt::End),
    }
}

/// Ten minutes, unless the environment says otherwise; zero is no limit.
pub(super) fn patience(host: &HostContext) -> Duration {
    const USUAL: u64 = 600_000;
    const NO_LIMIT: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    let said = |name: &str| host.var(name)?.to_str()?.trim().parse::<u64>().ok();
    let said = said("BOWLINE_PRINT_BG_WAIT_CEILING_MS");
    let said = said.or_else(|| {
        host.var("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS")?.to_str()?.trim().parse().ok()
    });
    match said.unwrap_or(USUAL) {
        0 => NO_LIMIT,
        ms => Duration::from_millis(ms),
    }
}

pub(super) fn schema(args: &Args) -> Result<Option<AnswerSchema>, Problem> {
    let schema = args.json_schema.as_deref().map(AnswerSchema::parse).transpose();
    schema.map_err(|problem| Problem::usage(format!("--json-schema cannot be used: {problem}.")))
}

/// From the argument, from standard input, or from both: the argument says what to do with it.
pub(super) fn prompt(args: &Args) -> Result<String, Problem> {
    let given = args.prompt.clone().unwrap_or_default();
    if terminal::stdin_is_terminal() {
        return non_empty(given);
    }
    let piped = terminal::read_stdin().map_err(Problem::failed)?;
    match (given.trim().is_empty(), piped.trim().is_empty()) {
        (_, true) => non_empty(given),
        (true, false) => Ok(piped),
        (false, false) => Ok(format!("{given}\n\n{piped}")),
    }
}

fn non_empty(prompt: String) -> Result<String, Problem> {
    if prompt.trim().is_empty() {
        let message = "There is nothing to do: give a prompt as an argument or on standard input.";
        return Err(Problem::usage(message));
    }
    Ok(prompt)
}
