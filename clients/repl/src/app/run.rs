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
use crate::connection::Connection;
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
            app.on(Event::Server(Box::new(crate::connection::Incoming::Closed(None))), drawn);
        }
        for entry in app.new_history.drain(..) {
            history.append(&entry);
        }
        let now = Instant::now();
        for errand in std::mem::take(&mut app.errands) {
            due = Some(now);
            if let Errand::Edit(text) = errand {
                // The other program reads the keys now.
                drop(terminal.take());
                lend(true);
                let written = outside::edit(outside.editor.as_deref(), &text).await;
                lend(false);
                terminal = Some(listen());
                screen.forget();
                app.on(Event::Written(written), Instant::now());
            } else {
                run_errand(app, screen, &outside, errand)?;
            }
        }
        if app.ending().is_some() {
            let (width, height) = size();
            screen.resize(width.into(), height.into());
            let frame = app.last_frame(width.into());
            screen.draw(&frame)?;
            return screen.finish();
        }
        if due.is_some_and(|due| now >= due) {
            let (width, height) = size();
            screen.resize(width.into(), height.into());
            screen.set_theme(if colour { app.theme } else { Theme::Plain });
            let frame = app.frame(width.into(), height.into(), now);
            screen.draw(&frame)?;
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
                let event = event.unwrap_or_else(|| Err(std::io::ErrorKind::UnexpectedEof.into()));
                match event {
                    Ok(event) => on_terminal(app, event),
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

fn on_terminal(app: &mut App, event: TerminalEvent) {
    let now = Instant::now();
    match event {
        TerminalEvent::Key(key) => app.on(Event::Key(key), now),
        TerminalEvent::Paste(text) => app.on(Event::Paste(text), now),
        TerminalEvent::FocusGained => app.on(Event::Focus(true), now),
        TerminalEvent::FocusLost => app.on(Event::Focus(false), now),
        _ => {}
    }
}
