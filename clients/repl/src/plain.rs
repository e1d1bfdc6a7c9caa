//! Line mode, for pipes and dumb terminals: prompts come line by line, answers leave as plain
//! text. The same [`App`] as on a terminal, without a live part.

use std::io::Write;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use protocol::event::Severity;
use protocol::permission::{PermissionRequestParams, Subject};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};
use tokio::time::Instant;

use crate::app::{App, DialogKind, Event};
use crate::connection::{Connection, Incoming};
use crate::prompt::Step;
use crate::prompt::permission::{Decision, Hears, Permission};
use crate::render::line::Line;

/// Rows are never wrapped: whoever reads the pipe does that.
const WIDTH: usize = 1_000_000;
/// Rows of a question on the terminal: nobody can page there, so all of them.
const QUESTION_ROWS: usize = 1_000_000;

/// Who can be asked: a function that shows a text and gives the line that was typed.
pub(crate) type AskTerminal = fn(&str) -> Option<String>;

/// Runs until the input ends and the last turn is over, or the server is gone.
pub(crate) async fn run(
    app: &mut App,
    connection: &mut Connection,
    mut input: impl AsyncBufRead + Unpin,
    mut out: impl Write,
    ask: AskTerminal,
) -> std::io::Result<()> {
    let mut line = Vec::new();
    loop {
        if !connection.send(app.outbox.drain()) {
            app.on(Event::Server(Box::new(Incoming::Closed(None))), Instant::now());
        }
        app.new_history.clear();
        // Nobody looks at a pipe, and a pipe has no clipboard.
        app.errands.clear();
        print(&mut out, &app.transcript.take_finished(WIDTH))?;
        if app.ending().is_some() {
            app.transcript.end_all();
            return print(&mut out, &app.transcript.take_finished(WIDTH));
        }
        if let Some(dialog) = app.dialogs.pop_front() {
            answer(app, dialog.kind, ask).await;
            continue;
        }
        tokio::select! {
            biased;
            incoming = connection.next() => {
                app.on(Event::Server(Box::new(incoming)), Instant::now());
            }
            // Reading goes on where it stopped: `line` keeps what a cancelled read has taken.
            read = input.read_until(b'\n', &mut line), if app.is_idle() => {
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                line.clear();
                if read? == 0 && text.is_empty() {
                    app.leave();
                } else if !text.is_empty() {
                    app.submit(&text, Instant::now());
                }
            }
        }
    }
}

async fn answer(app: &mut App, dialog: DialogKind, ask: AskTerminal) {
    match dialog {
        DialogKind::Permission(permission) if permission.is_trust() => {
            app.notice(Severity::Warning, &untrusted(&permission.request));
            app.decide(&permission, &Decision::not_now(&permission.request));
        }
        // Nor does a pipe agree to never being asked again.
        DialogKind::Permission(permission)
            if matches!(permission.request.subject, Subject::Mode(_)) =>
        {
            let text = "A mode that asks nothing must be agreed to once, in a terminal.";
            app.notice(Severity::Warning, text);
            app.decide(&permission, &Decision::not_now(&permission.request));
        }
        DialogKind::Permission(mut permission) => {
            let question = question(&mut permission);
            // The read blocks, so it has a thread; the server's messages wait in their queue.
            let typed = tokio::task::spawn_blocking(move || ask(&question)).await.ok().flatten();
            let decision = typed.as_deref().map(|typed| decision(&mut permission, typed));
            let decision = decision.unwrap_or_else(|| {
                let text = format!("Denied, nobody to ask: {}", permission.request.title);
                app.notice(Severity::Warning, &text);
                Decision::not_now(&permission.request)
            });
            app.decide(&permission, &decision);
        }
        DialogKind::Ask(asking) => {
            app.notice(Severity::Warning, "A question was declined: it needs a terminal.");
            app.decline(&asking);
        }
    }
}

/// A folder is not trusted in passing, by whoever pipes a prompt into the client.
fn untrusted(request: &PermissionRequestParams) -> String {
    let what = match &request.subject {
        Subject::Trust(subject) if !subject.what.is_empty() => {
            format!(" ({})", subject.what.join("; "))
        }
        _ => String::new(),
    };
    format!(
        "This folder is not trusted, so what it brings is not used{what}; /trust yes changes that."
    )
}

fn question(permission: &mut Permission) -> String {
    permission.hears = Hears::Lines;
    let (rows, _) = permission.draw(80, QUESTION_ROWS, 0);
    let mut text: String = rows.iter().map(|row| row.text() + "\n").collect();
    text.push_str("> ");
    text
}

/// What was typed, read as the keys of the prompt; anything unclear is a no.
fn decision(permission: &mut Permission, typed: &str) -> Decision {
    let mut characters = typed.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        let key = KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE);
        if let Step::Answered(decision) = permission.on_key(key) {
            return decision;
        }
    }
    let mut decision = Decision::not_now(&permission.request);
    decision.feedback = Some(typed.to_owned()).filter(|text| text.chars().count() > 1);
    decision
}

fn print(out: &mut impl Write, lines: &[Line]) -> std::io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let text: String = lines.iter().map(|line| line.text() + "\n").collect();
    out.write_all(text.as_bytes())?;
    out.flush()
}
