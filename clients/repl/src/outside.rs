//! The world around the client, as far as it is no terminal and no server: the user's editor, the clipboard,
//! notifications, the files about keys. Programs are started without a shell, with a deadline where nobody
//! waits for them, and only from here.
#![expect(
    clippy::disallowed_methods,
    reason = "the user's own programs and files, named by the user and by nobody else"
)]

mod clipboard;
mod editor;
mod key_files;
mod notify;

use std::path::PathBuf;

use tokio::sync::mpsc;

pub(crate) use editor::edit;
pub(crate) use key_files::KeyFiles;
pub(crate) use notify::Channel;

use crate::app::Event;

/// Answers of errands that may wait.
const ANSWERS: usize = 16;

pub(crate) struct Outside {
    /// The user's editor with its arguments, as `$VISUAL` or `$EDITOR` has it.
    pub editor: Option<String>,
    pub channel: Channel,
    pub keys: KeyFiles,
    answers: mpsc::Sender<Event>,
    pub news: mpsc::Receiver<Event>,
}

impl Outside {
    pub fn new(editor: Option<String>, channel: Channel, keys: Vec<PathBuf>) -> Self {
        let (answers, news) = mpsc::channel(ANSWERS);
        Self { editor, channel, keys: KeyFiles::new(keys), answers, news }
    }

    /// Looks into the clipboard; what is there comes as an event.
    pub fn look_into_clipboard(&self) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let clipping = clipboard::read().await;
            // Whoever asked may be gone.
            let _ = answers.send(Event::Clipboard(clipping)).await;
        });
    }

    /// What is to be written to the terminal so that the user hears of it.
    pub fn notify(&self, text: &str) -> String {
        if self.channel == Channel::Desktop {
            notify::on_desktop(text.to_owned());
        }
        self.channel.bytes(text)
    }

    /// Writes a file about keys, unless there is one; the event says where.
    pub fn write_keys(&self, text: &str) -> Event {
        self.keys.begin(text)
    }
}

/// What puts a text into the clipboard of the terminal, wherever that runs.
pub(crate) fn copying(text: &str) -> String {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(text);
    format!("\x1b]52;c;{data}\x07")
}
