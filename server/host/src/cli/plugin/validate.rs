//! `bowline plugin validate`: everything that is wrong, before others see it.

use std::path::Path;
use std::process::ExitCode;

use extend::one_line;
use extend::plugins::{INLINE, Plugin, PluginId, marketplace, tree};

use super::super::{Outcome, Problem};
use crate::plugins::parts;
use crate::terminal;

pub(super) fn run(path: &Path) -> Outcome {
    let place = marketplace::PLACES.iter().map(|name| path.join(name));
    let is_file = path.extension().is_some_and(|ending| ending == "json");
    let file = is_file
        .then(|| path.to_owned())
        .or_else(|| place.into_iter().find(|file| tree::is_there(file)));
    match file {
        Some(file) => of_marketplace(&file),
        None => of_plugin(path),
    }
}

fn of_marketplace(file: &Path) -> Outcome {
    let text = tree::read_text(file).map_err(|why| Problem::failed(format!("The file {why}.")))?;
    let text = text.ok_or_else(|| Problem::failed("There is no such file."))?;
    let market = marketplace::read(&text)
        .map_err(|why| Problem::failed(format!("The marketplace {why}.")))?;
    terminal::print(&format!(
        "The marketplace {} has {} plugins.",
        market.name,
        market.plugins.len()
    ));
    market.notes.iter().for_each(|note| terminal::note(&one_line(note)));
    Ok(ExitCode::from(u8::from(!market.notes.is_empty())))
}

fn of_plugin(path: &Path) -> Outcome {
    let real = workspace::real_path(path).map_err(|error| Problem::failed(error.to_string()))?;
    let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let id = PluginId::new(name, INLINE)
        .or_else(|_| PluginId::new("plugin", INLINE))
        .map_err(|error| Problem::failed(error.to_string()))?;
    let (faults, notes) = match Plugin::open(id, &real, real.clone()) {
        Ok(plugin) => {
            let faults = extend::check_plugin(&plugin);
            if faults.is_empty() {
                terminal::print(&format!("{} has {}.", plugin.manifest.name, parts(&plugin)));
            }
            (faults, plugin.notes)
        }
        Err(faults) => (faults, Vec::new()),
    };
    notes.iter().for_each(|note| terminal::print(&format!("note: {}", one_line(note))));
    faults.iter().for_each(|fault| terminal::note(&one_line(fault)));
    Ok(ExitCode::from(u8::from(!faults.is_empty())))
}
