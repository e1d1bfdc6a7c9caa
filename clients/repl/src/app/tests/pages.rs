//! Pages in front of the conversation, against a led server.

use serde_json::json;

use super::flows::{delta, event, message_ended, permission, turn_ended, turn_started};
use super::*;

async fn in_a_turn() -> Desk {
    let mut desk = Desk::ready().await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    desk.server.event(turn_started()).await;
    desk
}

#[tokio::test(start_paused = true)]
async fn an_answer_goes_on_in_the_page_and_behind_it() {
    let mut desk = in_a_turn().await;
    desk.server.event(delta("One.\n\nTw")).await;
    desk.sees("Tw").await;
    desk.press(KeyCode::Char('o'), KeyModifiers::CONTROL);
    desk.sees("escape back").await;
    desk.server.event(delta("o.\n\nThree.")).await;
    desk.sees("Three.").await;
    desk.server.event(message_ended()).await;
    desk.server.event(turn_ended("end_turn")).await;
    desk.key(KeyCode::Char('q'));
    desk.sees_no("escape back").await;
    desk.sees("Three.").await;
    let text = desk.terminal.text();
    for part in ["› go", "One.", "Two.", "Three."] {
        assert_eq!(text.matches(part).count(), 1, "{part}:\n{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_comes_before_the_page_and_the_page_comes_back() {
    let mut desk = in_a_turn().await;
    desk.press(KeyCode::Char('o'), KeyModifiers::CONTROL);
    desk.sees("escape back").await;
    desk.server.send(&permission()).await;
    desk.sees("❯ 1. Yes (y)").await;
    desk.types("y");
    let answer = desk.server.receive().await;
    assert_eq!(answer["result"]["optionId"], "once");
    desk.sees("escape back").await;
}

#[tokio::test(start_paused = true)]
async fn nobody_leaves_a_turn_for_another_session_by_accident() {
    let mut desk = in_a_turn().await;
    desk.press(KeyCode::Char('r'), KeyModifiers::ALT);
    let (id, _) = desk.server.expect("agent/session/list").await;
    let session = json!({"sessionId": "s0", "title": "Older", "cwd": "/w", "updatedAt": 0,
        "messages": 2, "live": false, "status": "idle"});
    desk.server.answer(id, json!({"sessions": [session]})).await;
    desk.sees("❯ Older").await;
    desk.key(KeyCode::Enter);
    desk.sees("A turn is running here.").await;
}

#[tokio::test(start_paused = true)]
async fn what_runs_in_the_background_is_in_the_foot_and_on_a_page() {
    let mut desk = Desk::ready().await;
    let task = |status: &str| {
        json!({"taskId": "t1", "sessionId": "s1", "kind": "agent", "title": "look around",
            "status": status, "startedAt": 1_794_808_000_000_u64})
    };
    desk.server.event(event(json!({"type": "task.started", "task": task("running")}))).await;
    desk.sees("· 1 task ·").await;
    desk.press(KeyCode::Char('t'), KeyModifiers::ALT);
    let (id, params) = desk.server.expect("agent/tasks").await;
    assert_eq!(params, json!({"sessionId": "s1", "op": "list"}));
    desk.server.answer(id, json!({"tasks": [task("running")]})).await;
    desk.sees("❯ agent: look around").await;
    desk.key(KeyCode::Enter);
    let (id, params) = desk.server.expect("agent/tasks").await;
    assert_eq!(params, json!({"sessionId": "s1", "op": "output", "taskId": "t1", "offset": 0}));
    let output = json!({"taskId": "t1", "text": "found it", "nextOffset": 8, "status": "running"});
    desk.server.answer(id, json!({"output": output})).await;
    desk.sees("found it").await;
    // What it prints next is asked for by itself.
    let (_, params) = desk.server.expect("agent/tasks").await;
    assert_eq!(params["offset"], 8);
    desk.server.event(event(json!({"type": "task.ended", "task": task("completed")}))).await;
    desk.sees("done ·").await;
}

#[tokio::test(start_paused = true)]
async fn a_line_of_the_shell_is_no_prompt() {
    let mut desk = Desk::ready().await;
    desk.sends("!make test");
    let (id, params) = desk.server.expect("agent/session/shell").await;
    assert_eq!(params, json!({"sessionId": "s1", "command": "make test"}));
    let started = json!({"type": "tool.started", "toolCallId": "shell-1", "name": "Shell",
        "title": "make test", "kind": "execute"});
    desk.server.event(event(started)).await;
    desk.server.answer(id, json!({"toolCallId": "shell-1"})).await;
    desk.sees("make test… (0s · esc to interrupt)").await;
    desk.key(KeyCode::Esc);
    let (_, params) = desk.server.expect("agent/session/cancel").await;
    assert_eq!(params["toolCallId"], "shell-1");
    let ended = json!({"type": "tool.ended", "toolCallId": "shell-1", "status": "cancelled",
        "content": []});
    desk.server.event(event(ended)).await;
    desk.sees_no("to interrupt").await;
}
