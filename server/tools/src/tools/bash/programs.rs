//! Which programs a command would start, so that a yes for it is no yes for other ones.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

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

/// Each program as its file and that file's state. What the shell itself does has no file.
pub(super) async fn identity(
    command: &str,
    cwd: &Path,
    cx: &Context,
) -> Result<Vec<String>, Problem> {
    let home = cx.session.permissions().home;
    let parts = policy::explain(command, cwd, home.as_deref());
    let names: BTreeSet<String> =
        parts.into_iter().filter_map(|part| part.words.into_iter().next()).collect();
    let (path, cwd) = (search_path(cx.session.env()), cwd.to_owned());
    blocking(move || names.iter().filter_map(|name| found(name, &path, &cwd)).collect()).await
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
