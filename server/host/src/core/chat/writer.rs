//! Writes an answer into a document while it comes: at its own place, which moves along with what
//! the user types elsewhere.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
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
const LINE: &str = "---\n";

/// The end that is written into; dropping it lets the rest be written and no more.
pub struct Writer(Arc<Shared>);

struct Shared {
    pending: Mutex<Pending>,
    wake: Notify,
}

/// What is not in the document yet.
struct Pending {
    words: String,
    /// The next words begin a paragraph.
    fresh: bool,
    /// Nothing more comes.
    complete: bool,
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    fn push(&mut self, words: &str) {
        let words = if self.fresh { words.trim_start_matches('\n') } else { words };
        if words.is_empty() {
            return;
        }
        if self.fresh {
            let kept = self.words.trim_end_matches('\n').len();
            self.words.truncate(kept);
            self.words.push_str("\n\n");
            self.fresh = false;
        }
        self.words.push_str(words);
    }
}

/// Where the next words go: an offset in a text that the document had.
#[derive(Clone)]
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
        let pending = Pending { words: String::new(), fresh: true, complete: false };
        let shared = Arc::new(Shared { pending: Mutex::new(pending), wake: Notify::new() });
        let (uri, door) = (document.uri.clone(), Arc::downgrade(door));
        tokio::spawn(run(core, shared.clone(), uri, place, door));
        Arc::new(Self(shared))
    }

    pub fn push(&self, words: &str) {
        self.0.pending().push(words);
        self.0.wake.notify_one();
    }

    /// What comes next is another paragraph.
    pub fn begin(&self) {
        self.0.pending().fresh = true;
    }

    /// A paragraph of its own.
    pub fn paragraph(&self, words: &str) {
        self.begin();
        self.push(words);
        self.begin();
    }

    pub fn end(&self) {
        self.begin();
        self.push(LINE);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.pending().complete = true;
        self.0.wake.notify_one();
    }
}

/// Ends when all is written: into the document, or into the log once that takes nothing any more.
async fn run(
    core: CoreHandle,
    shared: Arc<Shared>,
    uri: DocumentUri,
    mut place: Place,
    door: Weak<Door>,
) {
    let mut lost = false;
    loop {
        shared.wake.notified().await;
        tokio::time::sleep(TOGETHER).await;
        let (words, complete) = {
            let mut pending = shared.pending();
            (std::mem::take(&mut pending.words), pending.complete)
        };
        if words.is_empty() {
            if complete {
                return;
            }
            continue;
        }
        let written = match lost {
            false => append(&core, &uri, place.clone(), &words).await,
            true => None,
        };
        match written {
            Some(next) => place = next,
            None => log(&door, &words, std::mem::replace(&mut lost, true)),
        }
        if complete {
            return;
        }
    }
}

/// What the document does not take; the user is told once where it is.
fn log(door: &Weak<Door>, words: &str, told: bool) {
    let Some(door) = door.upgrade() else { return };
    if !told {
        door.show_message("The answer cannot be written into the document; it is in the log.");
    }
    door.notify("window/logMessage", &Logged { r#type: 3, message: words.trim() });
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
                let near = whole.match_indices(words).map(|(start, _)| start + words.len());
                let at = near.min_by_key(|end| end.abs_diff(at + words.len()));
                let at = at.unwrap_or(whole.len());
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
