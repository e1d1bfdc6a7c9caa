//! The commands of `fixtures/policy`, from the user's seat: at an editor's door and at an ACP client's
//! they are asked about, refused or run as the tables say. What would be allowed without a sandbox runs
//! only where it is proven to look.

use std::collections::BTreeMap;
use std::path::Path;

use futures::StreamExt as _;
use kit::{Decision, Project, Server, Stage, files};
use model::Scenario;
use protocol::EventBody;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

/// Cases with the same settings, which share a session: commands and what becomes of each.
#[derive(Default)]
struct Group {
    commands: Vec<(String, String)>,
}

/// What a session is set up with: its settings, its mode.
type Setup = (String, String);

/// Fields that only the policy itself can be asked with, and modes that need more than a word.
const BEYOND: [&str; 12] = [
    "params", "tool", "roots", "cwd", "home", "limits", "repeat", "then", "resolved", "links",
    "watched", "escaping",
];
const OTHER_MODES: [&str; 2] = ["bypassPermissions", "auto"];
const TABLES: [&str; 6] = ["shell", "git", "environment", "contained", "rules", "modes"];

fn groups() -> BTreeMap<Setup, Group> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/policy");
    let mut groups: BTreeMap<Setup, Group> = BTreeMap::new();
    for table in TABLES {
        let text = files::read(&folder.join(format!("{table}.toml")));
        let table: Value = toml::from_str(&text).unwrap();
        for case in table["case"].as_array().unwrap() {
            let is_beyond = BEYOND.iter().any(|field| case.get(field).is_some());
            let mode = case["mode"].as_str().unwrap_or("default").to_owned();
            if is_beyond || OTHER_MODES.contains(&mode.as_str()) || case["bash"].is_null() {
                continue;
            }
            let contained = case["contained"] == true;
            let verdict = case["verdict"].as_str().unwrap().to_owned();
            let commands = match &case["bash"] {
                Value::String(one) => vec![one.clone()],
                many => serde_json::from_value(many.clone()).unwrap(),
            };
            let rules = |kind: &str| case.get(kind).cloned().unwrap_or(json!([]));
            // A tool that is denied altogether is not even offered, which has a proof of its own.
            let whole = |rule: &Value| rule == "Bash" || rule == "*";
            if rules("deny").as_array().unwrap().iter().any(whole) {
                continue;
            }
            // Whether a host may be reached is another question.
            let settings = json!({
                "sandbox": { "enabled": contained, "network": { "strictAllowlist": true } },
                "permissions": { "allow": rules("allow"), "ask": rules("ask"), "deny": rules("deny") },
            });
            let group = groups.entry((settings.to_string(), mode)).or_default();
            // Behind walls nothing happens that matters; else only what looks may run.
            let may_run = |command: &String| {
                verdict != "allow" || contained || policy::only_looks(command, None)
            };
            // How far up the root is differs here.
            let fits = |command: &String| !command.contains("../..");
            let commands = commands.into_iter().filter(fits).filter(may_run);
            group.commands.extend(commands.map(|command| (command, verdict.clone())));
        }
    }
    groups.retain(|_, group| !group.commands.is_empty());
    groups
}

/// The project of a group, its commands as they are there, and a model that calls them one by one.
fn prepare((settings, _): &Setup, group: &Group) -> (Project, Vec<(String, String)>, Scenario) {
    let project = Project::new("//- /a\nalpha\n");
    let (root, home) = (project.root().display().to_string(), project.home().display().to_string());
    let here = |text: &str| text.replace("/w/proj", &root).replace("/home/u", &home);
    project.user_settings(&serde_json::from_str(&here(settings)).unwrap());
    let commands: Vec<(String, String)> =
        group.commands.iter().map(|(command, verdict)| (here(command), verdict.clone())).collect();
    let mut script = Scenario::new();
    for (at, (command, _)) in commands.iter().enumerate() {
        let script_so_far = if at == 0 { script } else { script.answer() };
        // Nothing of it may take long.
        let input = json!({ "command": command, "timeout": 20_000 });
        script = script_so_far.tool("Bash", input).answer().text("ok");
    }
    (project, commands, script)
}

async fn at_an_editor(setup: Setup, group: Group) -> Vec<String> {
    let (project, commands, script) = prepare(&setup, &group);
    let mut stage = Stage::set(project, script, Mode::from(setup.1.as_str())).await;
    let mut wrong = Vec::new();
    for (command, verdict) in commands {
        stage.client.prompt(&stage.session, "go").await;
        let asked = stage.client.turn_or_question(&stage.session).await;
        let found = match asked {
            Some((asked, _)) => {
                stage.client.deny(asked, None);
                stage.client.turn_ended(&stage.session).await;
                "ask"
            }
            None => {
                let ended = stage.client.log.iter().rev().find_map(|event| match &event.body {
                    EventBody::ToolEnded(ended) => Some(ended.status.clone()),
                    _ => None,
                });
                if ended == Some(ToolStatus::Denied) { "deny" } else { "allow" }
            }
        };
        if found != verdict {
            wrong.push(format!("{command:?}: expected {verdict}, got {found} ({setup:?})"));
        }
    }
    wrong
}

/// There a refusal and a failure look alike, so it is only seen whether somebody was asked.
async fn at_an_acp_client(setup: Setup, group: Group) -> Vec<String> {
    let (project, commands, script) = prepare(&setup, &group);
    let model = kit::model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect_acp();
    client.decision = Decision::Choose("reject_once");
    client.initialize().await;
    let session = client.session(project.root()).await;
    let mode = json!({ "sessionId": session, "modeId": setup.1 });
    client.request("session/set_mode", mode).await;
    let mut wrong = Vec::new();
    for (command, verdict) in commands {
        let before = client.log.len();
        client.prompt(&session, "go").await;
        let asks = |message: &Value| message["method"] == "session/request_permission";
        let asked = client.log[before..].iter().any(asks);
        if asked != (verdict == "ask") {
            wrong.push(format!("{command:?}: expected {verdict}, asked: {asked} ({setup:?})"));
        }
    }
    wrong
}

/// All groups at a door, a few at a time; of their commands every so manieth.
async fn hold<F: Future<Output = Vec<String>>>(door: impl Fn(Setup, Group) -> F, every: usize) {
    let mut groups = groups();
    for group in groups.values_mut() {
        group.commands = group.commands.iter().step_by(every).cloned().collect();
    }
    let count: usize = groups.values().map(|group| group.commands.len()).sum();
    assert!(count > 1000 / every, "only {count} commands");
    let running = groups.into_iter().map(|(setup, group)| door(setup, group));
    let wrong: Vec<Vec<String>> =
        futures::stream::iter(running).buffer_unordered(8).collect().await;
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tables_hold_at_an_editor() {
    hold(at_an_editor, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tables_hold_at_an_acp_client() {
    hold(at_an_acp_client, 4).await;
}
