//! Older sessions: looked for while one types, seen before one goes on with them, renamed, copied, deleted.

mod draw;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use protocol::session::SessionInfo;

use super::Scroll;
use crate::editor::buffer::Buffer;
use crate::prompt::{is_interrupt, write};

/// Previews that are kept.
const PREVIEWS: usize = 64;

/// Which sessions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filter {
    Folder,
    All,
    Branch,
    Live,
}

const FILTERS: [(Filter, &str); 4] = [
    (Filter::Folder, "this folder"),
    (Filter::All, "all folders"),
    (Filter::Branch, "this branch"),
    (Filter::Live, "open ones"),
];

pub(crate) struct SessionsView {
    all: Vec<SessionInfo>,
    /// The ids of this folder's.
    in_folder: HashSet<String>,
    /// Which lists have come whole.
    loaded: HashSet<bool>,
    filter: Filter,
    words: Buffer,
    /// What the server found in the texts of sessions, and the words it looked for.
    in_texts: (String, HashSet<String>),
    /// Places in `all` of those that are listed.
    listed: Vec<usize>,
    marked: usize,
    top: usize,
    room: usize,
    field: Field,
    previews: HashMap<String, Option<String>>,
    previewed: VecDeque<String>,
    scroll: Scroll,
    /// The session that is open here.
    here: Option<String>,
    branch: Option<String>,
    clock: fn() -> u64,
    pub told: Option<String>,
}

#[derive(Default)]
enum Field {
    #[default]
    None,
    Rename(Buffer),
    Delete,
}

/// What is left to do for the owner.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    Nothing,
    Close,
    Resume(String),
    Fork(String),
    Rename(String, String),
    Delete(String),
    /// The words or the filter are others.
    Look,
}

impl SessionsView {
    pub fn new(here: Option<String>, branch: Option<String>, clock: fn() -> u64) -> Self {
        Self {
            all: Vec::new(),
            in_folder: HashSet::new(),
            loaded: HashSet::new(),
            filter: Filter::Folder,
            words: Buffer::default(),
            in_texts: (String::new(), HashSet::new()),
            listed: Vec::new(),
            marked: 0,
            top: 0,
            room: 1,
            field: Field::None,
            previews: HashMap::new(),
            previewed: VecDeque::new(),
            scroll: Scroll::at_end(),
            here,
            branch,
            clock,
            told: None,
        }
    }

    /// More of a list: this folder's, or everybody's. `whole` when nothing is left to come.
    pub fn add(&mut self, sessions: Vec<SessionInfo>, of_folder: bool, whole: bool) {
        let known: HashSet<String> = self.all.iter().map(|one| one.session_id.clone()).collect();
        for session in sessions {
            if of_folder {
                self.in_folder.insert(session.session_id.clone());
            }
            if !known.contains(&session.session_id) {
                self.all.push(session);
            }
        }
        self.all.sort_by_key(|one| std::cmp::Reverse(one.updated_at));
        if whole {
            self.loaded.insert(of_folder);
        }
        self.list();
    }

    /// What the server found in the texts.
    pub fn found(&mut self, words: String, sessions: Vec<SessionInfo>, of_folder: bool) {
        let ids = sessions.iter().map(|session| session.session_id.clone()).collect();
        self.in_texts = (words, ids);
        self.add(sessions, of_folder, false);
    }

    /// Whether the list of this folder is enough, or everybody's is needed.
    pub fn of_folder(&self) -> bool {
        matches!(self.filter, Filter::Folder | Filter::Branch)
    }

    pub fn is_loaded(&self) -> bool {
        self.loaded.contains(&self.of_folder())
    }

    /// The words that the server should look for.
    pub fn wanted(&self) -> Option<&str> {
        let words = self.words.text().trim();
        (!words.is_empty() && words != self.in_texts.0).then_some(words)
    }

    /// The session in sight whose preview is not known.
    pub fn unseen(&self) -> Option<String> {
        let id = &self.marked_session()?.session_id;
        (!self.previews.contains_key(id)).then(|| id.clone())
    }

    pub fn preview(&mut self, id: &str, text: Option<String>) {
        self.previews.insert(id.to_owned(), text);
        self.previewed.push_back(id.to_owned());
        if self.previewed.len() > PREVIEWS
            && let Some(oldest) = self.previewed.pop_front()
        {
            self.previews.remove(&oldest);
        }
    }

    pub fn renamed(&mut self, id: &str, title: &str) {
        if let Some(session) = self.all.iter_mut().find(|one| one.session_id == id) {
            title.clone_into(&mut session.title);
        }
        self.list();
    }

    pub fn deleted(&mut self, id: &str) {
        self.all.retain(|one| one.session_id != id);
        self.list();
    }

    /// Letters are a text: always, but for the question before something is deleted.
    pub fn writes(&self) -> bool {
        !matches!(self.field, Field::Delete)
    }

    pub fn paste(&mut self, text: &str) -> Asked {
        let text = text.lines().next().unwrap_or_default();
        if let Field::Rename(title) = &mut self.field {
            title.insert(text);
            return Asked::Nothing;
        }
        self.words.insert(text);
        self.list();
        Asked::Look
    }

    fn marked_session(&self) -> Option<&SessionInfo> {
        self.all.get(*self.listed.get(self.marked)?)
    }

    /// The list anew; the mark stays with its session.
    fn list(&mut self) {
        let marked = self.marked_session().map(|session| session.session_id.clone());
        let words = self.words.text().trim().to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        let fits = |(_, session): &(usize, &SessionInfo)| self.fits(session, &words);
        let listed: Vec<usize> =
            self.all.iter().enumerate().filter(fits).map(|(at, _)| at).collect();
        self.listed = listed;
        let same = |at: &usize| self.all.get(*at).map(|one| &one.session_id) == marked.as_ref();
        self.marked = match self.listed.iter().position(same) {
            Some(place) if marked.is_some() => place,
            _ => self.first_mark(),
        };
    }

    /// Nobody goes on with the session that is open already.
    fn first_mark(&self) -> usize {
        let is_other = |at: &usize| {
            self.all.get(*at).is_some_and(|one| Some(&one.session_id) != self.here.as_ref())
        };
        match self.words.text().trim().is_empty() {
            true => self.listed.iter().position(is_other).unwrap_or(0),
            false => 0,
        }
    }

    fn fits(&self, session: &SessionInfo, words: &[&str]) -> bool {
        let ours = self.in_folder.contains(&session.session_id);
        let listed = match self.filter {
            Filter::All => true,
            Filter::Folder => ours,
            Filter::Branch => ours && self.branch.is_some() && session.branch == self.branch,
            Filter::Live => session.live,
        };
        if !listed || words.is_empty() {
            return listed;
        }
        let branch = session.branch.as_deref().unwrap_or("");
        let text = format!("{} {branch} {}", session.title, session.cwd).to_lowercase();
        let has = |word: &&str| text.contains(*word) || session.session_id.starts_with(*word);
        words.iter().all(has)
            || (self.in_texts.0 == self.words.text().trim()
                && self.in_texts.1.contains(&session.session_id))
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Asked {
        self.told = None;
        match self.field {
            Field::Rename(_) => return self.on_rename_key(key),
            Field::Delete => return self.on_delete_key(key),
            Field::None => {}
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let id = self.marked_session().map(|session| session.session_id.clone());
        match (key.code, id) {
            _ if is_interrupt(key) => return Asked::Close,
            (KeyCode::Esc, _) if !self.words.is_empty() => {
                self.words.take();
                self.list();
            }
            (KeyCode::Esc, _) => return Asked::Close,
            (KeyCode::Down, _) => self.step(1),
            (KeyCode::Up, _) => self.step(-1),
            (KeyCode::PageDown, _) => self.step(self.room.cast_signed()),
            (KeyCode::PageUp, _) => self.step(-self.room.cast_signed()),
            (KeyCode::Tab, _) => return self.next_filter(1),
            (KeyCode::BackTab, _) => return self.next_filter(FILTERS.len() - 1),
            (KeyCode::Enter, Some(id)) => return Asked::Resume(id),
            (KeyCode::Char('f'), Some(id)) if control => return Asked::Fork(id),
            (KeyCode::Char('r'), Some(_)) if control => {
                let mut title = Buffer::default();
                title.insert(self.marked_session().map_or("", |session| &session.title));
                self.field = Field::Rename(title);
            }
            (KeyCode::Delete, Some(id)) => match Some(&id) == self.here.as_ref() {
                true => self.told = Some("This session is open here; leave it first.".to_owned()),
                false => self.field = Field::Delete,
            },
            (KeyCode::Char('e'), _) if control => self.scroll.down(3),
            (KeyCode::Char('y'), _) if control => self.scroll.up(3),
            (KeyCode::Char('u'), _) if control => {
                self.words.take();
                self.list();
            }
            (KeyCode::Char(_) | KeyCode::Backspace | KeyCode::Left | KeyCode::Right, _) => {
                write(&mut self.words, key);
                self.list();
                return Asked::Look;
            }
            _ => {}
        }
        Asked::Nothing
    }

    fn on_rename_key(&mut self, key: KeyEvent) -> Asked {
        let Field::Rename(title) = &mut self.field else { return Asked::Nothing };
        match key.code {
            KeyCode::Esc => self.field = Field::None,
            _ if is_interrupt(key) => self.field = Field::None,
            KeyCode::Enter => {
                let title = title.take().trim().to_owned();
                self.field = Field::None;
                if let Some(session) =
                    self.marked_session().filter(|one| !title.is_empty() && one.title != title)
                {
                    return Asked::Rename(session.session_id.clone(), title);
                }
            }
            _ => write(title, key),
        }
        Asked::Nothing
    }

    /// Only a yes deletes.
    fn on_delete_key(&mut self, key: KeyEvent) -> Asked {
        self.field = Field::None;
        match (key.code, self.marked_session()) {
            (KeyCode::Char('y'), Some(session)) if key.modifiers.is_empty() => {
                Asked::Delete(session.session_id.clone())
            }
            _ => {
                self.told = Some("Nothing was deleted.".to_owned());
                Asked::Nothing
            }
        }
    }

    fn step(&mut self, by: isize) {
        let last = self.listed.len().saturating_sub(1);
        let single = by.unsigned_abs() == 1;
        self.marked = match self.marked.checked_add_signed(by) {
            Some(place) if place <= last => place,
            Some(_) if single => 0,
            Some(_) => last,
            None if single => last,
            None => 0,
        };
        self.scroll = Scroll::at_end();
    }

    fn next_filter(&mut self, by: usize) -> Asked {
        let at = FILTERS.iter().position(|(filter, _)| *filter == self.filter).unwrap_or(0);
        self.filter = FILTERS[(at + by) % FILTERS.len()].0;
        self.list();
        Asked::Look
    }
}
