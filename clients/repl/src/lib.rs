//! The terminal client: a client of one `bowline serve` child over its stdio, and of nothing else.
//!
//! `app` owns the state and never does IO; `editor`, `render`, `prompt` and `commands` are pure
//! rooms around it, and so are `keymap` and `views`; `connection`, `terminal`, `screen`, `outside`,
//! `history_file`, `clock` and `tty` are the rim. The client reads no environment and no settings: whatever it must know is in [`Options`].

mod app;
mod clock;
mod commands;
mod connection;
mod editor;
mod history_file;
mod keymap;
mod outside;
mod plain;
mod prompt;
mod render;
mod screen;
mod spoken;
mod state;
mod terminal;
#[cfg(test)]
mod testing;
mod tty;
mod views;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use crossterm::event::EventStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;

use app::{App, Ending, Inputs, Start};
use connection::{Connection, ServerCommand};
use editor::Editor;
use history_file::HistoryFile;
use outside::{Channel, Outside};
use render::highlight::Highlighting;
use render::theme::Theme;
use screen::Screen;
use state::transcript::Look;

/// Which session to begin with.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Resume {
    /// A new one.
    #[default]
    New,
    /// The one of this folder that was used last.
    Latest,
    /// The user picks from a list.
    Pick,
    /// This one.
    Id(String),
}

/// What the environment says about the terminal.
#[derive(Debug, Clone, Default)]
pub struct TerminalFacts {
    pub stdin_is_terminal: bool,
    pub stdout_is_terminal: bool,
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `TERM`.
    pub term: Option<String>,
    /// `TERM_PROGRAM`.
    pub program: Option<String>,
}

/// Everything the client must know.
#[derive(Debug, Clone)]
pub struct Options {
    /// The command that starts the server: program and arguments.
    pub server: Vec<OsString>,
    /// Variables for the server, beside those it inherits.
    pub server_env: Vec<(OsString, OsString)>,
    /// The folder to work in, as an absolute path.
    pub cwd: PathBuf,
    /// The first prompt.
    pub prompt: Option<String>,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub resume: Resume,
    /// Go on in a copy of that session.
    pub fork: bool,
    /// The setting `theme`.
    pub theme: Option<String>,
    /// The setting `editorMode` is `vim`.
    pub vim: bool,
    /// Everything is told in words, one line after the other.
    pub screen_reader: bool,
    /// The setting `preferredNotifChannel`.
    pub notifications: Option<String>,
    /// The user's editor: `$VISUAL`, else `$EDITOR`.
    pub editor: Option<String>,
    /// Files about keys; the last one is our own, and the strongest.
    pub key_files: Vec<PathBuf>,
    /// The branch that is checked out in the folder.
    pub branch: Option<String>,
    /// Where prompts are remembered.
    pub history_file: PathBuf,
    pub terminal: TerminalFacts,
}

/// Runs the client until the user leaves. Zero unless the server broke or, in line mode, a turn
/// failed.
pub fn run(options: Options) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the event loop")?;
    let code = runtime.block_on(run_client(options));
    // A thread may still wait in a read of stdin; nobody waits for it.
    runtime.shutdown_timeout(Duration::from_millis(10));
    code
}

async fn run_client(options: Options) -> Result<ExitCode> {
    let mut connection = Connection::start(&ServerCommand {
        argv: &options.server,
        env: &options.server_env,
        cwd: &options.cwd,
    })?;
    let facts = &options.terminal;
    let dumb = facts.term.as_deref() == Some("dumb");
    let rich = facts.stdin_is_terminal && facts.stdout_is_terminal && !dumb;
    let (ending, failed) = if options.screen_reader {
        run_in_words(options, &mut connection).await?
    } else if rich {
        run_on_terminal(options, &mut connection).await?
    } else {
        run_on_lines(options, &mut connection).await?
    };
    let code = match ending {
        Some(Ending::Broken(reason)) => {
            let words = connection.last_words().await;
            report_broken(&reason, &words);
            ExitCode::FAILURE
        }
        _ if failed && !rich => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    };
    connection.shut_down().await;
    Ok(code)
}

async fn run_on_terminal(
    options: Options,
    connection: &mut Connection,
) -> Result<(Option<Ending>, bool)> {
    let history = HistoryFile::new(options.history_file.clone());
    let grammars = Arc::new(Notify::new());
    let colour = !options.terminal.no_color;
    let highlighting = if colour {
        let loaded = Arc::clone(&grammars);
        Highlighting::lazy(move || loaded.notify_one())
    } else {
        Highlighting::off()
    };
    let mut editor = Editor::new(history.load());
    editor.use_vim(options.vim);
    let outside = outside(&options);
    let mut app = App::new(start(options, Look::Rich(highlighting), editor));
    let size = || match crossterm::terminal::size() {
        Ok((width, height)) if width > 0 && height > 0 => (width, height),
        _ => (80, 24),
    };
    let guard = terminal::RawTerminal::enter().context("cannot set up the terminal")?;
    let mut screen = Screen::new(std::io::stdout(), size().0.into(), app.theme);
    let inputs = Inputs {
        listen: EventStream::new,
        outside,
        lend: terminal::RawTerminal::lend,
        grammars: &grammars,
        hangup: hangup(),
        history: &history,
        size,
        colour,
    };
    let outcome = app::run(&mut app, connection, &mut screen, inputs).await;
    drop(guard);
    outcome.context("cannot write to the terminal")?;
    Ok((app.ending().cloned(), app.failed))
}

async fn run_in_words(
    options: Options,
    connection: &mut Connection,
) -> Result<(Option<Ending>, bool)> {
    let mut app = App::new(start(options, Look::Spoken, Editor::default()));
    let input = tokio::io::BufReader::new(tokio::io::stdin());
    let ends = hangup();
    let outcome = spoken::run(&mut app, connection, input, std::io::stdout(), ends).await;
    outcome.context("cannot write to the terminal")?;
    Ok((app.ending().cloned(), app.failed))
}

async fn run_on_lines(
    options: Options,
    connection: &mut Connection,
) -> Result<(Option<Ending>, bool)> {
    let mut app = App::new(start(options, Look::Plain, Editor::default()));
    let input = tokio::io::BufReader::new(tokio::io::stdin());
    let outcome = plain::run(&mut app, connection, input, std::io::stdout(), tty::ask).await;
    match outcome {
        // `bowline | head`: the reader has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        outcome => outcome.context("cannot write the answer")?,
    }
    Ok((app.ending().cloned(), app.failed))
}

/// A way to notify that nobody knows is told by whoever reads the settings.
fn outside(options: &Options) -> Outside {
    let facts = &options.terminal;
    let (term, program) =
        (facts.term.as_deref().unwrap_or(""), facts.program.as_deref().unwrap_or(""));
    let wanted = options.notifications.as_deref().unwrap_or("auto");
    let channel = Channel::named(wanted, term, program).unwrap_or_default();
    Outside::new(options.editor.clone(), channel, options.key_files.clone())
}

fn start(options: Options, look: Look, editor: Editor) -> Start {
    Start {
        version: env!("CARGO_PKG_VERSION"),
        cwd: options.cwd.to_string_lossy().into_owned(),
        prompt: options.prompt,
        model: options.model,
        mode: options.mode,
        resume: options.resume,
        fork: options.fork,
        look,
        // A name that nobody knows is told by whoever reads the settings.
        theme: options.theme.as_deref().and_then(Theme::named).unwrap_or_default(),
        editor,
        branch: options.branch,
        key_file: options
            .key_files
            .last()
            .map(|path| path.display().to_string())
            .unwrap_or_default(),
        clock: clock::milliseconds,
    }
}

/// Ends when the system asks us to go, so that the terminal is restored first.
async fn hangup() {
    let (Ok(mut term), Ok(mut hup)) =
        (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = hup.recv() => {}
    }
}

/// One sentence, and the server's last words below it.
fn report_broken(reason: &str, words: &[String]) {
    let mut text = format!("{}\n", render::safe::safe(reason));
    for line in words {
        text.push_str("  | ");
        text.push_str(&render::safe::output(line));
        text.push('\n');
    }
    // Nothing can be done about a stderr that is gone.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
