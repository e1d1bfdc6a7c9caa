//! Questions, good and bad.

use super::*;
use crate::testing::Desk;
use serde_json::{Value, json};

fn question(text: &str, options: usize) -> Value {
    let options: Vec<Value> = (0..options).map(|n| json!({ "label": n.to_string() })).collect();
    json!({ "question": text, "header": "A long header", "options": options })
}

#[tokio::test]
async fn what_the_user_says_is_told() {
    let desk = Desk::new(&[]);
    let ask = json!({ "questions": [question("Which?", 2), question("How?", 4)] });
    let text = desk.err("AskUserQuestion", ask.clone()).await;
    assert!(text.contains("Nobody is here"), "{text}");
    let given = UserAnswer::Given(vec![vec!["0".into()], vec!["a".into(), "b".into()]]);
    *desk.editor.answer.lock().unwrap() = Some(given);
    let text = desk.ok("AskUserQuestion", ask.clone()).await;
    assert_eq!(text, "The user answered:\nWhich?\n→ 0\nHow?\n→ a, b");
    *desk.editor.answer.lock().unwrap() = Some(UserAnswer::Declined);
    let text = desk.err("AskUserQuestion", ask).await;
    assert!(text.contains("does not want to answer"), "{text}");
}

#[tokio::test]
async fn bad_questions_say_how_to_ask() {
    let desk = Desk::new(&[]);
    let check = async |questions: Vec<Value>, expect: &str| {
        let text = desk.err("AskUserQuestion", json!({ "questions": questions })).await;
        assert!(text.contains(expect), "{text}");
    };
    check(Vec::new(), "one to 4 questions").await;
    check((0..5).map(|n| question(&n.to_string(), 2)).collect(), "one to 4 questions").await;
    check(vec![question("Which?", 1)], "has 1 choices; give two to 4").await;
    check(vec![question("A?", 2), question("A?", 2)], "words of its own").await;
}
