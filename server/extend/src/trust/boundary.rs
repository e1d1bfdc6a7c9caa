//! Where trust from above ends: at repositories that somebody else may have put there. All of it
//! is found out by looking for files; none is read, and git is not asked.

use std::path::Path;

use crate::files;

/// What configures us in a folder.
const CONFIGURATION: [&str; 4] = [".bowline", ".claude", ".mcp.json", ".lsp.json"];

/// What kind of repository begins in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begins {
    Repository,
    /// Its `.git` leads somewhere else, or it is the inside of a repository.
    Redirect,
}

/// Whether a decision for `above` stops before it reaches `folder`, which is below it.
pub(super) fn between(above: &Path, folder: &Path) -> bool {
    let on_the_way = folder.ancestors().take_while(|each| *each != above);
    on_the_way.filter_map(|each| Some((each, begins(each)?))).any(|(root, begins)| {
        begins == Begins::Redirect || is_configured(root) || is_configured(folder)
    })
}

fn begins(folder: &Path) -> Option<Begins> {
    let git = folder.join(".git");
    if files::is_something(&git) {
        let plain = files::is_dir(&git) && !files::is_link(&git);
        let elsewhere = !plain || files::is_something(&git.join("commondir"));
        return Some(if elsewhere { Begins::Redirect } else { Begins::Repository });
    }
    let inside = ["HEAD", "objects", "refs"].iter().all(|name| files::exists(&folder.join(name)));
    inside.then_some(Begins::Redirect)
}

fn is_configured(folder: &Path) -> bool {
    CONFIGURATION.iter().any(|name| files::is_something(&folder.join(name)))
}
