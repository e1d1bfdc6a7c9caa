//! Notes that the agent keeps for itself across sessions: a folder of Markdown files for each
//! project, in the home of Bowline. Its index is part of the briefing, as it was when the session
//! began; the model writes to it with the ordinary tools (see `policy::Context::notes`).
//!
//! What another agent noted about the same project in `~/.claude` is read too, and never written.

use std::path::{Path, PathBuf};

use agent::prompt::Notes;
use extend::{Prompting, Reach};
use tools::Permissions;

use super::briefing::may_read;
use crate::context::HostContext;
use crate::{repository, store};

const FOLDER: &str = "memory";
const INDEX: &str = "MEMORY.md";
/// A larger index is cut when it is shown, and one beyond this is none.
const INDEX_CAP: u64 = 1024 * 1024;

/// The notes of one project.
#[derive(Clone)]
pub(super) struct AutoMemory {
    /// By its real path; it need not be there yet.
    pub(super) folder: PathBuf,
    /// As the session found them.
    pub(super) notes: Notes,
}

/// The session keeps notes of an agent in place of the project's.
#[derive(Clone)]
pub(super) struct OwnNotes {
    /// `None`: it keeps none.
    pub(super) folder: Option<PathBuf>,
}

impl AutoMemory {
    /// Nothing where the user does without, or where settings keep the session in its folders. May
    /// wait for the disk.
    pub(super) fn load(
        host: &HostContext,
        cwd: &Path,
        trusted: bool,
        prompting: &Prompting,
        permissions: &Permissions,
    ) -> Option<AutoMemory> {
        let off = |name: &str| host.var(name).is_some_and(|value| value == "1");
        let limits = permissions.rules.limits();
        let unwanted = prompting.auto_memory == Some(false)
            || off("BOWLINE_DISABLE_AUTO_MEMORY")
            || off("CLAUDE_CODE_DISABLE_AUTO_MEMORY")
            || limits.reads_stay_inside
            || limits.writes_stay_inside;
        if unwanted {
            return None;
        }
        let project = project(cwd, trusted);
        let named = store::project_dir(&host.locations.bowline_home.join(FOLDER), &project);
        let folder = workspace::real_path(&named).ok()?;
        let read = |path: &Path| read(host, permissions, path);
        let foreign = foreign_index(host.home().as_deref(), &project);
        let foreign = foreign.and_then(|path| Some((path.display().to_string(), read(&path)?)));
        let notes = Notes {
            folder: folder.display().to_string(),
            index: read(&folder.join(INDEX)),
            foreign,
        };
        Some(AutoMemory { folder, notes })
    }

    /// Notes in a folder of an agent's own. May wait for the disk, for one small file.
    pub(super) fn at(
        host: &HostContext,
        folder: &Path,
        permissions: &Permissions,
    ) -> Option<AutoMemory> {
        let limits = permissions.rules.limits();
        if limits.reads_stay_inside || limits.writes_stay_inside {
            return None;
        }
        let folder = workspace::real_path(folder).ok()?;
        let index = read(host, permissions, &folder.join(INDEX));
        let notes = Notes { folder: folder.display().to_string(), index, foreign: None };
        Some(AutoMemory { folder, notes })
    }

    pub(super) fn index(&self) -> PathBuf {
        self.folder.join(INDEX)
    }
}

/// An index as it is shown. The user's rules hold for what is shown unasked, too.
fn read(host: &HostContext, permissions: &Permissions, path: &Path) -> Option<String> {
    if !may_read(permissions, path, Reach::Own) {
        return None;
    }
    let (bytes, _) = workspace::read_bytes(path, INDEX_CAP).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(host.secrets.redactor().redact(&text).into_owned())
}

/// What the notes are about: the repository around the folder, or the folder. Worktrees share them;
/// but where a `.git` leads is only believed in a folder that is trusted, or it could lead to the
/// notes on any other project.
fn project(cwd: &Path, trusted: bool) -> PathBuf {
    let root = repository::around(cwd);
    let main = root.as_deref().filter(|_| trusted).and_then(repository::main_folder);
    main.or(root).unwrap_or_else(|| cwd.to_owned())
}

/// Every character of the path that is no letter and no digit is a hyphen there.
fn foreign_index(home: Option<&Path>, project: &Path) -> Option<PathBuf> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = project.to_str()?.chars().map(plain).collect();
    Some(home?.join(".claude/projects").join(name).join(FOLDER).join(INDEX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_another_agent_are_found_by_the_path() {
        let check = |project: &str, expect: &str| {
            let found = foreign_index(Some(Path::new("/h")), Path::new(project)).unwrap();
            assert_eq!(found, Path::new(expect), "{project}");
        };
        check("/home/ann/ship", "/h/.claude/projects/-home-ann-ship/memory/MEMORY.md");
        check("/w/a.b_c", "/h/.claude/projects/-w-a-b-c/memory/MEMORY.md");
        assert_eq!(foreign_index(None, Path::new("/w")), None);
    }
}
