//! The loop: waits for the terminal, the server and the clock, and draws.
//!
//! A key is drawn at once; streamed text waits until the last frame is old enough, so that a fast
//! stream costs thirty frames a second and not one for each word. An idle client does not wake.

use std::io::Write;

use crossterm::event::{Event as TerminalEvent, KeyEvent};
use futures::{Stream, StreamExt as _};
use tokio::sync::Notify;
use tokio::time::{Duration, Instant, sleep_until};

use super::{App, Event};
use crate::connection::Connection;
use crate::history_file::HistoryFile;
use crate::render::frame::SPINNER_STEP;
use crate::render::theme::Theme;
use crate::screen::Screen;

/// The least time between two frames of streamed text.
const FRAME: Duration = Duration::from_millis(33);
/// Messages taken in one go before keys get a turn.
const BATCH: usize = 256;

/// Where events come from, besides the server.
pub(crate) struct Inputs<'a, S, H, Z> {
    pub terminal: S,
    pub grammars: &'a Notify,
    pub hangup: H,
    pub history: &'a HistoryFile,
    /// Asked before every frame: the news of a resize comes later than the resize.
    pub size: Z,
    /// The terminal shows colours.
    pub colour: bool,
}

/// Runs until the app has an ending.
pub(crate) async fn run<W, S, H, Z>(
    app: &mut App,
    connection: &mut Connection,
    screen: &mut Screen<W>,
    inputs: Inputs<'_, S, H, Z>,
) -> std::io::Result<()>
where
    W: Write,
    S: Stream<Item = std::io::Result<TerminalEvent>> + Unpin,
    H: Future<Output = ()>,
    Z: Fn() -> (u16, u16),
{
    let Inputs { mut terminal, grammars, hangup, history, size, colour } = inputs;
    let mut hangup = std::pin::pin!(hangup);
    let mut drawn = Instant::now();
    let mut due = Some(drawn);
    loop {
        if !connection.send(app.outbox.drain()) {
            // The reader tells why; here is only no reason to hang.
            app.on(Event::Server(Box::new(crate::connection::Incoming::Closed(None))), drawn);
        }
        for entry in app.new_history.drain(..) {
            history.append(&entry);
        }
        let now = Instant::now();
        if app.ending().is_some() {
            let (width, _) = size();
            screen.resize(width.into());
            let frame = app.last_frame(width.into());
            screen.draw(&frame)?;
            return screen.finish();
        }
        if due.is_some_and(|due| now >= due) {
            let (width, height) = size();
            screen.resize(width.into());
            screen.set_theme(if colour { app.theme } else { Theme::Plain });
            let frame = app.frame(width.into(), height.into(), now);
            screen.draw(&frame)?;
            drawn = now;
            due = app.is_busy(now).then(|| now + SPINNER_STEP);
        }
        tokio::select! {
            biased;
            () = &mut hangup => app.on(Event::Hangup, Instant::now()),
            event = terminal.next() => {
                let event = event.unwrap_or_else(|| Err(std::io::ErrorKind::UnexpectedEof.into()));
                match event {
                    Ok(event) => on_terminal(app, screen, event),
                    Err(_) => app.on(Event::Hangup, Instant::now()),
                }
                due = Some(Instant::now());
            }
            incoming = connection.next() => {
                let now = Instant::now();
                app.on(Event::Server(Box::new(incoming)), now);
                for _ in 0..BATCH {
                    let Some(incoming) = connection.try_next() else { break };
                    app.on(Event::Server(Box::new(incoming)), now);
                }
                due = Some(soonest(due, drawn + FRAME));
            }
            () = grammars.notified() => {
                app.on(Event::Grammars, Instant::now());
                due = Some(Instant::now());
            }
            () = sleep_until(due.unwrap_or(now)), if due.is_some() => {
                app.on(Event::Tick, Instant::now());
            }
        }
    }
}

fn soonest(due: Option<Instant>, other: Instant) -> Instant {
    due.map_or(other, |due| due.min(other))
}

fn on_terminal<W: Write>(app: &mut App, screen: &mut Screen<W>, event: TerminalEvent) {
    match event {
        TerminalEvent::Key(key) => {
            if is_redraw(key) {
                screen.forget();
            }
            app.on(Event::Key(key), Instant::now());
        }
        TerminalEvent::Paste(text) => app.on(Event::Paste(text), Instant::now()),
        _ => {}
    }
}

fn is_redraw(key: KeyEvent) -> bool {
    use crate::editor::keys::{Action, action};
    action(key) == Some(Action::Redraw)
}
