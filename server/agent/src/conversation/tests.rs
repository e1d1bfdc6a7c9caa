//! What a conversation makes of its records.

mod checker;
mod property;

use super::*;
use crate::message::{ImageSource, ResultPart};
use crate::usage::Usage;

fn user(text: &str) -> Record {
    Record::User { id: "u".into(), turn: "t".into(), content: vec![Block::text(text)] }
}

fn assistant(content: Vec<Block>) -> Record {
    let usage = Usage { input_tokens: 5, output_tokens: 7, ..Usage::default() };
    let (id, turn, model) = ("a".into(), "t".into(), "m".into());
    Record::Assistant { id, turn, model, asked: None, content, stop_reason: None, usage }
}

#[test]
fn replay_gives_the_same_bytes() {
    let input = serde_json::json!({"z": 1, "a": [1.5, "ü"]});
    let call = Block::ToolUse { id: "c1".into(), name: "Read".into(), input };
    let records = [user("hi"), assistant(vec![Block::text("ok"), call])];
    let mut live = Conversation::default();
    let mut replayed = Conversation::default();
    for record in &records {
        live.apply(record).unwrap();
        let line = serde_json::to_string(record).unwrap();
        replayed.apply(&serde_json::from_str(&line).unwrap()).unwrap();
    }
    let bytes = |conversation: &Conversation| {
        let pieces = conversation.pieces("m");
        pieces.iter().map(|piece| piece.json().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&live), bytes(&replayed));
    assert_eq!(live.context(), 12);
}

fn call(id: &str) -> Block {
    Block::ToolUse { id: id.into(), name: "Bash".into(), input: serde_json::json!({}) }
}

fn results(ids: &[&str]) -> Record {
    let result = |id: &&str| Block::ToolResult {
        tool_use_id: (*id).to_owned(),
        content: Vec::new(),
        is_error: false,
    };
    Record::Results { turn: "t".into(), content: ids.iter().map(result).collect() }
}

/// Every message as its blocks: `call c1`, `result c1`, or the text.
fn shape(records: &[Record]) -> Vec<String> {
    let mut conversation = Conversation::default();
    for record in records {
        conversation.apply(record).unwrap();
    }
    let blocks = |entry: &Entry| {
        let blocks = entry.message().unwrap().content.into_iter().map(|block| match block {
            Block::ToolUse { id, .. } => format!("call {id}"),
            Block::ToolResult { tool_use_id, .. } => format!("result {tool_use_id}"),
            Block::Text { text } if text == LOST => "(lost)".to_owned(),
            Block::Text { text } => text,
            _ => String::new(),
        });
        blocks.collect::<Vec<_>>().join(" ")
    };
    conversation.entries().iter().map(blocks).collect()
}

#[test]
fn whatever_was_lost_every_call_has_one_result() {
    let calls = || assistant(vec![call("c1"), call("c2")]);
    // A crash before the results.
    let got = shape(&[calls(), user("on")]);
    assert_eq!(got, ["(lost)", "call c1 call c2", "result c1 result c2", "on"]);
    // The line with the results was damaged.
    let got = shape(&[calls(), assistant(vec![call("c3")]), results(&["c3"])]);
    assert_eq!(got, ["(lost)", "call c1 call c2", "result c1 result c2", "call c3", "result c3"]);
    // The line with the calls was.
    assert_eq!(shape(&[user("go"), results(&["c1"]), user("on")]), ["go", "on"]);
    // Some results twice, some never.
    let got = shape(&[calls(), results(&["c1", "c1"]), results(&["c1"]), user("on")]);
    assert_eq!(got, ["(lost)", "call c1 call c2", "result c1", "result c2", "on"]);
}

#[test]
fn unknown_records_are_skipped() {
    let record: Record = serde_json::from_str(r#"{"type":"from_the_future","x":1}"#).unwrap();
    assert_eq!(record, Record::Unknown);
}

/// The smallest PNG there is.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn image(data: &str) -> Block {
    let (media_type, data) = ("image/png".into(), data.to_owned());
    Block::Image { source: ImageSource::Base64 { media_type, data } }
}

#[test]
fn damaged_and_refused_images_become_words() {
    let placeholder = |problem: &str| media::placeholder(problem);
    let said =
        |blocks: Vec<Block>| Record::User { id: "u".into(), turn: "t".into(), content: blocks };
    let huge = format!("iVBORw0KGg{}", "A".repeat(6 << 20));
    let records = [said(vec![image("AAAA"), image(&huge), image(PIXEL), Block::text("look")])];
    let damaged =
        format!("{} {}", placeholder("it is damaged"), placeholder("it is larger than 5 MB"));
    assert_eq!(shape(&records), [format!("{damaged}  look")]);
    let mut records = records.to_vec();
    records.push(Record::MediaStripped { turn: "t".into() });
    let refused = placeholder("the model's provider refused it");
    assert_eq!(shape(&records), [format!("{damaged} {refused} look")]);
}

fn thinking(model: &str) -> Record {
    let thought = Block::Thinking { thinking: "hm".into(), signature: "seal".into() };
    Record::Assistant {
        id: "a".into(),
        turn: "t".into(),
        model: model.into(),
        asked: Some("proxied".into()),
        content: vec![thought, Block::text("so")],
        stop_reason: None,
        usage: Usage::default(),
    }
}

#[test]
fn what_another_model_thought_is_left_out() {
    let mut conversation = Conversation::default();
    for record in [user("go"), thinking("claude-opus-4-5-20251101"), user("on")] {
        conversation.apply(&record).unwrap();
    }
    let thinks = |model: &str| conversation.pieces(model)[1].json().contains("seal");
    assert!(thinks("claude-opus-4-5") && thinks("claude-opus-4-5-20251101") && thinks("proxied"));
    assert!(!thinks("claude-sonnet-5-5") && !thinks("unknown"));
}

#[test]
fn the_results_of_one_answer_are_one_message() {
    let mut conversation = Conversation::default();
    let calls = assistant(vec![call("c1"), call("c2")]);
    for record in [user("go"), calls, results(&["c2"]), user("on"), user("and on")] {
        conversation.apply(&record).unwrap();
    }
    let pieces = conversation.pieces("m");
    let sizes = pieces.iter().map(|piece| piece.message().unwrap().content.len());
    assert_eq!(sizes.collect::<Vec<_>>(), [1, 2, 2, 1, 1]);
}

#[test]
fn calls_of_one_name_get_names_of_their_own() {
    let records = [
        user("go"),
        assistant(vec![call("c")]),
        results(&["c"]),
        assistant(vec![call("c")]),
        results(&["c"]),
    ];
    assert_eq!(shape(&records), ["go", "call c", "result c", "call c-2", "result c-2"]);
}

#[test]
fn a_turn_without_an_end_was_interrupted() {
    let ended = Record::TurnEnded {
        turn: "t".into(),
        reason: "end_turn".into(),
        terminal: None,
        usage: Usage::default(),
        cost_usd: 0.0,
        models: Spending::default(),
        error: None,
    };
    let check = |records: &[Record], expect| {
        let mut conversation = Conversation::default();
        records.iter().for_each(|record| conversation.apply(record).unwrap());
        assert_eq!(conversation.interrupted(), expect);
    };
    check(&[], None);
    check(&[user("go")], Some(Interrupted::Prompt));
    check(&[user("go"), assistant(vec![call("c")])], Some(Interrupted::Work));
    check(&[user("go"), assistant(vec![call("c")]), results(&["c"])], Some(Interrupted::Work));
    check(&[user("go"), assistant(vec![Block::text("ok")]), ended], None);
}

#[test]
fn what_was_spent_is_known_by_model_also_from_older_journals() {
    let lines = [
        r#"{"type":"assistant","id":"a","turn":"t","model":"m-1","asked":"m","content":[],"usage":{}}"#,
        r#"{"type":"turn_ended","turn":"t","reason":"end_turn","usage":{"output_tokens":5},"cost_usd":1.0}"#,
        r#"{"type":"turn_ended","turn":"u","reason":"end_turn","usage":{"output_tokens":9},"cost_usd":3.0,
            "models":{"m":{"output_tokens":2,"cost_usd":1.0},"n":{"output_tokens":7,"cost_usd":2.0}}}"#,
        r#"{"type":"helped","call":"c","what":"page","model":"n","usage":{"output_tokens":1},"cost_usd":0.5}"#,
        r#"{"type":"config","model":"m","mode":"default"}"#,
    ];
    let mut conversation = Conversation::default();
    for line in lines {
        conversation.apply(&serde_json::from_str(line).unwrap()).unwrap();
    }
    let spent = conversation.spent();
    let models =
        spent.models().map(|(model, used)| (model, used.usage.output_tokens, used.cost_usd));
    assert_eq!(models.collect::<Vec<_>>(), [("m", 7, 2.0), ("n", 8, 2.5)]);
    assert!((conversation.cost_usd() - 4.5).abs() < 1e-9);
}
