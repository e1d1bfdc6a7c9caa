//! What the scripted model says in each row.

use model::Scenario;
use serde_json::json;

/// About fifty bytes, as a fast model sends them.
const PIECE: &str = "The bowline holds under load and opens with a push.\n";

pub fn hello() -> Scenario {
    Scenario::new().forever().text("Hello.")
}

/// Answers that call a tool once each, then the end.
pub fn turns(count: usize) -> Scenario {
    let mut scenario = Scenario::new();
    for turn in 1..=count {
        scenario = scenario.answer().tool("Read", read(turn % 400 + 1));
    }
    scenario.answer().forever().text("Done.")
}

/// Turns of a conversation, each with one call.
pub fn soak(count: usize) -> Scenario {
    let mut scenario = Scenario::new();
    for turn in 1..=count {
        scenario = scenario.answer().tool("Read", read(turn % 400 + 1)).answer().text("Done.");
    }
    scenario
}

/// One answer with many calls that may run at once.
pub fn parallel(count: usize) -> Scenario {
    let mut scenario = Scenario::new().answer();
    for call in 1..=count {
        scenario = scenario.tool("Read", read(call));
    }
    scenario.answer().forever().text("Done.")
}

pub fn long_answer(deltas: usize) -> Scenario {
    Scenario::new().forever().long_text(PIECE, 1, deltas)
}

pub fn grep(pattern: &str, path: &str) -> Scenario {
    let input = json!({"pattern": pattern, "path": path, "output_mode": "files_with_matches"});
    Scenario::new().tool("Grep", input).answer().forever().text("Done.")
}

/// Words that keep coming until the client leaves, a few hundred a second: more than any model says,
/// and not so many that we measure a full machine instead of a busy server.
pub fn endless() -> Scenario {
    let start = concat!(
        "event: message_start\n",
        r#"data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","#,
        r#""model":"bench","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#,
        "\n\nevent: content_block_start\n",
        r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        "\n\n"
    );
    let delta = concat!(
        "event: content_block_delta\n",
        r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"words "}}"#,
        "\n\n"
    );
    let mut scenario = Scenario::new().forever().raw(start);
    for _ in 0..60_000 {
        scenario = scenario.raw(delta).delay_ms(1);
    }
    scenario.hang()
}

fn read(line: usize) -> serde_json::Value {
    json!({"file_path": "{{cwd}}/file.txt", "offset": line, "limit": 1})
}
