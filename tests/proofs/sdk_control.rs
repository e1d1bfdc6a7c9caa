//! The SDK door: what a host may ask for while a session runs, hooks that it keeps, and agents.

use kit::{Bowline, Project, SdkHost, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

const FILES: &str = "//- /a.txt\nalpha\n";

fn start(project: &Project, model: &TestServer, args: &[&str]) -> SdkHost {
    Bowline::new(project).model(model).sdk_host(args)
}

fn hello() -> Scenario {
    Scenario::new().forever().text("Hello.")
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_change_between_turns() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let mut host = start(&project, &model, &["--model", "sonnet"]);
    host.initialize(json!({})).await;
    for request in [
        json!({ "subtype": "set_model", "model": "haiku" }),
        json!({ "subtype": "set_permission_mode", "mode": "acceptEdits" }),
        json!({ "subtype": "set_max_thinking_tokens", "max_thinking_tokens": 2000 }),
        json!({ "subtype": "rename_session", "title": "Knots" }),
    ] {
        let told = host.request(request.clone()).await;
        assert_eq!(told["subtype"], "success", "{request}: {told:#}");
    }
    host.prompt("hi").await;
    host.result().await;
    let init = host.seen.iter().find(|line| line["subtype"] == "init").unwrap();
    assert!(init["model"].as_str().unwrap().contains("haiku"), "{init:#}");
    assert_eq!(init["permissionMode"], "acceptEdits");
    let asked = model.requests()[0].body["model"].as_str().unwrap().to_owned();
    assert!(asked.contains("haiku"), "{asked}");
    host.request(json!({ "subtype": "set_model", "model": null })).await;
    host.prompt("hi").await;
    host.result().await;
    let asked = model.requests().last().unwrap().body["model"].as_str().unwrap().to_owned();
    assert!(asked.contains("sonnet"), "{asked}");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_have_answers_and_nonsense_has_errors() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let mut host = start(&project, &model, &[]);
    host.initialize(json!({})).await;
    host.prompt("hi").await;
    host.result().await;
    let mut ask = async |subtype: &str| {
        let told = host.request(json!({ "subtype": subtype, "query": "a" })).await;
        assert_eq!(told["subtype"], "success", "{subtype}: {told:#}");
        told["response"].clone()
    };
    let usage = ask("get_context_usage").await;
    assert!(usage["totalTokens"].as_u64().unwrap() > 0, "{usage:#}");
    assert!(usage["categories"].as_array().unwrap().iter().any(|it| it["kind"] == "free"));
    assert_eq!(ask("mcp_status").await, json!({ "mcpServers": [] }));
    assert!(ask("get_session_cost").await["text"].as_str().unwrap().contains("Total cost"));
    assert!(!ask("list_models").await["models"].as_array().unwrap().is_empty());
    assert!(ask("list_permission_rules").await["state"]["rules"].is_array());
    let files = ask("file_suggestions").await;
    assert_eq!(files["suggestions"][0]["path"], "a.txt", "{files:#}");
    for request in [
        json!({ "subtype": "make_coffee" }),
        json!({ "subtype": "set_permission_mode", "mode": "whatever" }),
        json!({ "subtype": "set_permission_mode" }),
        json!({ "subtype": "stop_task", "task_id": "nobody" }),
        json!({ "subtype": "mcp_reconnect", "serverName": "nobody" }),
    ] {
        let told = host.request(request.clone()).await;
        assert_eq!(told["subtype"], "error", "{request}: {told:#}");
        assert!(!told["error"].as_str().unwrap().is_empty());
    }
    host.say(json!({ "type": "keep_alive" })).await;
    host.say(json!({ "type": "control_cancel_request", "request_id": "none" })).await;
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_back() {
    let project = Project::new(FILES);
    let script = Scenario::new()
        .tool("Write", json!({ "file_path": "{{cwd}}/new.txt", "content": "new\n" }))
        .answer()
        .text("done");
    let model = model(script).await;
    let args = ["--permission-mode", "acceptEdits", "--replay-user-messages"];
    let mut host = start(&project, &model, &args);
    host.prompt("write").await;
    host.result().await;
    let mine = host.seen.iter().find(|line| line["isReplay"] == json!(true)).unwrap();
    assert_eq!(mine["message"]["content"], "write");
    let message = mine["uuid"].clone();
    let rewind = json!({ "subtype": "rewind_files", "user_message_id": message, "dry_run": true });
    let told = host.request(rewind).await["response"].clone();
    assert_eq!(told["canRewind"], true, "{told:#}");
    assert_eq!(told["filesChanged"], json!([project.path("new.txt")]));
    assert!(project.exists("new.txt"), "that was only a question");
    let rewind = json!({ "subtype": "rewind_files", "user_message_id": message });
    host.request(rewind).await;
    assert!(!project.exists("new.txt"));
    let rewind = json!({ "subtype": "rewind_files", "user_message_id": "nothing" });
    let told = host.request(rewind).await["response"].clone();
    assert_eq!(told["canRewind"], false);
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_need_no_model() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let mut host = start(&project, &model, &[]);
    host.prompt("/cost").await;
    let result = host.result().await;
    assert_eq!((&result["num_turns"], &result["is_error"]), (&json!(0), &json!(false)));
    assert!(!result["result"].as_str().unwrap().is_empty());
    assert!(host.kinds().contains(&"system/local_command_output".to_owned()));
    host.prompt("/nonsense").await;
    let result = host.result().await;
    assert_eq!(
        (&result["subtype"], &result["is_error"]),
        (&json!("error_during_execution"), &json!(true))
    );
    let text = json!({ "role": "user", "content": "/nonsense" });
    host.say(json!({ "type": "user", "message": text, "client_composed": true })).await;
    assert_eq!(host.result().await["result"], "Hello.");
    let sent = model.requests()[0].body["messages"][0]["content"].to_string();
    assert!(sent.contains("/nonsense"), "{sent}");
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_prompt_has_its_turn() {
    let project = Project::new(FILES);
    let model = model(Scenario::new().forever().text("You said: {{prompt}}")).await;
    let mut host = start(&project, &model, &[]);
    let note = json!({ "role": "user", "content": "Remember the milk." });
    host.say(json!({ "type": "user", "message": note, "shouldQuery": false })).await;
    for text in ["one", "two", "three"] {
        host.prompt(text).await;
    }
    let (done, seen) = host.end().await;
    let results: Vec<&Value> = seen.iter().filter(|line| line["type"] == "result").collect();
    assert_eq!(results.len(), 3, "{results:#?}");
    assert_eq!(results[2]["result"], "You said: three");
    let sent = model.requests()[0].body["messages"][0]["content"].to_string();
    assert!(sent.contains("Remember the milk."), "{sent}");
    let idle = seen.iter().filter(|line| line["state"] == "idle").count();
    assert_eq!((done.code, idle), (Some(0), 1), "idle only when nothing is owed any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_keeps_hooks() {
    let project = Project::new(FILES);
    let script =
        Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().text("done");
    let model = model(script).await;
    let args = ["--allowedTools", "Bash(touch *)", "--include-hook-events"];
    let mut host = start(&project, &model, &args);
    let hooks = json!({
        "PreToolUse": [{ "matcher": "Bash", "hookCallbackIds": ["hook_0"] }],
        "UserPromptSubmit": [{ "matcher": null, "hookCallbackIds": ["hook_1"] }],
    });
    let told = host.initialize(json!({ "hooks": hooks })).await;
    assert_eq!(
        (&told["hooks_applied"], &told["hook_on_failure_supported"]),
        (&json!(true), &json!(true))
    );
    host.prompt("go").await;
    let asked = host.asked("hook_callback").await;
    assert_eq!(asked["request"]["callback_id"], "hook_1");
    assert_eq!(asked["request"]["input"]["prompt"], "go");
    host.answer(&asked, json!({})).await;
    let asked = host.asked("hook_callback").await;
    let input = &asked["request"]["input"];
    assert_eq!(
        (&input["hook_event_name"], &input["tool_name"]),
        (&json!("PreToolUse"), &json!("Bash"))
    );
    let output = json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Hands off.",
    } });
    host.answer(&asked, output).await;
    host.result().await;
    assert!(!project.exists("made"));
    let told = host.of_type("user")[0]["message"]["content"][0]["content"].to_string();
    assert!(told.contains("Hands off."), "{told}");
    assert!(host.kinds().contains(&"system/hook_response".to_owned()), "{:?}", host.kinds());
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_agents_do_is_told_in_their_name() {
    let project = Project::new(FILES);
    let task = json!({ "description": "look", "prompt": "Look at a.txt", "subagent_type": "looker",
        "run_in_background": false });
    let script = Scenario::new()
        .tool("Agent", task)
        .answer()
        .when("Look at a.txt")
        .text("Let me look.")
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .when("alpha")
        .text("It says alpha.")
        .answer()
        .text("done");
    let model = model(script).await;
    let mut host = start(&project, &model, &["--allowedTools", "Agent"]);
    let agents = json!({ "looker": { "description": "Looks.", "prompt": "You look at files." } });
    let told = host.initialize(json!({ "agents": agents })).await;
    assert!(told["agents"].as_array().unwrap().iter().any(|it| it["name"] == "looker"), "{told:#}");
    host.prompt("go").await;
    host.result().await;
    let own = host.of_type("assistant")[0]["message"]["content"][0].clone();
    assert_eq!(own["name"], "Agent");
    let by_agent: Vec<&Value> =
        host.seen.iter().filter(|line| line["parent_tool_use_id"] == own["id"]).collect();
    let [call, result] = &by_agent[..] else { panic!("{by_agent:#?}") };
    assert_eq!(call["message"]["content"][0]["name"], "Read");
    assert_eq!(call["subagent_type"], "looker");
    let block = &result["message"]["content"][0];
    assert_eq!(block["tool_use_id"], call["message"]["content"][0]["id"]);
    let kinds = host.kinds();
    for kind in ["system/task_started", "system/task_notification"] {
        assert!(kinds.iter().any(|it| it == kind), "{kinds:?}");
    }
    host.end().await;
}
