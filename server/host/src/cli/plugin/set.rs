//! `bowline plugin set`: a value that a plugin asks its user for (`userConfig`). What nobody is to see is
//! read from standard input or a prompt that does not show it, and kept in a file for the user alone;
//! everything else goes to the user's settings.

use extend::credentials::{self, Credentials};
use extend::plugins::{PluginId, UserOption};
use serde_json::Value;

use super::super::{Outcome, Problem};
use super::done;
use crate::plugins::Plugins;
use crate::terminal;

/// No value is longer.
const LONGEST: usize = 16 * 1024;

pub(super) fn run(
    plugins: &Plugins,
    id: &PluginId,
    key: &str,
    value: Option<&str>,
    unset: bool,
) -> Outcome {
    let option = plugins.option(id, key).map_err(Problem::failed)?;
    if unset {
        keep(plugins, id, &option, None)?;
        return done(&format!("{id} has no value for {key} any more."));
    }
    let value = match (value, option.sensitive) {
        (Some(_), true) => {
            return Err(Problem::failed(format!(
                "{key} is a secret, and what stands on a command line is seen by others. Leave it \
                 out: it is asked for, or read from standard input."
            )));
        }
        (Some(value), false) => value.to_owned(),
        (None, sensitive) => typed(&option, sensitive)?,
    };
    if value.is_empty() || value.len() > LONGEST || value.contains(char::is_control) {
        return Err(Problem::failed("That is no value: it should be one line that is not empty."));
    }
    let place = keep(plugins, id, &option, Some(&value))?;
    done(&format!("{key} of {id} is kept in {place}. It counts from the next prompt on."))
}

fn typed(option: &UserOption, sensitive: bool) -> Result<String, Problem> {
    let read = match terminal::stdin_is_terminal() && sensitive {
        true => terminal::read_hidden(&format!("{}: ", option.title)),
        false => terminal::read_stdin(),
    };
    read.map(|text| text.trim().to_owned()).map_err(Problem::failed)
}

/// Says where.
fn keep(
    plugins: &Plugins,
    id: &PluginId,
    option: &UserOption,
    value: Option<&str>,
) -> Result<String, Problem> {
    if !option.sensitive {
        let file = plugins.set_option(id, &option.key, value.map(Value::from));
        return file.map(|file| file.display().to_string()).map_err(Problem::failed);
    }
    let home = &plugins.host.locations.bowline_home;
    let failed = |error: &dyn std::fmt::Display| Problem::failed(error.to_string());
    let _lock = credentials::lock(home).map_err(|error| failed(&error))?;
    let mut stored = Credentials::load_plugins(home).map_err(|error| failed(&error))?;
    stored.set_of_plugin(&id.to_string(), &option.key, value).map_err(|error| failed(&error))?;
    Ok(stored.path().display().to_string())
}
