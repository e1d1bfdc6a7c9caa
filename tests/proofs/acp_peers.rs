//! `bowline acp` driven by others: the headless client `acpx`, and the protocol's own SDK. Both are
//! installed by `tests/run`; without them these proofs say so and end.

#![expect(clippy::disallowed_methods, reason = "other programs are the ones to be started here")]

use std::path::{Path, PathBuf};

use kit::{Finished, Project, finished, model, model_with, program};
use model::Scenario;
use serde_json::{Value, json};
use tokio::process::Command;

/// The folder of the packages, from `tests/run`.
fn peers() -> Option<PathBuf> {
    let folder = std::env::var_os("BOWLINE_DOOR_PEERS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("BOWLINE_DOOR_PEERS is not set: the ACP clients are not there.");
    }
    folder
}

fn script() -> Scenario {
    Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .tool(
            "Edit",
            json!({ "file_path": "{{cwd}}/a.txt", "old_string": "alpha", "new_string": "beta" }),
        )
        .answer()
        .text("The word is changed.")
}

async fn run(project: &Project, mut command: Command) -> Finished {
    project.user_settings(&json!({}));
    let model = model(script()).await;
    command.env_clear().envs(project.env()).envs(model_with(&model)).current_dir(project.root());
    command.stdin(std::process::Stdio::null()).kill_on_drop(true);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    finished(command.spawn().unwrap()).await
}

async fn acpx(peers: &Path, project: &Project, flag: &str) -> (Finished, Vec<Value>) {
    let mut command = Command::new(peers.join("node_modules/.bin/acpx"));
    let agent = format!("{} acp", program().display());
    command.args(["--agent", &agent, "--cwd"]).arg(project.root());
    command.args([flag, "--format", "json", "exec", "change the word"]);
    let done = run(project, command).await;
    let lines = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (done, lines)
}

#[tokio::test(flavor = "multi_thread")]
async fn acpx_approves() {
    let Some(peers) = peers() else { return };
    let project = Project::new("//- /a.txt\nalpha\n");
    let (done, lines) = acpx(&peers, &project, "--approve-all").await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(project.read("a.txt"), "beta\n", "{done:?}");
    let all = Value::Array(lines).to_string();
    assert!(all.contains("The word is changed.") && all.contains("end_turn"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn acpx_denies() {
    let Some(peers) = peers() else { return };
    let project = Project::new("//- /a.txt\nalpha\n");
    let (done, lines) = acpx(&peers, &project, "--deny-all").await;
    assert_eq!(project.read("a.txt"), "alpha\n", "{done:?}");
    let all = Value::Array(lines).to_string();
    assert!(all.contains("end_turn") && all.contains("failed"), "{all}");
}

/// The SDK checks every message of ours against the schema, and speaks to us with its own.
#[tokio::test(flavor = "multi_thread")]
async fn the_sdk_drives_it() {
    let Some(peers) = peers() else { return };
    let project = Project::new("//- /a.txt\non the disk\n");
    let mut command = Command::new("node");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/acp_sdk.mjs");
    command.arg(script).arg(&peers).arg(program()).arg(project.root());
    let done = run(&project, command).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let report: Value = serde_json::from_str(done.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(report["stopReason"], "end_turn", "{report}");
    assert_eq!(report["written"], "an unsaved beta\n", "{report}");
    assert_eq!(report["said"], "The word is changed.");
    assert_eq!(report["asked"], 1);
}
