//! The client's one owner of state: every reason to change it is an [`Event`], every change is made
//! in [`App::on`], and what goes out waits in the outbox.
//!
//! No IO happens here. `run` feeds it from the terminal and the server and draws what it shows;
//! `plain` feeds it from lines.

mod attach;
mod complete;
mod copies;
mod dialogs;
mod errands;
mod events;
mod keys;
mod memory;
mod models;
mod pages;
mod queue;
mod review;
mod rewind;
mod rules;
mod run;
mod server;
mod sessions;
mod shell;
mod show;
mod spoken;
mod steps;
mod tasks;
mod trust;
mod waiting;

use std::collections::{HashMap, HashSet, VecDeque};

use crossterm::event::KeyEvent;
use protocol::event::Severity;
use protocol::memory::MemoryScope;
use protocol::negotiation::ModelInfo;
use protocol::permission::PermissionRule;
use protocol::session::{
    ConfigChange, Delivery, Effort, Mode, RewindWhat, SessionCancel, SessionCancelParams,
    SessionConfig, SessionConfigParams, SessionPrompt, SessionPromptParams,
};
use protocol::trust::TrustDecision;
use tokio::time::Instant;

pub(crate) use errands::{Clipping, Errand};
pub(crate) use pages::View;
pub(crate) use queue::QueueWish;
pub(crate) use review::Listing;
pub(crate) use rules::Ruling;
pub(crate) use run::{Inputs, run};
pub(crate) use sessions::SessionWish;
pub(crate) use waiting::Waiting;

use rewind::Rewinding;
use steps::Steps;

use crate::Resume;
use crate::connection::{Incoming, Outbox};
use crate::editor::Editor;
use crate::keymap::{self, Keymap};
use crate::prompt::ask::Asking;
use crate::prompt::permission::Permission;
use crate::prompt::picker::Picker;
use crate::prompt::review::{Review, Verdict};
use crate::render::theme::Theme;
use crate::state::queue::Queue;
use crate::state::session::{Session, Turn};
use crate::state::transcript::{Look, Transcript};

/// Every reason to wake.
#[derive(Debug)]
pub(crate) enum Event {
    Key(KeyEvent),
    Paste(String),
    Server(Box<Incoming>),
    /// Time has passed while something runs.
    Tick,
    /// The user looks at the terminal, or at something else.
    Focus(bool),
    /// The files about keys, as they are now: name, whose, and text.
    KeyFiles(Vec<(String, keymap::Origin, String)>),
    /// What was written in the user's own editor; none when nothing came of it, with the reason.
    Written(Result<String, String>),
    /// What the clipboard holds.
    Clipboard(Clipping),
    /// Something for the user about an errand.
    Told(Severity, String),
    /// The grammars for code are loaded.
    Grammars,
    /// The terminal is gone or the system asks us to go.
    Hangup,
}

/// What the client starts with.
pub(crate) struct Start {
    pub version: &'static str,
    pub cwd: String,
    pub prompt: Option<String>,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub resume: Resume,
    /// The session to begin with is copied first.
    pub fork: bool,
    pub look: Look,
    pub theme: Theme,
    pub editor: Editor,
    /// The branch that is checked out in the folder.
    pub branch: Option<String>,
    /// The user's own file about keys, for people.
    pub key_file: String,
    /// The time of day, in milliseconds since 1970 UTC.
    pub clock: fn() -> u64,
}

/// A question on the screen, and from when on its keys count: never before it was drawn.
pub(crate) struct Dialog {
    pub kind: DialogKind,
    listens_from: Option<Instant>,
}

pub(crate) enum DialogKind {
    Permission(Box<Permission>),
    Ask(Box<Asking>),
}

/// What a list on the screen picks.
#[derive(Debug, Clone)]
pub(crate) enum Pick {
    Session(String),
    /// A model; how hard it works is said beside it.
    Model(String),
    Mode(Mode),
    Theme(Theme),
    Effort(Effort),
    /// Back to before this message of the user.
    RewindTo(String),
    RewindWhat(String, RewindWhat),
    Rewind(Rewinding),
    Resolve(Verdict),
    /// This rule shall go.
    Rule(PermissionRule),
    /// This memory file is to be shown.
    Memory(String),
    /// A note goes to this memory.
    Remember(String, MemoryScope),
    /// The decision, and what was shown for it.
    Trust(TrustDecision, Vec<String>),
    /// Changes nothing.
    Nothing,
}

/// How the client ends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    Quit,
    /// The server is gone, or cannot be used; the sentence says why.
    Broken(String),
}

pub(crate) struct App {
    pub start: Start,
    pub outbox: Outbox<Waiting>,
    pub transcript: Transcript,
    pub session: Option<Session>,
    pub turn: Option<Turn>,
    pub models: Vec<ModelInfo>,
    pub dialogs: VecDeque<Dialog>,
    pub picker: Option<Picker<Pick>>,
    pub review: Option<Review>,
    /// A page in front of everything but questions.
    pub view: Option<View>,
    pub keymap: Keymap,
    /// What is wrong with the files about keys.
    pub key_problems: Vec<String>,
    /// What is to be done outside: for whoever runs the client.
    pub errands: Vec<Errand>,
    pub theme: Theme,
    /// The theme before others were looked at.
    theme_before: Option<Theme>,
    steps: Steps,
    /// What runs in the background, and what lately did.
    tasks: tasks::Tasks,
    /// Commands of the user's own that run.
    shells: Vec<shell::Shell>,
    attention: errands::Attention,
    /// Pictures that the prompt names.
    pictures: errands::Pictures,
    /// Agents at work: what each is called, and in which colour.
    crew: HashMap<String, (String, anstyle::Style)>,
    queue: Queue,
    /// Prompts that are sent and not yet accepted.
    sending: Vec<String>,
    /// Prompts written before there was a session.
    unsent: Vec<String>,
    /// Accepted prompts by message id that are not yet in the transcript.
    unechoed: HashMap<String, String>,
    /// Messages that are in the transcript, or belong to a helper agent and stay out of it.
    echoed: HashSet<String>,
    hidden: HashSet<String>,
    /// The number of the last event, to drop what comes twice.
    seq: u64,
    last_ended: Option<String>,
    /// Prompts to be written to the history file.
    pub new_history: Vec<String>,
    completion: complete::Completion,
    hint: Option<(String, Instant)>,
    /// What the user may want to say next, to be taken with a key.
    suggestion: Option<String>,
    /// What the user's command for the status line printed.
    status_lines: Vec<String>,
    /// Until then a second Ctrl-C leaves.
    leave_until: Option<Instant>,
    /// Until then a second Esc opens the list of messages to go back to.
    rewind_until: Option<Instant>,
    /// What the folder was last shown to switch on: a yes is for that.
    trust_shown: Option<Vec<String>>,
    ending: Option<Ending>,
    /// Something failed that a script should know about.
    pub failed: bool,
}

impl App {
    pub fn new(mut start: Start) -> Self {
        let transcript = Transcript::new(start.look.clone(), start.cwd.clone());
        let unsent = start.prompt.take().into_iter().collect();
        let theme = start.theme;
        let mut app = Self {
            start,
            outbox: Outbox::default(),
            transcript,
            session: None,
            turn: None,
            models: Vec::new(),
            dialogs: VecDeque::new(),
            picker: None,
            review: None,
            view: None,
            keymap: Keymap::default(),
            key_problems: Vec::new(),
            errands: Vec::new(),
            theme,
            theme_before: None,
            steps: Steps::default(),
            tasks: tasks::Tasks::default(),
            shells: Vec::new(),
            attention: errands::Attention::default(),
            pictures: errands::Pictures::default(),
            crew: HashMap::new(),
            queue: Queue::default(),
            sending: Vec::new(),
            unsent,
            unechoed: HashMap::new(),
            echoed: HashSet::new(),
            hidden: HashSet::new(),
            seq: 0,
            last_ended: None,
            new_history: Vec::new(),
            completion: complete::Completion::default(),
            hint: None,
            suggestion: None,
            status_lines: Vec::new(),
            leave_until: None,
            rewind_until: None,
            trust_shown: None,
            ending: None,
            failed: false,
        };
        app.initialize();
        app
    }

    /// One event, one change.
    pub fn on(&mut self, event: Event, now: Instant) {
        match event {
            Event::Key(key) => self.on_key(key, now),
            Event::Paste(text) => self.on_paste(&text, now),
            Event::Server(incoming) => self.on_server(*incoming, now),
            Event::Hangup => self.ending = Some(Ending::Quit),
            Event::Tick => self.poll_task(now),
            Event::Grammars => {}
            Event::Focus(there) => self.attention.focus(there),
            Event::KeyFiles(files) => self.read_keys(&files),
            Event::Written(outcome) => self.written(outcome),
            Event::Clipboard(clipping) => self.clipped(clipping, now),
            Event::Told(severity, text) => self.notice(severity, &text),
        }
        if self.hint.as_ref().is_some_and(|(_, until)| now >= *until) {
            self.hint = None;
        }
    }

    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    pub fn leave(&mut self) {
        self.ending = Some(Ending::Quit);
    }

    /// Something moves on the screen without any event.
    pub fn is_busy(&self, now: Instant) -> bool {
        let wakes = self.dialogs.front().is_some_and(|dialog| !dialog.listens(now));
        let works = self.turn.is_some() || !self.shells.is_empty() || self.watches_task();
        works || self.hint.is_some() || wakes
    }

    /// Nothing is running and nothing is on its way: the next line of a script can be sent.
    pub fn is_idle(&self) -> bool {
        self.session.is_some()
            && self.turn.is_none()
            && self.shells.is_empty()
            && self.sending.is_empty()
            && self.unsent.is_empty()
            && !self.queue.goes_on()
            && self.dialogs.is_empty()
            && self.outbox.is_answered()
    }

    /// A prompt or a command, as the user wrote it.
    pub fn submit(&mut self, text: &str, now: Instant) {
        if self.start.editor.history.push(text) {
            self.new_history.push(text.to_owned());
        }
        if self.run_shell(text) || crate::commands::run(self, text, now) {
            return;
        }
        self.send_prompt(text);
    }

    pub fn send_prompt(&mut self, text: &str) {
        self.deliver(text, Delivery::Auto);
    }

    fn deliver(&mut self, text: &str, delivery: Delivery) {
        let Some(session) = &self.session else {
            self.unsent.push(text.to_owned());
            return;
        };
        let params = SessionPromptParams {
            session_id: session.id.clone(),
            content: self.pictures.content(text),
            delivery: Some(delivery),
            client_message_id: None,
        };
        if self.outbox.request::<SessionPrompt>(&params, Waiting::Prompt(text.to_owned())) {
            self.sending.push(text.to_owned());
        } else {
            self.notice(
                Severity::Error,
                "The server has stopped answering; the prompt was not sent.",
            );
        }
    }

    /// Stops the running turn.
    pub fn cancel(&mut self) {
        let (Some(session), Some(turn)) = (&self.session, &mut self.turn) else { return };
        turn.stopping = true;
        let params = SessionCancelParams {
            session_id: session.id.clone(),
            turn_id: turn.id.clone(),
            tool_call_id: None,
            task_id: None,
        };
        self.outbox.request::<SessionCancel>(&params, Waiting::Cancel);
    }

    /// Changes a setting of the session; `what` names it in a failure.
    pub fn configure(&mut self, set: ConfigChange, what: &'static str) {
        let Some(session) = &self.session else {
            self.notice(Severity::Warning, "There is no session yet.");
            return;
        };
        let params = SessionConfigParams { session_id: session.id.clone(), set: Some(set) };
        self.outbox.request::<SessionConfig>(&params, Waiting::Config(what));
    }

    pub fn notice(&mut self, severity: Severity, text: &str) {
        self.transcript.notice(severity, text);
    }
}

#[cfg(test)]
mod tests;
