//! What a user does in a day.

use expect_test::expect;
use protocol::EventBody;
use serde_json::{Value, json};

use super::*;

/// An event from its JSON, so that a field more in the contract breaks no test here.
pub(super) fn event(json: Value) -> EventBody {
    serde_json::from_value(json).expect("an event")
}

pub(super) fn delta(text: &str) -> EventBody {
    event(json!({"type": "message.delta", "messageId": "m2", "role": "assistant", "text": text}))
}

pub(super) fn message_ended() -> EventBody {
    event(json!({"type": "message.ended", "messageId": "m2", "role": "assistant"}))
}

pub(super) fn turn_started() -> EventBody {
    event(json!({"type": "turn.started", "turnId": "t1", "messageId": "m1"}))
}

pub(super) fn turn_ended(reason: &str) -> EventBody {
    let usage = json!({"inputTokens": 0, "outputTokens": 0, "cacheReadTokens": 0,
        "cacheWriteTokens": 0});
    event(json!({"type": "turn.ended", "turnId": "t1", "stopReason": reason, "usage": usage,
        "costUsd": 0.0, "durationMs": 10}))
}

fn tool(id: &str, title: &str, kind: &str) -> EventBody {
    event(json!({"type": "tool.started", "toolCallId": id, "name": "Edit", "title": title,
        "kind": kind}))
}

pub(super) fn permission() -> Value {
    json!({
        "jsonrpc": "2.0", "id": "p1", "method": "agent/permission/request",
        "params": {
            "requestId": "r1", "sessionId": "s1", "title": "Edit a.rs", "reason": "Edits ask.",
            "subject": {"kind": "edit", "uri": "file:///w/a.rs", "version": null,
                        "oldText": "one\n", "newText": "two\n"},
            "options": [
                {"id": "once", "label": "Yes", "kind": "allow", "scope": "once"},
                {"id": "all", "label": "Yes, all edits", "kind": "allow", "scope": "session"},
                {"id": "no", "label": "No", "kind": "deny", "scope": "once"},
            ],
        },
    })
}

#[tokio::test(start_paused = true)]
async fn a_prompt_a_call_a_permission_an_answer() {
    let mut desk = Desk::ready().await;
    desk.sends("fix it");
    assert_eq!(desk.server.accept_prompt("m1").await, "fix it");
    desk.server.event(turn_started()).await;
    desk.server.event(tool("c1", "Edit a.rs", "edit")).await;
    desk.sees("esc to interrupt").await;
    desk.server.send(&permission()).await;
    desk.sees("❯ 1. Yes (y)").await;
    assert!(desk.terminal.text().contains("1 - one"), "{}", desk.terminal.text());
    desk.types("y");
    let answer = desk.server.receive().await;
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": "p1", "result": {"optionId": "once"}}));
    let change = json!({"uri": "file:///w/a.rs", "version": null, "oldText": "one\n",
        "newText": "two\n"});
    desk.server
        .event(event(json!({"type": "tool.ended", "toolCallId": "c1", "status": "completed",
            "content": [{"type": "text", "text": "done"}], "diff": change})))
        .await;
    desk.server.event(delta("It is **fixed** now.\n\n- one")).await;
    desk.server.event(message_ended()).await;
    let usage = json!({"type": "usage.updated", "used": 1000, "window": 10_000, "costUsd": 0.5});
    desk.server.event(event(usage)).await;
    desk.server.event(turn_ended("end_turn")).await;
    desk.sees("$0.5000").await;
    desk.sees_no("esc to interrupt").await;
    expect![[r#"
        Bowline 0.1.0 · Rehearsal · default
        /w
        /help shows commands and keys

        › fix it

        ● Edit a.rs
          ⎿ a.rs +1 -1
              1 - one
              1 + two

        It is fixed now.

        • one

        ──────────────────────────────────────────────────
        ›
        ──────────────────────────────────────────────────
        Rehearsal · default · $0.5000 · 1.0k tokens (10%)"#]]
    .assert_eq(&desk.terminal.text());
    desk.press(KeyCode::Char('d'), KeyModifiers::CONTROL);
    let (ending, text) = desk.ends().await;
    assert_eq!(ending, Some(Ending::Quit));
    assert!(text.ends_with("• one"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn escape_stops_the_turn_and_typing_goes_on_meanwhile() {
    let mut desk = Desk::ready().await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    desk.server.event(turn_started()).await;
    desk.server.event(delta("Streaming te")).await;
    desk.sees("Streaming te").await;
    desk.types("next");
    desk.sees("› next").await;
    desk.key(KeyCode::Esc);
    let (id, params) = desk.server.expect("agent/session/cancel").await;
    assert_eq!(params, json!({"sessionId": "s1", "turnId": "t1"}));
    desk.sees("Stopping").await;
    desk.server.event(turn_ended("cancelled")).await;
    desk.server.answer(id, json!({"state": "cancelled"})).await;
    desk.sees("Stopped.").await;
    assert!(desk.terminal.text().contains("› next"));
}

#[tokio::test(start_paused = true)]
async fn a_prompt_during_a_turn_is_queued_and_shown() {
    let mut desk = Desk::ready().await;
    desk.sends("first");
    desk.server.accept_prompt("m1").await;
    desk.server.event(turn_started()).await;
    desk.sends("second");
    let (id, params) = desk.server.expect("agent/session/prompt").await;
    assert_eq!(params["delivery"], "auto");
    desk.server.answer(id, json!({"messageId": "m9", "disposition": "queued"})).await;
    let queue = json!({"type": "queue.updated", "queue": [
        {"messageId": "m9", "content": [{"type": "text", "text": "second"}]}]});
    desk.server.event(event(queue)).await;
    desk.sees("› second").await;
    desk.server.event(turn_ended("end_turn")).await;
    desk.server.event(event(json!({"type": "queue.updated", "queue": []}))).await;
    desk.server
        .event(event(json!({"type": "turn.started", "turnId": "t2", "messageId": "m9"})))
        .await;
    desk.server.event(delta("Second answer.\n\n")).await;
    desk.sees("Second answer.").await;
    assert_eq!(desk.terminal.text().matches("› second").count(), 1, "{}", desk.terminal.text());
}

#[tokio::test(start_paused = true)]
async fn a_question_does_not_eat_what_is_being_typed() {
    let mut desk = Desk::ready().await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    desk.server.event(turn_started()).await;
    desk.types("my ");
    desk.sees("› my").await;
    desk.server.send(&permission()).await;
    desk.sees("Yes, all edits").await;
    // The very next letters were meant for the prompt.
    desk.types("y");
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    desk.types("n");
    let answer = desk.server.receive().await;
    assert_eq!(answer["result"]["optionId"], "no", "{answer}");
    desk.sees("› my y").await;
}

#[tokio::test(start_paused = true)]
async fn a_question_answered_elsewhere_goes_away() {
    let mut desk = Desk::ready().await;
    desk.server.send(&permission()).await;
    desk.sees("Yes, all edits").await;
    let resolved = json!({"jsonrpc": "2.0", "method": "agent/request/resolved",
        "params": {"requestId": "r1", "by": "client"}});
    desk.server.send(&resolved).await;
    desk.sees_no("Yes, all edits").await;
    desk.server.send(&permission()).await;
    desk.sees("Yes, all edits").await;
    let withdrawn = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "p1"}});
    desk.server.send(&withdrawn).await;
    desk.sees_no("Yes, all edits").await;
}

#[tokio::test(start_paused = true)]
async fn modes_models_and_unknown_commands() {
    let mut desk = Desk::ready().await;
    desk.key(KeyCode::BackTab);
    let (id, params) = desk.server.expect("agent/session/config").await;
    assert_eq!(params["set"], json!({"mode": "acceptEdits"}));
    desk.server.answer(id, json!({"config": {"mode": "acceptEdits", "model": "rehearsal"}})).await;
    desk.sees("Rehearsal · acceptEdits").await;
    desk.sends("/model ");
    desk.sees("2. Big").await;
    desk.types("2");
    let (id, params) = desk.server.expect("agent/session/config").await;
    assert_eq!(params["set"], json!({"model": "big"}));
    let error = json!({"code": -32000, "message": "no key for big"});
    desk.server.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    desk.sees("The model stays as it is: no key for big.").await;
    // With a word it is the server's.
    desk.sends("/mode nonsense");
    let (id, params) = desk.server.expect("agent/session/prompt").await;
    assert_eq!(params["content"][0]["text"], "/mode nonsense");
    let error = json!({"code": -32602, "message": "There is no mode `nonsense`."});
    desk.server.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    desk.sees("There is no mode `nonsense`").await;
    desk.sends("/cost ");
    let output = json!({"type": "command.output", "messageId": "m4", "command": "/cost",
        "text": "cost     $0.0125\nwritten  1\u{1b}[2J2 tokens"});
    desk.server.event(event(output)).await;
    let (id, _) = desk.server.expect("agent/session/prompt").await;
    desk.server.answer(id, json!({"messageId": "m4", "disposition": "handled"})).await;
    desk.sees("written  1").await;
    let text = desk.terminal.text();
    assert_eq!(text.matches("/cost").count(), 1, "{text}");
    desk.sends("/explain now");
    assert_eq!(desk.server.accept_prompt("m5").await, "/explain now");
}

#[tokio::test(start_paused = true)]
async fn proposals_come_from_both_sides() {
    let mut desk = Desk::ready().await;
    desk.types("/mod");
    desk.sees("/model  pick the model").await;
    desk.key(KeyCode::Tab);
    desk.sees("› /model").await;
    desk.press(KeyCode::Char('u'), KeyModifiers::CONTROL);
    desk.types("see @ma");
    // The question about an older text is answered late and must not be shown.
    loop {
        let (id, params) = desk.server.expect("agent/complete").await;
        let items = json!({"items": [{"kind": "file", "label": "src/main.rs",
            "insertText": "@src/main.rs ", "start": 4, "end": params["offset"]}]});
        desk.server.answer(id, items).await;
        if params["text"] == "see @ma" {
            break;
        }
    }
    desk.sees("❯ src/main.rs").await;
    desk.key(KeyCode::Enter);
    desk.sees("› see @src/main.rs").await;
}

#[tokio::test(start_paused = true)]
async fn resuming_shows_the_conversation() {
    let mut desk = Desk::open(Resume::Pick).await;
    let (id, _) = desk.server.expect("initialize").await;
    desk.server.answer(id, json!({"capabilities": {}})).await;
    desk.server.expect("initialized").await;
    let (id, params) = desk.server.expect("agent/session/list").await;
    assert_eq!(params, json!({"cwd": "/w", "worktrees": true, "limit": 1000}));
    let session = |id: &str, title: &str| {
        json!({"sessionId": id, "title": title, "cwd": "/w", "updatedAt": 1_794_808_020_000_u64,
            "messages": 2, "live": false, "status": "idle"})
    };
    let list = json!({"sessions": [session("s0", "Older"), session("s1", "Fix the parser")]});
    desk.server.answer(id, list).await;
    desk.sees("Fix the parser").await;
    let (preview, params) = desk.server.expect("agent/session/export").await;
    assert_eq!(params, json!({"sessionId": "s0", "format": "markdown", "tail": 16384}));
    desk.server.answer(preview, json!({"content": "**You**: why is it old?"})).await;
    desk.sees("You: why is it old?").await;
    desk.key(KeyCode::Down);
    desk.server.expect("agent/session/export").await;
    desk.sees("❯ Fix the parser").await;
    desk.key(KeyCode::Enter);
    let (id, params) = desk.server.expect("agent/session/attach").await;
    assert_eq!(params, json!({"sessionId": "s1", "cwd": "/w"}));
    let snapshot = json!({
    "title": "Fix the parser", "todos": [], "usage": {"used": 5, "window": 10, "costUsd": 0.1},
    "messages": [
        {"messageId": "a", "role": "user", "blocks": [{"type": "text", "text": "why?"}]},
        {"messageId": "b", "role": "assistant", "blocks": [
            {"type": "thought", "text": "Hm."},
            {"type": "toolCall", "call": {"toolCallId": "c", "name": "Read",
                "title": "Read a.rs", "kind": "read", "status": "completed",
                "content": [{"type": "text", "text": "1\n2\n"}]}},
            {"type": "text", "text": "Because."}]},
    ]});
    let config = json!({"mode": "plan", "model": "rehearsal"});
    let result = json!({"sessionId": "s1", "snapshot": snapshot, "events": [], "seq": 7, "config": config,
        "commands": [], "agents": [], "pending": []});
    desk.server.answer(id, result).await;
    desk.sees("Because.").await;
    let text = desk.terminal.text();
    for part in ["Resumed: Fix the parser", "› why?", "Hm.", "● Read a.rs", "⎿ 2 lines", "plan"]
    {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn clear_is_the_servers_and_the_screen_follows() {
    let mut desk = Desk::ready().await;
    desk.sends("/clear ");
    assert_eq!(desk.server.accept_prompt("m1").await.trim(), "/clear");
}

#[tokio::test(start_paused = true)]
async fn a_theme_is_chosen_and_kept_by_the_server() {
    let mut desk = Desk::ready().await;
    desk.sends("/theme sepia");
    desk.sees("There is no theme `sepia`; there are terminal,").await;
    desk.sends("/theme dark-daltonized");
    assert_eq!(desk.server.accept_prompt("m1").await, "/theme daltonized");
}

#[tokio::test(start_paused = true)]
async fn keys_of_vi_are_there_when_they_are_wanted() {
    let mut desk = Desk::ready().await;
    desk.sends("/vim sideways");
    desk.sees("/vim is on or off").await;
    desk.sends("/vim ");
    assert_eq!(desk.server.accept_prompt("m1").await, "/vim on");
    desk.sees("insert").await;
    desk.types("one two");
    desk.key(KeyCode::Esc);
    desk.sees("normal").await;
    desk.types("bcwthree");
    desk.sees("› one three").await;
    desk.key(KeyCode::Enter);
    assert_eq!(desk.server.accept_prompt("m2").await, "one three");
}

#[tokio::test(start_paused = true)]
async fn interrupt_clears_then_warns_then_leaves() {
    let desk = Desk::ready().await;
    desk.types("text");
    desk.sees("› text").await;
    desk.press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    desk.sees_no("› text").await;
    desk.press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    desk.sees("Press Ctrl-C again to leave").await;
    desk.sees_no("Press Ctrl-C again to leave").await;
    desk.press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    desk.press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(desk.ends().await.0, Some(Ending::Quit));
}

#[tokio::test(start_paused = true)]
async fn a_dead_server_is_an_ending_with_a_reason() {
    let desk = Desk::ready().await;
    let Desk { server, ending, .. } = desk;
    drop(server);
    let ending = ending.await.expect("no panic");
    assert_eq!(ending, Some(Ending::Broken("The server ended unexpectedly.".into())));
}

#[tokio::test(start_paused = true)]
async fn notices_waiting_calls_and_a_resized_terminal() {
    let mut desk = Desk::ready().await;
    let notice = "This is the rehearsal model.";
    desk.server.event(event(json!({"type": "notice", "severity": "info", "text": notice}))).await;
    desk.sees("▪ This is the rehearsal model.").await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    desk.server.event(tool("c1", "Bash make", "execute")).await;
    let updated = json!({"type": "tool.updated", "toolCallId": "c1", "status": "waiting"});
    desk.server.event(event(updated)).await;
    desk.sees("waits for your answer").await;
    desk.terminal.resize(30);
    desk.keys.unbounded_send(Ok(TerminalEvent::Resize(30, 20))).expect("the client listens");
    desk.sees(&format!("\n{}\n›", "─".repeat(30))).await;
    let text = desk.terminal.text();
    assert_eq!(text.matches("● Bash make").count(), 1, "{text}");
    assert_eq!(text.matches("› go").count(), 1, "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_fast_stream_is_drawn_in_few_frames() {
    let mut desk = Desk::ready().await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    desk.server.event(turn_started()).await;
    desk.sees("esc to interrupt").await;
    let before = desk.terminal.frames();
    for number in 0..1000 {
        desk.server.event(delta(&format!("word{number} "))).await;
    }
    desk.sees("word999").await;
    let frames = desk.terminal.frames() - before;
    assert!(frames < 20, "{frames} frames");
}
