//! Files that no command in the sandbox may read or write: those that hold keys, and those a rule
//! denies.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use extend::SandboxSettings;
use policy::{Behavior, DeniedPaths, Entry, Mode, Rules};
use tools::Permissions;

/// Below the home directory: keys and tokens of other programs. `allowRead` opens one again.
const KEYS: [&str; 22] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
    ".kube",
    ".docker/config.json",
    ".netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
];
/// Tools whose deny rules speak of reading, and of writing.
const READERS: [&str; 4] = ["Read", "Grep", "Glob", "LSP"];
const EDITORS: [&str; 4] = ["Edit", "Write", "NotebookEdit", "MultiEdit"];
/// Other people's code by the ten thousand files: only rules that name such a folder reach into it.
const SKIPPED: [&str; 4] = ["node_modules", "target", ".git", ".venv"];
/// A folder with more in it takes too long to look through before every command.
const MOST_ENTRIES: usize = 100_000;

/// What is closed to commands, as far as it exists.
pub(super) struct Closed {
    pub(super) to_reading: Vec<PathBuf>,
    pub(super) to_writing: Vec<PathBuf>,
    /// What of Bowline's own folder is open, and whether it may be written.
    pub(super) shown: Vec<(PathBuf, bool)>,
}

/// The error says why the sandbox cannot be built.
pub(super) fn closed(
    permissions: &Permissions,
    bowline_home: &Path,
    settings: &SandboxSettings,
    shown: &[(PathBuf, bool)],
) -> Result<Closed, String> {
    let home = permissions.home.as_deref();
    let mut hidden: Vec<PathBuf> =
        home.into_iter().flat_map(|home| KEYS.map(|key| home.join(key))).collect();
    hidden.push(bowline_home.to_owned());
    hidden.extend(settings.deny_read.iter().cloned());
    let opened = |path: &PathBuf| settings.allow_read.iter().any(|open| path.starts_with(open));
    hidden.retain(|path| !opened(path));
    hidden.extend(settings.credential_files.iter().cloned());
    hidden.extend(by_rules(permissions, &READERS)?);
    let mut locked = settings.deny_write.clone();
    locked.extend(by_rules(permissions, &EDITORS)?);
    // Whatever else hides a folder, or locks it, has more to say than that it is a plugin's.
    let covers = |closed: &[PathBuf], path: &Path| {
        closed.iter().any(|it| it != bowline_home && (path.starts_with(it) || it.starts_with(path)))
    };
    let shown = shown.iter().filter(|(path, _)| !covers(&hidden, path));
    let shown = shown.map(|(path, writable)| (path.clone(), *writable && !covers(&locked, path)));
    let shown = shown.collect();
    Ok(Closed { to_reading: outermost(hidden), to_writing: outermost(locked), shown })
}

/// What exists of these; what lies in a closed folder is closed with it.
fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.retain(|path| matches!(workspace::kind(path), Ok(Some(_))));
    paths.sort();
    paths.dedup_by(|inner, outer| inner.starts_with(outer));
    paths
}

/// What the deny rules for these tools mean on this disk.
fn by_rules(permissions: &Permissions, tools: &[&str]) -> Result<Vec<PathBuf>, String> {
    let speaks = |entry: &&Entry| {
        entry.behavior == Behavior::Deny
            && tools.contains(&entry.rule.tool())
            && entry.rule.spec().is_some()
    };
    let denied: Rules = permissions.rules.iter().filter(speaks).cloned().collect();
    let home = permissions.home.as_deref();
    let anchors = denied.iter().map(|entry| anchor(entry.rule.spec()?, home));
    let anchors: Vec<Option<PathBuf>> = anchors.collect();
    let loose = anchors.contains(&None);
    let mut places: Vec<PathBuf> = anchors.into_iter().flatten().collect();
    if loose {
        places.extend(permissions.roots.iter().cloned());
    }
    let context =
        policy::Context { mode: Mode::Default, rules: &denied, roots: &permissions.roots, home };
    let closed = match tools.contains(&"Read") {
        true => DeniedPaths::to_reading(&context),
        false => DeniedPaths::to_writing(&context),
    };
    let mut search = Search { closed, denied: &denied, found: Vec::new(), left: MOST_ENTRIES };
    for place in places {
        search.look(&place)?;
    }
    Ok(search.found)
}

/// Where a pattern begins that says where it begins: `//abs/dir/**`, `~/dir/*.key`.
fn anchor(spec: &str, home: Option<&Path>) -> Option<PathBuf> {
    let path = match (spec.strip_prefix("//"), spec.strip_prefix("~/")) {
        (Some(rest), _) => Path::new("/").join(rest),
        (_, Some(rest)) => home?.join(rest),
        _ => return None,
    };
    let is_literal = |part: &std::path::Component<'_>| {
        !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{'])
    };
    Some(path.components().take_while(is_literal).collect())
}

struct Search<'a> {
    /// Made once: a folder may hold a hundred thousand files.
    closed: DeniedPaths,
    denied: &'a Rules,
    found: Vec<PathBuf>,
    left: usize,
}

impl Search<'_> {
    fn look(&mut self, place: &Path) -> Result<(), String> {
        if self.closed.close(place) {
            self.found.push(place.to_owned());
            return Ok(());
        }
        if !matches!(workspace::kind(place), Ok(Some(workspace::Kind::Folder))) {
            return Ok(());
        }
        let mut ahead = vec![place.to_owned()];
        while let Some(folder) = ahead.pop() {
            // A folder that we may not list, no command may list either.
            let Ok(listing) = workspace::list(&folder, self.left) else { continue };
            if listing.truncated {
                return Err(format!(
                    "A rule denies files by a pattern, and {} holds too many to look through, so \
                     the sandbox cannot hide them. Write the rule with a folder (`//folder/**`).",
                    place.display()
                ));
            }
            self.left -= listing.entries.len();
            for entry in listing.entries {
                let path = folder.join(&entry.name);
                if self.closed.close(&path) {
                    self.found.push(path);
                } else if entry.kind == workspace::Kind::Folder
                    && self.goes_into(&path, &entry.name)
                {
                    ahead.push(path);
                }
            }
        }
        Ok(())
    }

    fn goes_into(&self, folder: &Path, name: &OsStr) -> bool {
        !self.is_skipped(name) && self.closed.reach_below(folder)
    }

    fn is_skipped(&self, name: &OsStr) -> bool {
        let skipped = SKIPPED.iter().find(|skipped| name == **skipped);
        let named = |folder: &str| {
            self.denied.iter().any(|entry| {
                entry.rule.spec().is_some_and(|spec| spec.split('/').any(|part| part == folder))
            })
        };
        skipped.is_some_and(|folder| !named(folder))
    }
}
