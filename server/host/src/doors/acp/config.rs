//! The settings of a session: permission mode, model, effort, as modes and as config options.

use std::path::Path;

use protocol::session::{Config, ConfigChange, Effort, Mode};

use super::schema::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelectOption, SessionMode, SessionModeState,
};
use crate::context::HostContext;
use crate::offered;

const MODE: &str = "mode";
const MODEL: &str = "model";
const EFFORT: &str = "effort";
/// The model's own way: shown while nobody has chosen.
const UNSET: &str = "default";

const MODES: &[(Mode, &str, &str)] = &[
    (Mode::Default, "Ask", "Reads by itself and asks about the rest"),
    (Mode::AcceptEdits, "Accept edits", "Also changes files without asking"),
    (Mode::Plan, "Plan", "Only reads, and writes a plan"),
    (Mode::Auto, "Auto", "Also changes files; a model judges what would be asked"),
    (Mode::DontAsk, "Don't ask", "Does what rules allow and nothing else"),
    (Mode::BypassPermissions, "Bypass permissions", "Asks nothing at all"),
];

const EFFORTS: &[(Effort, &str)] = &[
    (Effort::Low, "Low"),
    (Effort::Medium, "Medium"),
    (Effort::High, "High"),
    (Effort::XHigh, "Very high"),
    (Effort::Max, "Maximum"),
];

pub(super) fn modes(config: &Config) -> SessionModeState {
    let offered = MODES.iter().map(|(mode, name, what)| {
        SessionMode::new(mode.as_str().to_owned(), *name).description((*what).to_owned())
    });
    SessionModeState::new(config.mode.as_str().to_owned(), offered.collect())
}

/// Models that can be chosen, with their names.
pub(super) type Models = Vec<(String, String)>;

/// Those of a folder: what the provider has and the settings permit. Looks at files.
pub(super) fn models(host: &HostContext, folder: Option<&Path>) -> Models {
    let offered = offered::models(host, folder);
    let known = offered.map(|(provider, _)| provider.models()).unwrap_or_default();
    known.into_iter().map(|known| (known.id, known.name)).collect()
}

pub(super) fn options(models: &Models, config: &Config) -> Vec<SessionConfigOption> {
    let modes = MODES
        .iter()
        .map(|(mode, name, what)| choice(mode.as_str(), name).description((*what).to_owned()));
    let mode = SessionConfigOption::select(
        MODE,
        "Permissions",
        config.mode.as_str().to_owned(),
        modes.collect::<Vec<_>>(),
    );
    let model =
        SessionConfigOption::select(MODEL, "Model", config.model.clone(), choices(models, config));
    let chosen = config.effort.as_ref().map_or(UNSET, |effort| effort.as_str());
    let unset = config.effort.is_none().then(|| choice(UNSET, "The model's own"));
    let efforts = EFFORTS.iter().map(|(effort, name)| choice(effort.as_str(), name));
    let efforts: Vec<_> = unset.into_iter().chain(efforts).collect();
    let effort = SessionConfigOption::select(EFFORT, "Effort", chosen.to_owned(), efforts);
    vec![
        mode.category(SessionConfigOptionCategory::Mode),
        model.category(SessionConfigOptionCategory::Model),
        effort.category(SessionConfigOptionCategory::ThoughtLevel),
    ]
}

/// They, and the one in use whether it is among them or not.
fn choices(models: &Models, config: &Config) -> Vec<SessionConfigSelectOption> {
    let mut choices: Vec<_> = models.iter().map(|(id, name)| choice(id, name)).collect();
    if models.iter().all(|(id, _)| *id != config.model) {
        choices.insert(0, choice(&config.model, &config.model));
    }
    choices
}

fn choice(value: &str, name: &str) -> SessionConfigSelectOption {
    SessionConfigSelectOption::new(value.to_owned(), name)
}

/// One option set to a value, or why that cannot be.
pub(super) fn change(
    option: &str,
    value: &SessionConfigOptionValue,
) -> Result<ConfigChange, String> {
    let Some(value) = value.as_value_id().map(|value| value.0.to_string()) else {
        return Err(format!("{option} is chosen from a list, and not switched on or off."));
    };
    match option {
        MODE => Ok(ConfigChange { mode: Some(Mode::from(&*value)), ..ConfigChange::default() }),
        MODEL => Ok(ConfigChange { model: Some(value), ..ConfigChange::default() }),
        EFFORT if value == UNSET => {
            Err("An effort was chosen; choose another one, or start a new session.".to_owned())
        }
        EFFORT => {
            Ok(ConfigChange { effort: Some(Effort::from(&*value)), ..ConfigChange::default() })
        }
        _ => Err(format!("There is no option {option}; there are {MODE}, {MODEL} and {EFFORT}.")),
    }
}
