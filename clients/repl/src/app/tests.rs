//! The whole client against a led server and a small terminal: keys in, screen out.

mod flows;
mod helpers;
mod model;
mod pages;
mod permissions;
mod plain;
mod queue;
mod review;
mod rewind;
mod speed;

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use tokio::sync::Notify;

use super::*;
use crate::connection::Connection;
use crate::history_file::HistoryFile;
use crate::outside::{Channel, Outside};
use crate::render::highlight::Highlighting;
use crate::screen::Screen;
use crate::testing::emulator::Emulator;
use crate::testing::server::{FakeServer, connect};

pub(super) fn start(look: Look, resume: Resume) -> Start {
    Start {
        version: "0.1.0",
        cwd: "/w".into(),
        prompt: None,
        model: None,
        mode: None,
        resume,
        fork: false,
        look,
        theme: Theme::default(),
        editor: Editor::default(),
        branch: Some("main".into()),
        key_file: "~/.bowline/keybindings.json".into(),
        clock: || 1_794_808_020_000,
    }
}

/// A user at a terminal of 50 columns, and the server at the other end.
struct Desk {
    keys: UnboundedSender<std::io::Result<TerminalEvent>>,
    terminal: Emulator,
    server: FakeServer,
    ending: tokio::task::JoinHandle<Option<Ending>>,
}

impl Desk {
    async fn open(resume: Resume) -> Self {
        let (connection, server) = connect();
        let terminal = Emulator::new(50, 20);
        let (keys, events) = unbounded();
        let app = App::new(start(Look::Rich(Highlighting::off()), resume));
        let ending = tokio::spawn(run_desk(app, connection, terminal.clone(), events));
        Self { keys, terminal, server, ending }
    }

    async fn ready() -> Self {
        let mut desk = Self::open(Resume::New).await;
        desk.server.start().await;
        desk.sees("Rehearsal · default").await;
        desk
    }

    fn press(&self, code: KeyCode, modifiers: KeyModifiers) {
        let event = TerminalEvent::Key(KeyEvent::new(code, modifiers));
        self.keys.unbounded_send(Ok(event)).expect("the client listens");
    }

    fn key(&self, code: KeyCode) {
        self.press(code, KeyModifiers::NONE);
    }

    fn types(&self, text: &str) {
        for character in text.chars() {
            self.key(KeyCode::Char(character));
        }
    }

    fn sends(&self, text: &str) {
        self.types(text);
        self.key(KeyCode::Enter);
    }

    /// Waits until the text is on the screen. The clock is paused, so this takes no time.
    async fn sees(&self, text: &str) {
        for _ in 0..2000 {
            if self.terminal.text().contains(text) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        panic!("never saw {text:?} in:\n{}", self.terminal.text());
    }

    async fn sees_no(&self, text: &str) {
        for _ in 0..2000 {
            if !self.terminal.text().contains(text) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        panic!("still see {text:?} in:\n{}", self.terminal.text());
    }

    async fn ends(self) -> (Option<Ending>, String) {
        let ending = self.ending.await.expect("the client does not panic");
        (ending, self.terminal.text())
    }
}

async fn run_desk(
    mut app: App,
    mut connection: Connection,
    terminal: Emulator,
    events: UnboundedReceiver<std::io::Result<TerminalEvent>>,
) -> Option<Ending> {
    let size = terminal.clone();
    let mut events = Some(events);
    let mut screen = Screen::new(terminal, 50, Theme::Plain);
    let history = HistoryFile::new("/nonexistent/history".into());
    let inputs = Inputs {
        listen: move || events.take().expect("nobody takes the terminal away here"),
        outside: Outside::new(None, Channel::Bell, Vec::new()),
        lend: |_| (),
        grammars: &Notify::new(),
        hangup: std::future::pending(),
        history: &history,
        size: || (size.width(), 20),
        colour: false,
    };
    run(&mut app, &mut connection, &mut screen, inputs).await.expect("memory takes everything");
    app.ending().cloned()
}
