//! Which programs a command would start, and which scripts it would hand to them, so that a yes for
//! it is no yes for other ones.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use policy::PartView;

use crate::context::Context;
use crate::place::blocking;
use crate::tool::Problem;

/// The search path of a session that has none.
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Where commands of the session find their programs.
pub(super) fn search_path(env: &[(OsString, OsString)]) -> OsString {
    let named = env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
    named.unwrap_or_else(|| SEARCH_PATH.into())
}

/// Programs that run the file they are given.
const INTERPRETERS: [&str; 14] = [
    "bash", "sh", "dash", "zsh", "ksh", "python", "node", "deno", "bun", "ruby", "perl", "php",
    "lua", "Rscript",
];
/// What a larger script says is known by its state alone.
const LONGEST_SCRIPT: u64 = 4 * 1024 * 1024;
/// A command that names more of them is not bound to the rest.
const MOST_SCRIPTS: usize = 64;

/// Each program as its file and that file's state, and each script with what it says. What the shell
/// itself does has no file.
pub(super) async fn identity(
    command: &str,
    cwd: &Path,
    cx: &Context,
) -> Result<Vec<String>, Problem> {
    let home = cx.session.permissions().home;
    let parts = policy::explain(command, cwd, home.as_deref());
    let names: BTreeSet<String> =
        parts.iter().filter_map(|part| part.words.first().cloned()).collect();
    let scripts: BTreeSet<PathBuf> = parts.iter().flat_map(scripts).take(MOST_SCRIPTS).collect();
    let (path, cwd) = (search_path(&cx.session.env()), cwd.to_owned());
    blocking(move || {
        let programs = names.iter().filter_map(|name| found(name, &path, &cwd));
        programs.chain(scripts.iter().filter_map(|script| said(script))).collect()
    })
    .await
}

/// The files that an interpreter may be given to run: any of its words may be one.
fn scripts(part: &PartView) -> impl Iterator<Item = PathBuf> {
    let program = part.words.first().and_then(|word| Path::new(word).file_name()?.to_str());
    let runs = program.is_some_and(|name| {
        INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
    });
    let words = part.words.iter().skip(1).filter(move |word| runs && !word.starts_with('-'));
    words.map(|word| part.folder.join(word))
}

fn said(script: &Path) -> Option<String> {
    let stamp = workspace::stamp(script).ok()??;
    let real = workspace::real_path(script).ok()?;
    let shown = real.display();
    Some(match workspace::read_bytes(&real, LONGEST_SCRIPT) {
        Ok((bytes, _)) => {
            format!("{shown} {}", text::Fingerprint::of(&String::from_utf8_lossy(&bytes)))
        }
        Err(_) => format!("{shown} {stamp:?}"),
    })
}

fn found(name: &str, search_path: &OsStr, cwd: &Path) -> Option<String> {
    let candidates: Vec<PathBuf> = if name.contains('/') {
        vec![cwd.join(name)]
    } else {
        std::env::split_paths(search_path).map(|folder| cwd.join(folder).join(name)).collect()
    };
    candidates.into_iter().find_map(|file| {
        let stamp = workspace::stamp(&file).ok()??;
        let real = workspace::real_path(&file).ok()?;
        Some(format!("{} {stamp:?}", real.display()))
    })
}
