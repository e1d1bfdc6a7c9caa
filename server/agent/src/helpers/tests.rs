//! What counts as an answer, and what is asked.

use serde_json::json;

use super::doc::Doc;
use super::*;
use crate::journal::Record;
use crate::usage::Usage;

fn check(read: fn(&str) -> Option<String>, answer: &str, expect: Option<&str>) {
    assert_eq!(read(answer).as_deref(), expect, "{answer:?}");
}

#[test]
fn a_title_is_a_few_words() {
    let check = |answer: &str, expect: Option<&str>| check(title::read, answer, expect);
    check("Parser for rope edits", Some("Parser for rope edits"));
    check("\"Fix the flaky test.\"\n", Some("Fix the flaky test"));
    check("# Title: Tidy up", Some("Tidy up"));
    check("**Tides table**", Some("Tides table"));
    check("", None);
    check("Here is a title:\nTidy up", None);
    check("one two three four five six seven eight nine ten eleven", None);
    check("a\u{1b}[2Jb", Some("a\u{fffd}[2Jb"));
}

#[test]
fn a_guess_is_what_somebody_types() {
    let check = |answer: &str, expect: Option<&str>| check(suggestion::read, answer, expect);
    check("run the tests", Some("run the tests"));
    check(" \"commit this\" ", Some("commit this"));
    check("NONE", None);
    check("None.", None);
    check("first\nsecond", None);
    check(&"word ".repeat(17), None);
    check(&"x".repeat(101), None);
}

#[test]
fn a_few_sentences_for_who_comes_back() {
    let check = |answer: &str, expect: Option<&str>| check(away::read, answer, expect);
    check("The parser is done.\n\nTests wait.", Some("The parser is done. Tests wait."));
    check("none", None);
    assert_eq!(away::read(&"x".repeat(2_000)).unwrap().len(), 600);
}

#[test]
fn calls_are_shown_with_their_results() {
    let called = [
        Block::text("I look."),
        Block::ToolUse {
            id: "c1".into(),
            name: "Read".into(),
            input: json!({ "file_path": "/a" }),
        },
        Block::ToolUse { id: "c2".into(), name: "Bash".into(), input: json!({}) },
    ];
    let parts = vec![ResultPart::Text { text: "x".repeat(1_000) }];
    let result = Block::ToolResult { tool_use_id: "c1".into(), content: parts, is_error: true };
    let question = tools::question(&called, &[result]).unwrap();
    assert!(question.text.contains("\"tool\": \"Read\"") && question.text.contains("true"));
    assert!(!question.text.contains("Bash"), "it has no result yet");
    assert!(question.text.len() < 1_000);
    assert!(tools::question(&called[..1], &[]).is_none());
}

#[test]
fn the_last_words_fit_and_ours_are_left_out() {
    let mut conversation = Conversation::default();
    let mut add = |record: Record| conversation.apply(&record).unwrap();
    for number in 0..20 {
        let ours = Block::text("<ours>");
        let text = Block::text(format!("prompt {number} {}", "x".repeat(100)));
        add(Record::User { id: format!("m{number}"), turn: "t".into(), content: vec![ours, text] });
        add(Record::Assistant {
            id: format!("a{number}"),
            turn: "t".into(),
            model: "m".into(),
            asked: None,
            content: vec![Block::text(format!("answer {number}"))],
            stop_reason: None,
            usage: Usage::default(),
        });
    }
    let said = said(&conversation, 600, |text| text == "<ours>");
    let text = json!(said).to_string();
    assert!(text.len() < 700, "{text}");
    assert!(text.ends_with(r#"{"agent":"answer 19"}]"#), "{text}");
    assert!(text.contains("prompt 19") && !text.contains("ours"), "{text}");
}

#[test]
fn a_page_says_that_it_wants_to_be_kept() {
    let check = |text: &str, expect: Option<(&str, Option<&str>)>| {
        let doc = Doc::parse(text);
        assert_eq!(doc.as_ref().map(|doc| (doc.title, doc.wish)), expect, "{text:?}");
    };
    check("# MAGIC DOC: Hulls\n", Some(("Hulls", None)));
    check(
        "# MAGIC DOC: Hulls\n_Only decisions._\n\nText",
        Some(("Hulls", Some("Only decisions."))),
    );
    check("# MAGIC DOC: Hulls\n\n*Short*\n", Some(("Hulls", Some("Short"))));
    check("# MAGIC DOC: Hulls\n**bold**\n", Some(("Hulls", None)));
    check("# MAGIC DOC:\n", None);
    check("\n# MAGIC DOC: late\n", None);
    check("# Docs\n", None);
    check(&format!("# MAGIC DOC: long\n{}", "x".repeat(doc::LONGEST)), None);
}

#[test]
fn a_page_keeps_its_head_and_its_end() {
    let old = "# MAGIC DOC: Hulls\n_Only decisions._\n\nOld.\n";
    let page = Doc::parse(old).unwrap();
    let head = "# MAGIC DOC: Hulls\n_Only decisions._\n\n";
    let check = |answer: &str, expect: Option<&str>| {
        let expect = expect.map(|body| format!("{head}{body}"));
        assert_eq!(doc::read(&page, old, answer), expect, "{answer:?}");
    };
    check("NONE", None);
    check("<document>", None);
    check("</document><document>", None);
    check(&format!("<document>\n{old}</document>"), None);
    check("<document># MAGIC DOC: Hulls\n_Only decisions._\n\nNew.</document>", Some("New.\n"));
    check("<document>\nNew.\n</document>", Some("New.\n"));
    check("<document># MAGIC DOC: Stolen\n_Other wish_\nNew.</document>", Some("New.\n"));
    check("<document># MAGIC DOC: Hulls\n</document>", None);
}
