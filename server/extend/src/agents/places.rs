//! Where agents are looked for.

use std::path::{Path, PathBuf};

use super::{AgentQuery, AgentSource};
use crate::files::{self, Stamp};
use crate::memory::root_of;

/// More in one folder is a mistake, and so is a deeper one.
const MOST: usize = 500;
const DEEPEST: usize = 6;

/// A folder of agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRoot {
    pub folder: PathBuf,
    pub source: AgentSource,
    /// Stands before the name of each: `plugin:name`.
    pub namespace: Option<String>,
}

/// The strongest first.
pub(super) fn roots(query: &AgentQuery<'_>) -> Vec<AgentRoot> {
    let root = |folder: PathBuf, source| AgentRoot { folder, source, namespace: None };
    let locations = query.locations;
    let mut roots: Vec<AgentRoot> = ["bowline", "claude-code", "claude-code/.claude"]
        .map(|name| root(locations.managed.join(name).join("agents"), AgentSource::Managed))
        .into();
    let own = [
        Some(locations.bowline_home.join("agents")),
        locations.home.as_ref().map(|home| home.join(".claude/agents")),
    ];
    let own: Vec<PathBuf> = own.into_iter().flatten().collect();
    if query.trusted {
        let top = root_of(query.cwd);
        let folders = query.cwd.ancestors().take_while(|folder| folder.starts_with(&top));
        let found = folders
            .flat_map(|folder| [".bowline/agents", ".claude/agents"].map(|name| folder.join(name)));
        // In the home directory the user's own folders look like a project's.
        let found = found.filter(|folder| !own.contains(folder));
        roots.extend(found.map(|folder| root(folder, AgentSource::Project)));
    }
    roots.extend(own.into_iter().map(|folder| root(folder, AgentSource::User)));
    roots.retain(|root| !query.only_plugins || root.source == AgentSource::Managed);
    roots.extend(query.more.iter().cloned());
    roots
}

/// Every Markdown file, in the order of their paths, with the folders on the way to it; or the one
/// file that is named. `seen`: the folders that were looked into, as they were.
pub(super) fn files_in(root: &Path, seen: &mut Seen) -> Vec<(PathBuf, Vec<String>)> {
    if files::is_file(root) {
        return vec![(root.to_owned(), Vec::new())];
    }
    let mut walk = Walk { way: Vec::new(), found: Vec::new(), seen };
    walk.enter(root);
    walk.found
}

type Seen = Vec<(PathBuf, Option<Stamp>)>;

struct Walk<'a> {
    way: Vec<String>,
    found: Vec<(PathBuf, Vec<String>)>,
    seen: &'a mut Seen,
}

impl Walk<'_> {
    fn enter(&mut self, folder: &Path) {
        self.seen.push((folder.to_owned(), files::stamp(folder)));
        let mut entries = files::list(folder);
        entries.sort();
        for path in entries {
            if self.found.len() >= MOST {
                return;
            }
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let is_markdown = || path.extension().is_some_and(|ending| ending == "md");
            // A link to a folder could lead back here.
            if files::is_dir(&path) && !files::is_link(&path) && self.way.len() < DEEPEST {
                self.way.push(name.unwrap_or_default());
                self.enter(&path);
                self.way.pop();
            } else if is_markdown() && files::is_file(&path) {
                self.found.push((path, self.way.clone()));
            }
        }
    }
}
