//! One message of every family, to the letter: JSON → type → the same JSON.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::negotiation::{ClientCapabilities, ServerCapabilities};
use crate::permission::PermissionRequestParams;
use crate::prompt::Block;
use crate::session::{Config, Effort, Mode, SessionNewParams};
use crate::tool::ToolKind;
use crate::{Event, EventBody, Notification, Request};

fn round_trip<T: DeserializeOwned + Serialize>(message: &Value) {
    let typed: T = serde_json::from_value(message.clone())
        .unwrap_or_else(|error| panic!("{error} in {message}"));
    assert_eq!(&serde_json::to_value(&typed).unwrap(), message);
}

fn request<R: Request>(params: &Value, result: &Value) {
    round_trip::<R::Params>(params);
    round_trip::<R::Result>(result);
}

fn notification<N: Notification>(params: &Value) {
    round_trip::<N::Params>(params);
}

fn range() -> Value {
    json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 4}})
}

fn hunk() -> Value {
    json!({
        "id": "h1", "sessionId": "s1", "turnId": "t1", "toolCallId": "c1", "uri": "file:///a.rs",
        "version": null, "range": range(), "oldText": "old", "newText": "new", "author": "agent",
        "state": "pending",
    })
}

fn permission_request() -> Value {
    json!({
        "requestId": "r1", "sessionId": "s1", "turnId": "t1",
        "toolCall": {"toolCallId": "c1", "name": "Bash", "kind": "execute", "input": {"command": "ls"}},
        "title": "Run ls?", "reason": "No rule allows it.",
        "subject": {"kind": "command", "command": "ls", "cwd": "/w"},
        "options": [
            {"id": "once", "label": "Yes", "kind": "allow", "scope": "once"},
            {"id": "always", "label": "Always", "kind": "allow", "scope": "project", "rule": "Bash(ls)"},
            {"id": "no", "label": "No", "kind": "deny", "scope": "once"},
        ],
        "editable": true,
    })
}

#[test]
fn sessions() {
    use crate::session::*;
    let config = json!({"mode": "plan", "model": "m", "effort": "high", "thinking": "adaptive"});
    let commands = json!([{"name": "review", "description": "Reviews.", "argumentHint": "[file]"}]);
    let agents = json!([{"name": "Explore", "description": "Looks around."}]);
    request::<SessionNew>(
        &json!({"cwd": "/w", "mode": "acceptEdits", "mcpServers": {"x": {"command": "y"}}}),
        &json!({"sessionId": "s1", "seq": 0, "config": config, "commands": commands, "agents": agents}),
    );
    request::<SessionList>(
        &json!({"cwd": "/w"}),
        &json!({"sessions": [{
            "sessionId": "s1", "title": "T", "cwd": "/w", "branch": "main", "updatedAt": 5,
            "messages": 2, "live": true, "status": "waiting",
        }], "next": "c"}),
    );
    let call = json!({
        "toolCallId": "c1", "name": "Read", "title": "Read a.rs", "kind": "read",
        "status": "completed", "content": [{"type": "text", "text": "fn"}],
    });
    request::<SessionAttach>(
        &json!({"sessionId": "s1", "since": 4}),
        &json!({
            "sessionId": "s1",
            "snapshot": {
                "title": "T",
                "messages": [
                    {"messageId": "m1", "role": "user", "blocks": [
                        {"type": "text", "text": "Hi"},
                        {"type": "attachment", "block": {"type": "file", "uri": "file:///a.rs"}},
                    ]},
                    {"messageId": "m2", "role": "assistant", "blocks": [
                        {"type": "thought", "text": "Hm"}, {"type": "toolCall", "call": call},
                    ]},
                ],
                "todos": [{"content": "Do", "activeForm": "Doing", "status": "in_progress"}],
                "usage": {"used": 10, "window": 100, "costUsd": 0.5},
            },
            "events": [{"sessionId": "s1", "seq": 5, "at": 1, "type": "session.updated", "title": "T"}],
            "seq": 5, "config": config, "commands": commands, "agents": agents,
            "pending": [{"type": "permission", "request": permission_request()}],
        }),
    );
    request::<SessionClose>(&json!({"sessionId": "s1"}), &json!({}));
    request::<SessionConfig>(
        &json!({"sessionId": "s1", "set": {"mode": "dontAsk"}}),
        &json!({"config": config}),
    );
    request::<SessionRewind>(
        &json!({"sessionId": "s1", "toMessage": "m1", "what": "both", "preview": true}),
        &json!({
            "files": [{"uri": "file:///a", "version": 3, "change": "restored", "addedLines": 1, "removedLines": 2}],
            "hunks": [hunk()],
            "conflicts": [{"uri": "file:///a", "version": 3, "range": range(), "reason": "You changed it."}],
        }),
    );
}

#[test]
fn prompts() {
    use crate::session::*;
    request::<SessionPrompt>(
        &json!({"sessionId": "s1", "delivery": "steer", "content": [
            {"type": "text", "text": "Look"},
            {"type": "image", "mimeType": "image/png", "data": "AAAA"},
            {"type": "file", "uri": "file:///a.rs", "version": 3, "range": range()},
            {"type": "selection", "uri": "file:///a.rs", "version": null, "range": range(), "text": "x"},
            {"type": "diagnostics", "uri": "file:///a.rs", "version": 3, "items": [
                {"range": range(), "severity": 1, "code": "E1", "message": "no"},
            ]},
            {"type": "resource", "server": "docs", "uri": "docs://1"},
        ]}),
        &json!({"messageId": "m1", "turnId": "t1", "disposition": "started"}),
    );
    request::<SessionQueue>(
        &json!({"sessionId": "s1", "op": "move", "messageId": "m2", "to": 0}),
        &json!({"queue": [{"messageId": "m2", "content": [{"type": "text", "text": "x"}]}]}),
    );
    request::<SessionCancel>(&json!({"sessionId": "s1"}), &json!({"state": "cancelled"}));
}

#[test]
fn edits_and_review() {
    use crate::{edit::*, review::*};
    request::<EditInline>(
        &json!({
            "textDocument": {"uri": "file:///a.rs", "version": 3}, "range": range(),
            "instruction": "shorter",
        }),
        &json!({"editId": "e1", "sessionId": "s1"}),
    );
    notification::<EditDelta>(
        &json!({"editId": "e1", "uri": "file:///a.rs", "version": null, "text": "x"}),
    );
    notification::<InlineResolved>(&json!({"editId": "e1", "action": "accept"}));
    request::<ReviewList>(&json!({"turnId": "t1"}), &json!({"hunks": [hunk()]}));
    request::<ReviewResolve>(
        &json!({"hunkIds": ["h1"], "action": "reject", "lines": [{"start": 0, "end": 2}]}),
        &json!({"results": [{"hunkId": "h1", "state": "rejected"}], "undoToken": "u1"}),
    );
    let position = json!({"line": 3, "character": 0});
    request::<ReviewResolve>(
        &json!({
            "at": {"uri": "file:///a.rs", "version": 3, "position": position}, "action": "accept",
        }),
        &json!({"results": [{"hunkId": "h1", "state": "accepted"}], "undoToken": "u1"}),
    );
    request::<ReviewDiff>(
        &json!({"uri": "file:///a.rs"}),
        &json!({"diff": {"uri": "file:///a.rs", "version": 3, "oldText": "a", "newText": "b"}}),
    );
    request::<ReviewDiff>(&json!({"uri": "file:///a.rs"}), &json!({"diff": null}));
}

#[test]
fn permissions_and_questions() {
    use crate::{ask::*, permission::*};
    request::<PermissionRequest>(
        &permission_request(),
        &json!({"optionId": "no", "feedback": "Use cargo."}),
    );
    request::<PermissionRequest>(&permission_request(), &Value::Null);
    for subject in [
        json!({"kind": "edit", "uri": "file:///a", "version": 2, "oldText": null, "newText": "x"}),
        json!({"kind": "read", "uri": "file:///etc/hosts"}),
        json!({"kind": "fetch", "url": "https://example.org"}),
        json!({"kind": "mcp", "server": "s", "tool": "t", "input": {"a": 1}}),
        json!({"kind": "plan", "text": "1. Do"}),
        json!({"kind": "mode", "mode": "bypassPermissions"}),
        json!({"kind": "trust", "cwd": "/w", "what": ["hook: make"]}),
    ] {
        round_trip::<Subject>(&subject);
    }
    request::<PermissionRules>(
        &json!({"op": "add", "rule": "Read(**)", "behavior": "allow", "scope": "user"}),
        &json!({"rules": [{"rule": "Read(**)", "behavior": "allow", "scope": "user"}]}),
    );
    notification::<RequestResolved>(&json!({"requestId": "r1", "by": "client"}));
    request::<Ask>(
        &json!({"requestId": "r2", "sessionId": "s1", "questions": [{
            "id": "q", "header": "Db", "text": "Which?", "multiSelect": true,
            "options": [{"label": "A", "description": "The first."}, {"label": "B"}],
        }]}),
        &json!({"action": "accept", "content": {"q": ["A"]}}),
    );
}

#[test]
fn the_editor() {
    use crate::{diff::*, editor::*, terminal::*};
    request::<DiffShow>(
        &json!({
            "id": "d1", "sessionId": "s1", "title": "Edit a.rs", "preserveFocus": true,
            "files": [{"uri": "file:///a.rs", "version": 3, "oldText": "a", "newText": "b"}],
        }),
        &json!({"shown": true}),
    );
    request::<EditorApply>(
        &json!({"label": "Edit", "undoGroup": "t1", "edit": {"documentChanges": [
            {"kind": "create", "uri": "file:///b.rs", "options": {"ignoreIfExists": true}},
            {"textDocument": {"uri": "file:///a.rs", "version": 3},
             "edits": [{"range": range(), "newText": "b"}]},
        ]}}),
        &json!({"applied": true, "versions": {"file:///a.rs": 4}}),
    );
    request::<EditorSave>(
        &json!({"uris": ["file:///a.rs"]}),
        &json!({"saved": [], "failed": [{"uri": "file:///a.rs", "reason": "It is read-only."}]}),
    );
    request::<EditorReveal>(&json!({"uri": "file:///a.rs", "preserveFocus": true}), &json!({}));
    request::<EditorLanguageServer>(
        &json!({"method": "textDocument/hover", "params": {"x": 1}, "uri": "file:///a.rs"}),
        &json!([1, null]),
    );
    notification::<EditorFocus>(
        &json!({"uri": "file:///a.rs", "version": 3, "selections": [range()], "visible": range()}),
    );
    notification::<EditorDiagnostics>(
        &json!({"uri": "file:///a.rs", "version": 3, "source": "rustc", "items": []}),
    );
    notification::<EditorDirty>(&json!({"uri": "file:///a.rs", "dirty": true}));
    notification::<EditorFollow>(&json!({"on": true}));
    request::<TerminalRun>(
        &json!({"sessionId": "s1", "toolCallId": "c1", "command": "ls", "cwd": "/w"}),
        &json!({"exitCode": null, "output": "x"}),
    );
}

#[test]
fn the_rest_of_the_server() {
    use crate::{complete::*, mcp::*, memory::*, status::*, tasks::*, trust::*};
    request::<Complete>(
        &json!({"text": "/re", "offset": 3}),
        &json!({"items": [
            {"kind": "command", "label": "/review", "insertText": "/review ", "start": 0, "end": 3},
        ]}),
    );
    request::<Tasks>(
        &json!({"op": "list"}),
        &json!({"tasks": [{
            "taskId": "k1", "sessionId": "s1", "kind": "shell", "title": "make",
            "status": "running", "startedAt": 1,
        }]}),
    );
    request::<Mcp>(
        &json!({"op": "reconnect", "server": "docs"}),
        &json!({"servers": [
            {"name": "docs", "status": "needsAuth", "transport": "http", "tools": []},
        ]}),
    );
    request::<MemoryAdd>(
        &json!({"text": "x", "scope": "project"}),
        &json!({"path": "/w/NOTES.md"}),
    );
    request::<MemoryList>(
        &json!({"sessionId": "s1", "path": "/w/CLAUDE.md"}),
        &json!({"files": [
            {"path": "/w/CLAUDE.md", "scope": "project", "text": "Use tabs."},
            {"path": "/w/more.md", "scope": "project", "importedBy": "/w/CLAUDE.md"},
            {"path": "/n/MEMORY.md", "scope": "auto"},
        ]}),
    );
    request::<Trust>(&json!({"cwd": "/w", "decision": "trust", "shown": ["ab12"]}), &json!({}));
    request::<TrustState>(
        &json!({"cwd": "/w"}),
        &json!({
            "cwd": "/w", "decision": "trust", "decidedFor": "/w", "since": 1,
            "items": [{"what": "hook: make", "hash": "ab12", "approved": true}],
            "more": 0, "problems": [],
        }),
    );
    request::<Status>(
        &json!({}),
        &json!({
            "version": "0.1.0", "uptimeMs": 1, "rssBytes": 2,
            "sessions": [{"sessionId": "s1", "status": "idle"}],
            "children": [{"pid": 7, "what": "shell: make"}], "queues": {"outbox": 0},
            "model": {"id": "rehearsal", "provider": "rehearsal"},
        }),
    );
}

#[test]
fn negotiation() {
    round_trip::<ClientCapabilities>(&json!({
        "version": 1, "permission": true, "ask": true, "diff": true, "terminal": true,
        "editor": {"apply": true, "save": true, "reveal": true, "diagnostics": true,
                   "focus": true, "text": true, "languageServer": true},
    }));
    round_trip::<ServerCapabilities>(&json!({
        "version": 1, "features": {"rewind": true}, "stateDir": "/home/u/.bowline",
        "models": [{"id": "m", "name": "M", "provider": "anthropic", "contextWindow": 200000,
                    "efforts": ["low"], "isDefault": true}],
    }));
}

#[test]
fn events() {
    let usage = json!({
        "inputTokens": 1, "outputTokens": 2, "cacheReadTokens": 3, "cacheWriteTokens": 4,
    });
    for body in [
        json!({"type": "turn.started", "turnId": "t1", "messageId": "m1"}),
        json!({
            "type": "turn.ended", "turnId": "t1", "stopReason": "model_error", "usage": usage,
            "costUsd": 0.25, "durationMs": 9,
            "error": {"kind": "rateLimit", "message": "Wait.", "status": 429},
        }),
        json!({"type": "thought.delta", "messageId": "m1", "text": "x"}),
        json!({"type": "tool.started", "toolCallId": "c1", "name": "Edit", "title": "Edit a.rs", "kind": "edit"}),
        json!({"type": "tool.updated", "toolCallId": "c1", "status": "running",
               "progress": {"output": "x"}, "locations": [{"uri": "file:///a.rs", "version": null}]}),
        json!({"type": "tool.ended", "toolCallId": "c1", "status": "completed", "content": [
            {"type": "diff", "uri": "file:///a.rs", "version": 3, "oldText": null, "newText": "b"},
            {"type": "output", "text": "ok", "exitCode": 0},
        ]}),
        json!({"type": "agent.started", "agentId": "a1", "agentType": "Explore", "parentToolCallId": "c1"}),
        json!({"type": "hunk.added", "hunk": hunk()}),
    ] {
        let mut event = json!({"sessionId": "s1", "seq": 1, "at": 2});
        event.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        round_trip::<Event>(&event);
        round_trip::<EventBody>(&body);
    }
}

#[test]
fn a_value_of_a_later_version_survives() {
    fn check<T: DeserializeOwned + Serialize + Debug + PartialEq>(message: &Value, expect: &T) {
        assert_eq!(&serde_json::from_value::<T>(message.clone()).unwrap(), expect);
        assert_eq!(&serde_json::to_value(expect).unwrap(), message);
    }
    check(&json!("yolo"), &Mode::Other("yolo".into()));
    check(&json!("extreme"), &Effort::Other("extreme".into()));
    check(&json!("other"), &ToolKind::Unspecified);
    let block = json!({"type": "video", "uri": "file:///v", "length": 3});
    check(&block, &Block::Unknown(block.as_object().unwrap().clone()));
    let mut request = permission_request();
    request["subject"] = json!({"kind": "teleport", "where": "Mars"});
    round_trip::<PermissionRequestParams>(&request);
}

#[test]
fn unknown_fields_are_ignored_and_null_is_absent() {
    let config: Config = serde_json::from_value(
        json!({"mode": "default", "model": "m", "colour": "red", "effort": null}),
    )
    .unwrap();
    assert_eq!(config.effort, None);
    let new: SessionNewParams = serde_json::from_value(json!({"cwd": "/w", "x": [1]})).unwrap();
    assert_eq!(new, SessionNewParams { cwd: "/w".into(), ..Default::default() });
    let block: Block =
        serde_json::from_value(json!({"text": "x", "y": 1, "type": "text"})).unwrap();
    assert_eq!(block, Block::text("x"));
}

#[test]
fn a_broken_block_says_what_is_missing() {
    let error = serde_json::from_value::<Block>(json!({"type": "text"})).unwrap_err();
    assert!(error.to_string().contains("missing field `text`"), "{error}");
    let error = serde_json::from_value::<Block>(json!({"text": "x"})).unwrap_err();
    assert!(error.to_string().contains("missing field `type`"), "{error}");
}

#[test]
fn a_result_without_content_may_be_null() {
    for answer in [json!(null), json!({}), json!(true)] {
        assert_eq!(serde_json::from_value::<crate::Empty>(answer).unwrap(), crate::Empty {});
    }
}
