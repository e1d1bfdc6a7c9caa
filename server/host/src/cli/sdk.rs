//! `--input-format stream-json`, `--output-format stream-json`: the SDK door on this process's pipes.

use std::process::ExitCode;

use super::args::{Args, InputFormat, PromptsFlag, ThoughtsFlag};
use super::log::Beginning;
use super::{Outcome, Problem, environment, headless, serve, stdio, worktree};
use crate::context::HostContext;
use crate::doors::headless::OutputFormat;
use crate::doors::sdk::{self, Asks, Job, States, Wishes};
use crate::session::Limits;
use crate::telemetry::Exporter;
use crate::terminal::{self, Signals};

pub(super) fn run(args: &Args, begin: &Beginning) -> Outcome {
    let (host, exporter) = begin.host_with_state()?;
    let streams_in = args.stream.input_format == InputFormat::StreamJson;
    if streams_in && args.output_format != OutputFormat::StreamJson {
        let message = "--input-format stream-json needs --output-format stream-json.";
        return Err(Problem::usage(message));
    }
    if streams_in && args.prompt.is_some() {
        let message = "With --input-format stream-json prompts come from standard input alone.";
        return Err(Problem::usage(message));
    }
    let cwd = environment::working_directory()?;
    let mut limits = environment::limits(&args.session, &cwd)?;
    limits.strict_settings = true;
    limits.waits_for_servers = true;
    limits.schema = headless::schema(args)?;
    limits.mirrored = args.stream.session_mirror;
    forbid(args, &mut limits)?;
    let prompt = if streams_in { None } else { Some(headless::prompt(args)?) };
    let (resume, fork) = (headless::resume(args)?, headless::fork(args));
    let wishes = wishes(args, &host)?;
    let runtime = serve::runtime()?;
    host.startup.mark("runtime");
    let tree = worktree::open(&host, &cwd, args.worktree.as_deref())?;
    let cwd = tree.as_ref().map_or(cwd, |tree| tree.path.clone());
    let code = runtime.block_on(async {
        let mut signals = Signals::new().map_err(|error| Problem::failed(error.to_string()))?;
        let telemetry = exporter.map(Exporter::start);
        super::sweep::start(&host);
        let job = Job {
            patience: headless::patience(&host),
            host: host.clone(),
            limits,
            cwd,
            resume,
            fork,
            drops_turn: args.stream.resume_drops_turn.clone(),
            session_id: args.stream.session_id.clone(),
            ephemeral: args.stream.no_session_persistence,
            prompt,
            wishes,
            title: None,
            suggestions: false,
        };
        let code = sdk::run(job, stdio::input(), stdio::output(), &mut signals).await;
        if let Some(telemetry) = telemetry {
            telemetry.send().await;
        }
        code.map_err(Problem::failed)
    });
    worktree::close(&host, tree);
    // A read of stdin that never returns must not keep the process.
    runtime.shutdown_background();
    Ok(ExitCode::from(code?))
}

/// What the program that started us forbids. What it cannot say is told.
fn forbid(args: &Args, limits: &mut Limits) -> Result<(), Problem> {
    let given = std::mem::take(&mut limits.given);
    let policy = args.stream.managed_settings.as_deref();
    let (given, left_out) = given.with_policy(policy).map_err(Problem::usage)?;
    limits.given = given;
    for key in left_out {
        terminal::note(&format!("--managed-settings: `{key}` does not forbid, and is left out."));
    }
    Ok(())
}

fn wishes(args: &Args, host: &HostContext) -> Result<Wishes, Problem> {
    let flags = &args.stream;
    let asks = match (flags.permission_prompt_tool.as_deref(), flags.permission_prompts) {
        (_, Some(PromptsFlag::None)) => Asks::Nobody,
        (Some("stdio"), _) | (None, Some(PromptsFlag::Host)) => Asks::Host,
        (Some(tool), _) if tool.starts_with("mcp__") => Asks::Tool(tool.to_owned()),
        (Some(tool), _) => {
            return Err(Problem::usage(format!(
                "--permission-prompt-tool: {tool:?} cannot be asked; it is stdio, or a tool of an MCP \
                 server such as mcp__server__tool."
            )));
        }
        (None, None) => Asks::Nobody,
    };
    let states = match () {
        () if host.is_set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") => States::Said,
        () if host.is_set("CLAUDE_CODE_SDK_READS_SESSION_STATE") => States::ForTheSdk,
        () => States::Unsaid,
    };
    let subagent_text =
        flags.forward_subagent_text || host.is_set("CLAUDE_CODE_FORWARD_SUBAGENT_TEXT");
    Ok(Wishes {
        partial: flags.include_partial_messages,
        hook_events: flags.include_hook_events,
        replay: flags.replay_user_messages,
        subagent_text,
        omit_thoughts: flags.thinking_display == Some(ThoughtsFlag::Omitted),
        asks,
        states,
    })
}
