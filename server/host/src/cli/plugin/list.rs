//! What there is, for people and for scripts.

use std::process::ExitCode;

use extend::one_line;
use serde_json::{Value, json};

use super::super::{Outcome, Problem};
use crate::plugins::{Plugins, Row};
use crate::terminal;

pub(super) fn installed(plugins: &Plugins, as_json: bool) -> Outcome {
    let rows = plugins.rows();
    if as_json {
        let rows: Vec<Value> = rows.iter().map(Row::json).collect();
        terminal::print(&format!("{:#}", Value::from(rows)));
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        terminal::print("No plugin is installed. See `bowline plugin marketplace add --help`.");
    }
    for row in &rows {
        terminal::print(&row.text());
    }
    Ok(ExitCode::from(u8::from(rows.iter().any(Row::is_broken))))
}

pub(super) fn available(plugins: &Plugins, as_json: bool) -> Outcome {
    if plugins.store.known.is_empty() {
        let message = "No marketplace is known; add one with `bowline plugin marketplace add \
                       OWNER/REPOSITORY`.";
        return Err(Problem::failed(message));
    }
    let mut all = Vec::new();
    let mut failed = false;
    for name in plugins.store.known.keys() {
        match plugins.marketplace(name) {
            Ok((market, _)) => {
                all.extend(market.plugins.into_iter().map(|entry| (name.clone(), entry)));
                market.notes.iter().for_each(|note| terminal::note(&one_line(note)));
            }
            Err(why) => {
                terminal::note(&why);
                failed = true;
            }
        }
    }
    if as_json {
        let rows: Vec<_> = all
            .iter()
            .map(|(market, entry)| {
                json!({
                    "id": format!("{}@{market}", entry.name),
                    "version": entry.version,
                    "description": entry.description,
                    "source": entry.source.to_string(),
                })
            })
            .collect();
        terminal::print(&format!("{:#}", Value::from(rows)));
    } else {
        for (market, entry) in &all {
            let version = entry.version.as_deref().map_or(String::new(), |v| format!(" {v}"));
            let mut text = one_line(&format!("{}@{market}{version}", entry.name));
            if let Some(description) = &entry.description {
                text.push_str(&format!("\n    {}", one_line(description)));
            }
            terminal::print(&text);
        }
    }
    Ok(ExitCode::from(u8::from(failed)))
}
