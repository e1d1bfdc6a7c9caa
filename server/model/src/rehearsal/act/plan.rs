//! A todo list, worked through item by item. Items that are commands are carried out.

use serde_json::{Value, json};

use super::super::language::{self, Command};
use super::super::script::{Pause, Script};
use super::look::counted;
use super::perform;

pub(super) fn todo(script: &mut Script<'_>, items: &[String]) -> Result<(), Pause> {
    if items.is_empty() {
        let text = "Tell me the items: `todo: first; second; third`.";
        return Err(Pause::Failed(text.to_owned()));
    }
    script.say(format!("I will keep a list of {}.", counted(items.len(), "item")));
    for (at, item) in items.iter().enumerate() {
        script.call("TodoWrite", list(items, at))?;
        for command in language::parse(item) {
            // An item need not be something I can do; a list inside a list is not kept.
            if !matches!(command, Command::Unknown { .. } | Command::Help | Command::Todo { .. }) {
                perform(script, &command)?;
            }
        }
    }
    script.call("TodoWrite", list(items, items.len()))?;
    script.say(format!("Done: {}.", counted(items.len(), "item")));
    Ok(())
}

/// The list while item `current` is being worked on.
fn list(items: &[String], current: usize) -> Value {
    let entry = |(at, item): (usize, &String)| {
        let status = match at.cmp(&current) {
            std::cmp::Ordering::Less => "completed",
            std::cmp::Ordering::Equal => "in_progress",
            std::cmp::Ordering::Greater => "pending",
        };
        json!({"content": item, "status": status, "activeForm": format!("Working on: {item}")})
    };
    json!({"todos": items.iter().enumerate().map(entry).collect::<Vec<_>>()})
}
