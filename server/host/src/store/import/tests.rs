//! Transcripts as they are found, and what becomes of them.

use serde_json::json;

use super::*;
use crate::store::load;

const ID: &str = "0b9f3f6a-1111-4222-8333-944455556666";

/// A line: its name, the one before, and the rest.
fn line(uuid: &str, parent: Option<&str>, rest: serde_json::Value) -> String {
    let mut line = json!({"uuid": uuid, "parentUuid": parent, "sessionId": ID, "cwd": "/p",
        "timestamp": "2026-01-02T03:04:05.000Z", "isSidechain": false});
    for (key, value) in rest.as_object().unwrap() {
        line[key] = value.clone();
    }
    line.to_string()
}

fn user(uuid: &str, parent: Option<&str>, content: serde_json::Value) -> String {
    line(uuid, parent, json!({"type": "user", "message": {"role": "user", "content": content}}))
}

fn part(uuid: &str, parent: &str, answer: &str, block: serde_json::Value) -> String {
    let message = json!({"id": answer, "role": "assistant", "model": "claude-x",
        "content": [block], "usage": {"input_tokens": 5, "output_tokens": 7}});
    line(uuid, Some(parent), json!({"type": "assistant", "message": message}))
}

fn result(uuid: &str, parent: &str, call: &str, text: &str) -> String {
    user(uuid, Some(parent), json!([{"type": "tool_result", "tool_use_id": call, "content": text}]))
}

fn call(id: &str) -> serde_json::Value {
    json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "/p/a"}})
}

struct Taken {
    _folder: tempfile::TempDir,
    sessions: PathBuf,
    path: PathBuf,
    imported: Result<Imported, String>,
}

fn take(lines: &[String]) -> Taken {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    std::fs::write(&path, lines.join("\n")).unwrap();
    let sessions = folder.path().join("sessions");
    let imported = import(&sessions, &path, 7);
    Taken { _folder: folder, sessions, path, imported }
}

/// What would be sent, a message a line.
fn sent(taken: &Taken) -> Vec<String> {
    taken.imported.as_ref().unwrap();
    let journal = crate::store::find(&taken.sessions, ID).unwrap();
    let loaded = load(&journal).unwrap();
    assert_eq!((loaded.skipped, loaded.cwd), (0, PathBuf::from("/p")));
    let pieces = loaded.conversation.pieces("claude-x").into_iter();
    pieces.map(|piece| piece.json().to_owned()).collect()
}

#[test]
fn calls_side_by_side_become_one_answer() {
    let taken = take(&[
        json!({"type": "summary", "summary": "made up"}).to_string(),
        user("u1", None, json!("look at it")),
        part(
            "a1",
            "u1",
            "msg_1",
            json!({"type": "thinking", "thinking": "hm", "signature": "sig"}),
        ),
        part("a2", "a1", "msg_1", call("c1")),
        // Each result hangs on its own call: the chain forks here.
        part("a3", "a2", "msg_1", call("c2")),
        result("r1", "a2", "c1", "one"),
        result("r2", "a3", "c2", "two"),
        part("a4", "r2", "msg_2", json!({"type": "text", "text": "done"})),
    ]);
    let sent = sent(&taken);
    assert_eq!(sent.len(), 4, "{sent:#?}");
    assert!(sent[1].contains(r#""signature":"sig""#), "{}", sent[1]);
    assert!(sent[1].contains("c1") && sent[1].contains("c2"), "{}", sent[1]);
    assert!(sent[2].contains("one") && sent[2].contains("two"), "{}", sent[2]);
    assert!(!sent.concat().contains("unknown"), "every call has its result");
    let journal = crate::store::find(&taken.sessions, ID).unwrap();
    let loaded = load(&journal).unwrap();
    assert_eq!(loaded.title.text(), Some("made up"));
    assert!(loaded.conversation.interrupted().is_none());
    assert!(loaded.conversation.cost_usd() == 0.0);
    assert!(import(&taken.sessions, &taken.path, 8).unwrap_err().contains("already"));
    assert!(importable(&taken.sessions, taken.path.parent().unwrap()).is_empty());
}

#[test]
fn what_is_no_part_of_the_conversation_stays_away() {
    let side = |text: &str| {
        let message = json!({"role": "user", "content": text});
        line("s1", Some("u1"), json!({"type": "user", "isSidechain": true, "message": message}))
    };
    let meta =
        json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": "meta"}});
    let fault = json!({"type": "assistant", "isApiErrorMessage": true,
        "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "API Error"}]}});
    let taken = take(&[
        user("u0", None, json!("<command-name>/clear</command-name>")),
        line("m1", Some("u0"), meta),
        user("u1", Some("m1"), json!("the question")),
        side("helper"),
        // Another way that was left.
        part("x1", "u1", "msg_0", json!({"type": "text", "text": "abandoned"})),
        user("u2", Some("u1"), json!([{"type": "text", "text": "in other words"}])),
        line("p1", Some("u2"), json!({"type": "progress", "data": {}})),
        part("a1", "p1", "msg_1", json!({"type": "text", "text": "the answer"})),
        line("f1", Some("a1"), fault),
        json!({"type": "custom-title", "customTitle": "my name"}).to_string(),
        r#"{"type":"user","uuid":"torn","mess"#.to_owned(),
    ]);
    let text = sent(&taken).concat();
    for (words, there) in [
        ("the question", true),
        ("in other words", true),
        ("the answer", true),
        ("abandoned", false),
        ("helper", false),
        ("API Error", false),
    ] {
        assert_eq!(text.contains(words), there, "{words}: {text}");
    }
    assert_eq!(taken.imported.as_ref().unwrap().skipped, 1);
    let journal = crate::store::find(&taken.sessions, ID).unwrap();
    assert_eq!(load(&journal).unwrap().title.text(), Some("my name"));
}

#[test]
fn broken_names_do_not_lose_the_rest() {
    let taken = take(&[
        user("u1", None, json!("first")),
        part("a1", "u1", "msg_1", json!({"type": "text", "text": "one"})),
        user("u2", Some("lost"), json!("second")),
        part("a2", "a2", "msg_2", json!({"type": "text", "text": "two"})),
    ]);
    let text = sent(&taken).concat();
    for words in ["first", "one", "second", "two"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_summary_begins_the_conversation_anew() {
    let summary = json!({"type": "user", "isCompactSummary": true,
        "message": {"role": "user", "content": "what it came to"}});
    let taken = take(&[
        user("u1", None, json!("long ago")),
        line(
            "b1",
            None,
            json!({"type": "system", "subtype": "compact_boundary", "logicalParentUuid": "u1"}),
        ),
        line("s1", Some("b1"), summary),
        part("a1", "s1", "msg_1", json!({"type": "text", "text": "on we go"})),
    ]);
    let text = sent(&taken).concat();
    assert!(text.contains("what it came to") && !text.contains("long ago"), "{text}");
}

#[test]
fn nothing_is_made_of_nothing() {
    assert!(take(&[String::new()]).imported.unwrap_err().contains("no conversation"));
    let folder = tempfile::tempdir().unwrap();
    assert!(importable(folder.path(), &folder.path().join("projects")).is_empty());
}
