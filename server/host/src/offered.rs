//! Which models are offered where nobody has chosen yet: those that the settings of a folder permit. A
//! folder's own settings count once it is trusted.

use std::path::Path;

use extend::TrustStore;
use model::Provider;

use crate::context::HostContext;

/// Who would answer in this folder, with the models to choose from, and which it would be. `None`
/// where nobody can be asked.
pub(crate) fn models(host: &HostContext, folder: Option<&Path>) -> Option<(Provider, String)> {
    let locations = &host.locations;
    let folder = folder.unwrap_or(Path::new("/"));
    let folder = workspace::real_path(folder).unwrap_or_else(|_| folder.to_owned());
    let (trust, _) = TrustStore::load(&locations.bowline_home, locations.home.as_deref());
    let given = host.given.get().cloned().unwrap_or_default();
    let settings = extend::load(locations, &folder, &trust.standing(&folder), &given);
    let env = host.model_env.clone().with_permitted(settings.models);
    model::provider_for(&env, None).ok()
}
