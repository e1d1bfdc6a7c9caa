//! `bowline plugin`: what is installed, and how to change it.

mod list;
mod marketplace;
mod set;
mod validate;

use std::process::ExitCode;

use extend::edit::Scope;
use extend::one_line;
use extend::plugins::PluginId;

use super::args::{ConfigScope, PluginArgs, PluginCommand};
use super::log::Beginning;
use super::{Outcome, Problem, environment, serve};
use crate::plugins::{Plugins, Update, parts};
use crate::terminal;

pub(super) fn run(args: &PluginArgs, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host_with_state()?;
    let here = environment::working_directory()?;
    let cwd = workspace::real_path(&here).map_err(|error| Problem::failed(error.to_string()))?;
    let mut plugins = Plugins::open(&host, &cwd);
    for (file, why) in &plugins.store.problems {
        terminal::note(&format!("{} {why}.", file.display()));
    }
    match &args.command {
        None => list::installed(&plugins, false),
        Some(PluginCommand::List { available: false, json }) => list::installed(&plugins, *json),
        Some(PluginCommand::List { available: true, json }) => list::available(&plugins, *json),
        Some(PluginCommand::Install { plugin, scope }) => {
            let id = plugins.find(plugin).map_err(Problem::failed)?;
            serve::runtime()?.block_on(install(&mut plugins, &id, of(*scope)))
        }
        Some(PluginCommand::Uninstall { plugin, scope }) => {
            let id = plugins.find(plugin).map_err(Problem::failed)?;
            plugins.uninstall(&id, of(*scope)).map_err(Problem::failed)?;
            done(&format!("{id} is removed."))
        }
        Some(PluginCommand::Enable { plugin, scope }) => switch(&plugins, plugin, true, *scope),
        Some(PluginCommand::Disable { plugin, scope }) => switch(&plugins, plugin, false, *scope),
        Some(PluginCommand::Update { plugin }) => {
            serve::runtime()?.block_on(update(&mut plugins, plugin.as_deref()))
        }
        Some(PluginCommand::Set { plugin, key, value, unset }) => {
            let id = plugins.find(plugin).map_err(Problem::failed)?;
            set::run(&plugins, &id, key, value.as_deref(), *unset)
        }
        Some(PluginCommand::Validate { path }) => validate::run(&cwd.join(path)),
        Some(PluginCommand::Marketplace { command }) => {
            serve::runtime()?.block_on(marketplace::run(&mut plugins, &cwd, command))
        }
    }
}

async fn install(plugins: &mut Plugins, id: &PluginId, scope: Scope) -> Outcome {
    let installed = plugins.install(id, scope).await.map_err(Problem::failed)?;
    for plugin in &installed {
        let version = plugin.manifest.version.as_deref().unwrap_or("without a version");
        terminal::print(&format!(
            "Installed {} ({}): {}",
            plugin.id,
            one_line(version),
            parts(plugin)
        ));
        plugin.notes.iter().for_each(|note| terminal::note(&one_line(note)));
        for option in &plugin.manifest.options {
            let (id, key) = (&plugin.id, &option.key);
            let needs = if option.required && option.default.is_none() { "needs" } else { "takes" };
            let text =
                format!("It {needs} `{key}` ({}): bowline plugin set {id} {key}", option.title);
            terminal::print(&one_line(&text));
        }
    }
    done("It counts in new sessions, and in open ones from the next prompt on.")
}

async fn update(plugins: &mut Plugins, which: Option<&str>) -> Outcome {
    let ids = match which {
        Some(written) => vec![plugins.find(written).map_err(Problem::failed)?],
        None => {
            let own = plugins.store.installed.iter().filter(|(_, found)| !found.foreign);
            own.map(|(id, _)| id.clone()).collect()
        }
    };
    let mut markets: Vec<_> = ids.iter().map(|id| id.marketplace.clone()).collect();
    markets.dedup();
    let mut failed = false;
    for market in markets {
        if let Err(why) = plugins.update_marketplace(&market).await {
            terminal::note(&why);
            failed = true;
        }
    }
    for id in &ids {
        match plugins.update(id).await {
            Ok(Update::Same) => terminal::print(&format!("{id} is up to date.")),
            Ok(Update::New { before, now }) => {
                let name = |version: Option<String>| version.unwrap_or_else(|| "?".to_owned());
                let line = format!("{id}: {} → {}", name(before), name(now));
                terminal::print(&one_line(&line));
            }
            Err(why) => {
                terminal::note(&why);
                failed = true;
            }
        }
    }
    if ids.is_empty() {
        terminal::print("No plugin is installed.");
    }
    Ok(ExitCode::from(u8::from(failed)))
}

fn switch(plugins: &Plugins, written: &str, on: bool, scope: ConfigScope) -> Outcome {
    let id = plugins.find(written).map_err(Problem::failed)?;
    if on && !plugins.store.installed.contains_key(&id) {
        let message = format!("{id} is not installed; run `bowline plugin install {id}`.");
        return Err(Problem::failed(message));
    }
    let file = plugins.switch(&id, on, of(scope)).map_err(Problem::failed)?;
    let state = if on { "on" } else { "off" };
    done(&format!("{id} is switched {state} in {}.", one_line(&file.display().to_string())))
}

fn of(scope: ConfigScope) -> Scope {
    match scope {
        ConfigScope::User => Scope::User,
        ConfigScope::Project => Scope::Project,
        ConfigScope::Local => Scope::Local,
    }
}

fn done(text: &str) -> Outcome {
    terminal::print(text);
    Ok(ExitCode::SUCCESS)
}
