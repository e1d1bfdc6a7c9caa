//! `/plugin [enable|disable NAME]`: what is installed, and switching it on and off.

use extend::edit::Scope;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome};
use crate::plugins::{Plugins, Row};
use crate::session::Session;

const USAGE: &str = "Write /plugin, /plugin enable NAME or /plugin disable NAME. Installing, \
                     updating and removing is for the terminal: `bowline plugin --help`.";

pub(super) fn run<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    let (host, cwd) = (session.host.clone(), session.state.cwd().to_owned());
    let words: Vec<String> = argument.split_whitespace().map(str::to_owned).collect();
    let done = tokio::task::spawn_blocking(move || {
        let plugins = Plugins::open(&host, &cwd);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            [] | ["list"] => Ok(list(&plugins)),
            ["enable", name] => switch(&plugins, name, true),
            ["disable", name] => switch(&plugins, name, false),
            _ => Err(USAGE.to_owned()),
        }
    });
    async move { done.await.map_err(|error| error.to_string())?.map(Done::Said) }.boxed()
}

fn list(plugins: &Plugins) -> String {
    let rows: Vec<String> = plugins.rows().iter().map(Row::text).collect();
    match rows.is_empty() {
        true => "No plugin is installed. See `bowline plugin --help` in a terminal.".to_owned(),
        false => rows.join("\n"),
    }
}

fn switch(plugins: &Plugins, name: &str, on: bool) -> Result<String, String> {
    let id = plugins.find(name)?;
    if !plugins.store.installed.contains_key(&id) {
        return Err(format!("{id} is not installed; run `bowline plugin install {id}`."));
    }
    plugins.switch(&id, on, Scope::User)?;
    let state = if on { "on" } else { "off" };
    Ok(format!("{id} is switched {state}, from the next prompt on."))
}
