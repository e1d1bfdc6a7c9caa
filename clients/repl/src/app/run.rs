//! The loop: waits for the terminal, the server and the clock, and draws.
//!
//! A key is drawn at once; streamed text waits until the last frame is old enough, so that a fast
//! stream costs thirty frames a second and not one for each word. An idle client does not wake.

use std::io::Write;

use crossterm::event::Event as TerminalEvent;
use futures::{Stream, StreamExt as _};
use tokio::sync::Notify;
use tokio::time::{Duration, Instant, sleep_until};

use super::{App, Errand, Event};
use crate::connection::{Connection, Incoming};
use crate::history_file::HistoryFile;
use crate::outside::{self, Outside};
use crate::render::frame::SPINNER_STEP;
use crate::render::theme::Theme;
use crate::screen::Screen;

/// The least time between two frames of streamed text.
const FRAME: Duration = Duration::from_millis(33);
/// Messages taken in one go before keys get a turn.
const BATCH: usize = 256;

/// Where events come from, besides the server.
pub(crate) struct Inputs<'a, L, H, Z> {
    /// Begins to listen to the terminal. While another program has it, nobody does.
    pub listen: L,
    pub outside: Outside,
    /// Gives the terminal away, and takes it back.
    pub lend: fn(bool),
    pub grammars: &'a Notify,
    pub hangup: H,
    pub history: &'a HistoryFile,
    /// Asked before every frame: the news of a resize comes later than the resize.
    pub size: Z,
    /// The terminal shows colours.
    pub colour: bool,
}

/// Runs until the app has an ending.
pub(crate) async fn run<W, L, S, H, Z>(
    app: &mut App,
    connection: &mut Connection,
    screen: &mut Screen<W>,
    inputs: Inputs<'_, L, H, Z>,
) -> std::io::Result<()>
where
    W: Write,
    L: FnMut() -> S,
    S: Stream<Item = std::io::Result<TerminalEvent>> + Unpin,
    H: Future<Output = ()>,
    Z: Fn() -> (u16, u16),
{
    let Inputs { mut listen, mut outside, lend, grammars, hangup, history, size, colour } = inputs;
    let mut terminal = Some(listen());
    let mut hangup = std::pin::pin!(hangup);
    let mut drawn = Instant::now();
    let mut due = Some(drawn);
    if let Some(event) = outside.keys.changed(drawn) {
        app.on(event, drawn);
    }
    loop {
        if !connection.send(app.outbox.drain()) {
            // The reader tells why; here is only no reason to hang.
            app.on(Event::Server(Box::new(Incoming::Closed(None))), drawn);
        }
        for entry in app.new_history.drain(..) {
            history.append(&entry);
        }
        for errand in std::mem::take(&mut app.errands) {
            due = Some(drawn);
            match errand {
                Errand::Edit(text) => {
                    // The other program reads the keys now.
                    drop(terminal.take());
                    lend(true);
                    edit(app, connection, &outside, &text).await;
                    lend(false);
                    terminal = Some(listen());
                    screen.forget();
                }
                errand => run_errand(app, screen, &outside, errand)?,
            }
        }
        let now = Instant::now();
        if app.ending().is_some() {
            let (width, height) = size();
            screen.resize(width.into(), height.into());
            let frame = app.last_frame(width.into());
            screen.draw(&frame)?;
            return screen.finish();
        }
        if due.is_some_and(|due| now >= due) {
            screen.set_theme(if colour { app.theme } else { Theme::Plain });
            draw(app, screen, size(), now)?;
            drawn = now;
            due = app.is_busy(now).then(|| now + SPINNER_STEP);
        }
        tokio::select! {
            biased;
            () = &mut hangup => app.on(Event::Hangup, Instant::now()),
            event = next_of(&mut terminal) => {
                if let Some(event) = outside.keys.changed(Instant::now()) {
                    app.on(event, Instant::now());
                }
                on_terminal(app, event);
                due = Some(Instant::now());
            }
            incoming = connection.next() => {
                take_in(app, connection, incoming);
                due = Some(soonest(due, drawn + FRAME));
            }
            Some(event) = outside.news.recv() => {
                app.on(event, Instant::now());
                due = Some(Instant::now());
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

fn draw<W: Write>(
    app: &mut App,
    screen: &mut Screen<W>,
    (width, height): (u16, u16),
    now: Instant,
) -> std::io::Result<()> {
    screen.resize(width.into(), height.into());
    let frame = app.frame(width.into(), height.into(), now);
    screen.draw(&frame)
}

/// A message, and those that came with it.
fn take_in(app: &mut App, connection: &mut Connection, incoming: Incoming) {
    let now = Instant::now();
    app.on(Event::Server(Box::new(incoming)), now);
    for _ in 0..BATCH {
        let Some(incoming) = connection.try_next() else { break };
        app.on(Event::Server(Box::new(incoming)), now);
    }
}

/// The user writes elsewhere, for as long as they like; the server is listened to meanwhile.
async fn edit(app: &mut App, connection: &mut Connection, outside: &Outside, text: &str) {
    let mut editing = std::pin::pin!(outside::edit(outside.editor.as_deref(), text));
    let written = loop {
        tokio::select! {
            written = &mut editing => break written,
            incoming = connection.next(), if app.ending().is_none() => {
                take_in(app, connection, incoming);
                // A server that does not take it says so by its end.
                let _ = connection.send(app.outbox.drain());
            }
        }
    };
    app.on(Event::Written(written), Instant::now());
}

fn soonest(due: Option<Instant>, other: Instant) -> Instant {
    due.map_or(other, |due| due.min(other))
}

async fn next_of<S>(terminal: &mut Option<S>) -> Option<std::io::Result<TerminalEvent>>
where
    S: Stream<Item = std::io::Result<TerminalEvent>> + Unpin,
{
    match terminal {
        Some(terminal) => terminal.next().await,
        None => std::future::pending().await,
    }
}

fn run_errand<W: Write>(
    app: &mut App,
    screen: &mut Screen<W>,
    outside: &Outside,
    errand: Errand,
) -> std::io::Result<()> {
    match errand {
        Errand::Redraw => screen.forget(),
        Errand::Clipboard => outside.look_into_clipboard(),
        Errand::Copy(text) => screen.pass(&outside::copying(&text))?,
        Errand::Notify(text) => screen.pass(&outside.notify(&text))?,
        Errand::WriteKeys(text) => {
            let told = outside.write_keys(&text);
            app.on(told, Instant::now());
        }
        // The terminal must be free for it, which is seen to by the caller.
        Errand::Edit(_) => {}
    }
    Ok(())
}

fn on_terminal(app: &mut App, event: Option<std::io::Result<TerminalEvent>>) {
    let now = Instant::now();
    let Some(Ok(event)) = event else { return app.on(Event::Hangup, now) };
    match event {
        TerminalEvent::Key(key) => app.on(Event::Key(key), now),
        TerminalEvent::Paste(text) => app.on(Event::Paste(text), now),
        TerminalEvent::FocusGained => app.on(Event::Focus(true), now),
        TerminalEvent::FocusLost => app.on(Event::Focus(false), now),
        _ => {}
    }
}
