//! The official agent SDKs, as they are published, drive the binary through their own features. The
//! scripts are in `tests/peers`; here is what the model says to each, and where the SDKs are.

#![expect(clippy::disallowed_methods, reason = "the SDKs are the programs to start")]

use std::path::PathBuf;

use kit::{Project, finished, model, model_with, program};
use model::Scenario;
use serde_json::{Value, json};
use tokio::process::Command;

/// Where both SDKs are installed (`tests/run` does that); nothing where they are not.
fn sdks() -> Option<PathBuf> {
    let folder = std::env::var_os("BOWLINE_SDK_PEERS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: BOWLINE_SDK_PEERS is not set; `tests/run` installs the agent SDKs");
    }
    folder
}

fn script(case: &str) -> Scenario {
    let bash = |command: &str| json!({ "command": command });
    let file = |name: &str| format!("{{{{cwd}}}}/{name}");
    match case {
        "permission_callback" => Scenario::new()
            .tool("Bash", bash("touch no"))
            .answer()
            .tool("Bash", bash("touch yes"))
            .answer()
            .text("done"),
        "hooks" => Scenario::new().tool("Bash", bash("touch made")).answer().text("done"),
        "custom_tools" => Scenario::new()
            .tool("mcp__calc__add", json!({ "a": 2, "b": 3 }))
            .answer()
            .text("It is 5."),
        "structured_output" => Scenario::new().text("no JSON").answer().text("{\"n\": 5}"),
        "interrupts" => Scenario::new().text("Wait").hang().answer().text("Second."),
        "agents" => {
            let task = json!({ "description": "look", "prompt": "Look at a.txt",
                "subagent_type": "looker", "run_in_background": false });
            Scenario::new()
                .tool("Agent", task)
                .answer()
                .when("Look at a.txt")
                .tool("Read", json!({ "file_path": file("a.txt") }))
                .answer()
                .when("alpha")
                .text("It says alpha.")
                .answer()
                .text("done")
        }
        "rewinds_files" => Scenario::new()
            .tool("Write", json!({ "file_path": file("new.txt"), "content": "new\n" }))
            .answer()
            .text("done"),
        "budgets_and_errors" | "budget_of_money" => {
            let read: Value = json!({ "file_path": file("a.txt") });
            Scenario::new().forever().tool("Read", read)
        }
        _ => Scenario::new().forever().text("Hello."),
    }
}

async fn run(mut command: Command, case: &str) {
    let project = Project::new("//- /a.txt\nalpha\n");
    project.user_settings(&json!({}));
    let model = model(script(case)).await;
    let path = std::env::var("PATH").unwrap_or_default();
    command.arg(case).current_dir(project.root()).env_clear().envs(project.env());
    command.env("PATH", path).env("BOWLINE_BIN", program()).envs(model_with(&model));
    if let Some(sdks) = sdks() {
        command.env("SDK_PEERS", sdks);
    }
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let done = finished(command.kill_on_drop(true).spawn().unwrap()).await;
    assert_eq!(done.code, Some(0), "{case}:\n{}\n{}", done.stdout, done.stderr);
}

fn peer(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

async fn python(case: &str) {
    let Some(sdks) = sdks() else { return };
    let mut command = Command::new(sdks.join("bin/python"));
    command.arg(peer("sdk_python.py"));
    run(command, case).await;
}

async fn typescript(case: &str) {
    if sdks().is_none() {
        return;
    }
    let mut command = Command::new("node");
    command.arg(peer("sdk_typescript.mjs"));
    run(command, case).await;
}

macro_rules! cases {
    ($sdk:ident: $($case:ident)*) => {
        mod $sdk {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    super::$sdk(stringify!($case)).await;
                }
            )*
        }
    };
}

cases! { python:
    one_query a_conversation streamed_input permission_callback hooks custom_tools structured_output
    interrupts changes_of_model_and_mode resume_and_fork partial_messages agents rewinds_files
    budgets_and_errors kept_elsewhere resumes_at_a_message server_status_and_tasks budget_of_money
}

cases! { typescript:
    one_query a_conversation permission_callback hooks custom_tools structured_output interrupts
    changes_of_model_and_mode resume_and_fork partial_messages agents budgets_and_errors rewinds_files
    kept_elsewhere questions_of_the_host
}
