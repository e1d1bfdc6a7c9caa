//! `bowline plugin marketplace`.

use std::path::Path;
use std::process::ExitCode;

use extend::one_line;
use extend::plugins::PluginSource;
use serde_json::{Value, json};

use super::super::args::MarketplaceCommand;
use super::super::{Outcome, Problem};
use super::done;
use crate::plugins::Plugins;
use crate::terminal;

pub(super) async fn run(
    plugins: &mut Plugins,
    cwd: &Path,
    command: &MarketplaceCommand,
) -> Outcome {
    match command {
        MarketplaceCommand::Add { source } => {
            let typed = PluginSource::typed(source, cwd)
                .map_err(|why| Problem::usage(format!("`{}` {why}.", source.escape_debug())))?;
            let market = plugins.add_marketplace(typed).await.map_err(Problem::failed)?;
            market.notes.iter().for_each(|note| terminal::note(&one_line(note)));
            let count = market.plugins.len();
            done(&format!("The marketplace {} is added; it has {}.", market.name, counted(count)))
        }
        MarketplaceCommand::List { json } => list(plugins, *json),
        MarketplaceCommand::Remove { name } => {
            plugins.remove_marketplace(name).map_err(Problem::failed)?;
            done(&format!("The marketplace {name} is forgotten."))
        }
        MarketplaceCommand::Update { name: Some(name) } => {
            let market = plugins.update_marketplace(name).await.map_err(Problem::failed)?;
            done(&format!("{name} has {}.", counted(market.plugins.len())))
        }
        MarketplaceCommand::Update { name: None } => {
            let own = plugins.store.known.iter().filter(|(_, known)| !known.foreign);
            let names: Vec<_> = own.map(|(name, _)| name.clone()).collect();
            let mut failed = false;
            for name in names {
                match plugins.update_marketplace(&name).await {
                    Ok(market) => {
                        terminal::print(&format!("{name} has {}.", counted(market.plugins.len())));
                    }
                    Err(why) => {
                        terminal::note(&format!("{name}: {why}"));
                        failed = true;
                    }
                }
            }
            Ok(ExitCode::from(u8::from(failed)))
        }
    }
}

fn list(plugins: &Plugins, as_json: bool) -> Outcome {
    let known = &plugins.store.known;
    if as_json {
        let rows: Vec<Value> = known
            .iter()
            .map(|(name, known)| {
                json!({
                    "name": name,
                    "source": known.source.to_json(),
                    "updated": known.updated,
                    "foreign": known.foreign,
                })
            })
            .collect();
        return done(&format!("{:#}", Value::from(rows)));
    }
    for (name, known) in known {
        let whose = if known.foreign { " (of another agent)" } else { "" };
        terminal::print(&one_line(&format!("{name}{whose}: {}", known.source)));
    }
    // What a project or the administrator names is not fetched by itself.
    for (name, source) in &plugins.settings.marketplaces {
        if !known.contains_key(name) {
            let line = format!("{name}: {source} (named in your settings; add it to use it)");
            terminal::print(&one_line(&line));
        }
    }
    if known.is_empty() && plugins.settings.marketplaces.is_empty() {
        terminal::print("No marketplace is known.");
    }
    Ok(ExitCode::SUCCESS)
}

fn counted(plugins: usize) -> String {
    match plugins {
        1 => "one plugin".to_owned(),
        count => format!("{count} plugins"),
    }
}
