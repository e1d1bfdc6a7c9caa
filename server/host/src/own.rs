//! The walls of the user's own programs (`exec::Own`): what of ours they leave alone.
//!
//! Where there is no sandbox they run without walls, which sessions and `doctor` tell; and so they do
//! where the user has switched it off.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use exec::{Own, Sandbox, Walls};
use extend::{Locations, SandboxSettings, Settings};

use crate::context::HostContext;

/// Below our own folder: keys, and the sockets by which a server of ours is joined.
const HIDDEN: [&str; 4] =
    ["credentials.json", "mcp-credentials.json", "plugin-credentials.json", "run"];
/// Where plugins keep what is theirs.
const DATA: &str = "plugins/data";

/// For a program that the user configured. `open`: where it may write though it is in our folder.
/// The first call looks for the sandbox, and may wait.
pub(crate) fn walls(
    host: &HostContext,
    settings: &SandboxSettings,
    roots: Vec<PathBuf>,
    open: &[&Path],
) -> Walls {
    if settings.enabled == Some(false) {
        return Walls::Open;
    }
    let sandbox = host.sandbox();
    match sandbox.is_available() {
        true => within(sandbox, &host.locations, roots, open),
        false => Walls::Open,
    }
}

pub(crate) fn within(
    sandbox: Arc<Sandbox>,
    locations: &Locations,
    roots: Vec<PathBuf>,
    open: &[&Path],
) -> Walls {
    let state = &locations.bowline_home;
    Walls::Own(Arc::new(Own {
        sandbox,
        home: locations.home.clone(),
        roots,
        locked: vec![state.clone()],
        open: open.iter().map(|path| (*path).to_owned()).chain([state.join(DATA)]).collect(),
        hidden: HIDDEN.iter().map(|name| state.join(name)).collect(),
    }))
}

/// The user's key helper, if there is one, with its walls.
pub(crate) fn key_helper(host: &HostContext, settings: &Settings) -> Option<(String, Walls)> {
    let command = settings.api_key_helper.clone()?;
    Some((command, walls(host, &settings.sandbox, Vec::new(), &[])))
}
