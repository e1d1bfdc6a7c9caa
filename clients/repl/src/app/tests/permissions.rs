//! Questions about what may be done, the rules that answer them, and the trust in a folder.

use serde_json::{Value, json};
use tokio::time::Duration;

use super::flows::{event, permission, turn_started};
use super::*;
use crate::prompt::Origin;

/// A question about a command that may be changed and may be allowed for good.
fn command() -> Value {
    let option = |id: &str, label: &str, kind: &str, scope: &str, rule: Option<&str>| {
        let mut option = json!({"id": id, "label": label, "kind": kind, "scope": scope});
        if let Some(rule) = rule {
            option["rule"] = rule.into();
        }
        option
    };
    let rule = Some("Bash(make:*)");
    json!({
        "jsonrpc": "2.0", "id": "p2", "method": "agent/permission/request",
        "params": {
            "requestId": "r2", "sessionId": "s1", "turnId": "t1", "title": "Bash make all?",
            "reason": "No rule allows it.", "editable": true,
            "toolCall": {"toolCallId": "c1", "name": "Bash", "kind": "execute",
                         "input": {"command": "make all"}},
            "subject": {"kind": "command", "command": "make all", "cwd": "/w",
                        "sandbox": "bubblewrap, network off"},
            "options": [
                option("once", "Allow once", "allow", "once", None),
                option("turn", "Allow", "allow", "turn", rule),
                option("session", "Allow", "allow", "session", rule),
                option("project", "Allow", "allow", "project", rule),
                option("no", "Deny", "deny", "once", None),
            ],
        },
    })
}

fn trust() -> Value {
    json!({
        "jsonrpc": "2.0", "id": "p3", "method": "agent/permission/request",
        "params": {
            "requestId": "r3", "sessionId": "s1", "title": "Trust this folder?",
            "reason": "It brings settings of its own.",
            "subject": {"kind": "trust", "cwd": "/w", "what": ["hook: ./evil.sh"]},
            "options": [
                {"id": "yes", "label": "Trust it", "kind": "allow", "scope": "user"},
                {"id": "no", "label": "Do not trust it", "kind": "deny", "scope": "user"},
            ],
        },
    })
}

async fn moment(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

#[tokio::test(start_paused = true)]
async fn every_scope_has_a_key_and_the_rule_is_shown() {
    for (key, option) in [("y", "once"), ("t", "turn"), ("a", "session"), ("p", "project")] {
        let mut desk = Desk::ready().await;
        desk.server.send(&command()).await;
        desk.sees("(y)").await;
        let text = desk.terminal.text();
        for part in ["make all", "in /w", "kept in by bubblewrap", "in this project · Bash(make:*)"]
        {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        desk.types(key);
        let answer = desk.server.receive().await;
        assert_eq!(answer["result"], json!({"optionId": option}), "{key}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_command_goes_with_the_answer() {
    let mut desk = Desk::ready().await;
    desk.server.send(&command()).await;
    desk.sees("i: change the command").await;
    desk.types("i");
    desk.sees("› make all").await;
    // Back, and nothing is decided.
    desk.key(KeyCode::Esc);
    desk.sees("1. Allow once").await;
    desk.types("i -n");
    desk.sees("› make all -n").await;
    desk.key(KeyCode::Enter);
    let answer = desk.server.receive().await;
    let expect = json!({"optionId": "once", "editedInput": {"command": "make all -n"}});
    assert_eq!(answer["result"], expect);
}

#[tokio::test(start_paused = true)]
async fn what_was_typed_ahead_answers_nothing() {
    let mut desk = Desk::ready().await;
    desk.server.send(&command()).await;
    desk.sees("1. Allow once").await;
    // Whoever types on without a pause does not mean it.
    for _ in 0..20 {
        desk.sends("1y");
        moment(200).await;
        assert!(!desk.terminal.text().contains("(y)"), "{}", desk.terminal.text());
    }
    desk.sees("(y)").await;
    desk.types("n");
    let answer = desk.server.receive().await;
    assert_eq!(answer["result"]["optionId"], "no", "{answer}");
}

#[tokio::test(start_paused = true)]
async fn keys_do_not_count_before_the_question_was_drawn() {
    let mut app = App::new(start(Look::Rich(Highlighting::off()), Resume::New));
    app.outbox.drain();
    let mut now = Instant::now();
    let request = serde_json::from_value(command()["params"].clone()).expect("a request");
    app.ask_permission(Origin::Pending, request);
    let key = |name: &str| Event::Key(crate::prompt::tests::key(name));
    for _ in 0..3 {
        now += Duration::from_secs(9);
        for name in ["y", "enter", "1", "esc"] {
            app.on(key(name), now);
        }
    }
    assert!(app.outbox.drain().is_empty());
    app.frame(80, 24, now);
    app.on(key("y"), now);
    app.on(key("y"), now + Duration::from_millis(349));
    assert!(app.outbox.drain().is_empty());
    app.on(key("y"), now + Duration::from_millis(699));
    assert_eq!(app.outbox.drain().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_pasted_ahead_is_for_the_input() {
    let mut desk = Desk::ready().await;
    desk.server.send(&command()).await;
    desk.sees("1. Allow once").await;
    desk.keys.unbounded_send(Ok(TerminalEvent::Paste("yes\n".into()))).expect("it listens");
    desk.sees("(y)").await;
    desk.keys.unbounded_send(Ok(TerminalEvent::Paste("yes\n".into()))).expect("it listens");
    desk.types("n");
    let answer = desk.server.receive().await;
    assert_eq!(answer["result"]["optionId"], "no", "{answer}");
    desk.sees("› yes").await;
}

#[tokio::test(start_paused = true)]
async fn the_next_question_is_not_answered_by_the_same_stroke() {
    let mut desk = Desk::ready().await;
    desk.server.send(&permission()).await;
    desk.server.send(&command()).await;
    desk.sees("(y)").await;
    desk.types("yyy");
    let answer = desk.server.receive().await;
    assert_eq!((&answer["id"], &answer["result"]["optionId"]), (&json!("p1"), &json!("once")));
    desk.sees("make all").await;
    desk.sees("(y)").await;
    desk.key(KeyCode::Esc);
    let answer = desk.server.receive().await;
    assert_eq!((&answer["id"], &answer["result"]["optionId"]), (&json!("p2"), &json!("no")));
}

#[tokio::test(start_paused = true)]
async fn interrupt_is_heard_at_once() {
    let mut desk = Desk::ready().await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    desk.server.event(turn_started()).await;
    desk.server.send(&command()).await;
    desk.sees("1. Allow once").await;
    desk.press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let answer = desk.server.receive().await;
    assert_eq!(answer["result"]["optionId"], "no", "{answer}");
    desk.server.expect("agent/session/cancel").await;
}

#[tokio::test(start_paused = true)]
async fn trust_may_be_asked_before_the_session_is_there() {
    let mut desk = Desk::open(Resume::New).await;
    let (id, _) = desk.server.expect("initialize").await;
    desk.server.answer(id, json!({"capabilities": {}})).await;
    desk.server.expect("initialized").await;
    desk.server.send(&trust()).await;
    desk.sees("• hook: ./evil.sh").await;
    desk.server.new_session().await;
    desk.sees("Bowline 0.1.0").await;
    desk.sees("esc: not now").await;
    desk.key(KeyCode::Esc);
    let answer = desk.server.receive().await;
    assert_eq!(answer["result"], Value::Null, "{answer}");
    desk.sees_no("evil.sh").await;
    desk.sees("rehearsal · default").await;
}

fn rules() -> Value {
    json!({
        "rules": [
            {"rule": "Read(./.env)", "behavior": "deny", "scope": "managed",
             "source": "/etc/bowline/settings.json"},
            {"rule": "Bash(git push:*)", "behavior": "ask", "scope": "project",
             "source": "/w/.claude/settings.json"},
            {"rule": "Bash(make:*)", "behavior": "allow", "scope": "session"},
        ],
        "denials": [
            {"at": 1_794_807_900_000_u64, "tool": "Bash", "title": "Bash rm -rf /",
             "reason": "It deletes everything."},
        ],
    })
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_shall_go_is_picked() {
    let mut desk = Desk::ready().await;
    // Whatever names a rule, or lists them, is the server's.
    desk.sends("/permissions allow Bash(git status:*) --scope project");
    let said = desk.server.accept_prompt("m1").await;
    assert_eq!(said, "/permissions allow Bash(git status:*) --scope project");
    let mut desk = Desk::ready().await;
    desk.sends("/permissions remove");
    let (id, params) = desk.server.expect("agent/permission/rules").await;
    assert_eq!(params, json!({"op": "list", "sessionId": "s1"}));
    desk.server.answer(id, rules()).await;
    desk.sees("1. deny Read(./.env)").await;
    desk.types("1");
    desk.sees("set by an administrator").await;

    desk.sends("/permissions remove");
    let (id, _) = desk.server.expect("agent/permission/rules").await;
    desk.server.answer(id, rules()).await;
    desk.sees("3. allow Bash(make:*)").await;
    desk.types("3");
    let (id, params) = desk.server.expect("agent/permission/rules").await;
    let expect = json!({"op": "remove", "rule": "Bash(make:*)", "behavior": "allow",
        "scope": "session", "sessionId": "s1"});
    assert_eq!(params, expect);
    desk.server.answer(id, json!({"rules": []})).await;
    desk.sees("Removed: allow Bash(make:*)").await;
}

#[tokio::test(start_paused = true)]
async fn trust_is_changed_by_hand() {
    let mut desk = Desk::ready().await;
    let state = json!({"cwd": "/w", "decision": "trust", "decidedFor": "/", "since": 0,
        "items": [{"what": "hook: make", "hash": "ab12", "approved": false}],
        "more": 0, "problems": []});
    desk.sends("/trust ");
    let (id, params) = desk.server.expect("agent/trust/state").await;
    assert_eq!(params, json!({"cwd": "/w"}));
    desk.server.answer(id, state.clone()).await;
    desk.sees("Waits for your approval").await;
    desk.sees("hook: make").await;
    desk.sees("Trust /w?").await;
    desk.types("2");
    let (id, params) = desk.server.expect("agent/trust").await;
    assert_eq!(params, json!({"cwd": "/w", "decision": "trust", "shown": ["ab12"]}));
    desk.server.answer(id, json!({})).await;
    desk.sees("/w is trusted").await;
    desk.sends("/trust no");
    let (id, params) = desk.server.expect("agent/trust").await;
    assert_eq!(params["decision"], "deny");
    desk.server.answer(id, json!({})).await;
    desk.sees("/w is not trusted").await;
}

#[tokio::test(start_paused = true)]
async fn auto_is_a_mode_like_any_other() {
    let mut desk = Desk::ready().await;
    desk.sends("/mode auto");
    assert_eq!(desk.server.accept_prompt("m1").await, "/mode auto");
    let config = json!({"mode": "auto", "model": "rehearsal"});
    desk.server.event(event(json!({"type": "config.updated", "config": config}))).await;
    desk.sees("Rehearsal · auto").await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_says_why() {
    let mut desk = Desk::ready().await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    let call = json!({"type": "tool.started", "toolCallId": "c1", "name": "Bash",
        "title": "Bash rm -rf /", "kind": "execute"});
    desk.server.event(event(call)).await;
    let why = "This call was not allowed: the rule deny Bash(rm:*) of .claude/settings.json.";
    let ended = json!({"type": "tool.ended", "toolCallId": "c1", "status": "denied",
        "content": [{"type": "text", "text": format!("{why}\nDo not try it in another way.")}]});
    desk.server.event(event(ended)).await;
    desk.sees("the rule deny").await;
    desk.sees("Bash(rm:*) of .claude/settings.json.").await;
    assert!(!desk.terminal.text().contains("another way"), "{}", desk.terminal.text());
}
