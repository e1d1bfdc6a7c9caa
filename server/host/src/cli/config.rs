//! `bowline config`: what is set, where it comes from, and how to change it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use extend::edit::{self, Scope, Target, Written};
use extend::{Effective, Given, Origin, Settings, TrustStore, one_line};
use serde_json::{Value, json};

use super::args::{ConfigArgs, ConfigCommand, ConfigScope};
use super::log::Beginning;
use super::{Outcome, Problem, environment};
use crate::context::HostContext;
use crate::terminal;

/// Settings may hold keys and tokens here; a list is shown to whoever looks over the shoulder.
const SECRETIVE: [&str; 2] = ["env", "headers"];
const HIDDEN: &str = "(hidden; `bowline config get` shows it)";
const NOT_TRUSTED: &str = "The settings of this folder are not read, because it is not trusted; \
                           run `bowline` here to decide about it.";

pub(super) fn run(args: &ConfigArgs, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host()?;
    let here = environment::working_directory()?;
    let cwd = workspace::real_path(&here).map_err(|error| Problem::failed(error.to_string()))?;
    match &args.command {
        None | Some(ConfigCommand::List) => list(&host, &cwd, args.json),
        Some(ConfigCommand::Get { key }) => get(&host, &cwd, key, args.json),
        Some(ConfigCommand::Set { key, value }) => {
            // What is not JSON is a text, so that `set model opus` needs no quotes within quotes.
            let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
            let target = target(&host, &cwd, args.scope);
            let written = edit::set_value(&target, key, &value);
            changed(&host, &cwd, key, written, "already says so", args.json)
        }
        Some(ConfigCommand::Unset { key }) => {
            let target = target(&host, &cwd, args.scope);
            let written = edit::remove_value(&target, key);
            let problem = || format!("`{key}` is not set in {}.", target.file.display());
            match written {
                Ok(Written { changed: false, .. }) => Err(Problem::failed(problem())),
                written => changed(&host, &cwd, key, written, "", args.json),
            }
        }
    }
}

pub(super) fn load(host: &HostContext, cwd: &Path) -> Settings {
    load_with_trust(host, cwd).0
}

/// The settings, and whether the folder is trusted: what is its own besides settings counts only then.
pub(super) fn load_with_trust(host: &HostContext, cwd: &Path) -> (Settings, bool) {
    let (trust, problem) = TrustStore::load(&host.locations.bowline_home, host.home().as_deref());
    if let Some(problem) = problem {
        terminal::note(&problem.to_string());
    }
    let standing = trust.standing(cwd);
    let settings = extend::load(&host.locations, cwd, &standing, &Given::default());
    (settings, standing.is_trusted())
}

fn target(host: &HostContext, cwd: &Path, scope: ConfigScope) -> Target {
    let scope = match scope {
        ConfigScope::User => Scope::User,
        ConfigScope::Project => Scope::Project,
        ConfigScope::Local => Scope::Local,
    };
    Target::new(scope, &host.locations, cwd)
}

/// Problems are told beside the answer, and make the exit code 1.
fn report(settings: &Settings) -> ExitCode {
    settings.problems.iter().for_each(|problem| terminal::note(&problem.to_string()));
    tell_unused(settings);
    for key in settings.unused() {
        terminal::note(&idle(&key));
    }
    ExitCode::from(u8::from(!settings.problems.is_empty()))
}

/// What is known so that other agents' files can be read, and means nothing to us.
fn idle(key: &str) -> String {
    format!("`{key}` is set, but Bowline does not use it: it changes nothing.")
}

/// What stands in a project's files and does not count.
pub(super) fn tell_unused(settings: &Settings) {
    for item in &settings.unapproved {
        let line = format!("Not used until you approve it: this folder {}", item.line);
        terminal::note(&line);
    }
    if settings.project_ignored {
        terminal::note(NOT_TRUSTED);
    }
}

fn list(host: &HostContext, cwd: &Path, as_json: bool) -> Outcome {
    let settings = load(host, cwd);
    if as_json {
        terminal::print(&format!("{:#}", whole(&settings)));
        return Ok(ExitCode::from(u8::from(!settings.problems.is_empty())));
    }
    let mut all: Vec<_> = settings.explain().iter().collect();
    // Entries of a list stay in their order.
    all.sort_by(|a, b| list_key(&a.key).cmp(list_key(&b.key)));
    let mut text = String::new();
    for each in all {
        text.push_str(&line(host, cwd, each));
    }
    if text.is_empty() {
        text.push_str("Nothing is set.\n");
    }
    terminal::print(&text);
    Ok(report(&settings))
}

fn list_key(key: &str) -> &str {
    key.split_once('[').map_or(key, |(list, _)| list)
}

fn line(host: &HostContext, cwd: &Path, each: &Effective) -> String {
    let mut text = format!("{} = {}\n", one_line(&each.key), shown(each));
    text.push_str(&format!("    {}\n", place(host, cwd, &each.origin)));
    for (_, origin) in &each.shadowed {
        text.push_str(&format!("    before {}\n", place(host, cwd, origin)));
    }
    text
}

fn shown(each: &Effective) -> String {
    match is_secretive(&each.key) {
        true => HIDDEN.to_owned(),
        false => one_line(&each.value.to_string()),
    }
}

fn is_secretive(key: &str) -> bool {
    key.split('.').any(|name| SECRETIVE.contains(&list_key(name)))
}

/// Such as `the user settings, ~/.bowline/settings.json:3`.
fn place(host: &HostContext, cwd: &Path, origin: &Origin) -> String {
    let below = |folder: PathBuf, name: &str| {
        let rest = origin.file.strip_prefix(folder).ok()?;
        Some(format!("{name}{}", rest.display()))
    };
    let file = below(cwd.to_owned(), "")
        .or_else(|| below(host.home()?, "~/"))
        .unwrap_or_else(|| origin.file.display().to_string());
    format!("{}, {}:{}", origin.source, one_line(&file), origin.line)
}

/// Everything, for scripts.
fn whole(settings: &Settings) -> Value {
    let origin = |origin: &Origin| json!({ "source": origin.source, "file": origin.file, "line": origin.line });
    let value = |key: &str, value: &Value| match is_secretive(key) {
        true => Value::Null,
        false => value.clone(),
    };
    let values: Vec<_> = settings
        .explain()
        .iter()
        .map(|each| {
            let shadowed = each.shadowed.iter();
            let shadowed = shadowed
                .map(|(hidden, from)| {
                    json!({ "value": value(&each.key, hidden), "origin": origin(from) })
                })
                .collect::<Vec<_>>();
            json!({
                "key": each.key,
                "value": value(&each.key, &each.value),
                "hidden": is_secretive(&each.key),
                "origin": origin(&each.origin),
                "shadowed": shadowed,
            })
        })
        .collect();
    let problems = settings.problems.iter().map(|problem| {
        json!({
            "file": problem.file,
            "line": problem.line,
            "column": problem.column,
            "message": problem.message,
        })
    });
    let unapproved = settings.unapproved.iter();
    json!({
        "values": values,
        "problems": problems.collect::<Vec<_>>(),
        "unapproved": unapproved.map(|item| item.line.as_str()).collect::<Vec<_>>(),
        "unused": settings.unused(),
        "projectIgnored": settings.project_ignored,
    })
}

fn get(host: &HostContext, cwd: &Path, key: &str, as_json: bool) -> Outcome {
    let settings = load(host, cwd);
    let below = |each: &&Effective| {
        let rest = each.key.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let found: Vec<_> = settings.explain().iter().filter(below).collect();
    let code = report(&settings);
    match found.as_slice() {
        [] => Err(Problem::failed(format!("`{}` is not set.", key.escape_debug()))),
        [one] if one.key == key => {
            let text = match (&one.value, as_json) {
                (Value::String(text), false) => text.clone(),
                (value, _) => value.to_string(),
            };
            terminal::print(&text);
            Ok(code)
        }
        many => {
            let pairs = many.iter().map(|each| (each.key.clone(), each.value.clone()));
            let text = match as_json {
                true => format!("{:#}", Value::Object(pairs.collect())),
                false => pairs.map(|(key, value)| format!("{key} = {value}\n")).collect(),
            };
            terminal::print(&text);
            Ok(code)
        }
    }
}

/// Says where it was written, and when that does not count.
fn changed(
    host: &HostContext,
    cwd: &Path,
    key: &str,
    written: Result<Written, edit::EditError>,
    same: &str,
    as_json: bool,
) -> Outcome {
    let Written { file, changed, .. } =
        written.map_err(|error| Problem::failed(error.to_string()))?;
    let settings = load(host, cwd);
    let stronger = settings.explain().iter().find(|each| each.key == key);
    let stronger = stronger.filter(|each| each.origin.file != file);
    if as_json {
        let by = stronger.map(|each| each.origin.file.clone());
        terminal::print(&json!({ "file": file, "changed": changed, "shadowedBy": by }).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let file = one_line(&file.display().to_string());
    terminal::print(&match changed {
        true => format!("Written to {file}."),
        false => format!("{file} {same}."),
    });
    let within = |idle: &String| {
        key.strip_prefix(idle.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    settings.unused().iter().filter(|key| within(key)).for_each(|key| terminal::note(&idle(key)));
    if let Some(each) = stronger {
        let by = place(host, cwd, &each.origin);
        terminal::note(&format!("Another value counts: {by} says {}.", shown(each)));
    }
    tell_unused(&settings);
    Ok(ExitCode::SUCCESS)
}
