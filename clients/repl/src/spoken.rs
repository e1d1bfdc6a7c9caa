//! The mode for screen readers: the terminal edits the line, answers come as plain lines that are never
//! drawn again, questions and lists are answered by number. The same [`App`] as on a screen.

use std::io::Write;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;

use crate::app::{App, DialogKind, Event};
use crate::connection::{Connection, Incoming};
use crate::prompt::Step;
use crate::prompt::permission::{Decision, Hears, Permission};
use crate::render::line::Line;
use crate::render::spoken::words;

/// Rows are never wrapped.
const WIDTH: usize = 1_000_000;
/// Rows of a question: nobody can page here, so all of them.
const ROWS: usize = 1_000_000;
const PROMPT: &str = "You: ";

/// Runs until the input ends, the user leaves, or the server is gone.
pub(crate) async fn run(
    app: &mut App,
    connection: &mut Connection,
    mut input: impl AsyncBufRead + Unpin,
    mut out: impl Write,
    ends: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let mut ends = std::pin::pin!(ends);
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut desk = Desk::default();
    let mut line = Vec::new();
    loop {
        if !connection.send(app.outbox.drain()) {
            app.on(Event::Server(Box::new(Incoming::Closed(None))), Instant::now());
        }
        app.new_history.clear();
        app.errands.clear();
        desk.print(&mut out, &app.transcript.take_finished(WIDTH))?;
        if app.ending().is_some() {
            app.transcript.end_all();
            return desk.print(&mut out, &app.transcript.take_finished(WIDTH));
        }
        desk.ask(app, &mut out)?;
        desk.invite(app, &mut out)?;
        tokio::select! {
            biased;
            () = &mut ends => app.on(Event::Hangup, Instant::now()),
            _ = interrupts.recv() => app.interrupt_in_words(Instant::now()),
            incoming = connection.next() => {
                app.on(Event::Server(Box::new(incoming)), Instant::now());
            }
            // Reading goes on where it stopped: `line` keeps what a cancelled read has taken.
            read = input.read_until(b'\n', &mut line), if app.session.is_some() || app.picker.is_some() => {
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                line.clear();
                desk.invited = false;
                match read? {
                    0 if text.is_empty() => app.leave(),
                    _ => desk.on_line(app, &text),
                }
            }
        }
    }
}

#[derive(Default)]
struct Desk {
    /// The question that was asked last and waits for a line, by its id.
    open: Option<String>,
    /// The user was invited to write.
    invited: bool,
}

impl Desk {
    /// Asks the first question, once.
    fn ask(&mut self, app: &mut App, out: &mut impl Write) -> std::io::Result<()> {
        let Some(dialog) = app.dialogs.front_mut() else {
            // Another door may have answered it.
            self.open = None;
            return Ok(());
        };
        let id = dialog.kind.request_id().to_owned();
        if self.open.as_ref() == Some(&id) {
            return Ok(());
        }
        let text = match &mut dialog.kind {
            DialogKind::Permission(permission) => permission_in_words(permission),
            DialogKind::Ask(asking) => format!("Question: {}", asking.speak()),
        };
        self.open = Some(id);
        self.say(out, &text)
    }

    /// Where an answer or a prompt is written.
    fn invite(&mut self, app: &App, out: &mut impl Write) -> std::io::Result<()> {
        let waits = self.open.is_some() || app.picker.is_some() || app.is_idle();
        if !waits || self.invited || (app.session.is_none() && app.picker.is_none()) {
            return Ok(());
        }
        self.invited = true;
        let word =
            if self.open.is_some() || app.picker.is_some() { "Your answer: " } else { PROMPT };
        out.write_all(word.as_bytes())?;
        out.flush()
    }

    fn on_line(&mut self, app: &mut App, text: &str) {
        let asked = self.open.take().and_then(|_| app.dialogs.pop_front());
        match asked.map(|dialog| dialog.kind) {
            Some(DialogKind::Permission(mut permission)) => {
                let decision = decision(&mut permission, text);
                app.decide(&permission, &decision);
            }
            Some(DialogKind::Ask(mut asking)) => match asking.reply(text) {
                Step::Answered(result) => app.answer_question(&asking, &result),
                // The next part of it, or what was wrong with this one.
                Step::Open => app.put_back(DialogKind::Ask(asking)),
            },
            None if app.pick_in_words(text) => {}
            None if text.is_empty() => {}
            None => app.submit(text, Instant::now()),
        }
    }

    fn say(&mut self, out: &mut impl Write, text: &str) -> std::io::Result<()> {
        if std::mem::take(&mut self.invited) {
            out.write_all(b"\n")?;
        }
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    fn print(&mut self, out: &mut impl Write, lines: &[Line]) -> std::io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let text: String = lines.iter().map(|line| line.text() + "\n").collect();
        self.say(out, &text)
    }
}

fn in_words(rows: &[Line], is_change: bool) -> String {
    rows.iter().filter_map(|row| words(row, is_change)).map(|row| row + "\n").collect()
}

fn permission_in_words(permission: &mut Permission) -> String {
    permission.hears = Hears::Lines;
    let is_change = permission.shows_change();
    let (rows, _) = permission.draw(WIDTH.min(10_000), ROWS, 0);
    let text = in_words(&rows, is_change);
    format!("Question: {text}Type the number of your answer and press Enter.\n")
}

/// A number or a letter of the question; anything else is a no that says what to do instead.
fn decision(permission: &mut Permission, typed: &str) -> Decision {
    if let Some(option) = typed.parse::<usize>().ok().and_then(|number| permission.option(number)) {
        return Decision { option: Some(option), ..Decision::default() };
    }
    let mut letters = typed.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && let Step::Answered(decision) = permission.on_key(key(KeyCode::Char(letter)))
    {
        return decision;
    }
    let mut decision = Decision::not_now(&permission.request);
    decision.feedback = Some(typed.to_owned()).filter(|text| text.chars().count() > 1);
    decision
}

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}
