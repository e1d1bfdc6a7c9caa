//! Guards, policy and people together, and a world that does not stand still while they decide.

use std::os::unix::fs::symlink;
use std::sync::Arc;

use policy::{Behavior, Mode, Verdict};
use serde_json::{Value, json};

use super::{Answer, CallStatus, Judgement};
use crate::guard::tests::{Says, ruling};
use crate::guard::{Guard, Guards, Moment, Opinion};
use crate::testing::Desk;

fn touch(name: &str) -> Value {
    json!({ "command": format!("touch {name}") })
}

fn guarded(desk: &mut Desk, guards: Vec<Arc<Says>>) {
    desk.user.guards = guards.into_iter().map(|guard| guard as Arc<dyn Guard>).collect::<Guards>();
}

fn exists(desk: &Desk, name: &str) -> bool {
    desk.path("w").join(name).exists()
}

/// One call with one guard: how often the user was asked, and how it ended.
async fn check(rules: &[(Behavior, &str)], verdict: Verdict, command: &str, expect: (usize, bool)) {
    for moment in [Moment::BeforeCall, Moment::BeforeAsk] {
        let mut desk = Desk::new(&[]);
        rules.iter().for_each(|(behavior, rule)| desk.rule(*behavior, rule));
        guarded(&mut desk, vec![Says::verdict(moment, verdict)]);
        desk.user.answer = Answer::Deny { reason: "no".to_owned(), feedback: None };
        let report = desk.call("Bash", json!({ "command": command })).await;
        let ran = report.status == CallStatus::Completed;
        let got = (desk.user.asked().len(), ran);
        assert_eq!(got, expect, "{moment:?} {rules:?} {verdict:?} {command}: {report:?}");
    }
}

#[tokio::test]
async fn a_guard_may_settle_a_question_but_not_overrule_policy() {
    use Behavior::{Ask as AskRule, Deny as DenyRule};
    use Verdict::{Allow, Ask, Deny};
    check(&[], Allow, "touch made", (0, true)).await;
    check(&[], Ask, "touch made", (1, false)).await;
    check(&[], Deny, "touch made", (0, false)).await;
    check(&[(DenyRule, "Bash(touch *)")], Allow, "touch made", (0, false)).await;
    check(&[(AskRule, "Bash(touch *)")], Allow, "touch made", (1, false)).await;
    // What only a person may allow.
    check(&[], Allow, "rm -rf /", (1, false)).await;
    check(&[], Allow, "touch .git/hooks/pre-commit", (1, false)).await;
}

#[tokio::test]
async fn a_guard_may_ask_about_and_deny_what_is_allowed() {
    for (verdict, asked) in [(Verdict::Ask, 1), (Verdict::Deny, 0)] {
        let mut desk = Desk::new(&[]);
        desk.rule(Behavior::Allow, "Bash(touch *)");
        guarded(&mut desk, vec![Says::verdict(Moment::BeforeCall, verdict)]);
        desk.user.answer = Answer::Deny { reason: "no".to_owned(), feedback: None };
        let words = desk.err("Bash", touch("made")).await;
        assert_eq!(desk.user.asked().len(), asked);
        assert!(!exists(&desk, "made"));
        let shown = desk.user.asked().first().map_or(words, |asked| asked.reason.clone());
        assert!(shown.contains("The test guard") && shown.contains("so it is"), "{shown}");
    }
}

#[tokio::test]
async fn a_changed_input_is_decided_about_again() {
    let change = |to: &'static str| {
        Says::new(Moment::BeforeCall, move |_| {
            let allow = ruling(Verdict::Allow, "better so");
            Ok(Opinion { input: Some(touch(to)), ..allow })
        })
    };
    let mut desk = Desk::new(&[]);
    guarded(&mut desk, vec![change("other")]);
    desk.ok("Bash", touch("made")).await;
    assert!(exists(&desk, "other") && !exists(&desk, "made"));
    // What it was changed to is forbidden.
    let mut desk = Desk::new(&[]);
    desk.rule(Behavior::Deny, "Bash(touch secret)");
    guarded(&mut desk, vec![change("secret")]);
    desk.err("Bash", touch("made")).await;
    assert!(!exists(&desk, "secret") && !exists(&desk, "made"));
    // Another guard sees the change, and does not like it.
    let mut desk = Desk::new(&[]);
    let dislikes = Says::new(Moment::BeforeCall, |input| {
        let no = (*input == touch("other")).then(|| ruling(Verdict::Deny, "not that"));
        Ok(no.unwrap_or_default())
    });
    guarded(&mut desk, vec![dislikes.clone(), change("other")]);
    desk.err("Bash", touch("made")).await;
    assert_eq!(*dislikes.seen.lock().unwrap(), [touch("made"), touch("other")]);
    assert!(!exists(&desk, "other"));
}

#[tokio::test]
async fn a_guard_that_always_changes_the_input_changes_it_once() {
    let mut desk = Desk::new(&[]);
    let longer = Says::new(Moment::BeforeCall, |input| {
        let command = input["command"].as_str().unwrap_or_default();
        let input = Some(json!({ "command": format!("{command}x") }));
        Ok(Opinion { input, ..ruling(Verdict::Allow, "") })
    });
    guarded(&mut desk, vec![longer]);
    desk.ok("Bash", touch("made")).await;
    assert!(exists(&desk, "madex") && !exists(&desk, "madexx"));
}

#[tokio::test]
async fn what_the_user_wrote_goes_by_the_guards_too() {
    let mut desk = Desk::new(&[]);
    let dislikes = Says::new(Moment::BeforeCall, |input| {
        let no = (*input == touch("better")).then(|| ruling(Verdict::Deny, "not that"));
        Ok(no.unwrap_or_default())
    });
    guarded(&mut desk, vec![dislikes]);
    let edited_input = Some(touch("better"));
    desk.user.answer = Answer::Allow { reason: "yes".to_owned(), edited_input };
    desk.err("Bash", touch("made")).await;
    assert!(!exists(&desk, "better"));
    assert_eq!(desk.user.asked().len(), 1);
}

#[tokio::test]
async fn what_guards_say_reaches_the_model_and_the_user() {
    let mut desk = Desk::new(&[]);
    let says = Says::new(Moment::BeforeCall, |_| {
        let (context, notice) = (Some("mind the gap".to_owned()), Some("hello".to_owned()));
        Ok(Opinion { context, notice, ..ruling(Verdict::Allow, "fine") })
    });
    guarded(&mut desk, vec![says]);
    let words = desk.ok("Bash", touch("made")).await;
    assert!(words.contains("mind the gap"), "{words}");
    assert_eq!(*desk.user.told.lock().unwrap(), ["hello"]);
}

#[tokio::test]
async fn a_guard_may_end_the_turn() {
    let mut desk = Desk::new(&[]);
    let stops = Says::new(Moment::BeforeCall, |_| {
        Ok(Opinion { stop: Some("enough".to_owned()), ..Opinion::default() })
    });
    guarded(&mut desk, vec![stops]);
    let report = desk.call("Bash", touch("made")).await;
    assert_eq!((report.status, report.stop.as_deref()), (CallStatus::Denied, Some("enough")));
    assert!(!exists(&desk, "made"));
}

#[tokio::test]
async fn a_link_that_is_bent_while_the_user_thinks_is_asked_about_again() {
    let mut desk = Desk::new(&[("w/a/x", "one\n"), ("w/b/x", "two\n")]);
    symlink(desk.path("w/a"), desk.path("w/link")).unwrap();
    let bent = desk.path("w/link");
    let to = desk.path("w/b");
    *desk.user.meanwhile.get_mut().unwrap() = Some(Box::new(move || {
        let _ = symlink(&to, bent.with_extension("new"));
        let _ = rename(&bent.with_extension("new"), &bent);
    }));
    let input = json!({ "file_path": desk.path("w/link/new"), "content": "text\n" });
    desk.ok("Write", input).await;
    assert_eq!(desk.user.asked().len(), 2);
    assert!(exists(&desk, "b/new") && !exists(&desk, "a/new"));
}

#[expect(clippy::disallowed_methods, reason = "the world of a test changes behind our back")]
fn rename(from: &std::path::Path, to: &std::path::Path) -> std::io::Result<()> {
    std::fs::rename(from, to)
}

#[tokio::test]
async fn a_call_that_never_stops_changing_is_given_up() {
    let mut desk = Desk::new(&[("w/a/x", "one\n"), ("w/b/x", "two\n")]);
    symlink(desk.path("w/a"), desk.path("w/link")).unwrap();
    let (link, a, b) = (desk.path("w/link"), desk.path("w/a"), desk.path("w/b"));
    let mut turn = 0;
    *desk.user.meanwhile.get_mut().unwrap() = Some(Box::new(move || {
        turn += 1;
        let to = if turn % 2 == 0 { &a } else { &b };
        let _ = symlink(to, link.with_extension("new"));
        let _ = rename(&link.with_extension("new"), &link);
    }));
    let input = json!({ "file_path": desk.path("w/link/new"), "content": "text\n" });
    let words = desk.err("Write", input).await;
    assert!(words.contains("kept changing"), "{words}");
    assert_eq!(desk.user.asked().len(), 4);
    assert!(!exists(&desk, "a/new") && !exists(&desk, "b/new"));
}

#[tokio::test]
async fn a_file_that_is_typed_in_elsewhere_is_not_asked_about_again() {
    let desk = Desk::new(&[("w/a.txt", "one\ntwo\nthree\n")]);
    desk.open_saved("w/a.txt");
    desk.ok("Read", json!({ "file_path": desk.path("w/a.txt") })).await;
    let (editor, path) = (Arc::clone(&desk.editor), desk.path("w/a.txt"));
    *desk.user.meanwhile.lock().unwrap() =
        Some(Box::new(move || editor.type_in(&path, "uno\ntwo\nthree\n")));
    let input =
        json!({ "file_path": desk.path("w/a.txt"), "old_string": "two", "new_string": "TWO" });
    desk.ok("Edit", input).await;
    assert_eq!(desk.user.asked().len(), 1);
    assert_eq!(desk.in_editor("w/a.txt"), "uno\nTWO\nthree\n");
}

#[tokio::test]
async fn a_rule_that_comes_while_the_user_thinks_counts() {
    let desk = Desk::new(&[]);
    let session = Arc::clone(&desk.session);
    *desk.user.meanwhile.lock().unwrap() = Some(Box::new(move || {
        session.update_permissions(|permissions| permissions.mode = Mode::Plan);
    }));
    let words = desk.err("Bash", touch("made")).await;
    assert!(words.contains("Plan mode"), "{words}");
    assert!(!exists(&desk, "made"));
}

/// In auto mode: what the check said, how often the user was asked, and whether it ran.
async fn judged(judgement: Judgement, command: &str, expect: (usize, bool)) {
    let mut desk = Desk::new(&[]);
    desk.session.update_permissions(|permissions| permissions.mode = Mode::Auto);
    desk.user.judgement = judgement.clone();
    desk.user.answer = Answer::Deny { reason: "no".to_owned(), feedback: None };
    let report = desk.call("Bash", json!({ "command": command })).await;
    let ran = report.status == CallStatus::Completed;
    assert_eq!((desk.user.asked().len(), ran), expect, "{judgement:?} {command} {report:?}");
}

#[tokio::test]
async fn auto_mode_asks_its_check_first_and_the_user_where_it_must() {
    let allow = || Judgement::Allow { reason: "fine".to_owned() };
    let deny = || Judgement::Deny { reason: "not asked for".to_owned() };
    let unclear = || Judgement::Unclear { why: "It did not answer.".to_owned() };
    judged(allow(), "python3 -c pass", (0, true)).await;
    judged(deny(), "python3 -c pass", (0, false)).await;
    judged(unclear(), "python3 -c pass", (1, false)).await;
    judged(allow(), "rm -rf /", (1, false)).await;
    judged(deny(), "ls", (0, true)).await;
}

#[tokio::test]
async fn a_judgement_for_a_mode_that_is_over_is_thrown_away() {
    for judgement in [
        Judgement::Allow { reason: "fine".to_owned() },
        Judgement::Deny { reason: "no".to_owned() },
    ] {
        let mut desk = Desk::new(&[]);
        desk.session.update_permissions(|permissions| permissions.mode = Mode::Auto);
        desk.user.judgement = judgement;
        desk.user.answer = Answer::Deny { reason: "no".to_owned(), feedback: None };
        let session = Arc::clone(&desk.session);
        *desk.user.meanwhile.get_mut().unwrap() = Some(Box::new(move || {
            session.update_permissions(|permissions| permissions.mode = Mode::Default);
        }));
        desk.err("Bash", json!({ "command": "python3 -c pass" })).await;
        assert_eq!(desk.user.asked().len(), 1, "the user decides");
    }
}

#[tokio::test]
async fn a_program_that_is_exchanged_while_the_user_thinks_is_asked_about_again() {
    let mut desk = Desk::new(&[("w/build.sh", "#!/bin/sh\ntouch one\n")]);
    let script = desk.path("w/build.sh");
    let mut times = 0;
    *desk.user.meanwhile.get_mut().unwrap() = Some(Box::new(move || {
        times += 1;
        if times == 1 {
            let other = b"#!/bin/sh\ntouch one two three\n";
            workspace::write_atomic(&script, other, &workspace::WriteOptions::default()).unwrap();
        }
    }));
    desk.call("Bash", json!({ "command": "./build.sh" })).await;
    assert_eq!(desk.user.asked().len(), 2);
}
