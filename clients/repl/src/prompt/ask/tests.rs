//! Keys in, answers out.

use expect_test::expect;
use protocol::ask::{Choice, Form, Question};
use serde_json::json;

use super::super::tests::key;
use super::*;
use crate::render::line::plain_text;

fn params() -> AskParams {
    AskParams {
        request_id: "r".into(),
        session_id: "s".into(),
        message: None,
        questions: None,
        form: None,
        url: None,
    }
}

fn question(multi: bool, free: bool) -> Question {
    let choice = |label: &str| Choice { label: label.into(), description: Some("why".into()) };
    Question {
        id: "q".into(),
        header: None,
        text: "Which?".into(),
        options: vec![choice("red"), choice("blue")],
        multi_select: Some(multi),
        free_text: Some(free),
    }
}

fn check(params: AskParams, keys: &str, expect: &Value) {
    let mut asking = Asking::new(Origin::Pending, params);
    let mut answer = Step::Open;
    for name in keys.split(' ') {
        assert_eq!(answer, Step::Open, "{keys}");
        answer = asking.on_key(key(name));
    }
    let Step::Answered(result) = answer else { panic!("{keys}: still open") };
    assert_eq!(serde_json::to_value(result).expect("plain data"), *expect, "{keys}");
}

#[test]
fn choices() {
    let one = |multi, free| AskParams { questions: Some(vec![question(multi, free)]), ..params() };
    let accept = |value: Value| json!({"action": "accept", "content": {"q": value}});
    check(one(false, false), "enter", &accept(json!("red")));
    check(one(false, false), "2", &accept(json!("blue")));
    check(one(true, false), "space down space enter", &accept(json!(["red", "blue"])));
    check(one(true, false), "enter", &accept(json!([])));
    check(one(false, true), "3 h i enter", &accept(json!("hi")));
    check(one(true, true), "3 h i enter", &accept(json!(["hi"])));
    check(one(false, true), "3 h esc 1", &accept(json!("red")));
    check(one(false, false), "esc", &json!({"action": "decline"}));
}

#[test]
fn several_questions_one_after_the_other() {
    let second = Question { id: "t".into(), options: Vec::new(), ..question(false, false) };
    let params = AskParams { questions: Some(vec![question(false, false), second]), ..params() };
    let expect = json!({"action": "accept", "content": {"q": "red", "t": "x"}});
    check(params, "1 enter x enter", &expect);
}

#[test]
fn forms() {
    let schema = json!({
        "type": "object",
        "required": ["count"],
        "properties": {
            "count": {"type": "integer"},
            "fast": {"type": "boolean"},
            "name": {"type": "string"},
        },
    });
    let params = AskParams { form: Some(Form { schema }), ..params() };
    let expect = json!({"action": "accept", "content": {"count": 4, "fast": false}});
    check(params, "enter x enter backspace 4 enter 2 enter", &expect);
}

#[test]
fn links() {
    let params = AskParams { url: Some("https://example.org".into()), ..params() };
    check(params.clone(), "x enter", &json!({"action": "accept"}));
    check(params, "esc", &json!({"action": "decline"}));
}

#[test]
fn looks() {
    let params = AskParams {
        message: Some("One thing first.".into()),
        questions: Some(vec![question(true, true)]),
        ..params()
    };
    let mut asking = Asking::new(Origin::Pending, params);
    asking.on_key(key("space"));
    expect![[r#"
        ──────────────────────────────
        One thing first.
        Which?
        ❯ 1. ☑ red  why
          2. ☐ blue  why
          3. something else …
        space to tick, enter to answe…
    "#]]
    .assert_eq(&plain_text(&asking.draw(30).0));
}

/// A line for each question, until it is answered.
fn check_lines(params: AskParams, lines: &[&str], expect: &Value) {
    let mut asking = Asking::new(Origin::Pending, params);
    let mut answer = Step::Open;
    for line in lines {
        assert_eq!(answer, Step::Open, "{lines:?}");
        answer = asking.reply(line);
    }
    let Step::Answered(result) = answer else { panic!("{lines:?}: still open") };
    assert_eq!(serde_json::to_value(result).expect("plain data"), *expect, "{lines:?}");
}

#[test]
fn answers_in_words() {
    let one = |multi, free| AskParams { questions: Some(vec![question(multi, free)]), ..params() };
    let accept = |value: Value| json!({"action": "accept", "content": {"q": value}});
    check_lines(one(false, false), &["2"], &accept(json!("blue")));
    check_lines(one(false, false), &["9", "green", "1"], &accept(json!("red")));
    check_lines(one(false, true), &["green"], &accept(json!("green")));
    check_lines(one(true, false), &["1, 2"], &accept(json!(["red", "blue"])));
    check_lines(one(true, true), &["neither of 2"], &accept(json!(["neither of 2"])));
    check_lines(one(true, false), &[""], &json!({"action": "decline"}));
    let spoken = Asking::new(Origin::Pending, one(true, true)).speak();
    expect![[r#"
        Which?
        1. red, why
        2. blue, why
        Type numbers with blanks between them, or write an answer of your own; an empty line declines.
    "#]]
    .assert_eq(&spoken);
}
