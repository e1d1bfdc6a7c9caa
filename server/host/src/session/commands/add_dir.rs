//! `/add-dir folder`: the session may work in one more folder, until it is closed.

use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome};
use crate::session::{Session, setup};

pub(super) fn run<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        let folder = named(session, argument)?;
        let known = |root: &PathBuf| folder.starts_with(root);
        if session.state.permissions().roots.iter().any(known) {
            let said = format!("{} was open to the session already.", folder.display());
            return Ok(Done::Said(said));
        }
        session.add_root(folder.clone(), "command").await;
        Ok(Done::Said(format!("The session may work in {} as well.", folder.display())))
    }
    .boxed()
}

fn named(session: &Session, argument: &str) -> Result<PathBuf, String> {
    if argument.is_empty() {
        return Err("Which folder? Say /add-dir FOLDER.".to_owned());
    }
    let home = session.host.home();
    let named = match (argument.strip_prefix("~/"), &home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => session.state.cwd().join(Path::new(argument)),
    };
    setup::working_directory(&named)
}
