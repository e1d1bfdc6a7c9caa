//! One truth of text: what the user sees, what the disk says, and what the two last agreed on.

use kit::{Profile, Project, Server, Stage, model};
use model::Scenario;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

fn read() -> Value {
    json!({ "file_path": "{{cwd}}/a.txt" })
}

fn edit(old: &str, new: &str) -> Value {
    json!({ "file_path": "{{cwd}}/a.txt", "old_string": old, "new_string": new })
}

/// The disk was looked at. That happens beside the loop, so one request may overtake it; many that
/// look at the disk themselves do not.
async fn settled(stage: &mut Stage, uri: &str) {
    for _ in 0..50 {
        let params = json!({ "uri": uri });
        stage.client.call("agent/review/list", params).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn grep_sees_what_is_unsaved_and_not_what_is_deleted_in_the_buffer() {
    let grep = |pattern: &str| json!({ "pattern": pattern, "output_mode": "content" });
    let script = Scenario::new()
        .tool("Grep", grep("only_unsaved"))
        .tool("Grep", grep("only_on_disk"))
        .tool("Glob", json!({ "pattern": "**/*.new" }))
        .tool("Read", json!({ "file_path": "{{cwd}}/never.new" }))
        .answer()
        .text("done");
    let mut stage = Stage::new("//- /a.txt\nonly_on_disk\n", script).await;
    let (uri, new) = (stage.project.uri("a.txt"), stage.project.uri("never.new"));
    stage.client.open(&uri, "only_on_disk\n");
    stage.client.replace(&uri, "only_on_disk", "only_unsaved");
    stage.client.open(&new, "a file that was never saved\n");
    let turned = stage.client.ask(&stage.session, "go").await;
    let calls = turned.calls();
    assert!(calls[0].text.contains("only_unsaved"), "{}", calls[0].text);
    assert!(!calls[1].text.contains("a.txt"), "{}", calls[1].text);
    assert!(calls[2].text.contains("never.new"), "{}", calls[2].text);
    assert!(calls[3].text.contains("a file that was never saved"), "{}", calls[3].text);
}

/// What Zed's users waited for: a formatter run by a command is seen at once, although the editor
/// has the file open and has not noticed yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_formatter_run_by_a_command_is_seen_by_the_next_read_and_edit() {
    let script = Scenario::new()
        .tool("Read", read())
        .answer()
        .tool("Bash", json!({ "command": "printf 'formatted\\nsecond\\n' > a.txt" }))
        .answer()
        .tool("Read", read())
        .answer()
        .tool("Edit", edit("second", "agent's second"))
        .answer()
        .text("done");
    let project = Project::new("//- /a.txt\nunformatted\nsecond\n");
    project.user_settings(&json!({ "permissions": { "allow": ["Bash"] } }));
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, "unformatted\nsecond\n");
    settled(&mut stage, &uri).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let calls = turned.calls();
    assert!(calls[1].text.contains("a.txt"), "told what the command changed: {}", calls[1].text);
    assert!(calls[2].text.contains("formatted\n") && !calls[2].text.contains("unformatted"));
    assert_eq!(calls[3].status, ToolStatus::Completed, "{}", calls[3].text);
    assert_eq!(stage.client.editor.text(&uri), "formatted\nagent's second\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sides_changed_is_merged_or_told() {
    let script = Scenario::new()
        .tool("Read", read())
        .answer()
        .tool("Edit", edit("five", "agent's five"))
        .answer()
        .text("merged")
        .answer()
        .tool("Read", read())
        .answer()
        .tool("Edit", edit("nine", "agent's nine"))
        .answer()
        .text("told");
    let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
    let mut stage = Stage::in_mode(&format!("//- /a.txt\n{text}"), script, Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, text);
    settled(&mut stage, &uri).await;
    stage.client.replace(&uri, "one", "user's one");
    stage.project.write("a.txt", text.replace("three", "disk's three"));
    let turned = stage.client.ask(&stage.session, "go").await;
    let calls = turned.calls();
    assert!(calls[0].text.contains("user's one") && calls[0].text.contains("disk's three"));
    assert_eq!(calls[1].status, ToolStatus::Completed, "{}", calls[1].text);
    let now = stage.client.editor.text(&uri).to_owned();
    for words in ["user's one", "disk's three", "agent's five"] {
        assert!(now.contains(words), "{words} in {now}");
    }

    // Now the same line on both sides: nobody decides for the user.
    stage.client.replace(&uri, "seven", "user's seven");
    stage.project.write("a.txt", text.replace("seven", "disk's seven"));
    let turned = stage.client.ask(&stage.session, "again").await;
    let calls = turned.calls();
    assert!(calls[0].text.contains("user's seven"), "{}", calls[0].text);
    assert!(calls[0].text.contains("disk's seven"), "the conflict is quoted: {}", calls[0].text);
    assert_eq!(calls[1].status, ToolStatus::Failed, "{}", calls[1].text);
    assert!(!stage.client.editor.text(&uri).contains("agent's nine"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_agent_changed_is_saved_before_a_command() {
    let script = || {
        Scenario::new()
            .tool("Read", read())
            .answer()
            .tool("Edit", edit("old", "new"))
            .answer()
            .tool("Bash", json!({ "command": "cat a.txt" }))
            .answer()
            .text("done")
    };
    let settings =
        |saves: &str| json!({ "permissions": { "allow": ["Bash"] }, "saveBeforeCommands": saves });
    for (saves, seen) in [("save", "new"), ("never", "old")] {
        let project = Project::new("//- /a.txt\nold\n//- /b.txt\nmine\n");
        project.user_settings(&settings(saves));
        let mut stage = Stage::set(project, script(), Mode::AcceptEdits).await;
        let (uri, other) = (stage.project.uri("a.txt"), stage.project.uri("b.txt"));
        stage.client.saves = true;
        stage.client.open(&uri, "old\n");
        stage.client.open(&other, "mine\n");
        stage.client.replace(&other, "mine", "mine, unsaved");
        let turned = stage.client.ask(&stage.session, "go").await;
        let bash = &turned.calls()[2].text;
        assert!(bash.starts_with(seen), "{saves}: {bash}");
        assert!(bash.contains("b.txt"), "told what the command does not see: {bash}");
        assert_eq!(stage.project.read("b.txt"), "mine\n", "the user's own is the user's to save");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_client_cannot_save_and_the_model_is_told() {
    let script = Scenario::new()
        .tool("Read", read())
        .answer()
        .tool("Edit", edit("old", "new"))
        .answer()
        .tool("Bash", json!({ "command": "cat a.txt" }))
        .answer()
        .text("done");
    let project = Project::new("//- /a.txt\nold\n");
    let rules = json!({ "allow": ["Bash"], "defaultMode": "acceptEdits" });
    project.user_settings(&json!({ "permissions": rules }));
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::HELIX).await;
    client.open(&project.uri("a.txt"), "old\n");
    client.command("bowline.ask", json!(["go"])).await;
    while client.notification("window/showMessage").await["message"] != "done" {}
    let told = model.requests().last().unwrap().body["messages"].to_string();
    assert!(told.contains("unsaved") && told.contains("a.txt"), "{told}");
    client.leave().await;
}

/// An editor that sends everything with every change is no different from one that does not.
#[tokio::test(flavor = "multi_thread")]
async fn whole_texts_are_changes_too() {
    let script = Scenario::new()
        .tool("Read", read())
        .answer()
        .tool("Edit", edit("three", "agent's three"))
        .answer()
        .text("done");
    let mut stage = Stage::new("//- /a.txt\none\ntwo\nthree\n", script).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, "one\ntwo\nthree\n");
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    let version = stage.client.editor.drift(&uri, "one\nuser's two\nthree\n");
    let params = json!({
        "textDocument": { "uri": uri, "version": version },
        "contentChanges": [{ "text": "one\nuser's two\nthree\n" }],
    });
    stage.client.notify("textDocument/didChange", params);
    stage.client.allow(asked);
    stage.client.turn_ended(&stage.session).await;
    assert_eq!(stage.client.editor.text(&uri), "one\nuser's two\nagent's three\n");
}
