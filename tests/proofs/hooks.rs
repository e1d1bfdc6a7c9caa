//! Hooks and the work itself: prompts, results and the end of an answer, as event × output.

use kit::{Bowline, Project, Stage, model};
use model::Scenario;
use protocol::event::{EventBody, HookOutcome, StopReason};
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

pub const FILES: &str = "//- /a.txt\nold\n";

/// One command for one event.
pub fn on(event: &str, command: &str) -> Value {
    json!({ event: [{ "hooks": [{ "type": "command", "command": command }] }] })
}

/// A shell command that prints this answer.
pub fn prints(answer: &Value) -> String {
    format!("cat > /dev/null; echo '{answer}'")
}

/// Writes down what it is told, a line for each time.
pub fn tells(event: &str) -> String {
    format!("cat >> told-{event}; echo >> told-{event}")
}

pub fn specific(event: &str, output: Value) -> Value {
    let mut output = output;
    output["hookEventName"] = json!(event);
    json!({ "hookSpecificOutput": output })
}

pub async fn stage(hooks: Value, script: Scenario) -> Stage {
    let project = Project::new(FILES);
    project
        .user_settings(&json!({ "hooks": hooks, "permissions": { "allow": ["Bash(touch *)"] } }));
    Stage::set(project, script, Mode::Default).await
}

/// What a hook was told, each time.
pub async fn told(project: &Project, event: &str) -> Vec<Value> {
    let file = format!("told-{event}");
    kit::within(&format!("{event} to be told"), async {
        loop {
            let lines = if project.exists(&file) { project.read(&file) } else { String::new() };
            let read: Vec<Value> = lines
                .lines()
                .filter(|line| !line.trim().is_empty())
                .filter_map(|line| serde_json::from_str(line).ok())
                .collect();
            if !read.is_empty() && lines.ends_with('\n') {
                return read;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await
}

fn touch() -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().text("ok")
}

/// Everything that the model was last told, as one text.
fn last_request(stage: &Stage) -> String {
    stage.model.requests().last().unwrap().body["messages"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_told_and_added_to() {
    for command in [
        "cat >> told-UserPromptSubmit; echo >> told-UserPromptSubmit; echo the tide is high",
        &format!(
            "{}; echo '{}'",
            tells("UserPromptSubmit"),
            specific("UserPromptSubmit", json!({ "additionalContext": "the tide is high" }))
        ),
    ] {
        let hooks = on("UserPromptSubmit", command);
        let mut stage = stage(hooks, Scenario::new().text("aye")).await;
        let turned = stage.client.ask(&stage.session, "set sail").await;
        assert_eq!(turned.text(), "aye");
        assert!(last_request(&stage).contains("the tide is high"));
        let told = &told(&stage.project, "UserPromptSubmit").await[0];
        assert_eq!(told["prompt"], "set sail");
        assert_eq!(told["hook_event_name"], "UserPromptSubmit");
        assert_eq!(told["source"], "user");
        assert!(told["prompt_id"].is_string());
    }
}

/// A no, however it is said, and a guard that fails.
#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_turned_away() {
    let slow = json!({ "UserPromptSubmit": [{ "hooks": [
        { "type": "command", "command": "sleep 600", "timeout": 0.2 },
    ]}]});
    let block = json!({ "decision": "block", "reason": "too late" });
    let stop = json!({ "continue": false, "stopReason": "too late" });
    for (hooks, words) in [
        (on("UserPromptSubmit", "echo too late >&2; exit 2"), "too late"),
        (on("UserPromptSubmit", &prints(&block)), "too late"),
        (on("UserPromptSubmit", &prints(&stop)), "too late"),
        (on("UserPromptSubmit", "exit 1"), "exit code 1"),
        (on("UserPromptSubmit", "echo '{ broken'"), "cannot be understood"),
        (slow, "in time"),
    ] {
        let shown = hooks.to_string();
        let mut stage = stage(hooks, Scenario::new().text("aye")).await;
        let turned = stage.client.ask(&stage.session, "set sail").await;
        assert_eq!(turned.ended.stop_reason, StopReason::Blocked, "{shown}");
        let error = turned.ended.error.unwrap().message;
        assert!(error.contains(words), "{shown}: {error}");
        assert_eq!(stage.model.requests().len(), 0, "{shown}: nobody else saw it");
        assert!(stage.project.journals().is_empty(), "{shown}: nor was it written down");
    }
    // Also where nobody looks on.
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": on("UserPromptSubmit", "echo no >&2; exit 2") }));
    let model = model(Scenario::new().text("aye")).await;
    let done = Bowline::new(&project).model(&model).args(&["-p", "go"]).run().await;
    assert_ne!(done.code, Some(0), "{done:?}");
    assert!(format!("{done:?}").contains("did not let the prompt through"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_can_be_stopped_while_it_is_looked_at() {
    let hooks = on("UserPromptSubmit", "touch begun; sleep 600");
    let mut stage = stage(hooks, Scenario::new().text("aye")).await;
    let id = stage.client.start(
        "agent/session/prompt",
        json!({ "sessionId": stage.session, "content": [{ "type": "text", "text": "go" }] }),
    );
    kit::within("the hook to begin", async {
        while !stage.project.exists("begun") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    stage.client.cancel(&stage.session).await;
    let answer = stage.client.finish(id).await;
    assert!(format!("{answer:?}").contains("stopped before it began"), "{answer:?}");
    assert_eq!(stage.model.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_begins_with_what_hooks_know() {
    let command = format!(
        "{}; echo 'export SHIP=\"Argo $HOME\"' >> $CLAUDE_ENV_FILE; echo the ship is old",
        tells("SessionStart")
    );
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "touch \"made $SHIP\"" }))
        .answer()
        .text("ok");
    let mut stage = stage(on("SessionStart", &command), script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Completed, "{:?}", turned.call());
    let first = stage.model.requests()[0].body["messages"].to_string();
    assert!(first.contains("the ship is old"), "{first}");
    let home = stage.project.home().display().to_string();
    assert!(!home.is_empty());
    let told = &told(&stage.project, "SessionStart").await[0];
    assert_eq!(told["source"], "startup");
    assert!(told["model"].is_string());
    let made = std::fs::read_dir(stage.project.root()).unwrap();
    let made: Vec<_> = made.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(made.iter().any(|name| name.starts_with("made Argo")), "{made:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_may_begin_with_a_prompt_and_a_title() {
    let output = specific(
        "SessionStart",
        json!({ "initialUserMessage": "look around", "sessionTitle": "A look around" }),
    );
    let mut stage = stage(on("SessionStart", &prints(&output)), Scenario::new().text("done")).await;
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.text(), "done");
    assert!(last_request(&stage).contains("look around"));
}

/// What a hook makes of a result: event × output.
#[tokio::test(flavor = "multi_thread")]
async fn results_are_told_added_to_and_changed() {
    let with = |output: Value| {
        let command = format!("{}; echo '{output}'", tells("PostToolUse"));
        json!({ "PostToolUse": [{ "matcher": "Bash", "hooks": [
            { "type": "command", "command": command },
        ]}]})
    };
    let script =
        || Scenario::new().tool("Bash", json!({ "command": "echo hello" })).answer().text("ok");
    let context = specific("PostToolUse", json!({ "additionalContext": "count again" }));
    let block = json!({ "decision": "block", "reason": "count again" });
    for output in [context, block] {
        let mut stage = stage(with(output), script()).await;
        let turned = stage.client.ask(&stage.session, "go").await;
        assert_eq!(turned.call().status, ToolStatus::Completed);
        let results = stage.last_results();
        assert!(
            results[0].0.contains("hello") && results[0].0.contains("count again"),
            "{results:?}"
        );
        let told = &told(&stage.project, "PostToolUse").await[0];
        assert_eq!(told["tool_name"], "Bash");
        assert_eq!(told["tool_input"]["command"], "echo hello");
        assert!(told["tool_response"]["stdout"].as_str().unwrap().contains("hello"), "{told}");
        assert!(told["duration_ms"].is_u64() && told["tool_use_id"].is_string());
    }
    for updated in [json!("goodbye"), json!({ "stdout": "goodbye" })] {
        let output = specific("PostToolUse", json!({ "updatedToolOutput": updated }));
        let mut stage = stage(with(output), script()).await;
        stage.client.ask(&stage.session, "go").await;
        let results = stage.last_results();
        assert!(results[0].0.contains("goodbye") && !results[0].0.contains("hello"), "{results:?}");
    }
    // Of another shape: nothing changes, and the user is told.
    let output = specific("PostToolUse", json!({ "updatedToolOutput": { "text": "goodbye" } }));
    let mut stage = stage(with(output), script()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert!(stage.last_results()[0].0.contains("hello"));
    let warned = turned.events.iter().any(|event| match &event.body {
        EventBody::Notice(notice) => notice.text.contains("another shape"),
        _ => false,
    });
    assert!(warned, "{:?}", turned.types());
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_call_a_hook_complains_or_stops_the_turn() {
    let hooks = on("PostToolUse", "echo look again >&2; exit 2");
    let mut first = stage(hooks, touch()).await;
    let turned = first.client.ask(&first.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Completed);
    assert!(first.last_results()[0].0.contains("look again"));
    let stop = json!({ "continue": false, "stopReason": "that was it" });
    let mut second = stage(on("PostToolUse", &prints(&stop)), touch()).await;
    let turned = second.client.ask(&second.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::HookStopped);
    assert!(second.project.exists("made"), "it had run");
    assert_eq!(second.model.requests().len(), 1);
    // One that fails afterwards stands in nobody's way, and is told.
    let mut third = stage(on("PostToolUse", "exit 7"), touch()).await;
    let turned = third.client.ask(&third.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn);
    third.client.notice_with("exit code 7").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_condition_holds_after_a_call_too() {
    for (condition, runs) in [("Bash(touch *)", true), ("Bash(git *)", false)] {
        let hook = json!({ "type": "command", "command": "touch seen", "if": condition });
        let hooks = json!({ "PostToolUse": [{ "matcher": "Bash", "hooks": [hook] }] });
        let mut stage = stage(hooks, touch()).await;
        stage.client.ask(&stage.session, "go").await;
        assert_eq!(stage.project.exists("seen"), runs, "{condition}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_told() {
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/none.txt" }))
        .answer()
        .text("ok");
    let command = format!("{}; echo try another >&2; exit 2", tells("PostToolUseFailure"));
    let mut stage = stage(on("PostToolUseFailure", &command), script).await;
    stage.client.ask(&stage.session, "go").await;
    assert!(stage.last_results()[0].0.contains("try another"));
    let told = &told(&stage.project, "PostToolUseFailure").await[0];
    assert_eq!((&told["tool_name"], &told["is_interrupt"]), (&json!("Read"), &json!(false)));
    assert!(told["error"].as_str().unwrap().contains("none.txt"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_calls_of_an_answer_are_told_together() {
    let script = || {
        Scenario::new()
            .tool("Bash", json!({ "command": "echo one" }))
            .tool("Bash", json!({ "command": "echo two" }))
            .answer()
            .text("ok")
    };
    let output = specific("PostToolBatch", json!({ "additionalContext": "both are counted" }));
    let command = format!("{}; echo '{output}'", tells("PostToolBatch"));
    let mut first = stage(on("PostToolBatch", &command), script()).await;
    let turned = first.client.ask(&first.session, "go").await;
    assert_eq!(turned.text(), "ok");
    assert!(last_request(&first).contains("both are counted"));
    let told = &told(&first.project, "PostToolBatch").await[0];
    let calls = told["tool_calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[1]["tool_input"]["command"], "echo two");
    assert!(calls[0]["tool_response"]["stdout"].as_str().unwrap().contains("one"), "{told}");
    let mut second = stage(on("PostToolBatch", "echo enough >&2; exit 2"), script()).await;
    let turned = second.client.ask(&second.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::HookStopped);
    assert_eq!(second.model.requests().len(), 1, "the model was not asked again");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_goes_on_until_hooks_let_it_stop() {
    let command = format!(
        "{}; if [ -e done ]; then exit 0; fi; touch done; echo run the tests >&2; exit 2",
        tells("Stop")
    );
    let script = Scenario::new().text("done").answer().when("run the tests").text("they pass");
    let mut stage = stage(on("Stop", &command), script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn);
    assert!(turned.text().contains("they pass"));
    let told = told(&stage.project, "Stop").await;
    assert_eq!(told.len(), 2);
    assert_eq!(
        (&told[0]["stop_hook_active"], &told[1]["stop_hook_active"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(told[0]["last_assistant_message"], "done");
    assert_eq!(told[1]["last_assistant_message"], "they pass");
}

/// B-113: one that always says no does not go on for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_hook_that_never_has_enough_is_capped() {
    let mut script = Scenario::new().text("done");
    for _ in 0..12 {
        script = script.answer().text("more");
    }
    let mut stage = stage(on("Stop", "echo more >&2; exit 2"), script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn);
    assert_eq!(stage.model.requests().len(), 9, "once, and eight times more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_hook_may_end_everything() {
    let stop = json!({ "continue": false, "stopReason": "enough" });
    let mut stage = stage(on("Stop", &prints(&stop)), Scenario::new().text("done")).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::HookStopped);
    assert_eq!(turned.ended.terminal_reason.as_deref(), Some("stop_hook_prevented"));
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_shown_and_listed() {
    let hooks = json!({
        "PostToolUse": [{ "matcher": "Bash", "hooks": [
            { "type": "command", "command": "exit 0", "statusMessage": "Counting" },
        ]}],
        "Stop": [{ "hooks": [{ "type": "command", "command": "exit 3" }] }],
    });
    let mut stage = stage(hooks, touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let started = turned.events.iter().find_map(|event| match &event.body {
        EventBody::HookStarted(started) => Some(started.clone()),
        _ => None,
    });
    let started = started.unwrap();
    assert_eq!((started.event.as_str(), started.title.as_str()), ("PostToolUse", "Counting"));
    assert!(started.tool_call_id.is_some());
    let ended: Vec<_> = turned
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::HookEnded(ended) => Some((ended.event.clone(), ended.outcome.clone())),
            _ => None,
        })
        .collect();
    assert!(ended.contains(&("PostToolUse".to_owned(), HookOutcome::Success)), "{ended:?}");
    assert!(ended.contains(&("Stop".to_owned(), HookOutcome::Failed)), "{ended:?}");
    stage.client.prompt(&stage.session, "/hooks").await;
    let listed = stage
        .client
        .next_event("the list", |event| matches!(event.body, EventBody::CommandOutput(_)))
        .await;
    let EventBody::CommandOutput(listed) = listed.body else { unreachable!() };
    for words in
        ["PostToolUse", "command on Bash: Counting", "the user settings", "Last runs", "failed"]
    {
        assert!(listed.text.contains(words), "{words}: {}", listed.text);
    }
}

/// What a hook says at great length is in a file, and the model knows where.
#[tokio::test(flavor = "multi_thread")]
async fn long_words_go_to_a_file() {
    let command = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done";
    let mut stage = stage(on("UserPromptSubmit", command), Scenario::new().text("aye")).await;
    stage.client.ask(&stage.session, "go").await;
    let request = last_request(&stage);
    assert!(request.contains("line 10") && !request.contains("line 2999"), "{}", request.len());
    assert!(request.contains("more characters; all of it is in"), "it says where");
}

/// Nobody waits for it, and its no wakes the model.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_in_the_background_wakes_the_model() {
    let hook = json!({
        "type": "command", "asyncRewake": true,
        "command": "while [ ! -e go-on ]; do sleep 0.05; done; echo the anchor drags >&2; exit 2",
    });
    let hooks = json!({ "PostToolUse": [{ "hooks": [hook] }] });
    let script = touch().answer().when("the anchor drags").text("I see to it");
    let mut stage = stage(hooks, script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "ok", "nobody waited for it");
    stage.project.write("go-on", "");
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.text(), "I see to it");
}

/// A command may say itself that nobody should wait.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_detaches_itself() {
    let command = "echo '{\"async\": true}'; while [ ! -e go-on ]; do sleep 0.05; done; touch late";
    let mut stage = stage(on("PostToolUse", command), touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "ok");
    assert!(!stage.project.exists("late"));
    stage.project.write("go-on", "");
    kit::within("the hook to end", async {
        while !stage.project.exists("late") {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// Identical handlers of two files run once, and a project's only when it is approved (T-01).
#[tokio::test(flavor = "multi_thread")]
async fn sources_are_joined_and_a_strangers_hooks_rest() {
    let hook = |word: &str| on("UserPromptSubmit", &format!("echo {word} >> ran"));
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": hook("user") }));
    project.write(".claude/settings.json", json!({ "hooks": hook("project") }).to_string());
    let mut stage = Stage::set(project, Scenario::new().text("aye"), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    assert_eq!(stage.project.read("ran").trim(), "user", "the folder is not trusted");
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": hook("same") }));
    project.managed_settings(&json!({ "hooks": hook("same") }));
    let mut stage = Stage::set(project, Scenario::new().text("aye"), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    assert_eq!(stage.project.read("ran").trim(), "same", "it ran once");
}
