//! Writes an answer into a document while it comes: at its own place, which moves along with what
//! the user types elsewhere.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use text::{Edit, Splice, Text};
use tokio::sync::{Notify, oneshot};
use workspace::{Document, DocumentUri};

use crate::core::door::Door;
use crate::core::event::{Computed, CoreHandle, Event, OpenEdit, Purpose};

/// What comes within this time is one edit: every edit is a step of undo.
const TOGETHER: Duration = Duration::from_millis(300);
/// The user may type at the very place once, or twice; not for ever.
const TRIES: usize = 5;
/// Ends an answer, so that nothing in it is taken for a prompt.
const LINE: &str = "\n\n---\n";

pub struct Writer {
    pending: Mutex<String>,
    wake: Arc<Notify>,
}

/// Where the next words go: an offset in a text that the document had.
struct Place {
    version: i32,
    text: Text,
    at: usize,
}

impl Writer {
    /// For an answer that begins below `end` of a document.
    pub(super) fn start(
        core: CoreHandle,
        door: &Arc<Door>,
        document: &Document,
        end: usize,
    ) -> Arc<Self> {
        let place = Place { version: document.version, text: document.text.clone(), at: end };
        let wake = Arc::new(Notify::new());
        let writer = Arc::new(Self { pending: Mutex::new("\n\n".to_owned()), wake: wake.clone() });
        let (uri, door) = (document.uri.clone(), Arc::downgrade(door));
        tokio::spawn(run(core, Arc::downgrade(&writer), wake, uri, place, door));
        writer
    }

    pub fn push(&self, words: &str) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).push_str(words);
        self.wake.notify_one();
    }

    /// A paragraph of its own.
    pub fn paragraph(&self, words: &str) {
        self.push(&format!("\n\n{words}"));
    }

    pub fn end(&self) {
        self.push(LINE);
    }

    fn take(&self) -> String {
        std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.wake.notify_one();
    }
}

/// Ends when nobody has anything to write any more, or the document is closed.
async fn run(
    core: CoreHandle,
    writer: Weak<Writer>,
    wake: Arc<Notify>,
    uri: DocumentUri,
    mut place: Place,
    door: Weak<Door>,
) {
    loop {
        wake.notified().await;
        tokio::time::sleep(TOGETHER).await;
        let Some(writer) = writer.upgrade() else { return };
        let words = writer.take();
        // Blank lines alone wait for what they are to stand above.
        if words.trim().is_empty() {
            writer.pending.lock().unwrap_or_else(PoisonError::into_inner).insert_str(0, &words);
            continue;
        }
        match append(&core, &uri, place, &words).await {
            Some(next) => place = next,
            None => {
                if let Some(door) = door.upgrade() {
                    door.show_message("The chat document was closed; the answer is in the log.");
                    door.notify("window/logMessage", &Logged { r#type: 3, message: words.trim() });
                }
                return;
            }
        }
    }
}

#[derive(serde::Serialize)]
struct Logged<'a> {
    r#type: u8,
    message: &'a str,
}

/// Inserts words and says where the next ones go; nothing when the document is gone.
async fn append(
    core: &CoreHandle,
    uri: &DocumentUri,
    mut place: Place,
    words: &str,
) -> Option<Place> {
    for _ in 0..TRIES {
        let Place { version, text, at } = place;
        let edit = Edit::new(text.len_bytes(), vec![Splice::new(at..at, words)]).ok()?;
        let computed = Some(Computed { version, base: text, edit });
        let (reply, answer) = oneshot::channel();
        let edit = OpenEdit {
            uri: uri.clone(),
            computed,
            label: "Bowline: Answer".to_owned(),
            undo_group: format!("bowline.chat.{}", uri.as_str()),
            purpose: Purpose::Foreign,
            reply,
        };
        core.send(Event::Edit(Box::new(edit))).await;
        match answer.await.ok()?? {
            Ok(edited) => {
                let version = edited.version?;
                let whole = edited.text.to_string();
                let at = whole.rfind(words).map_or(whole.len(), |start| start + words.len());
                return Some(Place { version, text: edited.text, at });
            }
            // Somebody wrote at this very place; then the end is as good.
            Err(_) => place = end_of(core, uri).await?,
        }
    }
    None
}

async fn end_of(core: &CoreHandle, uri: &DocumentUri) -> Option<Place> {
    let (reply, answer) = oneshot::channel();
    core.send(Event::Snapshot(reply)).await;
    let snapshot = answer.await.ok()?;
    let document = snapshot.by_uri(uri)?;
    let at = document.text.to_string().trim_end().len();
    Some(Place { version: document.version, text: document.text.clone(), at })
}
