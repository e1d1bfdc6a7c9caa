//! Agents, from the user's seat: they work, report, ask, are stopped, and go on.

use std::path::PathBuf;

use kit::{Project, Stage, files};
use model::Scenario;
use protocol::event::EventBody;
use protocol::session::{ExportFormat, Mode, SessionExport, SessionExportParams};
use protocol::tasks::{TaskKind, TaskOp, TaskStatus, Tasks, TasksParams};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

/// A call that hands work over.
pub fn agent(kind: &str, prompt: &str, background: bool) -> Value {
    json!({
        "description": "Some work",
        "prompt": prompt,
        "subagent_type": kind,
        "run_in_background": background,
    })
}

/// The journals of a session's agents.
pub fn sidechains(project: &Project) -> Vec<PathBuf> {
    let journals = project.journals();
    let folders = journals.iter().map(|journal| journal.with_extension("").join("agents"));
    folders.flat_map(|folder| files::all(&folder)).collect()
}

/// The request whose last message says this.
pub fn request_with(stage: &Stage, words: &str) -> Value {
    let requests = stage.model.requests();
    let says = |body: &&Value| {
        let messages = body["messages"].as_array().unwrap();
        messages.last().unwrap().to_string().contains(words)
    };
    let found = requests.iter().map(|request| &request.body).find(says);
    found.unwrap_or_else(|| panic!("nobody said {words:?}")).clone()
}

fn tools(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_works_beside_the_conversation_and_reports() {
    let script = Scenario::new()
        .tool("Agent", agent("Explore", "count the masts", false))
        .answer()
        .when("count the masts")
        .tool("Read", json!({ "file_path": "{{cwd}}/ship.txt" }))
        .answer()
        .when("three masts")
        .text("Three, see ship.txt.")
        .answer()
        .when("Three, see ship.txt.")
        .text("It has three.");
    let project = Project::new("//- /ship.txt\nthree masts\n//- /CLAUDE.md\nSay ahoy.\n");
    project.trust();
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "how many masts?").await;
    assert_eq!(turned.text(), "It has three.");
    let call = turned.call();
    assert!(call.text.starts_with("Three, see ship.txt."), "{call:?}");
    // What it does is shown as its own, within the turn.
    let started = turned.events.iter().find_map(|event| match &event.body {
        EventBody::AgentStarted(started) => Some(started.clone()),
        _ => None,
    });
    let started = started.unwrap();
    assert_eq!(started.agent_type, "Explore");
    let inner = turned.events.iter().find_map(|event| match &event.body {
        EventBody::ToolStarted(tool) if tool.name == "Read" => tool.parent_tool_call_id.clone(),
        _ => None,
    });
    assert_eq!(inner, Some(started.parent_tool_call_id));
    assert!(turned.types().contains(&"agent.ended"), "{:?}", turned.types());
    // It has its own words and tools, and no instructions.
    let request = request_with(&stage, "count the masts");
    assert!(request["system"].to_string().contains("You search a code base"));
    assert!(!request["system"].to_string().contains("ahoy"));
    let tools = tools(&request);
    assert!(tools.contains(&"Read") && !tools.contains(&"Edit") && !tools.contains(&"Agent"));
    // Its transcript lies beside the session's and can be read.
    assert_eq!(sidechains(&stage.project).len(), 1);
    let params = SessionExportParams {
        session_id: stage.session.clone(),
        agent_id: Some(started.agent_id),
        format: ExportFormat::Markdown,
        path: None,
        tail: None,
    };
    let exported = stage.client.request::<SessionExport>(params).await.content.unwrap();
    assert!(exported.contains("count the masts") && exported.contains("Three, see"), "{exported}");
    // What it cost is part of what the session cost.
    let helped = stage.project.journal().into_iter().filter(|record| record["what"] == "agent");
    assert!(helped.count() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_work_in_the_background_and_each_ends_for_itself() {
    let mut script = Scenario::new();
    for number in 0..8 {
        script = script.tool("Agent", agent("general-purpose", &format!("job {number}."), true));
    }
    script = script.answer().when("works in the background").text("All under way.");
    for number in 0..6 {
        let report = format!("report {number}.");
        script = script.answer().when(&format!("job {number}.")).text(&report);
    }
    script = script.answer().when("job 6.").hang();
    script = script.answer().when("job 7.").error(400, "invalid_request_error", "sunk");
    // Whoever has ended wakes the session, or is told within a turn that runs.
    script = script.answer().when("It says").forever().text("Noted.");
    let mut stage = Stage::in_mode("", script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert!(turned.text().starts_with("All under way."), "{}", turned.text());
    let ended = |status: TaskStatus| {
        move |event: &protocol::Event| match &event.body {
            EventBody::TaskEnded(ended) => ended.task.status == status,
            _ => false,
        }
    };
    let known = |stage: &Stage, status: TaskStatus| {
        let fits = ended(status);
        stage.client.log.iter().filter(|event| fits(event)).count()
    };
    while known(&stage, TaskStatus::Completed) < 6 || known(&stage, TaskStatus::Failed) < 1 {
        stage.client.wait_for_anything("the ends of agents").await;
    }
    let params = TasksParams {
        session_id: Some(stage.session.clone()),
        op: TaskOp::List,
        task_id: None,
        offset: None,
    };
    let tasks = stage.client.request::<Tasks>(params.clone()).await.tasks.unwrap();
    assert_eq!(tasks.len(), 8);
    assert!(tasks.iter().all(|task| task.kind == TaskKind::Agent));
    let last = tasks.into_iter().find(|task| task.status == TaskStatus::Running).unwrap();
    let stop = TasksParams { op: TaskOp::Stop, task_id: Some(last.task_id), ..params };
    stage.client.request::<Tasks>(stop).await;
    while known(&stage, TaskStatus::Stopped) < 1 {
        stage.client.wait_for_anything("the end of the last agent").await;
    }
    assert_eq!(sidechains(&stage.project).len(), 8);
    let told = |stage: &Stage| {
        stage.model.requests().iter().map(|it| it.body.to_string()).collect::<String>()
    };
    let reports = |told: &str| {
        let report = |number: usize| told.contains(&format!("It says:\\nreport {number}."));
        (0..6).all(report) && told.contains("The agent failed:") && told.contains("sunk")
    };
    while !reports(&told(&stage)) {
        stage.client.wait_for_anything("what the model is told").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_sends_what_its_parent_sent_to_the_last_byte() {
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .when("alpha")
        .text("Let me hand that over.")
        .tool("Agent", agent("fork", "side task", false))
        .answer()
        .when("side task")
        .text("Side done.")
        .answer()
        .when("Side done.")
        .text("All done.");
    let mut stage = Stage::new("//- /a.txt\nalpha\n", script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert!(turned.text().ends_with("All done."));
    let requests = stage.model.requests();
    let bodies: Vec<Value> = requests.iter().map(|request| request.body.clone()).collect();
    assert_eq!(bodies.len(), 4);
    let (parent, fork) = (&bodies[1], &bodies[2]);
    let without_marks = |body: &Value| -> Vec<String> {
        let mut messages = body["messages"].as_array().unwrap().clone();
        for block in messages.iter_mut().flat_map(|it| it["content"].as_array_mut().unwrap()) {
            block.as_object_mut().unwrap().remove("cache_control");
        }
        messages.iter().map(Value::to_string).collect()
    };
    let (sent, copied) = (without_marks(parent), without_marks(fork));
    assert_eq!(copied.len(), sent.len() + 1, "one more message");
    assert_eq!(copied[..sent.len()], sent, "byte for byte");
    assert!(copied[sent.len()].contains("side task"));
    // What the parent stored in the provider's cache ends where the copy looks for it.
    let last = fork["messages"][sent.len() - 1]["content"].as_array().unwrap().last().unwrap();
    assert!(last.get("cache_control").is_some(), "{last}");
    let rest = |body: &Value| {
        let mut body = body.clone();
        body.as_object_mut().unwrap().remove("messages");
        body.to_string()
    };
    assert_eq!(rest(parent), rest(fork));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_question_comes_to_the_user_and_names_it() {
    let write = json!({ "file_path": "{{cwd}}/log.txt", "content": "cast off\n" });
    let script = Scenario::new()
        .tool("Agent", agent("general-purpose", "write the log", true))
        .answer()
        .when("works in the background")
        .text("Under way.")
        .answer()
        .when("write the log")
        .tool("Write", write.clone())
        .answer()
        .when("log.txt")
        .tool("Write", json!({ "file_path": "{{cwd}}/more.txt", "content": "x\n" }))
        .answer()
        .when("No more files")
        .text("Written.")
        .answer()
        .when("It says")
        .text("The log is there.");
    let mut stage = Stage::in_mode("", script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage
        .client
        .expect::<protocol::permission::PermissionRequestParams>("agent/permission/request")
        .await;
    assert_eq!(request.session_id, stage.session);
    assert_eq!(request.agent.as_deref(), Some("general-purpose"));
    assert!(request.title.starts_with("general-purpose: "), "{}", request.title);
    let call = request.tool_call.unwrap();
    assert!(call.parent_tool_call_id.is_some());
    stage.client.allow(asked);
    let (asked, _) = stage
        .client
        .expect::<protocol::permission::PermissionRequestParams>("agent/permission/request")
        .await;
    stage.client.deny(asked, Some("No more files"));
    let is_end = |event: &protocol::Event| matches!(event.body, EventBody::TaskEnded(_));
    stage.client.next_event("the end of the agent", is_end).await;
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.text(), "The log is there.");
    assert_eq!(stage.project.read("log.txt"), "cast off\n");
    assert!(!stage.project.exists("more.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_turn_takes_the_agent_it_waits_for_along() {
    let script = Scenario::new()
        .tool("Agent", agent("general-purpose", "never ends", false))
        .answer()
        .when("never ends")
        .text("I begin")
        .hang();
    let mut stage = Stage::in_mode("", script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let begun = |event: &protocol::Event| matches!(event.body, EventBody::AgentStarted(_));
    stage.client.next_event("the agent", begun).await;
    stage.client.cancel(&stage.session).await;
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Cancelled);
    let ended = turned.events.iter().find_map(|event| match &event.body {
        EventBody::AgentEnded(ended) => ended.status.clone(),
        _ => None,
    });
    assert_eq!(ended, Some(ToolStatus::Cancelled));
}
