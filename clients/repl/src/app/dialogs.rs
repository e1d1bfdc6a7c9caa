//! The server's questions: from the moment they are drawn, through the keys that are for them, to
//! the answer that goes back the way the question came.

use crossterm::event::{KeyCode, KeyEvent};
use protocol::ask::{AskAction, AskParams, AskRespond, AskRespondParams, AskResult};
use protocol::permission::{
    PermissionAnswer, PermissionRequestParams, PermissionRespond, PermissionRespondParams,
};
use serde_json::Value;
use tokio::time::{Duration, Instant};

use super::{App, Dialog, DialogKind, Waiting};
use crate::connection::ServerId;
use crate::prompt::ask::Asking;
use crate::prompt::permission::{Decision, Permission};
use crate::prompt::{Origin, Step, is_interrupt};

/// A question takes no key before it was in sight this long, nor before the user has paused so
/// long: what was typed or pasted ahead was meant for something else.
const GRACE: Duration = Duration::from_millis(350);
/// The same, while somebody is writing something.
const GRACE_WHILE_WRITING: Duration = Duration::from_millis(600);

impl Dialog {
    pub(super) fn listens(&self, now: Instant) -> bool {
        self.listens_from.is_some_and(|from| now >= from)
    }
}

impl App {
    pub(super) fn ask_permission(&mut self, origin: Origin, request: PermissionRequestParams) {
        let permission = Permission::new(origin, request, &self.start.cwd);
        self.open_dialog(DialogKind::Permission(Box::new(permission)));
    }

    pub(super) fn ask_question(&mut self, origin: Origin, request: AskParams) {
        self.open_dialog(DialogKind::Ask(Box::new(Asking::new(origin, request))));
    }

    fn open_dialog(&mut self, kind: DialogKind) {
        let id = kind.request_id();
        let known = self.dialogs.iter().any(|dialog| dialog.kind.request_id() == id);
        // Who joins a session may be told twice what waits in it.
        if !(known && *kind.origin() == Origin::Pending) {
            self.dialogs.push_back(Dialog { kind, listens_from: None });
        }
    }

    /// The first question is on the screen; true when its keys count.
    pub(super) fn dialog_drawn(&mut self, now: Instant) -> bool {
        let grace = self.grace();
        let Some(dialog) = self.dialogs.front_mut() else { return false };
        now >= *dialog.listens_from.get_or_insert(now + grace)
    }

    /// Whether a key is for the first question. One that comes too early makes it wait for a
    /// pause; Ctrl-C is always heard, and reading decides nothing.
    pub(super) fn dialog_takes(&mut self, key: KeyEvent, now: Instant) -> bool {
        let reads = matches!(key.code, KeyCode::PageUp | KeyCode::PageDown);
        reads || is_interrupt(key) || !self.dialog_waits(now)
    }

    /// Something was typed or pasted: true while the first question is too young to be meant.
    pub(super) fn dialog_waits(&mut self, now: Instant) -> bool {
        let grace = self.grace();
        match self.dialogs.front_mut() {
            Some(dialog) if !dialog.listens(now) => {
                dialog.listens_from = dialog.listens_from.map(|_| now + grace);
                true
            }
            _ => false,
        }
    }

    fn grace(&self) -> Duration {
        if self.is_writing() { GRACE_WHILE_WRITING } else { GRACE }
    }

    /// There is something below the question that keys may be meant for.
    pub(super) fn is_writing(&self) -> bool {
        !self.start.editor.buffer.is_empty()
            || self.review.is_some()
            || self.picker.is_some()
            || self.view.is_some()
    }

    pub(super) fn on_dialog_key(&mut self, key: KeyEvent) {
        let Some(mut dialog) = self.dialogs.pop_front() else { return };
        let open = match &mut dialog.kind {
            DialogKind::Permission(permission) => match permission.on_key(key) {
                Step::Open => true,
                Step::Answered(decision) => {
                    self.decide(permission, &decision);
                    false
                }
            },
            DialogKind::Ask(asking) => match asking.on_key(key) {
                Step::Open => true,
                Step::Answered(result) => {
                    self.answer_question(asking, &result);
                    false
                }
            },
        };
        if open {
            self.dialogs.push_front(dialog);
        } else if is_interrupt(key) {
            self.cancel();
        }
    }

    /// The user's decision goes the way the question came.
    pub fn decide(&mut self, permission: &Permission, decision: &Decision) {
        let Decision { option, feedback, edited_input } = decision.clone();
        match (&permission.origin, option) {
            (Origin::Request(id), Some(option_id)) => {
                let answer = PermissionAnswer { option_id, edited_input, feedback };
                self.outbox.answer(id, &answer);
            }
            // Nothing to choose: null denies once.
            (Origin::Request(id), None) => self.outbox.answer(id, &Value::Null),
            (Origin::Pending, option) => {
                let params = PermissionRespondParams {
                    request_id: permission.request.request_id.clone(),
                    option_id: option.unwrap_or_default(),
                    edited_input,
                    feedback,
                };
                self.outbox.request::<PermissionRespond>(&params, Waiting::Decision);
            }
        }
    }

    pub fn answer_question(&mut self, asking: &Asking, result: &AskResult) {
        match &asking.origin {
            Origin::Request(id) => self.outbox.answer(id, result),
            Origin::Pending => {
                let AskResult { action, content } = result.clone();
                let request_id = asking.request.request_id.clone();
                let params = AskRespondParams { request_id, action, content };
                self.outbox.request::<AskRespond>(&params, Waiting::Decision);
            }
        }
    }

    /// Declines without asking, where nobody can be asked.
    pub fn decline(&mut self, asking: &Asking) {
        let result = AskResult { action: AskAction::Decline, content: None };
        self.answer_question(asking, &result);
    }

    pub(super) fn close_dialog(&mut self, request: &str) -> bool {
        let before = self.dialogs.len();
        self.dialogs.retain(|dialog| dialog.kind.request_id() != request);
        self.dialogs.len() != before
    }

    pub(super) fn withdraw(&mut self, id: &ServerId) {
        let origin = Origin::Request(id.clone());
        self.dialogs.retain(|dialog| *dialog.kind.origin() != origin);
    }
}

impl DialogKind {
    pub(crate) fn request_id(&self) -> &str {
        match self {
            DialogKind::Permission(permission) => &permission.request.request_id,
            DialogKind::Ask(asking) => &asking.request.request_id,
        }
    }

    /// Letters are a text.
    pub(super) fn writes(&self) -> bool {
        match self {
            DialogKind::Permission(permission) => permission.writes(),
            DialogKind::Ask(asking) => asking.writes(),
        }
    }

    pub(super) fn session_id(&self) -> &str {
        match self {
            DialogKind::Permission(permission) => &permission.request.session_id,
            DialogKind::Ask(asking) => &asking.request.session_id,
        }
    }

    fn origin(&self) -> &Origin {
        match self {
            DialogKind::Permission(permission) => &permission.origin,
            DialogKind::Ask(asking) => &asking.origin,
        }
    }
}
