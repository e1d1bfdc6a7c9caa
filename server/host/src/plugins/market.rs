//! Marketplaces: adding, refreshing and removing them, and what they have on offer.

use std::path::{Path, PathBuf};

use extend::plugins::marketplace::{self, Marketplace};
use extend::plugins::{self, Known, PluginSource, tree};

use super::Plugins;
use super::fetch::{self, Fetched};

impl Plugins {
    /// What a known marketplace has, and the folder that its plugins' paths begin at.
    pub fn marketplace(&self, name: &str) -> Result<(Marketplace, PathBuf), String> {
        let known = self.store.known.get(name).ok_or_else(|| {
            let names: Vec<_> = self.store.known.keys().map(String::as_str).collect();
            let meant = extend::nearest(name, &names)
                .map_or(String::new(), |near| format!(" (did you mean {near}?)"));
            format!(
                "There is no marketplace {name}{meant}; add it with `bowline plugin marketplace add`."
            )
        })?;
        let (market, folder) = read(&known.place)?;
        // The file's own word could make one marketplace pass for another.
        match market.name == name {
            true => Ok((market, folder)),
            false => Err(format!("The marketplace {name} now calls itself {}.", market.name)),
        }
    }

    /// Fetches a marketplace and remembers it. One of the same name from elsewhere is an error.
    pub async fn add_marketplace(&mut self, source: PluginSource) -> Result<Marketplace, String> {
        if let Some(why) = self.settings.limits.refuses(&source) {
            return Err(format!("{why}: {source}."));
        }
        let (market, place) = self.fetch_marketplace(&source, None).await?;
        self.remember(&market.name, source, place)?;
        Ok(market)
    }

    /// Fetches a known marketplace again.
    pub async fn update_marketplace(&mut self, name: &str) -> Result<Marketplace, String> {
        let known = self.store.known.get(name).cloned();
        let known = known.ok_or_else(|| format!("There is no marketplace {name}."))?;
        if known.foreign {
            return Err(format!(
                "The marketplace {name} belongs to another agent, which has to update it."
            ));
        }
        if let Some(why) = self.settings.limits.refuses(&known.source) {
            return Err(format!("{why}: {}.", known.source));
        }
        let (market, place) = self.fetch_marketplace(&known.source, Some(name)).await?;
        self.remember(name, known.source, place)?;
        Ok(market)
    }

    /// Forgets a marketplace. Its plugins must be gone first, because nobody could update them.
    pub fn remove_marketplace(&mut self, name: &str) -> Result<(), String> {
        let known = self.store.known.get(name).cloned();
        let known = known.ok_or_else(|| format!("There is no marketplace {name}."))?;
        if known.foreign {
            return Err(format!("The marketplace {name} belongs to another agent."));
        }
        let own = self.store.installed.iter();
        let mut own = own.filter(|(id, found)| id.marketplace == name && !found.foreign);
        if let Some((id, _)) = own.next() {
            return Err(format!(
                "The plugin {id} comes from it; run `bowline plugin uninstall {id}` first."
            ));
        }
        self.store.forget_marketplace(name).map_err(|error| error.to_string())?;
        match known.source {
            PluginSource::Local(_) => Ok(()),
            _ => tree::remove(&known.place).map_err(|error| error.to_string()),
        }
    }

    fn remember(&mut self, name: &str, source: PluginSource, place: PathBuf) -> Result<(), String> {
        let updated = Some(self.host.clock.now().to_rfc3339());
        let known = Known { source, place, updated, foreign: false };
        self.store.record_marketplace(name, known).map_err(|error| error.to_string())
    }

    async fn fetch_marketplace(
        &self,
        source: &PluginSource,
        name: Option<&str>,
    ) -> Result<(Marketplace, PathBuf), String> {
        // A folder of the user's own is used where it is, so that changes in it count.
        if let PluginSource::Local(path) = source {
            let place = workspace::real_path(path).map_err(|error| error.to_string())?;
            let (market, _) = read(&place)?;
            self.check_name(&market, source, name)?;
            return Ok((market, place));
        }
        let plugins = plugins::folder(&self.host.locations);
        let staging = tree::staging(&plugins).map_err(|error| error.to_string())?;
        let fetcher = self.fetcher(staging.path());
        let Fetched { root, .. } = fetch::fetch(&fetcher, source, None, staging.path()).await?;
        let (market, _) = read(&root)?;
        self.check_name(&market, source, name)?;
        let place = plugins.join("marketplaces").join(&market.name);
        let settled = staging.path().join("settled");
        match source {
            PluginSource::File { .. } => {
                let place = place.with_added_extension("json");
                tree::settle(&root, &place).map_err(|error| error.to_string())?;
                return Ok((market, place));
            }
            _ => tree::copy(&root, &settled).map_err(|error| format!("{source}: {error}."))?,
        }
        tree::settle(&settled, &place).map_err(|error| error.to_string())?;
        Ok((market, place))
    }

    fn check_name(
        &self,
        market: &Marketplace,
        source: &PluginSource,
        name: Option<&str>,
    ) -> Result<(), String> {
        if let Some(name) = name.filter(|name| *name != market.name) {
            return Err(format!("The marketplace {name} now calls itself {}.", market.name));
        }
        match self.store.known.get(&market.name) {
            Some(known) if &known.source != source && !known.foreign => Err(format!(
                "There is a marketplace {} already, from {}; remove it first.",
                market.name, known.source
            )),
            _ => Ok(()),
        }
    }
}

/// A marketplace in a folder, or in a file of its own.
fn read(place: &Path) -> Result<(Marketplace, PathBuf), String> {
    let mut candidates: Vec<PathBuf> =
        marketplace::PLACES.iter().map(|name| place.join(name)).collect();
    if place.extension().is_some_and(|ending| ending == "json") {
        candidates.insert(0, place.to_owned());
    }
    for file in candidates {
        let text = tree::read_text(&file).map_err(|why| format!("{} {why}.", file.display()))?;
        let Some(text) = text else { continue };
        let market =
            marketplace::read(&text).map_err(|why| format!("{} {why}.", file.display()))?;
        return Ok((market, place.to_owned()));
    }
    Err(format!(
        "There is no marketplace in {}: it has no {}.",
        place.display(),
        marketplace::PLACES[1]
    ))
}
