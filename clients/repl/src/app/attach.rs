//! Getting a session: the handshake, a new session, an old one, and what it holds already.

use protocol::VERSION;
use protocol::event::Severity;
use protocol::negotiation::{ClientCapabilities, ServerCapabilities};
use protocol::prompt::Block;
use protocol::session::{
    ConfigChange, Mode, SessionAttach, SessionAttachParams, SessionAttachResult, SessionClose,
    SessionInfo, SessionList, SessionListParams, SessionListResult, SessionNew, SessionNewParams,
    SessionNewResult, SessionRef,
};
use protocol::snapshot::{Pending, Role, Snapshot, SnapshotBlock, SnapshotMessage, TodoStatus};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{App, Listing, Pick, Waiting};
use crate::Resume;
use crate::prompt::Origin;
use crate::prompt::picker::{Entry, Picker};
use crate::render::line::Line;
use crate::render::media;
use crate::render::safe::safe;
use crate::render::theme;
use crate::state::queue::Queue;
use crate::state::session::{Session, Turn};
use crate::state::transcript::Look;

/// Messages at the end of a resumed conversation whose code is coloured.
const COLOURED_MESSAGES: usize = 4;

impl App {
    pub(super) fn initialize(&mut self) {
        let agent = ClientCapabilities {
            version: VERSION,
            permission: Some(true),
            ask: Some(true),
            suggestion: Some(matches!(self.start.look, Look::Rich(_))),
            status_line: Some(matches!(self.start.look, Look::Rich(_))),
            ..ClientCapabilities::default()
        };
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": {"name": "bowline-repl", "version": self.start.version},
            "rootUri": null,
            "capabilities": {
                "general": {"positionEncodings": ["utf-8"]},
                "experimental": {"agent": agent},
            },
        });
        self.outbox.lsp_request("initialize", &params, Waiting::Initialize);
    }

    pub(super) fn initialized(&mut self, result: &Value) {
        let agent = result.pointer("/capabilities/experimental/agent").cloned().unwrap_or_default();
        if let Ok(capabilities) = serde_json::from_value::<ServerCapabilities>(agent) {
            self.models = capabilities.models;
        }
        self.outbox.lsp_notification("initialized", &json!({}));
        match self.start.resume.clone() {
            Resume::New => self.new_session(),
            Resume::Latest => self.list_sessions(None, Waiting::Latest),
            Resume::Pick => self.open_sessions(None),
            Resume::Id(id) => self.attach(&id),
        }
    }

    pub fn new_session(&mut self) {
        let params = SessionNewParams {
            cwd: self.start.cwd.clone(),
            model: self.start.model.clone(),
            mode: self.start.mode.as_deref().map(Mode::from),
            ..SessionNewParams::default()
        };
        self.outbox.request::<SessionNew>(&params, Waiting::NewSession);
    }

    pub fn list_sessions(&mut self, query: Option<&str>, why: Waiting) {
        // Who chooses may want one of another worktree; the newest is the newest of this folder.
        let worktrees = matches!(why, Waiting::Pick(_)).then_some(true);
        let cwd = Some(self.start.cwd.clone());
        let query = query.map(str::to_owned);
        let params = SessionListParams { cwd, worktrees, query, cursor: None, limit: None };
        self.outbox.request::<SessionList>(&params, why);
    }

    pub fn attach(&mut self, id: &str) {
        if std::mem::take(&mut self.start.fork) {
            return self.fork(id, None);
        }
        let cwd = Some(self.start.cwd.clone());
        let params = SessionAttachParams { session_id: id.to_owned(), since: None, cwd };
        self.outbox.request::<SessionAttach>(&params, Waiting::Attach);
    }

    pub(super) fn session_started(&mut self, result: SessionNewResult) {
        let seq = result.seq;
        self.enter(Session::new(result.session_id, result.config, result.commands), seq);
        self.banner();
        self.send_unsent();
    }

    pub(super) fn attached(&mut self, result: SessionAttachResult, now: Instant) {
        let mut session = Session::new(result.session_id, result.config, result.commands);
        if let Some(snapshot) = &result.snapshot {
            session.usage = snapshot.usage.clone();
            session.title.clone_from(&snapshot.title);
        }
        self.enter(session, result.seq);
        self.banner();
        if let Some(snapshot) = result.snapshot {
            self.show_snapshot(snapshot, now);
        }
        for event in result.events {
            self.on_event(event.body, now);
        }
        for pending in result.pending {
            match pending {
                Pending::Permission(one) => self.ask_permission(Origin::Pending, one.request),
                Pending::Ask(one) => self.ask_question(Origin::Pending, one.request),
                Pending::Unknown(_) => {}
            }
        }
        let set = ConfigChange {
            model: self.start.model.take(),
            mode: self.start.mode.take().as_deref().map(Mode::from),
            ..ConfigChange::default()
        };
        if set != ConfigChange::default() {
            self.configure(set, "settings");
        }
        self.list_changes(Listing::Count);
        self.ask_tasks();
        self.send_unsent();
    }

    /// Another session takes the screen; the one before is closed at the server.
    fn enter(&mut self, session: Session, seq: u64) {
        if let Some(old) = self.session.take()
            && old.id != session.id
        {
            let params = SessionRef { session_id: old.id };
            self.outbox.request::<SessionClose>(&params, Waiting::Decision);
        }
        self.transcript.end_all();
        self.transcript.forget();
        // A question of the new session may have come before the session itself.
        self.dialogs.retain(|dialog| dialog.kind.session_id() == session.id);
        self.session = Some(session);
        self.turn = None;
        self.review = None;
        self.view = None;
        self.forget_steps();
        self.forget_tasks();
        self.shells.clear();
        self.queue = Queue::default();
        self.unechoed.clear();
        self.echoed.clear();
        self.hidden.clear();
        self.seq = seq;
        self.suggestion = None;
    }

    fn send_unsent(&mut self) {
        for text in std::mem::take(&mut self.unsent) {
            self.send_prompt(&text);
        }
    }

    /// Name, version, folder, model, mode; one tip. Nothing of it belongs into a pipe.
    fn banner(&mut self) {
        let Some(session) = &self.session else { return };
        if matches!(self.start.look, Look::Plain) {
            return;
        }
        let model = self.model_name(&session.config.model);
        let first = Line::styled("Bowline", theme::ACCENT.bold())
            .with(format!(" {}", self.start.version), theme::DIM)
            .with(format!(" · {model} · {}", session.config.mode), theme::DIM);
        let second = Line::styled(safe(&self.start.cwd), theme::DIM);
        let mut rows = vec![first, second];
        if let Some(title) = &session.title {
            rows.push(Line::styled(format!("Resumed: {}", safe(title)), theme::DIM));
        }
        rows.push(Line::styled("/help shows commands and keys", theme::DIM));
        self.transcript.rows(rows);
    }

    /// The model's name for people.
    pub fn model_name(&self, id: &str) -> String {
        let known = self.models.iter().find(|model| model.id == id);
        safe(known.map_or(id, |model| &model.name)).into_owned()
    }

    fn show_snapshot(&mut self, snapshot: Snapshot, now: Instant) {
        let old = snapshot.messages.len().saturating_sub(COLOURED_MESSAGES);
        for (at, message) in snapshot.messages.into_iter().enumerate() {
            self.transcript.colours = at >= old;
            self.show_message(message);
        }
        if snapshot.todos.iter().any(|todo| todo.status != TodoStatus::Completed) {
            self.steps_changed(snapshot.todos);
        }
        if let Some(turn) = snapshot.turn_id {
            self.turn = Some(Turn::new(Some(turn), now));
        }
    }

    fn show_message(&mut self, message: SnapshotMessage) {
        if let Some(session) = &mut self.session {
            session.remember(&message);
        }
        let id = message.message_id;
        for block in message.blocks {
            match block {
                SnapshotBlock::Text(text) if message.role == Role::User => {
                    self.transcript.user(&text.text);
                }
                SnapshotBlock::Text(text) => {
                    self.transcript.answer(&id, &text.text);
                    self.transcript.end_text(&id, false, None);
                }
                SnapshotBlock::Thought(text) => {
                    self.transcript.thought(&id, &text.text);
                    self.transcript.end_text(&id, true, None);
                }
                SnapshotBlock::ToolCall(block) => self.transcript.tool_started(block.call),
                SnapshotBlock::Summary(text) => {
                    self.notice(Severity::Info, "Everything before this was summed up:");
                    self.transcript.answer(&id, &text.text);
                    self.transcript.end_text(&id, false, None);
                }
                SnapshotBlock::Attachment(part) => {
                    self.with_attachments(&[part.block]);
                }
                SnapshotBlock::Unknown(_) => {}
            }
        }
        self.echoed.insert(id);
    }

    /// Says what came with a prompt.
    pub(super) fn with_attachments(&mut self, blocks: &[Block]) {
        for words in blocks.iter().filter_map(media::attachment) {
            self.notice(Severity::Info, &format!("with {}", safe(&words)));
        }
    }

    /// The newest session, or a new one when there is none.
    pub(super) fn take_latest(&mut self, list: SessionListResult) {
        match list.sessions.into_iter().next() {
            Some(session) => self.attach(&session.session_id),
            None => {
                self.notice(Severity::Info, "No session to resume here; this is a new one.");
                self.new_session();
            }
        }
    }

    /// Sessions to pick from. What was asked for by its id, or is the only one, is taken at once.
    pub(super) fn pick_session(&mut self, list: SessionListResult, query: Option<&str>) {
        let sessions = list.sessions;
        if let Some(query) = query {
            let by_id = sessions.iter().find(|session| session.session_id == query);
            let only = sessions.first().filter(|_| sessions.len() == 1);
            if let Some(session) = by_id.or(only) {
                let id = session.session_id.clone();
                return self.attach(&id);
            }
            if sessions.is_empty() && !query.contains(char::is_whitespace) {
                // It may be the id of a session in another folder.
                return self.attach(query);
            }
        }
        if sessions.is_empty() {
            self.notice(Severity::Info, "No session to resume here.");
        } else {
            let here = self.session.as_ref().map(|session| session.id.as_str());
            let is_other = |session: &SessionInfo| Some(session.session_id.as_str()) != here;
            let marked = sessions.iter().position(is_other).unwrap_or(0);
            let entries = sessions.into_iter().map(|session| session_entry(session, here));
            let entries = entries.collect();
            self.offer("Resume a session", entries, marked);
        }
        if self.session.is_none() && self.picker.is_none() {
            self.new_session();
        }
    }

    /// Lets the user pick; where nobody can, the list is printed.
    pub fn offer(&mut self, title: &str, entries: Vec<Entry<Pick>>, marked: usize) {
        match self.start.look {
            Look::Rich(_) => {
                self.picker = Some(Picker::new(title, entries, marked));
                return;
            }
            Look::Spoken => return self.offer_in_words(title, entries, marked),
            Look::Plain => {}
        }
        let row = |entry: &Entry<Pick>| {
            let value = match &entry.value {
                Pick::Session(id) | Pick::Model(id) | Pick::RewindTo(id) => id.as_str(),
                Pick::Memory(path) => path.as_str(),
                Pick::Mode(mode) => mode.as_str(),
                Pick::Effort(effort) => effort.as_str(),
                Pick::Theme(theme) => theme.name(),
                Pick::RewindWhat(_, what) => what.as_str(),
                Pick::Remember(_, scope) => scope.as_str(),
                Pick::Trust(decision, _) => decision.as_str(),
                Pick::Rewind(_) | Pick::Resolve(_) | Pick::Rule(_) | Pick::Nothing => "",
            };
            let row = format!("{value}  {}  {}", entry.label, entry.detail);
            Line::plain(safe(row.trim_end()))
        };
        self.transcript.rows(entries.iter().map(row).collect());
    }
}

fn session_entry(session: SessionInfo, here: Option<&str>) -> Entry<Pick> {
    let branch = session.branch.map(|branch| format!(" · {branch}")).unwrap_or_default();
    let state = match session.live {
        _ if Some(session.session_id.as_str()) == here => " · this one",
        true => " · open elsewhere",
        false => "",
    };
    let plural = if session.messages == 1 { "" } else { "s" };
    Entry {
        label: session.title,
        detail: format!(
            "{} · {} message{plural}{branch}{state}",
            day_and_time(session.updated_at),
            session.messages
        ),
        value: Pick::Session(session.session_id),
    }
}

/// Milliseconds since 1970 as `2026-11-16 05:47` in UTC (days to a civil date by era arithmetic).
fn day_and_time(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Counted from 1 March of the year 0, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", rest / 3600, rest % 3600 / 60)
}

#[cfg(test)]
mod tests {
    use super::day_and_time;

    #[test]
    fn dates() {
        for (milliseconds, expect) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399_000, "2000-02-28 23:59 UTC"),
            (951_782_400_000, "2000-02-29 00:00 UTC"),
            (1_794_808_020_000, "2026-11-16 05:47 UTC"),
        ] {
            assert_eq!(day_and_time(milliseconds), expect);
        }
    }
}
