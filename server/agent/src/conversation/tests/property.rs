//! No journal bricks a session: whatever its records, a provider takes what is sent.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::checker::check;
use super::*;

fn pick<T: Clone + std::fmt::Debug + 'static>(choices: Vec<T>) -> BoxedStrategy<T> {
    prop::sample::select(choices).boxed()
}

fn text() -> BoxedStrategy<String> {
    pick(["", " \n", "x", "a\0b", "\u{7}\u{1b}[1m"].map(str::to_owned).to_vec())
}

fn call_id() -> BoxedStrategy<String> {
    pick(["c1", "c2", "c3", "c1-2", "", "bad id", "ü"].map(str::to_owned).to_vec())
}

fn source() -> BoxedStrategy<ImageSource> {
    let image = |media_type: &str, data: &str| ImageSource::Base64 {
        media_type: media_type.to_owned(),
        data: data.to_owned(),
    };
    pick(vec![
        image("image/png", PIXEL),
        image("image/png", "AAAA"),
        image("image/png", ""),
        image("image/tiff", PIXEL),
        ImageSource::Url { url: "file:///etc/passwd".to_owned() },
    ])
}

fn other() -> BoxedStrategy<Value> {
    pick(vec![
        json!(null),
        json!("text"),
        json!({ "no": "type" }),
        json!({ "type": "future" }),
        json!({ "type": "document" }),
        json!({ "type": "server_tool_use", "id": "s1" }),
        json!({ "type": "server_tool_use" }),
        json!({ "type": "web_search_tool_result", "tool_use_id": "s1" }),
        json!({ "type": "web_search_tool_result" }),
        json!({ "type": "tool_use", "id": 7 }),
    ])
}

fn part() -> BoxedStrategy<ResultPart> {
    prop_oneof![
        text().prop_map(|text| ResultPart::Text { text }),
        source().prop_map(|source| ResultPart::Image { source }),
        other().prop_map(ResultPart::Other),
    ]
    .boxed()
}

fn block() -> BoxedStrategy<Block> {
    let parts = prop::collection::vec(part(), 0..3);
    prop_oneof![
        3 => text().prop_map(|text| Block::Text { text }),
        1 => source().prop_map(|source| Block::Image { source }),
        2 => (text(), pick(vec![String::new(), "seal".to_owned()]))
            .prop_map(|(thinking, signature)| Block::Thinking { thinking, signature }),
        1 => text().prop_map(|data| Block::RedactedThinking { data }),
        4 => (call_id(), call_id(), other())
            .prop_map(|(id, name, input)| Block::ToolUse { id, name, input }),
        4 => (call_id(), parts, any::<bool>()).prop_map(|(tool_use_id, content, is_error)| {
            Block::ToolResult { tool_use_id, content, is_error }
        }),
        2 => other().prop_map(Block::Other),
    ]
    .boxed()
}

fn record() -> BoxedStrategy<Record> {
    let content = || prop::collection::vec(block(), 0..5);
    let id = || pick(["1", "2", "3"].map(str::to_owned).to_vec());
    let turn = || "t".to_owned();
    let answer = (id(), id(), content()).prop_map(move |(id, model, content)| Record::Assistant {
        id,
        turn: turn(),
        model,
        asked: None,
        content,
        stop_reason: None,
        usage: Usage::default(),
    });
    prop_oneof![
        3 => (id(), content()).prop_map(move |(id, content)| Record::User { id, turn: turn(), content }),
        5 => answer,
        4 => content().prop_map(move |content| Record::Results { turn: turn(), content }),
        4 => (id(), id(), 0..3_usize, block()).prop_map(move |(id, model, index, block)| {
            Record::AnswerBlock { id, turn: turn(), model, asked: None, index, block }
        }),
        2 => (call_id(), prop::collection::vec(part(), 0..3), any::<bool>()).prop_map(
            move |(call, content, is_error)| {
                Record::CallResult { turn: turn(), call, content, is_error }
            },
        ),
        1 => id().prop_map(|id| Record::AnswerRetracted { id }),
        1 => (id(), id()).prop_map(|(to, token)| Record::Rewound { to, token }),
        1 => id().prop_map(|token| Record::Unrewound { token }),
        1 => Just(Record::MediaStripped { turn: turn() }),
        1 => call_id().prop_map(|call| Record::Cleared { calls: vec![call], why: "old".into() }),
        1 => (id(), id()).prop_map(|(gone, cut)| {
            Record::Snipped { answers: vec![gone], shortened: vec![cut] }
        }),
        1 => (id(), content(), 0..4_usize).prop_map(|(id, content, kept)| compacted(id, content, kept)),
        1 => Just(Record::Unknown),
    ]
    .boxed()
}

fn compacted(id: String, content: Vec<Block>, kept: usize) -> Record {
    let (trigger, model) = ("auto".to_owned(), "m".to_owned());
    let (usage, cost_usd) = (Usage::default(), 0.0);
    let (before, after) = (9, 1);
    Record::Compacted { id, trigger, content, kept, before, after, model, usage, cost_usd }
}

/// `BOWLINE_FUZZ` says how many; 100,000 take a minute.
#[expect(clippy::disallowed_methods, reason = "a test asks how long it may run")]
fn cases() -> u32 {
    std::env::var("BOWLINE_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn no_journal_bricks_a_session(records in prop::collection::vec(record(), 0..12)) {
        let (mut live, mut replayed) = (Conversation::default(), Conversation::default());
        let last = Record::User { id: "u".into(), turn: "t".into(), content: vec![Block::text("on")] };
        for record in &records {
            live.apply(record).unwrap();
        }
        // As it is opened after the process ended here.
        let mut recovered = live.settle().unwrap();
        recovered.push(last);
        live.apply(recovered.last().unwrap()).unwrap();
        for record in records.iter().chain(&recovered) {
            let line = serde_json::to_string(record).unwrap();
            replayed.apply(&serde_json::from_str(&line).unwrap()).unwrap();
        }
        for model in ["1", "2", "nobody"] {
            let read = |conversation: &Conversation| -> Vec<Value> {
                let pieces = conversation.pieces(model);
                pieces.iter().map(|piece| serde_json::from_str(piece.json()).unwrap()).collect()
            };
            let sent = read(&live);
            prop_assert_eq!(check(&sent), Ok(()), "{:#?}", sent);
            prop_assert_eq!(&sent, &read(&replayed));
            let thinks = sent.iter().any(|message| message.to_string().contains("\"seal\""));
            prop_assert!(model != "nobody" || !thinks);
        }
    }
}
