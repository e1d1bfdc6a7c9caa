//! Exit codes and outputs, as tables.

use extend::hooks::HookEvent::{self, *};
use serde_json::json;

use super::*;

fn printed(code: i32, stdout: &str, stderr: &str) -> Printed {
    Printed { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}

fn said(event: HookEvent, stdout: &Value) -> Said {
    read(event, &printed(0, &stdout.to_string(), "")).unwrap()
}

fn wrong(event: HookEvent, code: i32, stdout: &str) -> String {
    read(event, &printed(code, stdout, "because\n")).unwrap_err()
}

#[test]
fn exit_codes_by_event() {
    for event in HookEvent::ALL.iter().copied() {
        assert_eq!(read(event, &printed(0, "", "noise")).unwrap(), Said::default(), "{event:?}");
        for code in [1, 3, 126, 127, 139] {
            let words = wrong(event, code, "");
            assert_eq!(words, format!("ended with exit code {code} (because)"), "{event:?}");
        }
        let no = read(event, &printed(2, "", "never\n")).unwrap();
        let told = match event.on_two() {
            OnTwo::Blocks | OnTwo::TellsModel => no.blocked,
            OnTwo::TellsUser => no.notice,
        };
        assert_eq!(told.as_deref(), Some("never"), "{event:?}");
    }
}

#[test]
fn a_no_by_exit_code_cannot_be_taken_back() {
    let allows = json!({ "hookSpecificOutput": {
        "permissionDecision": "allow", "permissionDecisionReason": "fine", "updatedInput": {},
    }});
    let no = read(PreToolUse, &printed(2, &allows.to_string(), "never")).unwrap();
    assert_eq!((no.blocked.as_deref(), no.decision), (Some("never"), None));
    assert_eq!(no.more.updated_input, None);
    // Its words may say why.
    let why = json!({ "decision": "block", "reason": "not now" }).to_string();
    assert_eq!(read(Stop, &printed(2, &why, "")).unwrap().blocked.as_deref(), Some("not now"));
    assert_eq!(read(Stop, &printed(2, "{ broken", "x")).unwrap().blocked.as_deref(), Some("x"));
}

#[test]
fn with_another_code_only_json_counts() {
    let why = json!({ "decision": "block", "reason": "not now" }).to_string();
    assert_eq!(read(Stop, &printed(1, &why, "")).unwrap().blocked.as_deref(), Some("not now"));
    assert!(wrong(Stop, 1, "plain words").contains("exit code 1"));
    assert!(wrong(Stop, 1, "{ broken").contains("exit code 1"));
}

#[test]
fn plain_words_are_for_the_model_where_the_event_says_so() {
    for event in HookEvent::ALL.iter().copied().filter(|event| *event != WorktreeCreate) {
        let said = read(event, &printed(0, " words \n", "")).unwrap();
        let expect = event.words_are_context().then_some("words");
        assert_eq!(said.context.as_deref(), expect, "{event:?}");
    }
    let made = read(WorktreeCreate, &printed(0, "making\n/w/tree\n", "")).unwrap();
    assert_eq!(made.more.worktree_path.as_deref(), Some("/w/tree"));
}

#[test]
fn what_all_events_have() {
    for event in HookEvent::ALL.iter().copied() {
        let output = json!({
            "continue": false, "stopReason": "enough", "systemMessage": "look",
            "suppressOutput": true, "unknown": 1,
            "hookSpecificOutput": { "hookEventName": event.name(), "additionalContext": "know" },
        });
        let said = said(event, &output);
        assert_eq!(said.stop.as_deref(), Some("enough"), "{event:?}");
        assert_eq!(said.notice.as_deref(), Some("look"), "{event:?}");
        assert_eq!(said.context.as_deref(), Some("know"), "{event:?}");
    }
    assert_eq!(
        said(Stop, &json!({ "continue": false })).stop.as_deref(),
        Some("a hook asked for it.")
    );
    assert_eq!(said(Stop, &json!({ "async": true, "asyncTimeout": 5 })).detached, Some(Some(5)));
}

#[test]
fn decisions_about_calls() {
    let newer = |decision: &str| {
        json!({ "hookSpecificOutput": {
            "permissionDecision": decision, "permissionDecisionReason": "r",
        }})
    };
    for (word, expect) in [
        ("allow", Decision::Allow),
        ("ask", Decision::Ask),
        ("defer", Decision::Defer),
        ("deny", Decision::Deny),
    ] {
        let expect = Some((expect, "r".to_owned()));
        assert_eq!(said(PreToolUse, &newer(word)).decision, expect, "{word}");
        assert_eq!(said(PreModelSwitch, &newer(word)).decision, expect, "{word}");
        // Elsewhere it means nothing.
        assert_eq!(said(Stop, &newer(word)).decision, None, "{word}");
    }
    let older = |word: &str| json!({ "decision": word, "reason": "r" });
    for (word, expect) in
        [("approve", Decision::Allow), ("block", Decision::Deny), ("ask", Decision::Ask)]
    {
        let expect = Some((expect, "r".to_owned()));
        assert_eq!(said(PreToolUse, &older(word)).decision, expect, "{word}");
        assert_eq!(said(PermissionRequest, &older(word)).decision, expect, "{word}");
    }
    for event in [Stop, UserPromptSubmit, PostToolUse, ConfigChange, PreCompact] {
        assert_eq!(said(event, &older("block")).blocked.as_deref(), Some("r"), "{event:?}");
        assert_eq!(said(event, &older("approve")).blocked, None, "{event:?}");
    }
}

#[test]
fn answers_in_the_users_place() {
    let answer = |decision: Value| {
        said(PermissionRequest, &json!({ "hookSpecificOutput": { "decision": decision } }))
    };
    let allowed = answer(json!({ "behavior": "allow", "updatedInput": { "a": 1 } }));
    assert_eq!(allowed.decision, Some((Decision::Allow, String::new())));
    assert_eq!(allowed.more.updated_input.unwrap()["a"], 1);
    let denied = answer(json!({ "behavior": "deny", "message": "m", "interrupt": true }));
    assert_eq!(denied.decision, Some((Decision::Deny, "m".to_owned())));
    assert_eq!(denied.stop.as_deref(), Some("m"));
}

#[test]
fn what_only_some_events_have() {
    let more = |event: HookEvent, specific: Value| {
        said(event, &json!({ "hookSpecificOutput": specific })).more
    };
    let begun = more(
        SessionStart,
        json!({
            "initialUserMessage": "hello", "sessionTitle": "t", "watchPaths": ["a"], "reloadSkills": true,
        }),
    );
    assert_eq!(begun.initial_user_message.as_deref(), Some("hello"));
    assert_eq!(begun.session_title.as_deref(), Some("t"));
    assert_eq!(begun.watch_paths, Some(vec!["a".to_owned()]));
    assert_eq!(begun.reload_skills, Some(true));
    let after = more(PostToolUse, json!({ "updatedToolOutput": "x", "updatedMCPToolOutput": [1] }));
    assert_eq!(after.updated_tool_output, Some(json!("x")));
    assert_eq!(after.updated_mcp_tool_output, Some(json!([1])));
    assert_eq!(more(PermissionDenied, json!({ "retry": true })).retry, Some(true));
    let answer = more(Elicitation, json!({ "action": "accept", "content": { "n": 1 } }));
    assert_eq!(answer.action, Some(Action::Accept));
    assert_eq!(answer.content.unwrap()["n"], 1);
    let shown = more(MessageDisplay, json!({ "displayContent": "d" }));
    assert_eq!(shown.display_content.as_deref(), Some("d"));
}

#[test]
fn json_that_is_not_ours_is_a_failure() {
    for text in [
        "{ broken",
        "{\"continue\": \"no\"}",
        "{\"decision\": \"perhaps\"}",
        "{\"hookSpecificOutput\": {\"permissionDecision\": \"alow\"}}",
        "{\"hookSpecificOutput\": {\"watchPaths\": \"a\"}}",
        "{\"systemMessage\": 1}",
    ] {
        let words = wrong(PreToolUse, 0, text);
        assert!(words.contains("cannot be understood"), "{text}: {words}");
    }
    let other = json!({ "hookSpecificOutput": { "hookEventName": "Stop" } }).to_string();
    assert_eq!(wrong(PreToolUse, 0, &other), "answered about Stop, but was asked about PreToolUse");
}
