//! Scenarios from code and from files, and how answers are taken.

use serde_json::json;

use super::*;

#[test]
fn a_file_says_the_same_as_the_builder() {
    let file = Scenario::parse(
        r#"
        [[answer]]
        when = "hello"
        usage = { input_tokens = 3, output_tokens = 4 }
        step = [
          { thinking = "hm", signature = "sig" },
          { text = "hi", deltas = 2, repeat = 3 },
          { delay_ms = 5 },
          { tool = "Read", input = { file_path = "{{cwd}}/a.rs", limit = 3 } },
        ]

        [[answer]]
        forever = true
        stop = "max_tokens"
        step = [{ raw = "data: x\n\n" }, { reset = true }]

        [[answer]]
        step = [{ error = { status = 429, body = "no", headers = { retry-after = "1" } } }]
        "#,
    )
    .unwrap();
    let code = Scenario::new()
        .when("hello")
        .usage(Usage { input_tokens: 3, output_tokens: 4, ..Usage::default() })
        .thinking("hm", "sig")
        .long_text("hi", 2, 3)
        .delay_ms(5)
        .tool("Read", json!({"file_path": "{{cwd}}/a.rs", "limit": 3}))
        .answer()
        .forever()
        .stop(StopReason::MaxTokens)
        .raw("data: x\n\n")
        .reset()
        .answer()
        .refuse(429, "no", &[("retry-after", "1")]);
    assert_eq!(file.answers, code.answers);
}

#[test]
fn faults_in_a_file_are_those_of_the_builder() {
    let file = Scenario::parse(
        r#"
        count_tokens = 7

        [[answer]]
        times = 3
        step = [{ hang_up = true }]

        [[answer]]
        head_delay_ms = 4
        drip = { bytes = 2, every_ms = 5 }
        reset_at = 100
        content_type = ""
        step = [
          { tool = "Read", json = "{oops" },
          { tool = "Read", id = "same", input = {} },
          { block = { type = "web_search_tool_result", content = [] } },
          { pings = 9, every_ms = 1 },
        ]
        "#,
    )
    .unwrap();
    let ms = Duration::from_millis;
    let code = Scenario::new()
        .count_tokens(7)
        .times(3)
        .hang_up()
        .answer()
        .head_delay(ms(4))
        .drip(2, ms(5))
        .reset_at(100)
        .content_type("")
        .raw_tool("Read", "{oops")
        .tool_with_id("same", "Read", json!({}))
        .block(json!({"type": "web_search_tool_result", "content": []}))
        .pings(9, ms(1));
    assert_eq!(file.answers, code.answers);
    assert_eq!((file.counted, file.remaining()), (Some(7), 4));
    file.take("").unwrap();
    assert_eq!(file.remaining(), 3);
}

#[test]
fn mistakes_in_a_file_are_named() {
    let error = |toml: &str| Scenario::parse(toml).err().map(|error| error.to_string());
    let two = "[[answer]]\nstep = [{ text = \"a\" }, { text = \"b\", hang = true }]";
    assert!(error(two).unwrap().starts_with("Step 2 of answer 1 must say exactly one thing"));
    assert!(error("[[answer]]\nstep = [{}]").unwrap().contains("exactly one"));
    assert!(error("[[answer]]\nstpe = []").unwrap().contains("stpe"));
    assert_eq!(error(""), None);
}

#[test]
fn answers_are_taken_in_order_and_by_words() {
    let scenario = Scenario::new()
        .text("one")
        .answer()
        .when("special")
        .text("two")
        .answer()
        .text("three")
        .answer()
        .forever()
        .text("always");
    let said = |words: &str| match &scenario.take(words).unwrap().steps[0] {
        Step::Text { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(said("something special"), "two");
    assert_eq!(said("x"), "one");
    assert_eq!(said("special again"), "three");
    assert_eq!(scenario.remaining(), 0);
    assert_eq!((said("x"), said("x")), ("always".to_owned(), "always".to_owned()));
    assert!(Scenario::new().when("a").text("b").take("x").is_none());
}

#[test]
fn placeholders_are_filled_everywhere() {
    let scenario = Scenario::new()
        .text("in {{cwd}}: {{prompt}}")
        .tool("X", json!({"a": ["{{cwd}}/b", {"c": "{{prompt}}"}], "n": 1}));
    let answer = scenario.take("").unwrap().fill("/w", "hi");
    let Step::Text { text, .. } = &answer.steps[0] else { panic!() };
    assert_eq!(text, "in /w: hi");
    let Step::Tool { input, .. } = &answer.steps[1] else { panic!() };
    assert_eq!(*input, json!({"a": ["/w/b", {"c": "hi"}], "n": 1}));
}

/// The files beside this project are part of it.
#[test]
fn every_fixture_parses() {
    for text in [
        include_str!("../../../../fixtures/model/hello.toml"),
        include_str!("../../../../fixtures/model/edit.toml"),
        include_str!("../../../../fixtures/model/twenty-turns.toml"),
        include_str!("../../../../fixtures/model/five-megabytes.toml"),
        include_str!("../../../../fixtures/model/accidents.toml"),
        include_str!("../../../../fixtures/model/faults.toml"),
    ] {
        Scenario::parse(text).unwrap();
    }
}
