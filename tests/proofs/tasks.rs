//! Work in the background, from the user's seat: left to run, watched, told about, stopped, and
//! never left behind.

use kit::{Project, Stage, files, within};
use model::Scenario;
use protocol::EventBody;
use protocol::session::{CancelState, Mode, SessionCancel, SessionCancelParams};
use protocol::tasks::{Task, TaskKind, TaskOp, TaskStatus, Tasks, TasksParams};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

const WAITS: &str = "echo begun; while [ ! -e go ]; do sleep 0.02; done; echo done";

fn background(command: &str) -> Value {
    json!({ "command": command, "run_in_background": true, "description": "Wait for it" })
}

async fn tasks(
    stage: &mut Stage,
    op: TaskOp,
    task_id: Option<&str>,
) -> protocol::tasks::TasksResult {
    let (session_id, task_id) = (Some(stage.session.clone()), task_id.map(str::to_owned));
    stage.client.request::<Tasks>(TasksParams { session_id, op, task_id, offset: None }).await
}

async fn only_task(stage: &mut Stage) -> Task {
    let mut tasks = tasks(stage, TaskOp::List, None).await.tasks.unwrap();
    assert_eq!(tasks.len(), 1, "{tasks:?}");
    tasks.remove(0)
}

async fn ended(stage: &mut Stage) -> Task {
    let is_end = |event: &protocol::Event| matches!(event.body, EventBody::TaskEnded(_));
    match stage.client.next_event("the end of a task", is_end).await.body {
        EventBody::TaskEnded(ended) => ended.task,
        other => panic!("{other:?}"),
    }
}

/// Nothing of ours that was started as this runs any more.
async fn nothing_runs(what: &str) {
    within("the end of a process", async {
        while exec::alive().iter().any(|(_, started)| started.contains(what)) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_in_the_background_is_told_about_when_it_ends() {
    for sandbox in [false, true] {
        let project = Project::new("");
        if sandbox {
            project.user_settings(&json!({ "sandbox": {} }));
        }
        let script = Scenario::new()
            .tool("Bash", background(WAITS))
            .answer()
            .text("left")
            .answer()
            .when("look")
            .text("seen");
        let mut stage = Stage::set(project, script, Mode::BypassPermissions).await;
        let turned = stage.client.ask(&stage.session, "go").await;
        assert!(turned.call().text.contains("runs in the background as task b"), "{turned:?}");
        assert!(turned.types().contains(&"task.started"));
        let task = only_task(&mut stage).await;
        assert_eq!((task.kind, task.status), (TaskKind::Shell, TaskStatus::Running));
        assert_eq!(task.title, "Wait for it");
        stage.project.write("go", "");
        let task = ended(&mut stage).await;
        assert_eq!((task.status, task.exit_code), (TaskStatus::Completed, Some(0)));
        let output = tasks(&mut stage, TaskOp::Output, Some(&task.task_id)).await.output.unwrap();
        assert_eq!(output.text, "begun\ndone\n");
        assert_eq!(files::mode(std::path::Path::new(&task.output_file.unwrap())) & 0o077, 0);
        stage.client.ask(&stage.session, "look").await;
        let request = stage.model.requests().last().unwrap().body["messages"].to_string();
        let told = format!(
            "The background command {} (Wait for it) ended with exit code 0.",
            task.task_id
        );
        assert!(request.contains(&told), "{request}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_takes_too_long_goes_on_and_its_file_can_be_read() {
    let slow = json!({ "command": WAITS, "timeout": 200 });
    let script = Scenario::new().tool("Bash", slow).answer().text("left");
    let mut stage = Stage::set(Project::new(""), script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    let call = turned.call();
    assert_eq!(call.status, ToolStatus::Completed, "{call:?}");
    assert!(call.text.contains("goes on in the background"), "{call:?}");
    stage.project.write("go", "");
    let task = ended(&mut stage).await;
    let file = task.output_file.unwrap();
    assert!(call.text.contains(&file), "{call:?}");
    assert_eq!(files::read(std::path::Path::new(&file)), "begun\ndone\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_output_of_a_command_may_be_read_without_a_question() {
    let read = json!({ "file_path": "{{prompt}}", "offset": 15_000, "limit": 1 });
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "seq 20000" }))
        .answer()
        .text("long")
        .answer()
        .tool("Read", read)
        .answer()
        .text("read");
    let mut stage = Stage::set(Project::new(""), script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let text = turned.call().text;
    let file = text.split("is in ").nth(1).unwrap().split(". Read").next().unwrap();
    let turned = stage.client.ask(&stage.session, file).await;
    assert_eq!(turned.call().text.trim(), "15000\t15000");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_stopped_from_anywhere_and_with_its_session() {
    for how in ["tasks", "cancel", "close"] {
        let command = format!("sleep 61.5 && echo {how}");
        let script = Scenario::new().tool("Bash", background(&command)).answer().text("left");
        let mut stage = Stage::in_mode("", script, Mode::BypassPermissions).await;
        stage.client.ask(&stage.session, "go").await;
        let task = only_task(&mut stage).await;
        match how {
            "tasks" => {
                let left =
                    tasks(&mut stage, TaskOp::Stop, Some(&task.task_id)).await.tasks.unwrap();
                assert_eq!(left[0].status, TaskStatus::Stopped);
                assert_eq!(ended(&mut stage).await.status, TaskStatus::Stopped);
            }
            "cancel" => {
                let params = SessionCancelParams {
                    session_id: stage.session.clone(),
                    turn_id: None,
                    tool_call_id: None,
                    task_id: Some(task.task_id),
                };
                let done = stage.client.request::<SessionCancel>(params).await;
                assert_eq!(done.state, CancelState::Cancelled);
                assert_eq!(ended(&mut stage).await.status, TaskStatus::Stopped);
            }
            _ => stage.client.close_session(&stage.session).await,
        }
        nothing_runs(&command).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_monitor_wakes_the_model() {
    let watch = json!({
        "command": "while [ ! -e go ]; do sleep 0.02; done; echo ready; while [ ! -e end ]; do sleep 0.02; done",
        "description": "Wait for the harbour",
    });
    let script = Scenario::new()
        .tool("Monitor", watch)
        .answer()
        .text("watching")
        .answer()
        .when("printed:\nready")
        .text("I saw it")
        .answer()
        .when("ended with exit code 0")
        .text("It is over");
    let mut stage = Stage::in_mode("", script, Mode::BypassPermissions).await;
    stage.client.ask(&stage.session, "go").await;
    stage.project.write("go", "");
    assert_eq!(stage.client.turn_ended(&stage.session).await.text(), "I saw it");
    stage.project.write("end", "");
    assert_eq!(stage.client.turn_ended(&stage.session).await.text(), "It is over");
    assert_eq!(only_task(&mut stage).await.kind, TaskKind::Monitor);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planned_prompt_is_listed_and_taken_back() {
    let plan = json!({ "cron": "0 0 * * *", "prompt": "Wish everybody well" });
    let script = Scenario::new().tool("CronCreate", plan).answer().text("planned");
    let mut stage = Stage::in_mode("", script, Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    let task = only_task(&mut stage).await;
    assert_eq!((&task.kind, &task.status), (&TaskKind::Cron, &TaskStatus::Running));
    assert_eq!(task.title, "0 0 * * *  Wish everybody well");
    tasks(&mut stage, TaskOp::Stop, Some(&task.task_id)).await;
    assert_eq!(ended(&mut stage).await.status, TaskStatus::Stopped);
}

fn open_descriptors() -> usize {
    files::all(std::path::Path::new("/proc/self/fd")).len()
}

/// The descriptors that the server holds for commands in the background: few for each, and none once
/// they have ended.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn commands_in_the_background_hold_few_descriptors() {
    const COMMANDS: usize = 8;
    // For each: two outputs, the process and the first one inside, the line to the sandbox, the two
    // listeners of the proxy, the file of its output.
    const EACH: usize = 8;
    // For all of one folder: what stands in for protected names that are missing.
    const SHARED: usize = 32;
    // Not every kind of sandbox lets commands make files directly in the workspace folder.
    let project = Project::new("//- /made/a.txt\n");
    project.user_settings(&json!({ "sandbox": {} }));
    let mut script = Scenario::new().text("ready").answer().when("go");
    for number in 0..COMMANDS {
        let command = format!("echo begun > made/begun{number}; {WAITS}");
        script = script.tool("Bash", background(&command));
    }
    let script = script.answer().text("left").answer().forever().text("seen");
    let mut stage = Stage::set(project, script, Mode::BypassPermissions).await;
    stage.client.ask(&stage.session, "get ready").await;
    let before = open_descriptors();
    stage.client.ask(&stage.session, "go").await;
    within("the commands to run", async {
        while (0..COMMANDS).any(|number| !stage.project.exists(&format!("made/begun{number}"))) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    let during = open_descriptors();
    let most = before + COMMANDS * EACH + SHARED;
    assert!(during <= most, "{before} before, {during} with {COMMANDS} commands");
    stage.project.write("go", "");
    for _ in 0..COMMANDS {
        ended(&mut stage).await;
    }
    nothing_runs("begun").await;
    within("descriptors to be closed", async {
        // Connections to the model may come and go meanwhile.
        while open_descriptors() > before + 8 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
}
