//! The tools on real files: what the user sees is what they read, and nothing is lost.

use kit::{Called, Project, Stage, files};
use model::Scenario;
use protocol::EventBody;
use protocol::permission::Subject;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

fn path(name: &str) -> String {
    format!("{{{{cwd}}}}/{name}")
}

fn read(name: &str) -> Value {
    json!({ "file_path": path(name) })
}

fn edit(name: &str, old: &str, new: &str) -> Value {
    json!({ "file_path": path(name), "old_string": old, "new_string": new })
}

/// The calls, one answer each, with nobody asked.
async fn run(project: Project, calls: Vec<(&str, Value)>) -> (Stage, Vec<Called>) {
    let mut script = Scenario::new();
    for (tool, input) in calls {
        script = script.tool(tool, input).answer();
    }
    let mut stage = Stage::set(project, script.text("ok"), Mode::BypassPermissions).await;
    let calls = stage.client.ask(&stage.session, "go").await.calls();
    (stage, calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_keeps_bytes_that_it_does_not_change() {
    let check = [
        ("crlf", &b"one\r\ntwo\r\nthree\r\n"[..], &b"one\r\n2\r\nthree\r\n"[..]),
        ("bom", b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfone\n2\n"),
        ("mixed", b"one\r\ntwo\nthree\r", b"one\r\n2\nthree\r"),
        ("no-end", b"one\ntwo", b"one\n2"),
        ("latin1", b"caf\xe9\ntwo\n", b"caf\xe9\n2\n"),
        ("utf16le", b"\xff\xfet\0w\0o\0\n\0", b"\xff\xfe2\0\n\0"),
        ("utf16be", b"\xfe\xff\0t\0w\0o\0\n", b"\xfe\xff\x002\0\n"),
    ];
    for (name, before, after) in check {
        let project = Project::new("");
        project.write(name, before);
        files::set_mode(&project.path(name), 0o751);
        let calls = vec![("Read", read(name)), ("Edit", edit(name, "two", "2"))];
        let (stage, calls) = run(project, calls).await;
        assert!(calls.iter().all(|call| call.status == ToolStatus::Completed), "{name}: {calls:?}");
        assert_eq!(files::bytes(&stage.project.path(name)), after, "{name}");
        assert_eq!(files::mode(&stage.project.path(name)), 0o751, "{name}");
        assert_eq!(files::all(stage.project.root()).len(), 1, "{name}: nothing is left behind");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_edits_of_a_file_are_all_made_or_none() {
    let edits = |last: &str| {
        json!({ "file_path": path("song"), "edits": [
            { "old_string": "one", "new_string": "1" },
            { "old_string": "1\ntwo", "new_string": "1\n2" },
            { "old_string": last, "new_string": "4" },
        ]})
    };
    let project = Project::new("//- /song\none\ntwo\nthree\nfour\n");
    let calls = vec![("Read", read("song")), ("Edit", edits("five")), ("Edit", edits("four"))];
    let (stage, calls) = run(project, calls).await;
    assert_eq!(calls[1].status, ToolStatus::Failed);
    assert!(calls[1].text.contains("because of edit 3"), "{calls:?}");
    assert_eq!(calls[2].status, ToolStatus::Completed, "{calls:?}");
    assert_eq!(stage.project.read("song"), "1\n2\nthree\n4\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notebook_is_read_and_changed_by_its_cells() {
    let book = r##"{
 "cells": [
  {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# One\n", "more"]},
  {"cell_type": "code", "execution_count": 2, "id": "c", "metadata": {},
   "outputs": [{"output_type": "stream", "name": "stdout", "text": "printed"}], "source": "x = 1"}
 ],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5
}
"##;
    let project = Project::new("");
    project.write("n.ipynb", book);
    let change = json!({ "notebook_path": path("n.ipynb"), "cell_id": "c", "new_source": "y = 2" });
    let calls = vec![("Read", read("n.ipynb")), ("NotebookEdit", change)];
    let (stage, calls) = run(project, calls).await;
    assert!(calls[0].text.contains("<cell id=\"m\" type=\"markdown\">\n# One\nmore\n</cell>"));
    assert!(calls[0].text.contains("printed"), "{calls:?}");
    assert_eq!(calls[1].status, ToolStatus::Completed, "{calls:?}");
    let expect = book
        .replace("x = 1", "y = 2")
        .replace("\"execution_count\": 2", "\"execution_count\": null")
        .replace(
            "[{\"output_type\": \"stream\", \"name\": \"stdout\", \"text\": \"printed\"}]",
            "[]",
        );
    assert_eq!(stage.project.read("n.ipynb"), expect);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_text_for_a_crlf_file_gets_its_line_ends() {
    let project = Project::new("");
    project.write("a", "one\r\ntwo\r\n");
    let write = json!({ "file_path": path("a"), "content": "1\n2\n" });
    let calls = vec![("Read", read("a")), ("Write", write)];
    let (stage, calls) = run(project, calls).await;
    assert_eq!(calls[1].status, ToolStatus::Completed, "{calls:?}");
    assert_eq!(stage.project.read("a"), "1\r\n2\r\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_brings_its_folders() {
    let write = json!({ "file_path": path("deep/down/new.txt"), "content": "new\n" });
    let (stage, calls) = run(Project::new(""), vec![("Write", write)]).await;
    assert_eq!(calls[0].status, ToolStatus::Completed, "{calls:?}");
    assert_eq!(stage.project.read("deep/down/new.txt"), "new\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_says_why() {
    let project = Project::new("//- /main.rs\nfn main() {}\n");
    project.write("binary", b"\x7fELF\0\0\0\x01");
    project.write("folder/file", "");
    project.write("huge", vec![b'a'; 60 << 20]);
    let calls = vec![
        ("Read", read("binary")),
        ("Read", read("folder")),
        ("Read", read("huge")),
        ("Read", read("mian.rs")),
        ("Edit", edit("main.rs", "main", "x")),
        ("Nonsense", json!({})),
        ("Read", json!({ "wrong": 1 })),
    ];
    let (_stage, calls) = run(project, calls).await;
    let check = |at: usize, words: &str| {
        let call = &calls[at];
        assert_eq!(call.status, ToolStatus::Failed, "{call:?}");
        assert!(call.text.contains(words), "{words:?} in {call:?}");
        assert!(call.text.len() < 600, "{call:?}");
    };
    check(0, "not text");
    check(1, "is a folder");
    check(2, "more than the");
    check(3, "did you mean");
    check(4, "Read it first");
    check(5, "Nonsense");
    check(6, "file_path");
}

#[tokio::test(flavor = "multi_thread")]
async fn searching_sees_unsaved_text_and_new_files() {
    let project =
        Project::new("//- /a.txt\nsaved needle\n//- /b.txt\nneedle\n//- /.gitignore\nb.txt\n");
    let grep = json!({ "pattern": "needle", "output_mode": "content" });
    let glob = json!({ "pattern": "*.txt" });
    let script = Scenario::new()
        .tool("Grep", grep)
        .tool("Glob", glob)
        .tool("Read", read("unsaved.txt"))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let (a, unsaved) = (stage.project.uri("a.txt"), stage.project.uri("unsaved.txt"));
    stage.client.open(&a, "an unsaved needle ☃\n");
    stage.client.open(&unsaved, "only in the editor: needle\n");
    let calls = stage.client.ask(&stage.session, "go").await.calls();
    assert!(calls[0].text.contains("an unsaved needle ☃"), "{calls:?}");
    assert!(!calls[0].text.contains("saved needle\n"), "{calls:?}");
    assert!(calls[0].text.contains("only in the editor: needle"), "{calls:?}");
    assert!(calls[1].text.contains("a.txt"), "{calls:?}");
    assert!(calls[2].text.contains("only in the editor"), "{calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_keep_their_folder_and_their_limits() {
    let bash = |command: &str| ("Bash", json!({ "command": command }));
    let calls = vec![
        bash("mkdir -p sub && cd sub"),
        bash("pwd"),
        bash("cd / && pwd"),
        bash("pwd"),
        bash("exit 3"),
        ("Bash", json!({ "command": "echo begun; git --version; sleep 60", "timeout": 300 })),
        bash("yes 0123456789 | head -c 300000"),
        bash("echo $BOWLINE_HOME >&2; cat"),
    ];
    let (stage, calls) = run(Project::new(""), calls).await;
    let root = stage.project.root().display().to_string();
    assert_eq!(calls[1].text.trim(), format!("{root}/sub"));
    assert!(calls[2].text.contains("reset"), "{:?}", calls[2]);
    assert_eq!(calls[3].text.trim(), root);
    assert!(calls[4].text.contains("Exit code 3"), "{:?}", calls[4]);
    assert_eq!(calls[4].status, ToolStatus::Failed);
    assert!(calls[5].text.contains("stopped after 0.3 seconds"), "{:?}", calls[5]);
    assert!(calls[5].text.contains("begun"), "{:?}", calls[5]);
    assert!(calls[6].text.len() < 40_000, "{}", calls[6].text.len());
    assert!(calls[6].text.contains("left out"), "{}", calls[6].text.len());
    assert_eq!(calls[7].status, ToolStatus::Completed, "nobody types to a command");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_steps_is_shown() {
    let todos = json!({ "todos": [
        { "content": "Look", "activeForm": "Looking", "status": "completed" },
        { "content": "Think", "activeForm": "Thinking", "status": "in_progress" },
    ]});
    let script = Scenario::new().tool("TodoWrite", todos).answer().text("ok");
    let mut stage = Stage::new("", script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let items = turned.events.iter().find_map(|event| match &event.body {
        EventBody::TodosUpdated(updated) => Some(&updated.items),
        _ => None,
    });
    let items: Vec<_> =
        items.unwrap().iter().map(|item| (item.content.as_str(), item.status.as_str())).collect();
    assert_eq!(items, [("Look", "completed"), ("Think", "in_progress")]);
    let attached = stage.client.attach(&stage.session, None).await;
    assert_eq!(attached.snapshot.unwrap().todos.len(), 2);
}

const SONG: &str = "one\ntwo\nthree\nfour\n";

fn edit_script(old: &str, new: &str) -> Scenario {
    let edit = edit("song", old, new);
    Scenario::new().tool("Read", read("song")).answer().tool("Edit", edit).answer().text("ok")
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_elsewhere_while_the_user_decides_moves_the_edit() {
    let mut stage =
        Stage::new("//- /song\none\ntwo\nthree\nfour\n", edit_script("three", "3")).await;
    let uri = stage.project.uri("song");
    stage.client.open(&uri, SONG);
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.replace(&uri, "one\n", "zero\nthe first ☃\n");
    stage.client.replace(&uri, "four", "4");
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.calls()[1].status, ToolStatus::Completed, "{:?}", turned.calls());
    assert_eq!(stage.client.editor.text(&uri), "zero\nthe first ☃\ntwo\n3\n4\n");
    assert_eq!(stage.project.read("song"), SONG);
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_at_the_moment_of_the_edit_moves_it_too() {
    let script = edit_script("three", "3");
    let fixture = "//- /song\none\ntwo\nthree\nfour\n";
    let mut stage = Stage::in_mode(fixture, script, Mode::AcceptEdits).await;
    let uri = stage.project.uri("song");
    stage.client.open(&uri, SONG);
    stage.client.editor.type_before_next_edit(&uri, "two", "two and a half");
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.calls()[1].status, ToolStatus::Completed, "{:?}", turned.calls());
    assert_eq!(stage.client.editor.text(&uri), "one\ntwo and a half\n3\nfour\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_at_the_same_place_wins() {
    let mut stage =
        Stage::new("//- /song\none\ntwo\nthree\nfour\n", edit_script("three", "3")).await;
    let uri = stage.project.uri("song");
    stage.client.open(&uri, SONG);
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.replace(&uri, "three", "THREE!");
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.calls()[1].status, ToolStatus::Failed, "{:?}", turned.calls());
    assert_eq!(stage.client.editor.text(&uri), "one\ntwo\nTHREE!\nfour\n");
    assert_eq!(stage.project.read("song"), SONG);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_on_disk_while_the_user_decides_is_not_overwritten() {
    let mut stage =
        Stage::new("//- /song\none\ntwo\nthree\nfour\n", edit_script("three", "3")).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.project.write("song", "somebody else was here\n");
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.calls()[1].status, ToolStatus::Failed, "{:?}", turned.calls());
    assert_eq!(stage.project.read("song"), "somebody else was here\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_refuses_is_believed() {
    let fixture = "//- /song\none\ntwo\nthree\nfour\n";
    let mut stage = Stage::in_mode(fixture, edit_script("three", "3"), Mode::AcceptEdits).await;
    let uri = stage.project.uri("song");
    stage.client.open(&uri, SONG);
    stage.client.editor.refuses = Some("it is read-only");
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.calls()[1].status, ToolStatus::Failed);
    assert!(turned.calls()[1].text.contains("it is read-only"), "{:?}", turned.calls());
    assert_eq!(stage.client.editor.text(&uri), SONG);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_does_not_know_our_edit_gets_the_standard_one() {
    let fixture = "//- /song\none\ntwo\nthree\nfour\n";
    let script = edit_script("three", "3")
        .answer()
        .tool("Edit", edit("song", "four", "4"))
        .answer()
        .text("ok");
    let mut stage = Stage::in_mode(fixture, script, Mode::AcceptEdits).await;
    let uri = stage.project.uri("song");
    stage.client.open(&uri, SONG);
    stage.client.forgets.push("agent/editor/apply");
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.calls()[1].status, ToolStatus::Completed, "{:?}", turned.calls());
    assert_eq!(stage.client.editor.text(&uri), "one\ntwo\n3\nfour\n");
    // It is not asked again in a way it did not know: that would be left unanswered here.
    stage.client.held.push("agent/editor/apply");
    let turned = stage.client.ask(&stage.session, "again").await;
    assert_eq!(turned.call().status, ToolStatus::Completed, "{:?}", turned.calls());
    assert_eq!(stage.client.editor.text(&uri), "one\ntwo\n3\n4\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_closed_while_the_user_decides_is_written() {
    let mut stage =
        Stage::new("//- /song\none\ntwo\nthree\nfour\n", edit_script("three", "3")).await;
    let uri = stage.project.uri("song");
    stage.client.open(&uri, SONG);
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert!(matches!(&request.subject, Subject::Edit(edit) if edit.version == Some(1)));
    stage.client.close_document(&uri);
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.calls()[1].status, ToolStatus::Completed, "{:?}", turned.calls());
    assert_eq!(stage.project.read("song"), "one\ntwo\n3\nfour\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_to_the_editor_after_a_stop() {
    let fixture = "//- /song\none\ntwo\nthree\nfour\n";
    let mut stage = Stage::in_mode(fixture, edit_script("three", "3"), Mode::AcceptEdits).await;
    let (client, session) = (&mut stage.client, &stage.session);
    let uri = stage.project.uri("song");
    client.open(&uri, SONG);
    client.held.push("agent/editor/apply");
    client.prompt(session, "go").await;
    let (apply, _): (_, Value) = client.expect("agent/editor/apply").await;
    client.cancel(session).await;
    // The user types, and the editor refuses: before the stop this would have been tried again.
    client.replace(&uri, "one", "1");
    client.answer(apply, json!({ "applied": false, "reason": "the document changed" }));
    let turned = client.turn_ended(session).await;
    assert_ne!(turned.calls()[1].status, ToolStatus::Completed, "{:?}", turned.calls());
    assert_eq!(client.editor.text(&uri), "1\ntwo\nthree\nfour\n");
    // A second edit request would be left unanswered, and fail the test.
    client.request::<protocol::status::Status>(protocol::Empty {}).await;
}
