//! `/add-dir folder`: the session may work in one more folder, until it is closed.

use std::path::Path;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome};
use crate::session::{Session, setup};

pub(super) fn run<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        let folders = session.given_roots.len();
        let said = add(session, argument)?;
        if session.given_roots.len() > folders {
            let folder = session.given_roots.last().cloned().unwrap_or_default();
            session.fire_directory(&folder, "command");
            // It may bring skills of its own.
            session.read_skills_again().await;
            session.tell_servers_of_roots();
        }
        Ok(said)
    }
    .boxed()
}

fn add(session: &mut Session, argument: &str) -> Outcome {
    if argument.is_empty() {
        return Err("Which folder? Say /add-dir FOLDER.".to_owned());
    }
    let home = session.host.home();
    let named = match (argument.strip_prefix("~/"), &home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => session.state.cwd().join(Path::new(argument)),
    };
    let folder = setup::working_directory(&named)?;
    let known = |roots: &[std::path::PathBuf]| roots.iter().any(|root| folder.starts_with(root));
    if known(&session.state.permissions().roots) {
        return Ok(Done::Said(format!("{} was open to the session already.", folder.display())));
    }
    session.given_roots.push(folder.clone());
    session.facts.send_modify(|facts| facts.roots.push(folder.clone()));
    session.state.update_permissions(|permissions| permissions.roots.push(folder.clone()));
    Ok(Done::Said(format!("The session may work in {} as well.", folder.display())))
}
