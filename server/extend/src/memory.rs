//! What people want every session to know: `CLAUDE.md` and `AGENTS.md` files, rules for certain
//! paths, and what they import.
//!
//! From the broad to the special: the administrator's, the user's, then each folder's from the
//! root of the file system down to the session's. What is deeper, and rules that name paths, come
//! when a file there is touched. A folder's files count once it is trusted; a file above the
//! repository counts only when nobody but the user (or root) could have put it there.

mod import;
mod note;
mod places;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use note::{NoteScope, note_file, with_note};
pub(crate) use places::{below, brought, root_of};
use rules::{PathRule, Rule};
pub(crate) use rules::{Patterns, files_in, split_list};

use crate::files::{self, Stamp};
use crate::frontmatter;
use crate::settings::Locations;

/// Whose words they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryScope {
    Managed,
    User,
    /// Shared with the project's other developers.
    Project,
    /// The user's, for this project.
    Local,
}

/// One file, as the model is to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    pub path: PathBuf,
    pub scope: MemoryScope,
    /// The file that imports it.
    pub imported_by: Option<PathBuf>,
    pub text: String,
}

/// What to look for, and where.
pub struct MemoryQuery<'a> {
    pub locations: &'a Locations,
    /// By its real path.
    pub cwd: &'a Path,
    pub trusted: bool,
    /// Patterns of files that are not wanted (`claudeMdExcludes`).
    pub excludes: &'a [String],
    /// Whether a file that a project imports, or that lies elsewhere, may be shown to the model.
    pub may_read: &'a dyn Fn(&Path, Reach) -> bool,
}

/// Where a file lies that somebody wants to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In a place for such files.
    Own,
    /// Named by a project's file, and outside of the project.
    Outside,
}

/// All together longer than this leaves too little room for work.
const TOTAL_CAP: usize = 400 * 1024;
/// More files than this are a mistake.
const MOST_FILES: usize = 200;

/// A question, with its patterns ready.
struct Reader<'a> {
    query: &'a MemoryQuery<'a>,
    excludes: Patterns,
}

/// What was found, and what is still to be looked for.
#[derive(Debug, Default)]
pub struct Memory {
    /// In the order in which they are to be read.
    files: Vec<MemoryFile>,
    /// Rules that wait for a file they are about.
    waiting: Vec<PathRule>,
    pub problems: Vec<String>,
    /// By their real paths: each counts once.
    known: BTreeSet<PathBuf>,
    /// Folders below the session's that were looked into.
    entered: BTreeSet<PathBuf>,
    /// Every place that was looked at, with what was there.
    seen: Vec<(PathBuf, Option<Stamp>)>,
    size: usize,
}

impl Memory {
    /// Reads what holds from the beginning. May wait for the disk.
    pub fn load(query: &MemoryQuery<'_>) -> Memory {
        let mut memory = Memory::default();
        let reader = memory.reader(query);
        for place in places::always(query) {
            memory.enter(&place, &reader);
        }
        memory
    }

    pub fn files(&self) -> &[MemoryFile] {
        &self.files
    }

    /// What also counts now that a file is touched, by its real path: the files of the folders
    /// around it, and the rules that name it. Each is given once.
    pub fn touch(&mut self, path: &Path, query: &MemoryQuery<'_>) -> Vec<MemoryFile> {
        let before = self.files.len();
        let reader = self.reader(query);
        if query.trusted {
            for folder in below(query.cwd, path) {
                if self.entered.insert(folder.clone()) {
                    for place in places::of_folder(&folder, query.locations) {
                        self.enter(&place, &reader);
                    }
                }
            }
        }
        let (matching, waiting) =
            std::mem::take(&mut self.waiting).into_iter().partition(|rule| rule.is_about(path));
        self.waiting = waiting;
        let matching: Vec<PathRule> = matching;
        for rule in matching {
            self.add(rule.file, &reader, 0);
        }
        self.files.split_off(before)
    }

    /// Whether a file that was looked at is another one now.
    pub fn is_stale(&self) -> bool {
        self.seen.iter().any(|(path, stamp)| files::stamp(path) != *stamp)
    }

    fn reader<'a>(&mut self, query: &'a MemoryQuery<'a>) -> Reader<'a> {
        let (excludes, problems) = Patterns::new(query.excludes, Path::new("/"));
        for problem in problems {
            self.problem(format!("claudeMdExcludes: {problem}"));
        }
        Reader { query, excludes }
    }

    fn problem(&mut self, text: String) {
        if !self.problems.contains(&text) {
            self.problems.push(text);
        }
    }

    fn enter(&mut self, place: &places::Place, reader: &Reader<'_>) {
        self.seen.push((place.path.clone(), files::stamp(&place.path)));
        if !place.is_rules {
            self.read(&place.path, place.scope, None, reader, 0);
            return;
        }
        for path in files_in(&place.path) {
            self.seen.push((path.clone(), files::stamp(&path)));
            let Some(text) = self.text_of(&path, place.scope, reader) else { continue };
            let file = MemoryFile { path, scope: place.scope, imported_by: None, text };
            match PathRule::of(file, &place.base) {
                Rule::Waits(rule) => self.waiting.push(rule),
                Rule::Always(file, problem) => {
                    if let Some(problem) = problem {
                        self.problem(format!("{}: {problem}", file.path.display()));
                    }
                    self.add(file, reader, 0);
                }
            }
        }
    }

    fn read(
        &mut self,
        path: &Path,
        scope: MemoryScope,
        imported_by: Option<PathBuf>,
        reader: &Reader<'_>,
        depth: usize,
    ) {
        let Some(text) = self.text_of(path, scope, reader) else { return };
        let file = MemoryFile { path: path.to_owned(), scope, imported_by, text };
        self.add(file, reader, depth);
    }

    /// The text of a file that counts and was not read before.
    fn text_of(&mut self, path: &Path, scope: MemoryScope, reader: &Reader<'_>) -> Option<String> {
        let managed = scope == MemoryScope::Managed;
        if !files::is_file(path) || !self.known.insert(files::real(path)) {
            return None;
        }
        if !managed && (reader.excludes.matches(path) || !(reader.query.may_read)(path, Reach::Own))
        {
            return None;
        }
        match files::read(path) {
            Ok(text) => text,
            Err(error) => {
                self.problem(format!("{} {error}; it is left out.", path.display()));
                None
            }
        }
    }

    /// Adds a file and what it imports.
    fn add(&mut self, mut file: MemoryFile, reader: &Reader<'_>, depth: usize) {
        let (_, body) = frontmatter::split(&file.text);
        file.text = import::without_comments(body).trim().to_owned();
        let (path, scope) = (file.path.clone(), file.scope);
        let imports = import::imports(&file.text);
        self.size += file.text.len();
        if self.size > TOTAL_CAP || self.files.len() >= MOST_FILES {
            let cap = TOTAL_CAP / 1024;
            self.size -= file.text.len();
            return self.problem(format!(
                "Memory files are longer than {cap} KiB together; {} and what follows it are left \
                 out.",
                path.display()
            ));
        }
        if !file.text.is_empty() {
            self.files.push(file);
        }
        for import in imports {
            self.import(&path, scope, &import, reader, depth);
        }
    }

    fn import(
        &mut self,
        from: &Path,
        scope: MemoryScope,
        written: &str,
        reader: &Reader<'_>,
        depth: usize,
    ) {
        let query = reader.query;
        let home = query.locations.home.as_deref();
        let Some(target) = import::target(written, from, home) else { return };
        let stamp = files::stamp(&target);
        self.seen.push((target.clone(), stamp));
        // An address or a name with an at sign is no import.
        if stamp.is_none() || !files::is_file(&target) {
            return;
        }
        let (shown, from_shown) = (target.display(), from.display());
        if depth >= import::DEEPEST {
            let text = format!("{from_shown} imports {shown} too deeply; it is left out.");
            return self.problem(text);
        }
        let real = files::real(&target);
        let of_project = matches!(scope, MemoryScope::Project | MemoryScope::Local);
        let outside = of_project && !real.starts_with(root_of(query.cwd));
        if outside && !(query.may_read)(&real, Reach::Outside) {
            return self.problem(format!(
                "{from_shown} imports {shown}, which is outside the project; it is left out. \
                 Allow it with a rule `Read(/{})` in your settings.",
                real.display()
            ));
        }
        self.read(&target, scope, Some(from.to_owned()), reader, depth + 1);
    }
}
