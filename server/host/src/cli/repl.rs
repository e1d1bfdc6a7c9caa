//! `bowline`: the terminal client, talking to a server of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agent::Thinking;
use extend::{Given, Standing};

use super::args::{Args, DebugFlags, SessionFlags};
use super::{Outcome, Problem, environment, worktree};
use crate::context::HostContext;
use crate::{repository, terminal};

pub(super) fn run(args: &Args) -> Outcome {
    let host = environment::host()?;
    let cwd = environment::working_directory()?;
    // A wrong flag is reported here, not by a child that dies.
    let limits = environment::limits(&args.session, &cwd)?;
    let mut server = vec![environment::program()?.into_os_string(), "serve".into()];
    server.extend(server_flags(&args.session));
    server.extend(log_flags(&args.log));
    let resume = match (&args.resume, args.continue_latest) {
        (Some(id), _) if id.is_empty() => repl::Resume::Pick,
        (Some(id), _) => repl::Resume::Id(id.clone()),
        (None, true) => repl::Resume::Latest,
        (None, false) => repl::Resume::New,
    };
    let tree = worktree::open(&host, &cwd, args.worktree.as_deref())?;
    let cwd = tree.as_ref().map_or(cwd, |tree| tree.path.clone());
    let looks = looks(&host, &cwd, &limits.given);
    let branch = repository::around(&cwd).and_then(|root| repository::branch(&root));
    let options = repl::Options {
        server,
        server_env: Vec::new(),
        cwd,
        prompt: args.prompt.clone(),
        model: args.session.model.clone(),
        mode: args.session.permission_mode.clone(),
        resume,
        fork: args.fork_session,
        theme: looks.theme,
        vim: looks.vim,
        screen_reader: args.screen_reader || looks.screen_reader,
        notifications: looks.notifications,
        editor: editor(),
        key_files: key_files(&host),
        branch,
        history_file: history_file(&host),
        terminal: surroundings(),
    };
    let ended = repl::run(options).map_err(|error| Problem::failed(format!("{error:#}")));
    worktree::close(&host, tree);
    ended
}

/// In a session that is there already, by way of a server that leads to it.
pub(super) fn talk(host: &HostContext, server: Vec<OsString>, session: String) -> Outcome {
    let cwd = environment::working_directory()?;
    let looks = looks(host, &cwd, &Given::default());
    let branch = repository::around(&cwd).and_then(|root| repository::branch(&root));
    let options = repl::Options {
        server,
        server_env: Vec::new(),
        cwd,
        prompt: None,
        model: None,
        mode: None,
        resume: repl::Resume::Id(session),
        fork: false,
        theme: looks.theme,
        vim: looks.vim,
        screen_reader: looks.screen_reader,
        notifications: looks.notifications,
        editor: editor(),
        key_files: key_files(host),
        branch,
        history_file: history_file(host),
        terminal: surroundings(),
    };
    repl::run(options).map_err(|error| Problem::failed(format!("{error:#}")))
}

fn history_file(host: &HostContext) -> PathBuf {
    host.locations.bowline_home.join("history")
}

/// The user's own editor, as every program asks for it.
fn editor() -> Option<String> {
    environment::variable("VISUAL").or_else(|| environment::variable("EDITOR"))
}

/// Another agent's file first, so that ours is the stronger one.
fn key_files(host: &HostContext) -> Vec<PathBuf> {
    let theirs = host.home().map(|home| home.join(".claude/keybindings.json"));
    theirs.into_iter().chain([host.locations.bowline_home.join("keybindings.json")]).collect()
}

fn surroundings() -> repl::TerminalFacts {
    repl::TerminalFacts {
        stdin_is_terminal: terminal::stdin_is_terminal(),
        stdout_is_terminal: terminal::stdout_is_terminal(),
        term: environment::variable("TERM"),
        program: environment::variable("TERM_PROGRAM"),
        no_color: environment::variable("NO_COLOR").is_some(),
    }
}

/// What the settings say about the client itself. A project's say nothing here: it is the user's
/// own terminal.
struct Looks {
    theme: Option<String>,
    vim: bool,
    screen_reader: bool,
    notifications: Option<String>,
}

fn looks(host: &HostContext, cwd: &Path, given: &Given) -> Looks {
    let settings = extend::load(&host.locations, cwd, &Standing::default(), given);
    let said = |key: &str| {
        let found = settings.explain().iter().find(|it| it.key == key);
        found.and_then(|it| it.value.as_str()).map(str::to_owned)
    };
    let is_on = |key: &str| {
        let found = settings.explain().iter().find(|it| it.key == key);
        found.and_then(|it| it.value.as_bool()).unwrap_or(false)
    };
    let wished = environment::variable("BOWLINE_SCREEN_READER").is_some_and(|value| value != "0");
    Looks {
        theme: said("theme"),
        vim: said("editorMode").as_deref() == Some("vim"),
        screen_reader: wished || is_on("screenReader"),
        notifications: said("preferredNotifChannel"),
    }
}

/// It is the server that is watched: what goes on, goes on there.
fn log_flags(flags: &DebugFlags) -> Vec<OsString> {
    let flag = |name: &str, value: OsString| {
        let mut word = OsString::from(name);
        word.push(value);
        word
    };
    let filter = flags.debug.iter().map(|filter| flag("--debug=", filter.into()));
    filter.chain(flags.debug_file.iter().map(|file| flag("--debug-file=", file.into()))).collect()
}

/// The flags again, for the server that carries them out.
fn server_flags(flags: &SessionFlags) -> Vec<OsString> {
    let mut argv: Vec<OsString> = Vec::new();
    // In one word, so that a value is never taken for another flag.
    let mut push = |flag: &str, value: OsString| {
        let mut word = OsString::from(format!("{flag}="));
        word.push(value);
        argv.push(word);
    };
    for rules in &flags.allowed_tools {
        push("--allowedTools", rules.into());
    }
    for rules in &flags.disallowed_tools {
        push("--disallowedTools", rules.into());
    }
    if let Some(turns) = flags.max_turns {
        push("--max-turns", turns.to_string().into());
    }
    for model in &flags.fallback_model {
        push("--fallback-model", model.into());
    }
    if let Some(budget) = flags.max_budget_usd {
        push("--max-budget-usd", budget.to_string().into());
    }
    if let Some(budget) = flags.task_budget {
        push("--task-budget", budget.to_string().into());
    }
    let wish = environment::wish(flags);
    if let Some(effort) = wish.effort {
        push("--effort", effort.name().into());
    }
    match wish.thinking {
        Some(Thinking::Budget(tokens)) => push("--max-thinking-tokens", tokens.to_string().into()),
        Some(thinking) => push("--thinking", thinking.name().unwrap_or_default().into()),
        None => {}
    }
    for dir in &flags.add_dir {
        push("--add-dir", dir.into());
    }
    for dir in &flags.plugin_dir {
        push("--plugin-dir", dir.into());
    }
    for dir in &flags.plugin_dir_no_mcp {
        push("--plugin-dir-no-mcp", dir.into());
    }
    if let Some(agent) = &flags.agent {
        push("--agent", agent.into());
    }
    if let Some(agents) = &flags.agents {
        push("--agents", agents.into());
    }
    if let Some(settings) = &flags.settings {
        push("--settings", settings.into());
    }
    if let Some(sources) = &flags.setting_sources {
        push("--setting-sources", sources.into());
    }
    if flags.trust_workspace {
        argv.push("--trust-workspace".into());
    }
    argv
}
