//! The short way through a long journal gives what the long one gives.

use agent::Usage;
use serde_json::json;

use super::*;
use crate::context::Clock;
use crate::store::{Journal, journal_path};

/// A turn with a call whose name every turn uses, as some servers do.
fn turn(number: usize) -> Vec<Record> {
    let turn = format!("turn_x_{number}");
    let usage = Usage { input_tokens: 10, output_tokens: 2, ..Usage::default() };
    let answer = |part: usize, content: Vec<Block>| Record::Assistant {
        id: format!("a{number}.{part}"),
        turn: turn.clone(),
        model: "m".into(),
        asked: None,
        content,
        stop_reason: None,
        usage,
    };
    let todo = json!({"todos": [{"content": format!("todo {number}"), "status": "pending",
        "activeForm": "doing"}]});
    let call =
        |id: &str, name: &str, input| Block::ToolUse { id: id.into(), name: name.into(), input };
    let result = |id: &str| Block::ToolResult {
        tool_use_id: id.into(),
        content: vec![agent::ResultPart::Text { text: format!("result {number}").repeat(200) }],
        is_error: false,
    };
    vec![
        Record::User {
            id: format!("u{number}"),
            turn: turn.clone(),
            content: vec![Block::text(format!("question {number}"))],
        },
        answer(
            1,
            vec![
                call("call_1", "Read", json!({"file_path": "/a"})),
                call("call_2", "TodoWrite", todo),
            ],
        ),
        Record::Results { turn: turn.clone(), content: vec![result("call_1"), result("call_2")] },
        answer(2, vec![Block::text(format!("answer {number}"))]),
        Record::TurnEnded {
            turn,
            reason: "end_turn".into(),
            terminal: None,
            usage,
            cost_usd: 0.25,
            models: agent::Spending::default(),
            error: None,
        },
    ]
}

fn compacted(number: usize, kept: usize) -> Record {
    Record::Compacted {
        id: format!("s{number}"),
        trigger: "auto".into(),
        content: vec![Block::text(format!("summary {number}"))],
        kept,
        before: 9,
        after: 3,
        model: "m".into(),
        usage: Usage::default(),
        cost_usd: 0.5,
    }
}

async fn check(records: Vec<Record>) {
    let folder = tempfile::tempdir().unwrap();
    let path = journal_path(folder.path(), Path::new("/p"), "0190-long");
    let mut journal = Journal::new(Some(path.clone()), Clock::system());
    let head = Record::Session {
        version: agent::journal::VERSION,
        id: "0190-long".into(),
        cwd: "/p".into(),
        model: "m".into(),
        mode: "default".into(),
        forked_from: None,
    };
    journal.create(&head).await.unwrap();
    let mut long = Loaded::default();
    long.apply(&head);
    for record in &records {
        journal.append(record).unwrap();
        long.apply(record);
    }
    let short = load(&path).unwrap();
    let sent = |loaded: &Loaded| {
        let pieces = loaded.conversation.pieces("m").into_iter();
        pieces.map(|piece| piece.json().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(sent(&short), sent(&long), "to the byte");
    let facts = |loaded: &Loaded| {
        let conversation = &loaded.conversation;
        (
            conversation.cost_usd().to_bits(),
            conversation.spent().clone(),
            conversation.turns(),
            conversation.all_turns().map(str::to_owned).collect::<Vec<_>>(),
            conversation.interrupted(),
            loaded.todos.clone(),
            (loaded.title.clone(), loaded.queue.clone(), loaded.skipped),
        )
    };
    assert_eq!(facts(&short), facts(&long));
}

#[tokio::test]
async fn what_lies_before_a_summary_counts_as_it_did() {
    for kept in [0, 2, 3, 5, 50] {
        for after in 0..3 {
            let mut records = Vec::new();
            for number in 0..12 {
                records.extend(turn(number));
                if number % 4 == 3 {
                    records.push(compacted(number, kept));
                }
            }
            (12..12 + after).for_each(|number| records.extend(turn(number)));
            check(records).await;
        }
    }
}

#[tokio::test]
async fn going_back_between_summaries_is_replayed_whole() {
    let mut records: Vec<_> = (0..3).flat_map(turn).collect();
    records.push(compacted(1, 2));
    records.extend((3..6).flat_map(turn));
    records.push(Record::Rewound { to: "u4".into(), token: "r".into() });
    records.extend(turn(6));
    records.push(compacted(2, 6));
    records.extend(turn(7));
    check(records).await;
}
