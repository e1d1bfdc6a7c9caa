//! `get_settings`: the settings that count, and what each source says. Values that may be keys are left
//! out.

use std::collections::BTreeMap;

use extend::{Effective, Settings};
use policy::Source;
use serde_json::{Map, Value, json};

use super::Answer;
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

/// Settings that may hold keys and tokens.
const SECRETIVE: [&str; 2] = ["env", "headers"];

pub(super) async fn handle(shared: &Shared) -> Answer {
    let settings = shared.want(Driven::Settings).await?;
    let problems = settings.problems.iter().map(ToString::to_string);
    Ok(json!({
        "effective": effective(&settings),
        "sources": sources(&settings),
        "errors": problems.collect::<Vec<_>>(),
    }))
}

fn effective(settings: &Settings) -> Value {
    let mut whole = Value::Object(Map::new());
    for Effective { key, value, .. } in settings.explain() {
        put(&mut whole, key, value);
    }
    whole
}

/// Strongest first.
fn sources(settings: &Settings) -> Vec<Value> {
    let mut all: BTreeMap<usize, (Source, Value)> = BTreeMap::new();
    let order = |source: Source| match source {
        Source::Managed => 0,
        Source::ProjectLocal => 2,
        Source::Project => 3,
        Source::User => 4,
        _ => 1,
    };
    for each in settings.explain() {
        let own = (&each.value, each.origin.source);
        let hidden = each.shadowed.iter().map(|(value, origin)| (value, origin.source));
        for (value, source) in std::iter::once(own).chain(hidden) {
            let empty = || (source, Value::Object(Map::new()));
            put(&mut all.entry(order(source)).or_insert_with(empty).1, &each.key, value);
        }
    }
    let told = all
        .into_values()
        .map(|(source, settings)| json!({ "source": name(source), "settings": settings }));
    told.collect()
}

fn name(source: Source) -> &'static str {
    match source {
        Source::Managed => "policySettings",
        Source::ProjectLocal => "localSettings",
        Source::Project => "projectSettings",
        Source::User => "userSettings",
        _ => "flagSettings",
    }
}

/// Puts a value where its path says: names with dots between them, and a number for an entry of a list.
fn put(whole: &mut Value, key: &str, value: &Value) {
    let names = steps(key);
    if !names.iter().any(|name| SECRETIVE.contains(&name.trim_end_matches("[]"))) {
        put_at(whole, &names, value);
    }
}

fn put_at(place: &mut Value, names: &[String], value: &Value) {
    let Some((name, below)) = names.split_first() else {
        return value.clone_into(place);
    };
    if !place.is_object() {
        *place = Value::Object(Map::new());
    }
    match name.strip_suffix("[]") {
        Some(list) => match &mut place[list] {
            Value::Array(entries) => entries.push(value.clone()),
            other => *other = json!([value]),
        },
        None => put_at(&mut place[name.as_str()], below, value),
    }
}

/// The names of a path. A name with dots is quoted there; an entry of a list ends in brackets.
fn steps(key: &str) -> Vec<String> {
    let (mut names, mut name, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = key.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '.' if !quoted => names.push(std::mem::take(&mut name)),
            '[' if !quoted => {
                letters.by_ref().find(|letter| *letter == ']');
                name.push_str("[]");
            }
            letter => name.push(letter),
        }
    }
    names.push(name);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_where_they_belong() {
        let mut whole = json!({});
        for (key, value) in [
            ("model", json!("opus")),
            ("permissions.deny[0]", json!("WebFetch")),
            ("permissions.deny[1]", json!("Bash")),
            ("permissions.defaultMode", json!("plan")),
            ("enabledPlugins.\"a.b\"", json!(true)),
            ("env.TOKEN", json!("canary")),
            ("mcpServers.x.headers.K", json!("canary")),
        ] {
            put(&mut whole, key, &value);
        }
        let expect = json!({
            "model": "opus",
            "permissions": { "deny": ["WebFetch", "Bash"], "defaultMode": "plan" },
            "enabledPlugins": { "a.b": true },
        });
        assert_eq!(whole, expect);
    }
}
