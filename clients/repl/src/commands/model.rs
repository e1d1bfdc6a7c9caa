//! `/model`: picks the model of the session from the list the server announced.

use tokio::time::Instant;

use crate::app::{App, Pick};
use crate::prompt::picker::Entry;

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    let current = app.session.as_ref().map(|session| session.config.model.as_str());
    let marked = app.models.iter().position(|model| Some(model.id.as_str()) == current);
    let entry = |model: &protocol::negotiation::ModelInfo| Entry {
        label: model.name.clone(),
        detail: match &model.description {
            Some(description) => format!("{} · {description}", model.id),
            None => model.id.clone(),
        },
        value: Pick::Model(model.id.clone()),
    };
    let entries = app.models.iter().map(entry).collect();
    app.offer("Pick the model", entries, marked.unwrap_or(0));
}
