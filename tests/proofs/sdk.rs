//! The SDK door, line by line: what a turn looks like to a host, who is asked, and how it ends.

use kit::{Bowline, Project, SdkHost, interrupt, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

const FILES: &str = "//- /a.txt\nalpha\n";

fn hello() -> Scenario {
    Scenario::new().forever().text("Hello.")
}

fn touch() -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().text("done")
}

fn start(project: &Project, model: &TestServer, args: &[&str]) -> SdkHost {
    Bowline::new(project).model(model).sdk_host(args)
}

fn position(kinds: &[String], kind: &str) -> usize {
    kinds.iter().position(|it| it == kind).unwrap_or_else(|| panic!("no {kind} in {kinds:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_question_and_its_answer() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let mut host = start(&project, &model, &[]);
    let told = host.initialize(json!({})).await;
    for key in
        ["commands", "agents", "output_style", "available_output_styles", "models", "account"]
    {
        assert!(!told[key].is_null(), "{key}: {told:#}");
    }
    assert!(told["commands"].as_array().unwrap().iter().any(|it| it["name"] == "compact"));
    let envelope = host.seen.last().unwrap()["response"].clone();
    assert_eq!(envelope["pending_permission_requests"], json!([]));
    host.prompt("hi").await;
    let result = host.result().await;
    host.until("idle", |line| line["state"] == "idle").await;
    assert_eq!(
        host.kinds(),
        [
            "control_response",
            "system/session_state_changed",
            "system/init",
            "assistant",
            "result",
            "system/session_state_changed",
        ]
    );
    let init = &host.seen[2];
    assert_eq!(init["cwd"], project.root().to_str().unwrap());
    assert_eq!(init["permissionMode"], "default");
    assert_eq!(init["apiKeySource"], "ANTHROPIC_API_KEY");
    assert!(init["tools"].as_array().unwrap().contains(&json!("Bash")), "{init:#}");
    let said = &host.seen[3];
    assert_eq!(said["message"]["content"], json!([{ "type": "text", "text": "Hello." }]));
    assert_eq!(said["parent_tool_use_id"], Value::Null);
    for (key, expect) in [
        ("subtype", json!("success")),
        ("is_error", json!(false)),
        ("result", json!("Hello.")),
        ("num_turns", json!(1)),
        ("stop_reason", json!("end_turn")),
        ("terminal_reason", json!("completed")),
        ("permission_denials", json!([])),
        ("session_id", init["session_id"].clone()),
    ] {
        assert_eq!(result[key], expect, "{key}: {result:#}");
    }
    for key in ["duration_ms", "duration_api_ms", "total_cost_usd", "usage", "modelUsage", "uuid"] {
        assert!(!result[key].is_null(), "{key}: {result:#}");
    }
    let (done, _) = host.end().await;
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_initialize_and_without_states() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let bowline = Bowline::new(&project).model(&model);
    let line = json!({ "type": "user", "message": { "role": "user", "content": "hi" } });
    let args = ["--output-format=stream-json", "--verbose", "--input-format=stream-json"];
    let done = bowline.args(&args).run_with_stdin(&format!("\n{line}\n")).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let kinds: Vec<Value> = done
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].take())
        .collect();
    assert_eq!(kinds, ["system", "assistant", "result"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_as_an_argument() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let bowline = Bowline::new(&project).model(&model);
    let done = bowline.args(&["-p", "hi", "--output-format", "stream-json"]).run().await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let last: Value = serde_json::from_str(done.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["result"]), (&json!("result"), &json!("Hello.")));
    let bowline = Bowline::new(&project).model(&model);
    let done = bowline.args(&["--input-format", "stream-json"]).run().await;
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("--output-format stream-json"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_is_asked_and_says_yes() {
    let project = Project::new(FILES);
    let model = model(touch()).await;
    let mut host = start(&project, &model, &["--permission-prompt-tool", "stdio"]);
    host.initialize(json!({})).await;
    host.prompt("go").await;
    let asked = host.asked("can_use_tool").await;
    let request = &asked["request"];
    assert_eq!(request["tool_name"], "Bash");
    assert_eq!(request["input"], json!({ "command": "touch made" }));
    let call = host.of_type("assistant")[0]["message"]["content"][0].clone();
    assert_eq!(request["tool_use_id"], call["id"]);
    let suggested = &request["permission_suggestions"][0];
    assert_eq!((&suggested["type"], &suggested["behavior"]), (&json!("addRules"), &json!("allow")));
    assert!(host.kinds().contains(&"system/session_state_changed".to_owned()));
    let edited = json!({ "command": "touch other" });
    host.answer(&asked, json!({ "behavior": "allow", "updatedInput": edited })).await;
    let result = host.result().await;
    assert_eq!(result["permission_denials"], json!([]));
    assert!(project.exists("other") && !project.exists("made"));
    let told = host.of_type("user")[0];
    let block = &told["message"]["content"][0];
    assert_eq!((&block["type"], &block["tool_use_id"]), (&json!("tool_result"), &call["id"]));
    assert_eq!(told["tool_use_result"]["interrupted"], false);
    let kinds = host.kinds();
    let asks = position(&kinds, "ask/can_use_tool");
    assert!(position(&kinds, "assistant") < asks && asks < position(&kinds, "user"), "{kinds:?}");
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_says_no_and_why() {
    let project = Project::new(FILES);
    let model = model(touch()).await;
    let mut host = start(&project, &model, &["--permission-prompt-tool=stdio"]);
    host.prompt("go").await;
    let asked = host.asked("can_use_tool").await;
    host.answer(&asked, json!({ "behavior": "deny", "message": "Not on a Friday." })).await;
    let result = host.result().await;
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    assert!(!project.exists("made"));
    let told = host.of_type("user")[0]["message"]["content"][0].clone();
    assert_eq!(told["is_error"], true);
    assert!(told["content"].as_str().unwrap().contains("Not on a Friday."), "{told:#}");
    assert!(!host.kinds().contains(&"system/permission_denied".to_owned()));
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_for_good_is_kept() {
    let project = Project::new(FILES);
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "touch one" }))
        .answer()
        .tool("Bash", json!({ "command": "touch two" }))
        .answer()
        .text("done");
    let model = model(script).await;
    let mut host = start(&project, &model, &["--permission-prompt-tool", "stdio"]);
    host.prompt("go").await;
    let asked = host.asked("can_use_tool").await;
    let rule = json!({ "toolName": "Bash", "ruleContent": "touch *" });
    let update = json!({
        "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session",
    });
    let input = asked["request"]["input"].clone();
    let yes = json!({ "behavior": "allow", "updatedInput": input, "updatedPermissions": [update] });
    host.answer(&asked, yes).await;
    host.result().await;
    assert!(project.exists("one") && project.exists("two"));
    let asked = host.kinds().iter().filter(|kind| *kind == "ask/can_use_tool").count();
    assert_eq!(asked, 1, "the rule answers the second time");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_anybody_to_ask_it_is_denied() {
    let project = Project::new(FILES);
    let model = model(touch()).await;
    let mut host = start(&project, &model, &[]);
    host.prompt("go").await;
    let result = host.result().await;
    assert!(!project.exists("made"));
    assert_eq!(result["permission_denials"][0]["tool_input"], json!({ "command": "touch made" }));
    let denied = host.until("idle", |line| line["state"] == "idle");
    denied.await;
    let kinds = host.kinds();
    assert!(position(&kinds, "system/permission_denied") < position(&kinds, "user"));
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_has_a_receipt_and_the_queue_goes_on() {
    let project = Project::new(FILES);
    let script = Scenario::new().text("Wait").hang().answer().text("Second.");
    let model = model(script).await;
    let mut host = start(&project, &model, &["--include-partial-messages"]);
    host.initialize(json!({})).await;
    host.prompt("first").await;
    host.until("words", |line| line["event"]["delta"]["type"] == "text_delta").await;
    let second = "7d5f3c1e-0000-4000-8000-000000000002";
    let message = json!({ "role": "user", "content": "second" });
    host.say(json!({ "type": "user", "message": message, "uuid": second })).await;
    // Answered behind the prompt: by then it waits.
    host.request(json!({ "subtype": "get_context_usage" })).await;
    let receipt = host.request(json!({ "subtype": "interrupt" })).await;
    assert_eq!(receipt["response"], json!({ "still_queued": [second] }));
    let result = host.result().await;
    assert_eq!(result["subtype"], "error_during_execution");
    assert_eq!(result["terminal_reason"], "aborted_streaming");
    assert_eq!(result["is_error"], false);
    let result = host.result().await;
    assert_eq!(result["result"], "Second.");
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_piece_of_an_answer() {
    let project = Project::new(FILES);
    let script = Scenario::new()
        .thinking("Hm.", "seal")
        .text("Looking.")
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .text("It says alpha.");
    let model = model(script).await;
    let mut host = start(&project, &model, &["--include-partial-messages"]);
    host.prompt("read").await;
    let result = host.result().await;
    assert_eq!(result["num_turns"], 2);
    let events: Vec<&str> = host
        .of_type("stream_event")
        .iter()
        .map(|line| line["event"]["type"].as_str().unwrap())
        .collect();
    assert_eq!(events.first(), Some(&"message_start"));
    assert_eq!(events.iter().filter(|kind| **kind == "message_stop").count(), 2);
    let blocks: Vec<Value> = host
        .of_type("assistant")
        .iter()
        .map(|line| line["message"]["content"][0]["type"].clone())
        .collect();
    assert_eq!(blocks, ["thinking", "text", "tool_use", "text"]);
    let said = host.of_type("assistant");
    assert_eq!(said[0]["message"]["content"][0]["signature"], "seal");
    assert_eq!(said[0]["message"]["id"], said[2]["message"]["id"]);
    assert_ne!(said[2]["message"]["id"], said[3]["message"]["id"]);
    let read = &host.of_type("user")[0]["tool_use_result"];
    assert_eq!(read["type"], "text");
    assert!(read["file"]["content"].as_str().unwrap().contains("alpha"), "{read:#}");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_failures_are_results() {
    let project = Project::new(FILES);
    let script = Scenario::new().forever().tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }));
    let server = model(script).await;
    let mut host = start(&project, &server, &["--max-turns", "2"]);
    host.prompt("go").await;
    let result = host.result().await;
    assert_eq!(
        (&result["subtype"], &result["is_error"]),
        (&json!("error_max_turns"), &json!(true))
    );
    assert!(result["errors"][0].as_str().unwrap().contains("--max-turns"), "{result:#}");
    assert_eq!(host.end().await.0.code, Some(1));

    let script = Scenario::new().error(401, "authentication_error", "invalid x-api-key");
    let server = model(script).await;
    let mut host = start(&project, &server, &[]);
    host.prompt("go").await;
    let result = host.result().await;
    assert_eq!((&result["subtype"], &result["is_error"]), (&json!("success"), &json!(true)));
    assert!(result["result"].as_str().unwrap().starts_with("API Error: "), "{result:#}");
    assert_eq!(result["api_error_status"], 401);
    assert_eq!(host.of_type("assistant")[0]["error"], "authentication_failed");
    assert_eq!(host.end().await.0.code, Some(1));

    let mut host = start(&project, &server, &["--resume=ffffffff"]);
    let told = host.request(json!({ "subtype": "initialize" })).await;
    assert_eq!(told["subtype"], "error");
    let (done, seen) = host.end().await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("There is no session"), "{done:?}");
    let result = seen.iter().find(|line| line["type"] == "result").unwrap();
    assert_eq!(result["terminal_reason"], "turn_setup_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_with_a_shape() {
    let project = Project::new(FILES);
    let script = Scenario::new().text("no JSON").answer().text("{\"n\": 5}");
    let model = model(script).await;
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } },
        "required": ["n"] });
    let mut host = start(&project, &model, &[&format!("--json-schema={schema}")]);
    host.initialize(json!({ "jsonSchema": schema })).await;
    host.prompt("count").await;
    let result = host.result().await;
    assert_eq!(result["structured_output"], json!({ "n": 5 }), "{result:#}");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_go_on_and_are_copied() {
    let project = Project::new(FILES);
    let model = model(Scenario::new().forever().text("You said: {{prompt}}")).await;
    let id = "0b9f3c1e-1111-4222-8333-944455556666";
    let mut host = start(&project, &model, &[&format!("--session-id={id}")]);
    host.prompt("one").await;
    host.result().await;
    host.prompt("two").await;
    let result = host.result().await;
    assert_eq!((&result["session_id"], &result["result"]), (&json!(id), &json!("You said: two")));
    let first = host.of_type("assistant")[0]["uuid"].as_str().unwrap().to_owned();
    host.end().await;

    let mut host = start(&project, &model, &[&format!("--resume={id}")]);
    host.prompt("three").await;
    assert_eq!(host.result().await["session_id"], id);
    host.end().await;
    let sent = |model: &TestServer| {
        model.requests().last().unwrap().body["messages"].as_array().unwrap().len()
    };
    assert_eq!(sent(&model), 5);

    let at = format!("--resume-session-at={first}");
    let mut host = start(&project, &model, &[&format!("--resume={id}"), "--fork-session", &at]);
    host.prompt("instead").await;
    let result = host.result().await;
    assert_ne!(result["session_id"], id);
    assert_eq!(sent(&model), 3);
    host.end().await;

    let mut host = start(&project, &model, &[&format!("--session-id={id}")]);
    host.prompt("again").await;
    let result = host.result().await;
    assert!(result["errors"][0].as_str().unwrap().contains("already"), "{result:#}");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_that_the_host_gives() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let mut host = start(&project, &model, &["--system-prompt", "", "--tools=Read,Grep"]);
    host.initialize(
        json!({ "systemPrompt": ["You are a cook."], "appendSystemPrompt": "Be kind." }),
    )
    .await;
    host.prompt("hi").await;
    host.result().await;
    let body = &model.requests()[0].body;
    let system = body["system"].to_string();
    assert!(system.contains("You are a cook.") && system.contains("Be kind."), "{system}");
    assert!(!system.contains("Bowline"), "{system}");
    let tools: Vec<_> =
        body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(tools.len(), 2, "{tools:?}");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_leaves_the_turn_as_it_is() {
    let project = Project::new(FILES);
    let model = model(Scenario::new().text("Wait").hang()).await;
    let mut host = start(&project, &model, &["--include-partial-messages"]);
    host.prompt("go").await;
    host.until("words", |line| line["type"] == "stream_event").await;
    interrupt(host.pid());
    let (done, seen) = host.end().await;
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(seen.iter().all(|line| line["type"] != "result"), "{seen:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_line_is_too_long_for_a_host() {
    let project = Project::new(FILES);
    project.agree_to_bypass();
    let long = "x".repeat(2_000_000);
    let script = Scenario::new()
        .tool("Write", json!({ "file_path": "{{cwd}}/long.txt", "content": long }))
        .answer()
        .text("done");
    let model = model(script).await;
    let mut host = start(&project, &model, &["--permission-mode", "acceptEdits"]);
    host.prompt("write").await;
    host.result().await;
    assert_eq!(project.read("long.txt").len(), 2_000_000);
    host.end().await;
}
