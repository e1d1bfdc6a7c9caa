//! What the machine offers: the program itself, walls for commands, search, editors, git, the disk.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use workspace::{Limits, Output, Query, Snapshot, grep};

use super::Finding;
use crate::context::HostContext;
use crate::store;

/// Editors that speak LSP, by the name of their program.
const EDITORS: [(&str, &str); 9] = [
    ("nvim", "Neovim"),
    ("code", "VS Code"),
    ("codium", "VSCodium"),
    ("cursor", "Cursor"),
    ("zed", "Zed"),
    ("hx", "Helix"),
    ("emacs", "Emacs"),
    ("kate", "Kate"),
    ("subl", "Sublime Text"),
];

/// More than this in our folder is worth a word.
const MUCH: u64 = 2 << 30;

pub(super) fn version(host: &HostContext) -> Finding {
    let (os, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    Finding::fine("version", format!("bowline {}, {os} {machine}", host.version))
}

pub(super) fn sandbox(host: &HostContext) -> Finding {
    let found = host.sandbox();
    let install = "install bubblewrap (the package is called so nearly everywhere); until then \
                   commands ask one by one, and your own MCP servers and helpers run without walls";
    match (found.why_not(), found.limits()) {
        (Some(why), _) => Finding::problem("sandbox", why, install),
        (None, Some(limits)) => Finding::note("sandbox", limits, "install bubblewrap"),
        (None, None) => Finding::fine("sandbox", format!("{} works", found.kind().name())),
    }
}

/// Grep needs no program of anybody's: it must find what was just written.
pub(super) fn search() -> Finding {
    const WORD: &str = "a word that is looked for";
    let tried = || -> Result<bool, String> {
        let failed = |error: std::io::Error| error.to_string();
        let folder = tempfile::tempdir().map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(folder.path()).map_err(failed)?;
        writeln!(file, "before\n{WORD}\nafter").map_err(failed)?;
        let real = workspace::real_path(folder.path()).map_err(|error| error.to_string())?;
        let found = grep(&Snapshot::default(), &Query::new(WORD, real), &Limits::NONE);
        let found = found.map_err(|error| error.to_string())?;
        Ok(matches!(found.output, Output::Files { total: 1, .. }))
    };
    let fix = "look whether the folder of $TMPDIR can be written to and read";
    match tried() {
        Ok(true) => Finding::fine("search", "built in, and finds what it should"),
        Ok(false) => Finding::problem("search", "did not find a file that was just written", fix),
        Err(error) => Finding::problem("search", format!("could not be tried: {error}"), fix),
    }
}

pub(super) fn editors(host: &HostContext) -> Finding {
    let found = EDITORS.iter().filter(|(program, _)| program_at(host, program).is_some());
    let names: Vec<_> = found.map(|(_, name)| *name).collect();
    if names.is_empty() {
        let fix = "any editor with a language client will do: have it start `bowline serve`";
        return Finding::note("editors", "none that we know is on the PATH", fix);
    }
    Finding::fine("editors", format!("{}; `bowline serve` is their server", names.join(", ")))
}

pub(super) fn git(host: &HostContext) -> Finding {
    match program_at(host, "git") {
        Some(path) => Finding::fine("git", path.display().to_string()),
        None => {
            let text = "not on the PATH: no worktrees, and the model does not know what changed";
            Finding::note("git", text, "install git")
        }
    }
}

/// What we keep, and whether more can be kept.
pub(super) fn state(host: &HostContext) -> Finding {
    let home = &host.locations.bowline_home;
    let (place, bytes) = (home.display(), store::folder_size(home));
    let text = format!("{place}, {:.1} MB", bytes as f64 / 1e6);
    // A folder that is not there yet is made when it is needed, if its parent lets us.
    let existing = home.ancestors().find(|folder| folder.is_dir()).unwrap_or(home);
    if let Err(error) = tempfile::tempfile_in(existing) {
        let fix = format!("make {} writable, or set BOWLINE_HOME", existing.display());
        return Finding::problem("state", format!("{text}: cannot be written to: {error}"), fix);
    }
    match bytes > MUCH {
        true => Finding::note("state", text, "lower `sessionsMaxMegabytes`, or delete sessions"),
        false => Finding::fine("state", text),
    }
}

fn program_at(host: &HostContext, name: &str) -> Option<PathBuf> {
    let path = host.var("PATH")?;
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    let found = file.metadata();
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
