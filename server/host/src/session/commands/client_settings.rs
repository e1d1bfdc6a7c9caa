//! `/theme [NAME]` and `/vim [on|off]`: settings of the terminal client that every door can change. A
//! client with a screen follows at once; this keeps the choice for later sessions.

use extend::edit::{Scope, Target, set_value};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome};
use crate::session::Session;

/// Those that the terminal client has.
const THEMES: [&str; 4] = ["terminal", "daltonized", "contrast", "plain"];

pub(super) fn theme<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        let names = THEMES.join(", ");
        if argument.is_empty() {
            let text = format!("The terminal client has the themes {names}: say /theme NAME.");
            return Ok(Done::Said(text));
        }
        if !THEMES.contains(&argument) {
            return Err(format!("There is no theme {argument:?}; there are {names}."));
        }
        keep(session, "theme", argument).await?;
        Ok(Done::Said(format!("The terminal client looks like this from here on: {argument}.")))
    }
    .boxed()
}

pub(super) fn vim<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        let (mode, text) = match argument {
            "on" => ("vim", "The terminal client has keys of vi from here on: esc, then i."),
            "off" => ("normal", "The terminal client has its usual keys from here on."),
            "" => {
                let text = "The terminal client can have keys of vi: say /vim on or /vim off.";
                return Ok(Done::Said(text.to_owned()));
            }
            other => return Err(format!("/vim is on or off, not {other:?}.")),
        };
        keep(session, "editorMode", mode).await?;
        Ok(Done::Said(text.to_owned()))
    }
    .boxed()
}

/// In the user's own settings. Our own write is no change that has to be told.
async fn keep(session: &mut Session, key: &'static str, value: &str) -> Result<(), String> {
    let target = Target::new(Scope::User, &session.host.locations, session.state.cwd());
    let value = serde_json::Value::from(value);
    let written = tokio::task::spawn_blocking(move || set_value(&target, key, &value)).await;
    let written = written.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    session.watch.note_own_write(&written.file, written.stamp);
    Ok(())
}
