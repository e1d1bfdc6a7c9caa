//! Older sessions: the page is filled as answers come, one question of a kind at a time.

use protocol::Request;
use protocol::event::Severity;
use protocol::session::{
    ExportFormat, SessionDelete, SessionExport, SessionExportParams, SessionExportResult,
    SessionList, SessionListParams, SessionListResult, SessionRef, SessionRename,
    SessionRenameParams,
};

use super::{App, View, Waiting};
use crate::state::transcript::Look;
use crate::views::sessions::{Asked, SessionsView};

/// Sessions in one answer.
const PAGE: u32 = 1000;
/// How much of a session's end is shown before one goes on with it, in bytes.
const PREVIEW: u32 = 16 * 1024;

/// What was asked about sessions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SessionWish {
    /// A part of a list: this folder's, or all.
    List {
        of_folder: bool,
    },
    /// Those whose text has the words.
    Search {
        words: String,
        of_folder: bool,
    },
    Preview(String),
    Rename {
        id: String,
        title: String,
    },
    Delete(String),
}

impl App {
    /// The page of sessions, with words to begin with.
    pub fn open_sessions(&mut self, words: Option<&str>) {
        if !matches!(self.start.look, Look::Rich(_)) {
            return self.list_sessions(words, Waiting::Pick(words.map(str::to_owned)));
        }
        let here = self.session.as_ref().map(|session| session.id.clone());
        let mut view = SessionsView::new(here, self.start.branch.clone(), self.start.clock);
        if let Some(words) = words {
            view.paste(words);
        }
        self.view = Some(View::Sessions(Box::new(view)));
        self.picker = None;
        self.fill_sessions();
    }

    /// Asks for what the page lacks.
    fn fill_sessions(&mut self) {
        let Some(View::Sessions(view)) = &self.view else { return };
        let of_folder = view.of_folder();
        let (loaded, words, unseen) =
            (view.is_loaded(), view.wanted().map(str::to_owned), view.unseen());
        if !loaded {
            self.ask_list(None, None, SessionWish::List { of_folder });
        }
        if let Some(words) = words {
            self.ask_list(Some(words.clone()), None, SessionWish::Search { words, of_folder });
        }
        if let Some(id) = unseen {
            let params = SessionExportParams {
                session_id: id.clone(),
                agent_id: None,
                format: ExportFormat::Markdown,
                path: None,
                tail: Some(PREVIEW),
            };
            self.ask_about_sessions::<SessionExport>(&params, SessionWish::Preview(id));
        }
    }

    fn ask_list(&mut self, query: Option<String>, cursor: Option<String>, wish: SessionWish) {
        let of_folder = matches!(
            wish,
            SessionWish::List { of_folder: true } | SessionWish::Search { of_folder: true, .. }
        );
        let cwd = of_folder.then(|| self.start.cwd.clone());
        let worktrees = of_folder.then_some(true);
        let params = SessionListParams { cwd, worktrees, query, cursor, limit: Some(PAGE) };
        self.ask_about_sessions::<SessionList>(&params, wish);
    }

    /// One question of a kind at a time: what changed meanwhile is asked when the answer is there.
    fn ask_about_sessions<R: Request>(&mut self, params: &R::Params, wish: SessionWish) {
        let kind = std::mem::discriminant(&wish);
        let open = |why: &Waiting| matches!(why, Waiting::Session(known) if std::mem::discriminant(known) == kind);
        if !self.outbox.waits_for(open) {
            self.outbox.request::<R>(params, Waiting::Session(wish));
        }
    }

    pub(super) fn on_sessions_asked(&mut self, asked: Asked) {
        match asked {
            Asked::Nothing | Asked::Look => {}
            Asked::Close => {
                self.view = None;
                // Nothing to resume was wanted at the start: then it is a new session.
                if self.session.is_none() {
                    self.new_session();
                }
            }
            // Going on elsewhere closes what is open here, and would end its turn.
            Asked::Resume(_) | Asked::Fork(_) if self.turn.is_some() => {
                self.tell_view("A turn is running here. Leave this page and stop it first.");
            }
            Asked::Resume(id) => {
                self.view = None;
                if self.session.as_ref().is_none_or(|session| session.id != id) {
                    self.attach(&id);
                }
            }
            Asked::Fork(id) => {
                self.view = None;
                self.start.fork = false;
                self.fork(&id, None);
            }
            Asked::Rename(id, title) => {
                let params = SessionRenameParams { session_id: id.clone(), title: title.clone() };
                self.ask_about_sessions::<SessionRename>(
                    &params,
                    SessionWish::Rename { id, title },
                );
            }
            Asked::Delete(id) => {
                let params = SessionRef { session_id: id.clone() };
                self.ask_about_sessions::<SessionDelete>(&params, SessionWish::Delete(id));
            }
        }
        self.fill_sessions();
    }

    pub(super) fn sessions_listed(&mut self, wish: &SessionWish, list: SessionListResult) {
        let Some(View::Sessions(view)) = &mut self.view else { return };
        match wish {
            SessionWish::List { of_folder } => {
                view.add(list.sessions, *of_folder, list.next.is_none());
                if list.next.is_some() {
                    self.ask_list(None, list.next, wish.clone());
                }
            }
            SessionWish::Search { words, of_folder } => {
                view.found(words.clone(), list.sessions, *of_folder);
            }
            _ => {}
        }
        self.fill_sessions();
    }

    pub(super) fn session_previewed(&mut self, id: &str, result: SessionExportResult) {
        if let Some(View::Sessions(view)) = &mut self.view {
            view.preview(id, result.content);
        }
        self.fill_sessions();
    }

    /// A rename or a deletion was done.
    pub(super) fn session_changed(&mut self, wish: &SessionWish) {
        let Some(View::Sessions(view)) = &mut self.view else { return };
        match wish {
            SessionWish::Rename { id, title } => {
                view.renamed(id, title);
                view.told = Some(format!("Its title is now: {title}"));
            }
            SessionWish::Delete(id) => {
                view.deleted(id);
                view.told = Some("It is deleted.".to_owned());
            }
            _ => {}
        }
        self.fill_sessions();
    }

    pub(super) fn sessions_refused(&mut self, wish: &SessionWish, message: &str) {
        let Some(View::Sessions(view)) = &mut self.view else {
            return self.notice(Severity::Error, &format!("{message}."));
        };
        match wish {
            SessionWish::Preview(id) => view.preview(id, None),
            SessionWish::Search { words, of_folder } => {
                view.found(words.clone(), Vec::new(), *of_folder);
            }
            SessionWish::List { of_folder } => {
                view.add(Vec::new(), *of_folder, true);
                view.told = Some(format!("{message}."));
            }
            _ => view.told = Some(format!("{message}.")),
        }
    }
}
