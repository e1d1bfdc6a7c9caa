//! `bowline -p`: for scripts, with exit codes and nothing on stdout but the answer.

use kit::{Bowline, Finished, Project, files, finished, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

const FILES: &str = "//- /a.txt\nalpha\n";

fn hello() -> Scenario {
    Scenario::new().forever().text("Hello.")
}

async fn run(project: &Project, model: &TestServer, args: &[&str]) -> Finished {
    Bowline::new(project).model(model).args(args).run().await
}

async fn run_json(project: &Project, model: &TestServer, args: &[&str]) -> (Option<i32>, Value) {
    let args = [&["-p", "go", "--output-format", "json"], args].concat();
    let done = run(project, model, &args).await;
    let value = serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{done:?}"));
    (done.code, value)
}

fn touch() -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().text("done")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_and_nothing_else() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let done = run(&project, &model, &["-p", "hi"]).await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Hello.\n"), "{done:?}");
    assert_eq!(done.stderr, "");
    // Only the last message is the answer.
    let script = Scenario::new()
        .text("Looking.")
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .when("alpha")
        .text("It says alpha.");
    let model = kit::model(script).await;
    let done = run(&project, &model, &["-p", "what does it say?"]).await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "It says alpha.\n"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_as_json() {
    let project = Project::new(FILES);
    let model = model(touch()).await;
    let (code, result) = run_json(&project, &model, &[]).await;
    assert_eq!(code, Some(0));
    let keys: Vec<_> = result.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "type",
            "subtype",
            "is_error",
            "result",
            "stop_reason",
            "session_id",
            "num_turns",
            "duration_ms",
            "total_cost_usd",
            "usage",
            "modelUsage",
            "permission_denials",
            "terminal_reason"
        ]
    );
    assert_eq!(result["type"], "result");
    assert_eq!(result["subtype"], "success");
    assert_eq!(result["is_error"], false);
    assert_eq!(result["result"], "done");
    assert_eq!(result["num_turns"], 2);
    let denied = &result["permission_denials"][0];
    assert_eq!(denied["tool_name"], "Bash");
    assert_eq!(denied["tool_input"], json!({ "command": "touch made" }));
    assert!(!project.exists("made"), "nobody is there to be asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_prompt_may_come_from_a_pipe() {
    let project = Project::new(FILES);
    let model = model(Scenario::new().forever().text("You said: {{prompt}}")).await;
    let piped = |args: &'static [&'static str], input: &'static str| {
        Bowline::new(&project).model(&model).args(args).run_with_stdin(input)
    };
    assert_eq!(piped(&["-p"], "from a pipe").await.stdout, "You said: from a pipe\n");
    let both = piped(&["-p", "review this"], "the diff\n").await;
    assert_eq!(both.stdout, "You said: review this\n\nthe diff\n");
    let done = piped(&["-p"], " \n").await;
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("nothing to do"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let (_, first) = run_json(&project, &model, &[]).await;
    let id = first["session_id"].as_str().unwrap();
    let (_, again) = run_json(&project, &model, &["--continue"]).await;
    assert_eq!(again["session_id"], id);
    let (_, resumed) = run_json(&project, &model, &["--resume", &id[..20]]).await;
    assert_eq!(resumed["session_id"], id);
    assert_eq!(project.journals().len(), 1);
    let messages = model.requests().last().unwrap().body["messages"].as_array().unwrap().len();
    assert_eq!(messages, 5);
    let (_, other) = run_json(&project, &model, &[]).await;
    assert_ne!(other["session_id"], id);

    let elsewhere = Project::new("");
    let done = run(&elsewhere, &model, &["-p", "hi", "--continue"]).await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("leave out --continue"), "{done:?}");
    let done = run(&project, &model, &["-p", "hi", "--resume", "ffffffff"]).await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("There is no session"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_decide_what_may_be_done() {
    let check = async |args: &'static [&'static str], made: bool| {
        let project = Project::new(FILES);
        project.agree_to_bypass();
        let model = model(touch()).await;
        let done = run(&project, &model, &[&["-p", "go"], args].concat()).await;
        assert_eq!(done.code, Some(0), "{args:?} {done:?}");
        assert_eq!(project.exists("made"), made, "{args:?} {done:?}");
    };
    check(&[], false).await;
    check(&["--allowedTools", "Bash(touch *)"], true).await;
    check(&["--allowed-tools=Bash(ls *),Bash(touch *)"], true).await;
    check(&["--allowedTools", "Bash(ls *)"], false).await;
    check(&["--permission-mode", "bypassPermissions"], true).await;
    check(&["--permission-mode", "plan"], false).await;
    check(&["--permission-mode", "bypassPermissions", "--disallowedTools", "Bash(touch *)"], false)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn model_turns_and_folders() {
    let project = Project::new(FILES);
    let server = model(hello()).await;
    run(&project, &server, &["-p", "hi", "--model", "haiku"]).await;
    let named = server.requests()[0].body["model"].as_str().unwrap().to_owned();
    assert!(named.contains("haiku"), "{named}");

    let read = json!({ "file_path": "{{cwd}}/a.txt" });
    let server = model(Scenario::new().forever().tool("Read", read)).await;
    let (code, result) = run_json(&project, &server, &["--max-turns", "2"]).await;
    assert_eq!(code, Some(1));
    assert_eq!(result["subtype"], "error_max_turns");
    assert_eq!(server.requests().len(), 2);

    let other = Project::new("//- /there.txt\nover there\n");
    let path = other.path("there.txt");
    let script =
        || Scenario::new().tool("Read", json!({ "file_path": path })).answer().text("{{prompt}}");
    let done = run(&project, &model(script()).await, &["-p", "go"]).await;
    assert!(!done.stdout.contains("over there"), "{done:?}");
    let folder = other.root().display().to_string();
    let done = run(&project, &model(script()).await, &["-p", "go", "--add-dir", &folder]).await;
    assert!(done.stdout.contains("over there"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_in_the_call_are_usage_errors() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let check = [
        (&["--no-such-flag"][..], "--no-such-flag"),
        (&["-p", "hi", "--permission-mode", "yolo"], "yolo"),
        (&["-p", "hi", "--allowedTools", "Bash("], "--allowedTools"),
        (&["-p", "hi", "--max-turns", "0"], "max-turns"),
        (&["-p", "hi", "--output-format", "xml"], "xml"),
        (&["-p", "hi", "--resume"], "--resume needs an id"),
        (&["-p"], "nothing to do"),
    ];
    for (args, words) in check {
        let done = run(&project, &model, args).await;
        assert_eq!(done.code, Some(2), "{args:?}: {done:?}");
        assert!(done.stderr.contains(words), "{args:?}: {done:?}");
        assert_eq!(done.stdout, "", "{args:?}");
    }
    assert!(model.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_is_one_sentence_and_exit_code_1() {
    let project = Project::new(FILES);
    let model = model(hello()).await;
    let wrong_key = Bowline::new(&project).model(&model).env("ANTHROPIC_API_KEY", "wrong");
    let done = wrong_key.args(&["-p", "hi"]).run().await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(format!("{}{}", done.stdout, done.stderr).contains("ANTHROPIC_API_KEY"), "{done:?}");
    let done = run(&project, &model, &["-p", "hi", "--model", "no-such-model"]).await;
    assert_eq!(done.code, Some(1), "{done:?}");
    let nowhere = Bowline::new(&project).env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
    let done = nowhere.env("ANTHROPIC_API_KEY", "x").args(&["-p", "hi"]).run().await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(format!("{}{}", done.stdout, done.stderr).contains("Nothing listens"), "{done:?}");

    files::write(&project.bowline_home().join("settings.json"), "{ \"permissions\": ");
    let done = run(&project, &model, &["-p", "hi"]).await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("settings.json") && done.stderr.contains("JSON"), "{done:?}");
    assert_eq!(done.stderr.trim_end().lines().count(), 1, "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_the_turn_and_keeps_the_session() {
    let project = Project::new(FILES);
    let model = model(Scenario::new().text("Let me think").hang()).await;
    let child = Bowline::new(&project).model(&model).args(&["-p", "think hard"]).spawn();
    let pid = child.id().unwrap();
    kit::within("the model to be asked", async {
        while model.requests().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    kit::interrupt(pid);
    let done = finished(child).await;
    assert_eq!(done.code, Some(130), "{done:?}");
    let journal = project.journal();
    assert_eq!(journal.last().unwrap()["type"], "turn_ended", "{journal:#?}");
    assert_eq!(journal.last().unwrap()["reason"], "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_there_is_the_rehearsal_model() {
    let project = Project::new(FILES);
    let done = Bowline::new(&project).args(&["-p", "read a.txt"]).run().await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("alpha"), "{done:?}");
    assert!(done.stderr.contains("rehearsal model"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn small_commands() {
    let project = Project::new("");
    let before = files::all(project.home());
    let version = Bowline::bare(&project).args(&["--version"]).run().await;
    assert_eq!(version.code, Some(0));
    assert!(version.stdout.starts_with("bowline "), "{version:?}");
    let help = Bowline::bare(&project).args(&["--help"]).run().await;
    assert!(help.stdout.contains("Exit codes"), "{help:?}");
    let schema = Bowline::bare(&project).args(&["schema"]).run().await;
    assert!(serde_json::from_str::<Value>(&schema.stdout).is_ok());
    assert_eq!(files::all(project.home()), before);
}

/// T-18: whatever a value looks like, it is a value.
#[tokio::test(flavor = "multi_thread")]
async fn what_stands_in_a_value_is_no_flag() {
    let project = Project::new(FILES);
    let evil = project.home().join("evil.json");
    files::write(&evil, json!({ "permissions": { "allow": ["Bash"] } }).to_string());
    let flag = format!("--settings={}", evil.display());
    let said = format!("go {flag} --dangerously-skip-permissions");
    for args in [
        &["-p", said.as_str()][..],
        &["-p", "--", flag.as_str()],
        &["-p", "go", "--append-system-prompt", said.as_str()],
        &["-p", "go", "--title", said.as_str()],
    ] {
        let model = model(touch()).await;
        let done = run(&project, &model, args).await;
        assert!(!project.exists("made"), "{args:?}: {done:?}");
    }
    let model = model(touch()).await;
    run(&project, &model, &["-p", "go", flag.as_str()]).await;
    assert!(project.exists("made"), "as a flag it counts");
}
