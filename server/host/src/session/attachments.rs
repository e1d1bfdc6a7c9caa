//! What the model is told unasked: short notes that go along with a prompt, or with the results of
//! calls. Each kind has a room here, which says what is to be told and remembers what was.
//!
//! None of it is in the system prompt, so that this stays the same, byte for byte, for the provider's
//! cache. All of it is marked as a note ([`tools::reminder`]), so that nobody takes it for words of
//! the user.

mod changed;
mod focus;
mod mode;
mod todos;
mod window;

use std::time::Duration;

use agent::{Block, Record};
use policy::Mode;
use protocol::event::Severity;
use tokio::sync::oneshot;

use super::Session;
use crate::core::{Event, Focused, bytes};
use focus::Looked;
pub(super) use todos::list as list_of_steps;

/// A prompt does not wait longer for a disk that is slow.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the model was told, so that nothing is told twice.
pub(super) struct Attachments {
    mode: mode::Told,
    todos: todos::Untouched,
    window: window::Told,
    focus: focus::Told,
    /// How servers want to be used, and which are on their way.
    pub(super) servers: super::servers::Told,
    /// The user shares what they look at in the editor.
    shares_focus: bool,
    /// What was sent along with the last prompt, for the user to know.
    shared: Option<String>,
}

/// What the notes go along with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occasion {
    Prompt,
    Results,
}

impl Attachments {
    /// A conversation that begins knows that the mode is the usual one; of any other nobody can say
    /// what it was told.
    pub(super) fn new(begins: bool, shares_focus: bool) -> Self {
        Self {
            mode: mode::Told::new(begins),
            todos: todos::Untouched::default(),
            window: window::Told::default(),
            focus: focus::Told::default(),
            servers: super::servers::Told::default(),
            shares_focus,
            shared: None,
        }
    }

    /// What was told is gone, or may be: it was summed up, rewound, or never written down.
    pub(super) fn forget(&mut self) {
        *self = Self::new(false, self.shares_focus);
    }

    pub(super) fn share_focus(&mut self, shares: bool) {
        self.shares_focus = shares;
    }

    /// The result of a call says so already.
    pub(super) fn mode_is_known(&mut self, mode: Mode) {
        self.mode.is_known(mode);
    }
}

impl Session {
    /// What goes along with what the user says: notes that wait in front, and behind it what else
    /// there is to tell, so that a conversation begins with the user's own words.
    pub(super) async fn attach_to_prompt(&mut self, said: Vec<Block>) -> Vec<Block> {
        let said = self.begin_as_lead(said);
        let mut notes: Vec<String> = self.take_git_state().await.into_iter().collect();
        notes.extend(self.short_notes(Occasion::Prompt));
        notes.extend(self.changed_files().await);
        notes.extend(self.focused().await);
        let notes = notes.iter().map(|note| Block::text(tools::reminder(note)));
        self.notes().into_iter().chain(said).chain(notes).collect()
    }

    /// The same behind the results of calls.
    pub(super) fn attach_to_results(&mut self, record: Record) -> Record {
        let Record::Results { turn, mut content } = record else { return record };
        // Other records of the kind are notes themselves.
        if content.iter().any(|block| matches!(block, Block::ToolResult { .. })) {
            let notes = self.short_notes(Occasion::Results);
            content.extend(notes.iter().map(|note| Block::text(tools::reminder(note))));
        }
        Record::Results { turn, content }
    }

    /// What the user did to files that the model has read.
    async fn changed_files(&mut self) -> Option<String> {
        let id = self.next_id("look");
        let world = self.world(String::new(), id);
        let changed = tools::changed_since_read(&world, self.state.clone());
        let changed = tokio::time::timeout(PATIENCE, changed).await.unwrap_or_default();
        changed::note(self.state.cwd(), &changed)
    }

    /// What the user looks at, if they share it and the rules let it be read. They are told what was
    /// sent along.
    async fn focused(&mut self) -> Option<String> {
        if !self.attachments.shares_focus {
            return None;
        }
        let (reply, answer) = oneshot::channel();
        let doors = self.doors.iter().map(|door| door.id).collect();
        self.core.send(Event::Focus { doors, reply }).await;
        let Focused { path, selected } = answer.await.ok().flatten()?;
        let (state, asked) = (self.state.clone(), path.clone());
        let may_read = tokio::task::spawn_blocking(move || tools::may_be_read(&state, &asked));
        if !may_read.await.unwrap_or_default() {
            return None;
        }
        let file = path.strip_prefix(self.state.cwd()).unwrap_or(&path).display().to_string();
        let place = selected.as_ref().and_then(|(document, range, encoding)| {
            Some((&document.text, bytes(&document.text, range, *encoding).ok()?))
        });
        let looked = Looked { file: &file, place };
        let note = self.attachments.focus.note(Some(&looked))?;
        self.attachments.shared = Some(looked.for_people());
        Some(self.state.redactor().redact(&note).into_owned())
    }

    /// Tells the user what was sent along with their prompt.
    pub(super) fn show_shared(&mut self) {
        if let Some(text) = self.attachments.shared.take() {
            self.notice(Severity::Info, text);
        }
    }

    /// What is known without looking anywhere.
    fn short_notes(&mut self, occasion: Occasion) -> Vec<String> {
        let mode = self.state.permissions().mode;
        let fullness = self.fullness();
        let told = &mut self.attachments;
        let plan = self.state.permissions().rules.plan().map(|file| file.display().to_string());
        let plan = plan.map(|file| format!(" Only the plan itself may be written, to {file}."));
        let mode = told
            .mode
            .note(mode, occasion, self.limits.plan_words.as_deref())
            .map(|note| note + &plan.unwrap_or_default());
        let todos = told.todos.note(&self.state.todos());
        let window = told.window.note(fullness);
        let servers = self.note_of_servers();
        [mode, todos, window, servers].into_iter().flatten().collect()
    }
}
