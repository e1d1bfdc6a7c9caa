//! Where memory files are, from the broad to the special.

use std::path::{Path, PathBuf};

use super::{MemoryQuery, MemoryScope};
use crate::files;
use crate::settings::Locations;

/// One file there could be, or a folder of rules.
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) scope: MemoryScope,
    pub(super) is_rules: bool,
    /// What the patterns of its rules are relative to.
    pub(super) base: PathBuf,
}

/// Those that hold for the whole session.
pub(super) fn always(query: &MemoryQuery<'_>) -> Vec<Place> {
    let locations = query.locations;
    let mut places = Vec::new();
    for folder in ["claude-code", "bowline"].map(|name| locations.managed.join(name)) {
        push_all(&mut places, &folder, MemoryScope::Managed, query.cwd);
    }
    if let Some(home) = &locations.home {
        push_all(&mut places, &home.join(".claude"), MemoryScope::User, query.cwd);
    }
    push_all(&mut places, &locations.bowline_home, MemoryScope::User, query.cwd);
    if query.trusted {
        let root = root_of(query.cwd);
        let mut folders: Vec<&Path> = query.cwd.ancestors().collect();
        folders.reverse();
        for folder in folders {
            // What lies above the project was not trusted with it.
            if folder.starts_with(&root) || files::is_only_ours(folder) {
                places.extend(of_folder(folder, locations));
            }
        }
    }
    places
}

/// A folder with `CLAUDE.md` or else `AGENTS.md`, and rules.
fn push_all(places: &mut Vec<Place>, folder: &Path, scope: MemoryScope, base: &Path) {
    for path in first_of(&[folder.join("CLAUDE.md"), folder.join("AGENTS.md")]) {
        places.push(Place { path, scope, is_rules: false, base: base.to_owned() });
    }
    places.push(Place { path: folder.join("rules"), scope, is_rules: true, base: base.to_owned() });
}

/// What a folder of a project may hold: the files of other agents first, ours after them.
pub(super) fn of_folder(folder: &Path, locations: &Locations) -> Vec<Place> {
    let project = MemoryScope::Project;
    let place = |path: PathBuf, scope: MemoryScope, is_rules: bool| Place {
        path,
        scope,
        is_rules,
        base: folder.to_owned(),
    };
    let names = ["CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"].map(|name| folder.join(name));
    let mut places: Vec<Place> = Vec::new();
    places.extend(first_of(&names).into_iter().map(|path| place(path, project, false)));
    places.push(place(folder.join(".claude/rules"), project, true));
    places.push(place(folder.join(".bowline/AGENTS.md"), project, false));
    places.push(place(folder.join(".bowline/rules"), project, true));
    places.push(place(folder.join("CLAUDE.local.md"), MemoryScope::Local, false));
    // In the home directory the user's own folders look like a project's.
    let own = [locations.home.as_deref().map(|home| home.join(".claude"))];
    let own: Vec<PathBuf> =
        own.into_iter().flatten().chain([locations.bowline_home.clone()]).collect();
    places.retain(|place| !own.iter().any(|folder| place.path.starts_with(folder)));
    places
}

/// The first that is there; all of them when none is, so that a new one is noticed.
fn first_of(paths: &[PathBuf]) -> Vec<PathBuf> {
    match paths.iter().position(|path| files::is_file(path)) {
        // Those before it would win if they came to be.
        Some(at) => paths[..=at].to_vec(),
        None => paths.to_vec(),
    }
}

/// The folders below the session's on the way to a file, from the top.
pub(crate) fn below(cwd: &Path, path: &Path) -> Vec<PathBuf> {
    let Ok(rest) = path.strip_prefix(cwd) else { return Vec::new() };
    let mut folder = cwd.to_owned();
    let mut folders = Vec::new();
    for name in rest.parent().into_iter().flat_map(Path::components) {
        folder.push(name);
        folders.push(folder.clone());
    }
    folders
}

/// The top of the repository that a folder is in, or the folder itself.
pub(crate) fn root_of(cwd: &Path) -> PathBuf {
    let root = cwd.ancestors().find(|folder| files::is_something(&folder.join(".git")));
    root.unwrap_or(cwd).to_owned()
}

/// The files of a project that would count if it were trusted. They are not read.
pub(crate) fn brought(locations: &Locations, cwd: &Path) -> Vec<PathBuf> {
    let root = root_of(cwd);
    let mut folders: Vec<&Path> =
        cwd.ancestors().take_while(|folder| folder.starts_with(&root)).collect();
    folders.reverse();
    let places = folders.into_iter().flat_map(|folder| of_folder(folder, locations));
    let there = |place: &Place| match place.is_rules {
        true => !super::rules::files_in(&place.path).is_empty(),
        false => files::is_file(&place.path),
    };
    places.filter(there).map(|place| place.path).collect()
}
