//! Which models the settings let anybody use.

use agent::models::Permitted;

use super::Scoped;
use super::sandbox::{join, texts};

/// What all files say together. A project has a list of its own, so that it can only narrow what
/// others say; a list that cannot be read has nothing in it.
pub(super) fn permitted(layers: &[Scoped]) -> Permitted {
    let mut all = Permitted::default();
    let (mut own, mut project) = (None, None);
    for Scoped { place, parsed } in layers {
        let says = |key: &str| parsed.bools.get(key).is_some_and(|found| found.value);
        let matching = parsed.texts.get("availableModelsMatch");
        all.exact |= matching.is_some_and(|found| found.value == "exact");
        all.enforced |= says("enforceAvailableModels");
        join(&mut all.denied, texts(parsed, "deniedModels"));
        let add = |to: &mut Option<Vec<String>>, key: &str| {
            if parsed.lists.contains_key(key) {
                join(to.get_or_insert_default(), texts(parsed, key));
            }
        };
        add(&mut all.providers, "allowedProviders");
        add(if place.is_project() { &mut project } else { &mut own }, "availableModels");
    }
    all.available.extend(own);
    all.available.extend(project);
    all
}
