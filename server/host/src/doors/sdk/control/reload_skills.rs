//! `reload_skills`: the skills there are now, as commands.

use serde_json::{Value, json};

use super::{Answer, reload_plugins};
use crate::doors::sdk::initialize;
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared) -> Answer {
    let has = reload_plugins::reload(shared).await?;
    let skills = has.commands.iter().filter(|command| has.skills.contains(&command.name));
    let skills: Vec<Value> = skills.map(initialize::command).collect();
    Ok(json!({ "skills": skills }))
}
