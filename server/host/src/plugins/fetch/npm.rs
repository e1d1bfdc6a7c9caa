//! A package, by the user's own npm: it knows their registries and logins. It only packs; no script
//! of the package runs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exec::{Exit, Program, Spec};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Fetcher;
use super::git::last_words;

const WITHIN: Duration = Duration::from_secs(300);

pub(super) struct Wanted<'a> {
    pub(super) package: &'a str,
    pub(super) version: Option<&'a str>,
    pub(super) registry: Option<&'a str>,
}

/// The archive of a package.
pub(super) async fn pack(
    fetcher: &Fetcher,
    wanted: &Wanted<'_>,
    staging: &Path,
) -> Result<PathBuf, String> {
    let package = match wanted.version {
        Some(version) => format!("{}@{version}", wanted.package),
        None => wanted.package.to_owned(),
    };
    let mut arguments: Vec<OsString> =
        ["pack", "--json", "--ignore-scripts", "--pack-destination"].map(OsString::from).into();
    arguments.push(staging.as_os_str().to_owned());
    arguments.extend(wanted.registry.map(|registry| format!("--registry={registry}").into()));
    arguments.extend(["--".into(), package.clone().into()]);
    let mut spec = Spec::new(
        Program::Argv { program: "npm".into(), arguments },
        staging,
        fetcher.walls.clone(),
    );
    spec.env = fetcher.env.clone();
    spec.timeout = WITHIN;
    let done = exec::run(spec, CancellationToken::new(), |_| ()).await;
    let done = done.map_err(|error| {
        format!("npm, which fetches {package}, cannot be started ({error}); install Node.js.")
    })?;
    match done.status {
        Exit::Code(0) => {}
        Exit::TimedOut => return Err("npm took longer than five minutes.".to_owned()),
        _ => return Err(format!("npm: {}", last_words(&done.output))),
    }
    let told: Value = serde_json::from_str(&done.stdout).unwrap_or_default();
    let name = told.pointer("/0/filename").and_then(Value::as_str);
    // Older versions write a scope's slash into the name that they tell.
    let name = name.map(|name| name.trim_start_matches('@').replace('/', "-"));
    let name = name.filter(|name| !name.contains(".."));
    name.map(|name| staging.join(name)).ok_or_else(|| "npm did not say what it packed.".to_owned())
}
