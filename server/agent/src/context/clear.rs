//! Which results are cleared before a request: those that a later one shows again, then old ones.
//!
//! Clearing one makes the provider read everything behind it anew. So results go in batches, and
//! only when that frees enough.

use super::Window;
use crate::conversation::{Clearable, Conversation};

/// Results that stay whole when the window is nearly full, or when nothing is cached any more.
const KEPT: usize = 5;
/// More results than this are many: old ones go while there is still room.
const MANY: usize = 40;
/// What stays of many. Far less than that, so that it happens rarely.
const KEPT_OF_MANY: usize = 20;
/// Fewer tokens are not worth it; in a small window a tenth of it.
const WORTH: u64 = 10_000;

/// What the request finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// There is room, and the provider has cached what was sent.
    Usual,
    /// So long after the last request that nothing is cached: clearing costs nothing.
    Cold,
    /// The window is nearly full.
    Full,
    /// The provider has refused the conversation as too long.
    Refused,
}

/// Results that are to be cleared, and the word for why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clearing {
    pub calls: Vec<String>,
    pub why: &'static str,
}

/// What is to be cleared next; asked again until there is nothing.
pub fn next(
    conversation: &Conversation,
    moment: Moment,
    window: &Window,
    used: u64,
) -> Option<Clearing> {
    let worth = WORTH.min(window.compact_at() / 10);
    let enough = |found: Clearable, least: u64, why| {
        let Clearable { calls, tokens } = found;
        (tokens >= least && !calls.is_empty()).then_some(Clearing { calls, why })
    };
    let again = |least| enough(conversation.superseded(), least, "superseded");
    match moment {
        Moment::Refused => again(1).or_else(|| enough(conversation.old_results(0), 1, "old")),
        Moment::Cold | Moment::Full => {
            again(worth).or_else(|| enough(conversation.old_results(KEPT), worth, "old"))
        }
        Moment::Usual if conversation.held_results() > MANY => {
            // A good part of all that is sent: else the cache is worth more.
            let least = (2 * worth).max(used / 4);
            enough(conversation.old_results(KEPT_OF_MANY), least, "many")
        }
        Moment::Usual => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Record;
    use crate::message::{Block, ResultPart};
    use crate::usage::Usage;
    use serde_json::json;

    /// So many files were read, each once, with results of about `words` tokens.
    fn read(files: usize, words: usize) -> Conversation {
        let mut conversation = Conversation::default();
        let said = vec![Block::text("go")];
        let prompt = Record::User { id: "u".into(), turn: "t".into(), content: said };
        conversation.apply(&prompt).unwrap();
        for file in 0..files {
            let id = format!("c{file}");
            let input = json!({ "file_path": format!("/{file}") });
            let call = Block::ToolUse { id: id.clone(), name: "Read".into(), input };
            let answer = Record::Assistant {
                id: format!("a{file}"),
                turn: "t".into(),
                model: "m".into(),
                asked: None,
                content: vec![call],
                stop_reason: None,
                usage: Usage { input_tokens: 100, ..Usage::default() },
            };
            conversation.apply(&answer).unwrap();
            let content = vec![ResultPart::Text { text: "word ".repeat(words) }];
            let result = Block::ToolResult { tool_use_id: id, content, is_error: false };
            let results = Record::Results { turn: "t".into(), content: vec![result] };
            conversation.apply(&results).unwrap();
        }
        conversation
    }

    #[test]
    fn results_go_in_batches_that_are_worth_it() {
        let window = Window::new(200_000, 32_000, None, true);
        let check = |files: usize, words: usize, moment, used, expect: Option<(usize, &str)>| {
            let found = next(&read(files, words), moment, &window, used);
            let found = found.map(|clearing| (clearing.calls.len(), clearing.why));
            assert_eq!(found, expect, "{files} of {words}, {moment:?}");
        };
        check(10, 2_500, Moment::Usual, 30_000, None);
        check(10, 2_500, Moment::Cold, 30_000, Some((5, "old")));
        check(10, 2_500, Moment::Full, 30_000, Some((5, "old")));
        check(10, 500, Moment::Full, 5_000, None);
        check(10, 500, Moment::Refused, 5_000, Some((10, "old")));
        check(0, 0, Moment::Refused, 5_000, None);
        // Many of them: half go, while there is room.
        check(40, 1_500, Moment::Usual, 70_000, None);
        check(41, 1_500, Moment::Usual, 70_000, Some((21, "many")));
        check(41, 500, Moment::Usual, 22_000, None);
        check(41, 1_500, Moment::Usual, 400_000, None);
    }

    #[test]
    fn what_is_cleared_is_not_found_again() {
        let window = Window::new(200_000, 32_000, None, true);
        let mut conversation = read(60, 1_500);
        let mut steps = 0;
        while let Some(found) = next(&conversation, Moment::Full, &window, 90_000) {
            let record = Record::Cleared { calls: found.calls, why: found.why.into() };
            conversation.apply(&record).unwrap();
            steps += 1;
        }
        assert_eq!((steps, conversation.held_results()), (1, 5));
    }
}
