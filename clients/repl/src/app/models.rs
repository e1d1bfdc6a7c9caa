//! Choosing the model, and how hard it works: one list, with the effort beside each model.

use protocol::negotiation::ModelInfo;
use protocol::session::{ConfigChange, Effort};

use super::{App, Pick};
use crate::prompt::picker::{Entry, Levels, Picker};
use crate::state::transcript::Look;

impl App {
    pub fn offer_models(&mut self) {
        let config = self.session.as_ref().map(|session| &session.config);
        let current = config.map(|config| config.model.as_str());
        let marked = self.models.iter().position(|model| Some(model.id.as_str()) == current);
        let effort = config.and_then(|config| config.effort.clone());
        let levels = self.models.iter().map(|model| {
            let own = effort.as_ref().filter(|_| Some(model.id.as_str()) == current);
            levels(model, own)
        });
        let levels: Vec<Levels> = levels.collect();
        let entries: Vec<Entry<Pick>> = self.models.iter().map(entry).collect();
        let marked = marked.unwrap_or(0);
        if matches!(self.start.look, Look::Rich(_)) {
            let picker = Picker::new("Pick the model", entries, marked).with_levels(levels);
            self.picker = Some(picker);
        } else {
            self.offer("Pick the model", entries, marked);
        }
    }

    pub(super) fn choose_model(&mut self, model: String, level: Option<&str>) {
        let current = self.session.as_ref().map(|session| session.config.clone());
        let effort = level.map(Effort::from);
        let set = ConfigChange {
            model: Some(model)
                .filter(|model| current.as_ref().is_none_or(|own| own.model != *model)),
            effort: effort.filter(|wanted| {
                current.as_ref().is_none_or(|own| own.effort.as_ref() != Some(wanted))
            }),
            ..ConfigChange::default()
        };
        if set != ConfigChange::default() {
            self.configure(set, "model");
        }
    }
}

fn entry(model: &ModelInfo) -> Entry<Pick> {
    Entry {
        label: model.name.clone(),
        detail: match &model.description {
            Some(description) => format!("{} · {description}", model.id),
            None => model.id.clone(),
        },
        value: Pick::Model(model.id.clone()),
    }
}

/// The efforts of a model; nothing is chosen until the user does.
fn levels(model: &ModelInfo, current: Option<&Effort>) -> Levels {
    let names: Vec<String> = model.efforts.iter().flatten().map(ToString::to_string).collect();
    let at = current.and_then(|current| names.iter().position(|name| name == current.as_str()));
    Levels { names, at }
}
