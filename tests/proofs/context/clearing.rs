//! What is left out without asking a model: results in great number, results after a long pause, and
//! the work of old turns.

use std::sync::atomic::{AtomicI64, Ordering};

use host::context::Clock;
use host::session::Limits;
use kit::{model, model_with};
use protocol::session::SessionNewParams;

use super::*;

const CLEARED: &str = "This result was cleared";

/// So many files of about `words` tokens, and the calls that read them all.
fn many_files(project: &Project, files: usize, words: usize) -> Vec<Value> {
    // In lines: a very long one would be cut.
    let lines = format!("{}\n", "plank ".repeat(20)).repeat(words / 20);
    let text = |file: usize| format!("file {file}\n{lines}");
    let call = |file: usize| {
        let name = format!("f{file}.txt");
        project.write(&name, text(file));
        json!({ "file_path": project.path(&name).display().to_string() })
    };
    (0..files).map(call).collect()
}

fn reads(script: Scenario, calls: Vec<Value>) -> Scenario {
    calls.into_iter().fold(script, |script, call| script.tool("Read", call))
}

fn all(model: &TestServer, at: usize) -> String {
    serde_json::to_string(&messages(model, at)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_very_many_results_the_old_ones_go() {
    let project = small(Project::new(""));
    let calls = many_files(&project, 45, 140);
    let script = reads(Scenario::new(), calls).usage(filled(100)).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "ok");
    let last = all(&stage.model, 1);
    assert_eq!(last.matches(CLEARED).count(), 25, "twenty stay");
    assert!(!last.contains("file 24\\n") && last.contains("file 25\\n"), "the oldest went");
    let cleared = |record: &Value| record["type"] == "cleared" && record["why"] == "many";
    assert_eq!(stage.project.journal().iter().filter(|record| cleared(record)).count(), 1);
}

/// Hours that have passed since the test began.
static LATER: AtomicI64 = AtomicI64::new(0);

fn later() -> Clock {
    Clock(|| {
        let hours = LATER.load(Ordering::Relaxed);
        Clock::system().now() + std::time::Duration::from_secs(hours.unsigned_abs() * 3600)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_long_pause_old_results_go() {
    let project = small(Project::new(""));
    let calls = many_files(&project, 10, 400);
    let script = reads(Scenario::new(), calls).usage(filled(100)).answer();
    let script = script.text("one").usage(filled(6_000)).answer().text("two").usage(filled(6_000));
    let script = script.answer().text("three").usage(filled(4_000)).answer().text("four");
    let model = model(script).await;
    let start = || Server::start_by(later(), &project, model_with(&model), Limits::default());
    let server = start();
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session_with(SessionNewParams::default()).await;
    client.ask(&session, "go").await;
    client.ask(&session, "at once").await;
    assert_eq!(all(&model, 2).matches(CLEARED).count(), 0, "what is cached is cheap");
    LATER.store(2, Ordering::Relaxed);
    client.ask(&session, "two hours later").await;
    let live = all(&model, 3);
    assert_eq!(live.matches(CLEARED).count(), 5, "five stay");
    client.leave().await;
    drop(server);
    let server = start();
    let mut client = server.connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    client.ask(&session, "again").await;
    assert_eq!(all(&model, 4).matches(CLEARED).count(), 5, "the same after a restart");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_work_of_old_turns_is_left_out_when_the_window_fills() {
    let project = small(Project::new(""));
    let read = many_files(&project, 1, 1_800);
    let mut script = reads(Scenario::new(), read).usage(filled(100)).answer().text("It is oak.");
    for (turn, tokens) in [(2, 4_000), (3, 4_000), (4, 12_000), (5, 11_000)] {
        script = script.usage(filled(tokens)).answer().text(&format!("answer {turn}"));
    }
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "what wood is the boat of?").await;
    for prompt in ["second", "third"] {
        stage.client.ask(&stage.session, prompt).await;
    }
    assert!(all(&stage.model, 3).contains("plank plank"));
    let turned = stage.client.ask(&stage.session, "fourth").await;
    assert!(summed_up(&turned).is_empty(), "no model was asked for it");
    let live = messages(&stage.model, 4);
    let text = serde_json::to_string(&live).unwrap();
    assert!(!text.contains("plank plank"), "the work is gone: {text}");
    for stays in ["what wood is the boat of?", "It is oak.", "second", "was left out"] {
        assert!(text.contains(stays), "{stays}: {text}");
    }
    let snipped = |record: &Value| record["type"] == "snipped";
    assert_eq!(stage.project.journal().iter().filter(|record| snipped(record)).count(), 1);
    let Stage { client, session, server, model, project } = stage;
    client.leave().await;
    drop(server);
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    client.ask(&session, "fifth").await;
    let resumed = messages(&model, 5);
    let bare = |messages: &[Value]| {
        let text = serde_json::to_string(messages).unwrap();
        text.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
            .replace(r#""cache_control":{"type":"ephemeral"},"#, "")
    };
    assert_eq!(bare(&resumed[..live.len()]), bare(&live), "to the byte after a restart");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_may_clear_results_by_itself_says_so() {
    let project = small(Project::new("//- /a.txt\nJuno\n"));
    let read = json!({ "file_path": project.path("a.txt").display().to_string() });
    let script = Scenario::new().tool("Read", read).answer().text("ok").cleared(3, 4_500);
    let model = model(script).await;
    let on = [("BOWLINE_API_CLEARING", "on".to_owned())];
    let env = model_with(&model).into_iter().chain(on);
    let server = Server::start_with(&project, env, Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session_with(SessionNewParams::default()).await;
    assert_eq!(client.ask(&session, "go").await.text(), "ok");
    let edits = &model.requests()[0].body["context_management"]["edits"];
    assert_eq!(edits[0]["type"], "clear_tool_uses_20250919");
    let told = |record: &Value| record["type"] == "cleared_by_provider" && record["results"] == 3;
    assert_eq!(project.journal().iter().filter(|record| told(record)).count(), 1);
}
