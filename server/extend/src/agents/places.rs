//! Where agents are looked for.

use std::path::{Path, PathBuf};

use super::{AgentQuery, AgentSource};
use crate::files;
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
/// file that is named.
pub(super) fn files_in(root: &Path) -> Vec<(PathBuf, Vec<String>)> {
    if files::is_file(root) {
        return vec![(root.to_owned(), Vec::new())];
    }
    let mut found = Vec::new();
    walk(root, &mut Vec::new(), &mut found);
    found
}

fn walk(folder: &Path, way: &mut Vec<String>, found: &mut Vec<(PathBuf, Vec<String>)>) {
    let mut entries = files::list(folder);
    entries.sort();
    for path in entries {
        if found.len() >= MOST {
            return;
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        // A link to a folder could lead back here.
        if files::is_dir(&path) && !files::is_link(&path) && way.len() < DEEPEST {
            way.push(name.unwrap_or_default());
            walk(&path, way, found);
            way.pop();
        } else if path.extension().is_some_and(|ending| ending == "md") && files::is_file(&path) {
            found.push((path, way.clone()));
        }
    }
}
