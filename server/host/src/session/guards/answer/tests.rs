//! Exit codes and outputs, as a table.

use std::time::Duration;

use serde_json::json;

use super::*;

fn finished(status: Exit, stdout: &str, stderr: &str) -> Finished {
    Finished {
        status,
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        output: String::new(),
        cwd_after: None,
        duration: Duration::ZERO,
        denials: Vec::new(),
    }
}

fn before(stdout: &str) -> Result<Opinion, String> {
    read(Moment::BeforeCall, &finished(Exit::Code(0), stdout, ""))
}

fn ask(stdout: &str) -> Result<Opinion, String> {
    read(Moment::BeforeAsk, &finished(Exit::Code(0), stdout, ""))
}

fn ruled(opinion: &Opinion) -> Option<(Verdict, &str)> {
    opinion.ruling.as_ref().map(|ruling| (ruling.verdict, ruling.reason.as_str()))
}

#[test]
fn exit_codes() {
    let check = |status: Exit, expect: Result<Option<Verdict>, &str>| {
        for moment in [Moment::BeforeCall, Moment::BeforeAsk] {
            let got = read(moment, &finished(status, "", "because\n"));
            let got = got.map(|opinion| opinion.ruling.map(|ruling| ruling.verdict));
            match (&got, &expect) {
                (Ok(got), Ok(expect)) => assert_eq!(got, expect, "{status:?}"),
                (Err(got), Err(words)) => assert!(got.contains(words), "{status:?} {got}"),
                _ => panic!("{status:?}: {got:?}"),
            }
        }
    };
    check(Exit::Code(0), Ok(None));
    check(Exit::Code(2), Ok(Some(Verdict::Deny)));
    check(Exit::Code(1), Err("exit code 1 (because)"));
    check(Exit::Code(126), Err("exit code 126"));
    check(Exit::Code(127), Err("exit code 127"));
    check(Exit::Code(139), Err("exit code 139"));
    check(Exit::Signal(11), Err("signal 11"));
    check(Exit::TimedOut, Err("in time"));
    check(Exit::Cancelled, Err("stopped"));
}

#[test]
fn a_no_by_exit_code_cannot_be_taken_back() {
    let allows = r#"{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{}}}"#;
    let got = read(Moment::BeforeCall, &finished(Exit::Code(2), allows, "never")).unwrap();
    assert_eq!((ruled(&got), &got.input), (Some((Verdict::Deny, "never")), &None));
    let says = r#"{"decision":"block","reason":"so"}"#;
    let got = read(Moment::BeforeCall, &finished(Exit::Code(2), says, "")).unwrap();
    assert_eq!(ruled(&got), Some((Verdict::Deny, "so")));
    let got = read(Moment::BeforeCall, &finished(Exit::Code(2), "{broken", "")).unwrap();
    assert_eq!(ruled(&got), Some((Verdict::Deny, "")));
}

#[test]
fn what_is_printed_before_a_call() {
    let check = |output: &str, expect: Option<(Verdict, &str)>| {
        let got = before(output).unwrap();
        assert_eq!(ruled(&got), expect, "{output}");
    };
    let decision = |word: &str| {
        json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse",
            "permissionDecision": word, "permissionDecisionReason": "why" } })
        .to_string()
    };
    check("", None);
    check("all is well", None);
    check("{}", None);
    check(r#"{"futureField": [1, 2]}"#, None);
    check(&decision("allow"), Some((Verdict::Allow, "why")));
    check(&decision("deny"), Some((Verdict::Deny, "why")));
    check(&decision("ask"), Some((Verdict::Ask, "why")));
    check(&decision("defer"), Some((Verdict::Ask, "why")));
    check(r#"{"decision":"approve"}"#, Some((Verdict::Allow, "")));
    check(r#"  {"decision":"block","reason":"no"}"#, Some((Verdict::Deny, "no")));
    let got = before(
        r#"{"systemMessage":"hello","hookSpecificOutput":{"updatedInput":{"command":"ls"},
            "additionalContext":"mind"}}"#,
    );
    let got = got.unwrap();
    assert_eq!(got.input, Some(json!({ "command": "ls" })));
    assert_eq!((got.context.as_deref(), got.notice.as_deref()), (Some("mind"), Some("hello")));
    let got = before(r#"{"continue":false,"stopReason":"enough"}"#).unwrap();
    assert_eq!(got.stop.as_deref(), Some("enough"));
    assert_eq!(before(r#"{"continue":true}"#).unwrap().stop, None);
}

#[test]
fn what_is_printed_before_a_question() {
    let answer = |decision: Value| {
        let specific = json!({ "hookEventName": "PermissionRequest", "decision": decision });
        ask(&json!({ "hookSpecificOutput": specific }).to_string()).unwrap()
    };
    let got = answer(json!({ "behavior": "allow" }));
    assert_eq!((ruled(&got), &got.input), (Some((Verdict::Allow, "")), &None));
    let got = answer(json!({ "behavior": "allow", "updatedInput": { "command": "ls" } }));
    assert_eq!(got.input, Some(json!({ "command": "ls" })));
    let got = answer(json!({ "behavior": "deny", "message": "no" }));
    assert_eq!((ruled(&got), &got.stop), (Some((Verdict::Deny, "no")), &None));
    let got = answer(json!({ "behavior": "deny", "message": "no", "interrupt": true }));
    assert_eq!(got.stop.as_deref(), Some("no"));
}

#[test]
fn what_cannot_be_understood_is_no_answer() {
    for output in [
        "{",
        "{\"a\": 1} trailing",
        r#"{"hookSpecificOutput":{"permissionDecision":"alow"}}"#,
        r#"{"hookSpecificOutput":{"permissionDecision":true}}"#,
        r#"{"hookSpecificOutput":{"updatedInput":"ls"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"Stop"}}"#,
        r#"{"hookSpecificOutput":"deny"}"#,
        r#"{"decision":"perhaps"}"#,
        r#"{"continue":"no"}"#,
        r#"{"hookSpecificOutput":{"decision":{"behavior":"alow"}}}"#,
        r#"{"hookSpecificOutput":{"decision":{"message":"deny"}}}"#,
    ] {
        assert!(before(output).is_err(), "{output}");
        assert!(ask(output).is_err(), "{output}");
    }
}
