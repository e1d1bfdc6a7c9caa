//! Skills and commands that people write: Markdown files that say how something is done, called up
//! by name. One loader for both forms, `skills/<name>/SKILL.md` and `commands/**/<name>.md`.
//!
//! From strong to weak: the administrator's, the user's, the project's (from the session's folder up
//! to the top of its repository), those of added folders, those of plugins, and our own. Of two with
//! one name the stronger counts; the same file reached by two ways counts once. Those of deeper
//! folders, and those that name paths, come when a file there is touched. A folder's files count once
//! it is trusted, and what they allow once that was approved.

mod arguments;
mod bundled;
mod head;
mod inline;
mod listing;
mod places;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

pub use arguments::{Values, substitute};
pub use head::{Fork, Head};
pub use inline::{Piece, pieces};
pub use listing::{ListingLimits, listing};
pub(crate) use places::{BroughtSkill, brought, hash_of_grant, hash_of_hooks};
pub use places::{SkillRoot, SkillSource};

use crate::files::{self, Stamp};
use crate::memory::{Patterns, Reach};
use crate::settings::{Given, Locations};
use crate::trust::Standing;

/// What to look for, and where.
pub struct SkillQuery<'a> {
    pub locations: &'a Locations,
    pub given: &'a Given,
    /// By its real path.
    pub cwd: &'a Path,
    pub standing: &'a Standing,
    /// Further folders the session works in, each with what may be used of it.
    pub added: &'a [(PathBuf, Standing)],
    /// What others bring: plugins. Stronger ones first.
    pub more: &'a [SkillRoot],
    /// Our own are wanted.
    pub bundled: bool,
    /// Whether a file may be shown to the model.
    pub may_read: &'a dyn Fn(&Path, Reach) -> bool,
}

/// How a skill is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillForm {
    /// A folder with a `SKILL.md` and whatever else it needs.
    Skill,
    /// A single file.
    Command,
}

/// One skill, or one command of a user.
#[derive(Clone, Debug)]
pub struct Skill {
    /// By which it is called: `deploy`, `plugin:deploy`, `sub/dir:deploy`.
    pub name: String,
    /// With the folders it is in, which always works, also where the short name is taken.
    pub alias: Option<String>,
    pub source: SkillSource,
    pub form: SkillForm,
    /// None of our own.
    pub file: Option<PathBuf>,
    /// The folder of a skill by its real path: what else lies there belongs to it.
    pub folder: Option<PathBuf>,
    /// The plugin's folder, and the one for its data.
    pub plugin: Option<(PathBuf, Option<PathBuf>)>,
    pub head: Head,
    pub body: String,
    /// What it would allow was not approved, and is left out.
    pub unapproved: bool,
    /// It waits until a file like this is touched.
    waits_for: Option<std::sync::Arc<(PathBuf, Patterns)>>,
}

impl Skill {
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.alias.as_deref() == Some(name)
    }

    /// Whether a file it was written for would wake it up.
    fn is_about(&self, path: &Path) -> bool {
        let about = |(base, patterns): &(PathBuf, Patterns)| {
            path.starts_with(base) && patterns.matches(path)
        };
        self.waits_for.as_deref().is_some_and(about)
    }
}

/// Something in a file that a person has to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillProblem {
    pub file: PathBuf,
    /// Counted from 1; `None` when the file as a whole is meant.
    pub line: Option<usize>,
    /// One sentence: what is wrong, and what that means.
    pub message: String,
}

impl fmt::Display for SkillProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// More than this are a mistake.
const MOST: usize = 1_000;

/// What came up while a session worked; it stays when the files are read again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Awake {
    /// Folders below the session's that were looked into.
    entered: BTreeSet<PathBuf>,
    /// Skills whose files were touched.
    names: BTreeSet<String>,
}

/// All there are, the strongest first.
#[derive(Debug, Default)]
pub struct Skills {
    all: Vec<Skill>,
    pub problems: Vec<SkillProblem>,
    awake: Awake,
    /// Files by what they are, not by how they are called.
    known: BTreeSet<(u64, u64)>,
    /// Every place that was looked at, with what was there.
    seen: Vec<(PathBuf, Option<Stamp>)>,
}

impl Skills {
    /// Reads all of them. May wait for the disk.
    pub fn load(query: &SkillQuery<'_>, awake: Awake) -> Skills {
        let mut skills = Skills { awake, ..Skills::default() };
        for place in places::always(query) {
            skills.enter(&place, query);
        }
        for folder in skills.awake.entered.clone() {
            skills.enter_below(&folder, query);
        }
        if query.bundled {
            for skill in bundled::all() {
                skills.add(skill, None);
            }
        }
        skills
    }

    pub fn iter(&self) -> impl Iterator<Item = &Skill> {
        self.all.iter()
    }

    /// A name goes before another skill's alias.
    pub fn find(&self, name: &str) -> Option<&Skill> {
        let named = self.all.iter().find(|skill| skill.name == name);
        named.or_else(|| self.all.iter().find(|skill| skill.answers_to(name)))
    }

    /// Whether the model is told of it, and may call it: those that name paths wait for one.
    pub fn is_awake(&self, skill: &Skill) -> bool {
        skill.waits_for.is_none() || self.awake.names.contains(&skill.name)
    }

    /// What a later `load` is to know.
    pub fn awake(&self) -> Awake {
        self.awake.clone()
    }

    /// A file is touched, by its real path: looks into the folders around it, and wakes up what is
    /// about it. The names of those that are new to the model.
    pub fn touch(&mut self, path: &Path, query: &SkillQuery<'_>) -> Vec<String> {
        let before = self.all.len();
        if query.standing.is_trusted() {
            for folder in places::below(query.cwd, path) {
                if self.awake.entered.insert(folder.clone()) {
                    self.enter_below(&folder, query);
                }
            }
        }
        let mut new: Vec<String> = Vec::new();
        for skill in &self.all[before.min(self.all.len())..] {
            if skill.waits_for.is_none() {
                new.push(skill.name.clone());
            }
        }
        for skill in self.all.iter().filter(|skill| skill.is_about(path)) {
            if self.awake.names.insert(skill.name.clone()) {
                new.push(skill.name.clone());
            }
        }
        new
    }

    /// Whether touching a file, by its real path, would change nothing. Asks no disk.
    pub fn knows(&self, cwd: &Path, path: &Path) -> bool {
        let entered = |folder: &PathBuf| self.awake.entered.contains(folder);
        crate::memory::below(cwd, path).iter().all(entered)
            && !self.all.iter().any(|skill| !self.is_awake(skill) && skill.is_about(path))
    }

    /// Whether something that was looked at is another one now.
    pub fn is_stale(&self) -> bool {
        self.seen.iter().any(|(path, stamp)| files::stamp(path) != *stamp)
    }

    fn enter_below(&mut self, folder: &Path, query: &SkillQuery<'_>) {
        for place in places::of_nested(folder, query) {
            self.enter(&place, query);
        }
    }

    fn enter(&mut self, place: &places::Place, query: &SkillQuery<'_>) {
        for found in read::files_of(place, &mut self.seen) {
            if self.all.len() >= MOST {
                let message = format!("There are more than {MOST} skills; the rest is left out.");
                let file = place.folder.clone();
                return self.problem(SkillProblem { file, line: None, message });
            }
            let identity = files::same_file(&found.file);
            if identity.is_some_and(|identity| self.known.contains(&identity)) {
                continue;
            }
            let mut problems = Vec::new();
            let skill = read::skill(&found, place, query, &mut problems);
            problems.into_iter().for_each(|problem| self.problem(problem));
            if let Some(skill) = skill {
                self.known.extend(identity);
                self.add(skill, place.prefix.as_deref());
            }
        }
    }

    /// Where the name is taken, one of a nested folder is called by where it is, and any other is
    /// hidden.
    fn add(&mut self, mut skill: Skill, prefix: Option<&str>) {
        let taken = |name: &str, all: &[Skill]| all.iter().any(|known| known.name == name);
        if taken(&skill.name, &self.all) {
            let longer = prefix.map(|prefix| format!("{prefix}:{}", skill.name));
            let longer = longer.or_else(|| skill.alias.clone());
            match longer.filter(|name| !taken(name, &self.all)) {
                Some(name) => {
                    skill.alias = skill.alias.filter(|alias| *alias != name);
                    skill.name = name;
                }
                None => return,
            }
        }
        self.all.push(skill);
    }

    fn problem(&mut self, problem: SkillProblem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}
