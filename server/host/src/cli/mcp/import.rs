//! `bowline mcp import`: servers that other programs are configured with, taken over on request.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use extend::neighbours::{Configures, Neighbour, look_into};
use extend::one_line;
use serde_json::{Value, json};

use super::super::args::ImportArgs;
use super::super::{Outcome, Problem, config};
use super::change;
use crate::context::HostContext;
use crate::terminal;

/// What becomes of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    /// It can be taken over, and nobody said so.
    Available,
    Taken,
    /// The file has one of this name.
    There,
    Impossible(String),
}

/// The names that count already.
struct Names {
    /// In the file that is changed.
    there: BTreeSet<String>,
    /// By this call.
    taken: BTreeSet<String>,
}

struct Row {
    program: Option<&'static str>,
    file: PathBuf,
    name: String,
    target: String,
    fate: Fate,
}

pub(super) fn run(host: &HostContext, cwd: &Path, args: &ImportArgs) -> Outcome {
    let takes = !args.from.is_empty() || args.file.is_some();
    if !takes && !args.names.is_empty() {
        return Err(Problem::usage("Say whose servers: --from PROGRAM, or --file FILE."));
    }
    let found = look(host, cwd, args)?;
    let mut names = Names { there: there(host, cwd, args), taken: BTreeSet::new() };
    let mut rows = Vec::new();
    for (program, file) in &found {
        if let Some(problem) = &file.problem {
            terminal::note(&format!("{}: {problem}", one_line(&file.file.display().to_string())));
        }
        let wanted = |name: &String| args.names.is_empty() || args.names.contains(name);
        for server in file.servers.iter().filter(|server| wanted(&server.name)) {
            let (name, file) = (server.name.clone(), file.file.clone());
            let (target, fate) = match &server.definition {
                Err(why) => (String::new(), Fate::Impossible(why.clone())),
                Ok(definition) => {
                    let fate = take(host, cwd, args, &name, definition, &mut names)?;
                    (shown(definition), fate)
                }
            };
            rows.push(Row { program: program.map(Neighbour::name), file, name, target, fate });
        }
    }
    tell(args, &rows);
    if rows.iter().any(|row| row.fate == Fate::Taken) && !args.dry_run {
        let file = change::target(host, cwd, args.scope).file;
        terminal::note(&format!("Written to {}.", one_line(&file.display().to_string())));
        config::tell_unused(&config::load(host, cwd));
    }
    let missing = missing(args, &rows);
    for name in &missing {
        terminal::note(&format!("No server `{}` was found.", one_line(name)));
    }
    let broken = found.iter().any(|(_, file)| file.problem.is_some());
    let left = rows.iter().any(|row| !matches!(row.fate, Fate::Taken | Fate::Available));
    let failed = takes && (left || broken || !missing.is_empty());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The files that are asked for; without a choice, all there are.
fn look(
    host: &HostContext,
    cwd: &Path,
    args: &ImportArgs,
) -> Result<Vec<(Option<Neighbour>, Configures)>, Problem> {
    let home = host.home().unwrap_or_default();
    let configs = host.var("XDG_CONFIG_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let configs = configs.unwrap_or_else(|| home.join(".config"));
    let mut found = Vec::new();
    if let Some(file) = &args.file {
        let file = cwd.join(file);
        let shown = one_line(&file.display().to_string());
        let read = look_into(&file);
        let read = read.ok_or_else(|| Problem::failed(format!("There is no file {shown}.")))?;
        found.push((None, read));
    }
    let all = args.from.is_empty() && args.file.is_none();
    for program in Neighbour::ALL {
        let named = args.from.contains(&program);
        if !all && !named {
            continue;
        }
        let files = program.look(&home, &configs);
        if named && files.is_empty() {
            return Err(Problem::failed(format!(
                "No configuration of {} was found; name its file with --file.",
                program.name()
            )));
        }
        found.extend(files.into_iter().map(|file| (Some(program), file)));
    }
    Ok(found)
}

/// The names that the file to be changed has.
fn there(host: &HostContext, cwd: &Path, args: &ImportArgs) -> BTreeSet<String> {
    let file = change::target(host, cwd, args.scope).file;
    let servers = look_into(&file).map(|file| file.servers).unwrap_or_default();
    servers.into_iter().map(|server| server.name).collect()
}

fn take(
    host: &HostContext,
    cwd: &Path,
    args: &ImportArgs,
    name: &str,
    definition: &Value,
    names: &mut Names,
) -> Result<Fate, Problem> {
    if let Err(problem) = change::check(name, definition) {
        return Ok(Fate::Impossible(problem));
    }
    if args.from.is_empty() && args.file.is_none() {
        return Ok(if names.there.contains(name) { Fate::There } else { Fate::Available });
    }
    // Of two programs with the same name the first counts, also with --force.
    let known = names.there.contains(name) && !args.force;
    if known || !names.taken.insert(name.to_owned()) {
        return Ok(Fate::There);
    }
    if !args.dry_run {
        change::put(host, cwd, name, definition, args.scope)?;
    }
    Ok(Fate::Taken)
}

/// What is reached, without arguments, variables and queries: they may hold keys.
fn shown(definition: &Value) -> String {
    let url = definition["url"].as_str().and_then(|url| url.split(['?', '#']).next());
    one_line(definition["command"].as_str().or(url).unwrap_or_default())
}

/// Names that nobody has.
fn missing<'a>(args: &'a ImportArgs, rows: &[Row]) -> Vec<&'a String> {
    args.names.iter().filter(|name| !rows.iter().any(|row| row.name == **name)).collect()
}

fn tell(args: &ImportArgs, rows: &[Row]) {
    if args.json {
        let rows: Vec<Value> = rows.iter().map(json_row).collect();
        return terminal::print(&Value::from(rows).to_string());
    }
    if rows.is_empty() && args.names.is_empty() {
        terminal::print("No other program here has MCP servers.");
    }
    for row in rows {
        let name = one_line(&row.name);
        let what = match &row.fate {
            Fate::Available => "can be taken over".to_owned(),
            Fate::Taken if args.dry_run => "would be taken over".to_owned(),
            Fate::Taken => "taken over".to_owned(),
            Fate::There => "is there already; --force replaces it".to_owned(),
            Fate::Impossible(why) => format!("cannot be taken over: {}", one_line(why)),
        };
        let file = one_line(&row.file.display().to_string());
        let whose = row.program.map_or(file.clone(), |program| format!("{program}, {file}"));
        let target =
            if row.target.is_empty() { String::new() } else { format!(": {}", row.target) };
        terminal::print(&format!("{name}{target} ({whose}) - {what}"));
    }
    let available = rows.iter().find(|row| row.fate == Fate::Available);
    if let Some(program) = available.and_then(|row| row.program) {
        terminal::note(&format!("To take them over: bowline mcp import --from {program}"));
    }
}

fn json_row(row: &Row) -> Value {
    let (state, why) = match &row.fate {
        Fate::Available => ("available", None),
        Fate::Taken => ("taken", None),
        Fate::There => ("exists", None),
        Fate::Impossible(why) => ("impossible", Some(why)),
    };
    let mut told = json!({ "name": row.name, "file": row.file, "state": state });
    if let Some(program) = row.program {
        told["program"] = program.into();
    }
    if let Some(why) = why {
        told["why"] = why.clone().into();
    }
    told
}
