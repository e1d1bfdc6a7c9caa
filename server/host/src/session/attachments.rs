//! What the model is told unasked: short notes that go along with a prompt, or with the results of
//! calls. Each kind has a room here, which says what is to be told and remembers what was.
//!
//! None of it is in the system prompt, so that this stays the same, byte for byte, for the provider's
//! cache. All of it is marked as a note ([`tools::reminder`]), so that nobody takes it for words of
//! the user.

mod mode;
mod todos;
mod window;

use agent::{Block, Record};
use policy::Mode;

use super::Session;
pub(super) use todos::list as list_of_steps;

/// What the model was told, so that nothing is told twice.
pub(super) struct Attachments {
    mode: mode::Told,
    todos: todos::Untouched,
    window: window::Told,
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
    pub(super) fn new(begins: bool) -> Self {
        Self {
            mode: mode::Told::new(begins),
            todos: todos::Untouched::default(),
            window: window::Told::default(),
        }
    }

    /// What was told is gone, or may be: it was summed up, rewound, or never written down.
    pub(super) fn forget(&mut self) {
        *self = Self::new(false);
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
        let mut notes: Vec<String> = self.take_git_state().await.into_iter().collect();
        notes.extend(self.short_notes(Occasion::Prompt));
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

    /// What is known without looking anywhere.
    fn short_notes(&mut self, occasion: Occasion) -> Vec<String> {
        let mode = self.state.permissions().mode;
        let fullness = self.fullness();
        let told = &mut self.attachments;
        let mode = told.mode.note(mode, occasion);
        let todos = told.todos.note(&self.state.todos());
        let window = told.window.note(fullness);
        [mode, todos, window].into_iter().flatten().collect()
    }
}
