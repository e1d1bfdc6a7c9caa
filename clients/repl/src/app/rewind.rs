//! Going back: which message, what goes back, a look at what that does, and the way back.
//!
//! Nothing is sent but a preview until the user has confirmed; every step can be left with Esc.

use protocol::event::Severity;
use protocol::session::{
    RewindWhat, SessionAttach, SessionAttachParams, SessionAttachResult, SessionRewind,
    SessionRewindParams, SessionRewindResult, SessionUnrewind, SessionUnrewindParams,
};

use super::{App, Pick, Waiting};
use crate::connection::RpcError;
use crate::prompt::picker::{Entry, Picker};
use crate::render::hunk::{conflict_rows, counted, file_rows, rewind_summary};
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::render::{ago, theme};
use crate::state::said::Message;
use crate::state::transcript::Look;

/// Rows in a list are cut by the list; this only bounds what is kept of a long message.
const LONGEST_LABEL: usize = 200;

const EVERYTHING: [(RewindWhat, &str); 3] = [
    (RewindWhat::Both, "conversation and files"),
    (RewindWhat::Conversation, "conversation only"),
    (RewindWhat::Files, "files only"),
];

/// A rewind that the server was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rewinding {
    pub to: String,
    pub what: RewindWhat,
    /// The message, for another try; after the rewind it is no longer in the list.
    text: String,
    preview: bool,
}

impl App {
    /// The user's messages, the newest first.
    pub fn offer_rewind(&mut self) {
        let Some(session) = &self.session else { return };
        if self.turn.is_some() || !self.sending.is_empty() {
            self.notice(Severity::Warning, "A turn runs; stop it with Esc, then rewind.");
            return;
        }
        let now = (self.start.clock)();
        let entry = |(place, message): (usize, &Message)| {
            let age = message.at.map(|at| ago(now.saturating_sub(at) / 1000));
            let files = session.changes.files_after(place, &session.said);
            let files = (files > 0).then(|| format!("{} changed since", counted(files, "file")));
            let detail: Vec<String> = age.into_iter().chain(files).collect();
            Entry {
                label: short(message.line()),
                detail: detail.join(" · "),
                value: Pick::RewindTo(message.id.clone()),
            }
        };
        let entries: Vec<_> = session.said.messages().iter().enumerate().map(entry).rev().collect();
        if entries.is_empty() {
            self.notice(Severity::Info, "There is no message to go back to yet.");
            return;
        }
        self.offer("Go back to before which message?", entries, 0);
    }

    /// What shall go back to before this message.
    pub fn offer_rewind_to(&mut self, message: &str) {
        let Some(title) = self.said_line(message) else { return self.no_message(message) };
        let entry = |(what, label): &(RewindWhat, &str)| Entry {
            label: (*label).to_owned(),
            detail: String::new(),
            value: Pick::RewindWhat(message.to_owned(), what.clone()),
        };
        let mut entries: Vec<_> = EVERYTHING.iter().map(entry).collect();
        if matches!(self.start.look, Look::Rich(_)) {
            entries.push(cancel());
        }
        self.offer(&format!("What goes back to before: {title}"), entries, 0);
    }

    /// Shows what would happen; where nobody can look and confirm, it was confirmed by writing
    /// the whole command.
    pub fn rewind_to(&mut self, message: &str, what: RewindWhat) {
        let Some(said) = self.said(message) else { return self.no_message(message) };
        let (to, text) = (message.to_owned(), said.text.clone());
        let preview = matches!(self.start.look, Look::Rich(_));
        self.ask_rewind(Rewinding { to, what, text, preview });
    }

    /// The user has seen the preview and wants it.
    pub(super) fn rewind_now(&mut self, rewinding: Rewinding) {
        self.ask_rewind(Rewinding { preview: false, ..rewinding });
    }

    fn ask_rewind(&mut self, rewinding: Rewinding) {
        let Some(session) = &self.session else { return };
        let params = SessionRewindParams {
            session_id: session.id.clone(),
            to_message: rewinding.to.clone(),
            what: rewinding.what.clone(),
            preview: rewinding.preview.then_some(true),
        };
        self.outbox.request::<SessionRewind>(&params, Waiting::Rewind(rewinding));
    }

    pub(super) fn rewind_answered(&mut self, rewinding: Rewinding, result: &SessionRewindResult) {
        if rewinding.preview {
            self.confirm_rewind(rewinding, result);
            return;
        }
        self.rewound(&rewinding.to, &rewinding.what, result.undo_token.as_deref());
        let summary = format!("Rewound: {}. Undo with /rewind undo.", rewind_summary(result));
        let mut rows = vec![Line::plain(summary)];
        rows.extend(conflict_rows(result, &self.start.cwd));
        self.transcript.rows(rows);
        if rewinding.what != RewindWhat::Files && self.start.editor.buffer.is_empty() {
            self.start.editor.refill(&rewinding.text);
        }
    }

    fn confirm_rewind(&mut self, rewinding: Rewinding, result: &SessionRewindResult) {
        let Some(line) = self.said_line(&rewinding.to) else { return };
        let files_only = rewinding.what == RewindWhat::Files;
        if files_only && result.files.is_empty() && result.conflicts.is_empty() {
            self.notice(Severity::Info, "No file was changed after that message.");
            return;
        }
        let mut body = Vec::new();
        if !files_only {
            let count = counted(self.said_since(&rewinding.to), "message");
            let text = format!("the conversation goes back by {count} of yours");
            body.push(Line::plain(text));
        }
        if rewinding.what != RewindWhat::Conversation {
            body.push(Line::plain(rewind_summary(result)));
            body.extend(file_rows(result, &self.start.cwd));
            body.extend(conflict_rows(result, &self.start.cwd));
        }
        let rewind = Entry {
            label: "rewind".to_owned(),
            detail: String::new(),
            value: Pick::Rewind(rewinding),
        };
        let title = format!("Rewind to before: {line}");
        self.picker = Some(Picker::new(title, vec![rewind, cancel()], 0).about(body));
    }

    /// How many messages there are from this one on.
    fn said_since(&self, id: &str) -> usize {
        let messages = self.session.iter().flat_map(|session| session.said.messages());
        messages.skip_while(|message| message.id != id).count()
    }

    /// The session went back, by us or by another client.
    pub(super) fn rewound(&mut self, to: &str, what: &RewindWhat, token: Option<&str>) {
        let line = self.said_line(to).unwrap_or_else(|| "a message".to_owned());
        let Some(session) = &mut self.session else { return };
        if !session.said.rewound(to, what, token) {
            return;
        }
        let files = if *what == RewindWhat::Files { "files " } else { "" };
        let text = format!("— {files}rewound to before: {line}");
        self.transcript.rows(vec![Line::styled(text, theme::DIM)]);
    }

    pub fn undo_rewind(&mut self) {
        let last = self.session.as_ref().and_then(|session| session.said.last_rewind());
        let Some((token, what)) = last.cloned() else {
            self.notice(Severity::Info, "There is no rewind to undo.");
            return;
        };
        let params = SessionUnrewindParams { undo_token: token.clone() };
        self.outbox.request::<SessionUnrewind>(&params, Waiting::Unrewind(token, what));
    }

    pub(super) fn rewind_undone(&mut self, token: &str, what: &RewindWhat) {
        if let Some(session) = &mut self.session {
            session.said.unrewound(token);
        }
        // An event tells when the conversation is back.
        if *what == RewindWhat::Files {
            self.tell_undone("the files are as they were before the rewind");
        }
    }

    /// What takes a rewind back is good once, whatever came of it.
    pub(super) fn rewind_kept(&mut self, token: &str, error: &RpcError) {
        if let Some(session) = &mut self.session {
            session.said.unrewound(token);
        }
        self.notice(Severity::Error, &error.message);
    }

    /// The conversation is back; attaching again tells of what it is made.
    pub(super) fn unrewound(&mut self) {
        let Some(session) = &self.session else { return };
        let params = SessionAttachParams { session_id: session.id.clone(), since: None, cwd: None };
        self.outbox.request::<SessionAttach>(&params, Waiting::Reattach);
    }

    pub(super) fn reattached(&mut self, result: &SessionAttachResult) {
        let (Some(session), Some(snapshot)) = (&mut self.session, &result.snapshot) else { return };
        if session.id != result.session_id {
            return;
        }
        session.said.start_over();
        for message in &snapshot.messages {
            session.remember(message);
        }
        session.usage = snapshot.usage.clone();
        let last = session.said.messages().last().map(|message| short(message.line()));
        let after = last.map(|line| format!(" after: {line}")).unwrap_or_default();
        self.tell_undone(&format!("the conversation goes on{after}"));
    }

    fn tell_undone(&mut self, what: &str) {
        let text = format!("— the rewind is undone; {}", strict(what));
        self.transcript.rows(vec![Line::styled(text, theme::DIM)]);
    }

    fn said(&self, id: &str) -> Option<&Message> {
        self.session.as_ref()?.said.find(id)
    }

    /// The first line of a message of the user, for people.
    fn said_line(&self, id: &str) -> Option<String> {
        self.said(id).map(|message| strict(&short(message.line())).into_owned())
    }

    fn no_message(&mut self, id: &str) {
        let text = format!("There is no message {id}; /rewind lists them.");
        self.notice(Severity::Warning, &text);
    }
}

/// The entry that changes nothing.
pub(super) fn cancel() -> Entry<Pick> {
    Entry { label: "cancel".to_owned(), detail: String::new(), value: Pick::Nothing }
}

fn short(line: &str) -> String {
    line.chars().take(LONGEST_LABEL).collect()
}
