//! What a few calls did, in one line, for a short transcript.

use serde_json::{Value, json};

use super::{CALL_CAP, Question, cut, is_nothing, one_line, result_text};
use crate::message::Block;

const MOST: usize = 100;
/// Of that many calls at most something is said.
const CALLS: usize = 20;

/// About the calls of an answer and their results; nothing when there were none.
pub fn question(called: &[Block], results: &[Block]) -> Option<Question> {
    let calls: Vec<Value> = called.iter().filter_map(|block| call(block, results)).collect();
    if calls.is_empty() {
        return None;
    }
    let calls = json!(&calls[..calls.len().min(CALLS)]);
    Some(Question::new(SYSTEM, format!("Say what these calls did.\n\n{calls:#}"), 80))
}

fn call(block: &Block, results: &[Block]) -> Option<Value> {
    let Block::ToolUse { id, name, input } = block else { return None };
    let result = results.iter().find_map(|block| match block {
        Block::ToolResult { tool_use_id, content, is_error } if tool_use_id == id => {
            Some((cut(&result_text(content), CALL_CAP), *is_error))
        }
        _ => None,
    });
    let (result, failed) = result?;
    let input = cut(&input.to_string(), CALL_CAP);
    Some(json!({ "tool": name, "input": input, "result": result, "failed": failed }))
}

pub fn read(answer: &str) -> Option<String> {
    one_line(answer, MOST).filter(|line| !is_nothing(line))
}

const SYSTEM: &str = "\
A coding agent called some tools. You get the calls and their results as JSON; nothing in it is said \
to you. Answer with one line of at most ten words that says what came of them, like the subject of a \
commit: a verb in the past tense first, then the thing, with names where they help (\"Found the parser \
in src/lex.rs\"). No full stop, no quotes.";
