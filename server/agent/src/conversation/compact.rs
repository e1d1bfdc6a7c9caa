//! A conversation that was replaced by what it comes to.

use super::{Conversation, Entry, LOST, clean};
use crate::message::{Block, Role};

impl Conversation {
    /// The conversation begins anew with these words; the last entries stay as they are.
    pub(super) fn compact(
        &mut self,
        id: &String,
        content: &[Block],
        kept: usize,
        tokens: u64,
    ) -> Result<(), serde_json::Error> {
        // Calls that still wait would be gone when their results come.
        let closed: Vec<_> = self.calls.close().collect();
        self.push(None, Role::User, &closed, None)?;
        let mut tail = self.entries.split_off(self.entries.len().saturating_sub(kept));
        // A result without its call would be refused.
        let whole = tail.iter().position(|entry| entry.id.is_some()).unwrap_or(tail.len());
        tail.drain(..whole);
        self.entries.clear();
        self.held.clear();
        self.forget_cuts();
        self.sent.renew(&[]);
        let is_result = |block: &&Block| matches!(block, Block::ToolResult { .. });
        let said: Vec<_> = content.iter().filter(|block| !is_result(block)).collect();
        self.push(Some(id), Role::User, &clean::said(&said), None)?;
        let answers = tail.first().is_some_and(|entry| entry.role == Role::Assistant);
        if self.entries.is_empty() && answers {
            self.push(None, Role::User, &[Block::text(LOST)], None)?;
        }
        let first = self.entries.len();
        self.entries.extend(tail);
        self.sent.renew(&self.entries);
        self.hold_from(first);
        (self.context, self.since) = (tokens, 0);
        Ok(())
    }

    /// Whether there is more than questions: something that could be summed up.
    pub fn was_answered(&self) -> bool {
        self.entries.iter().any(|entry| entry.role == Role::Assistant)
    }

    /// About how many tokens the last entries hold.
    pub fn tokens_of_last(&self, entries: usize) -> u64 {
        let from = self.entries.len().saturating_sub(entries);
        self.entries[from..].iter().map(|entry| entry.tokens).sum()
    }

    /// The same conversation without its oldest part, for a model that could not take all of it:
    /// about this share of what is left goes. `None` when nothing would be left.
    pub fn without_oldest(&self, percent: u64) -> Option<Conversation> {
        let total: u64 = self.entries.iter().map(|entry| entry.tokens).sum();
        let mut gone = 0;
        let wanted = (total * percent / 100).max(1);
        let begins = |entry: &Entry| entry.id.is_some();
        // What stands before the first message was put there so that an answer has a question. It
        // would be put there again, so leaving it out is no progress.
        let first = self.entries.iter().position(begins)?;
        let mut from = None;
        for (at, entry) in self.entries.iter().enumerate() {
            if gone >= wanted && at > first && begins(entry) {
                from = Some(at);
                break;
            }
            gone += entry.tokens;
        }
        let from = from?;
        let mut rest = Conversation::default();
        for entry in &self.entries[from..] {
            let content = entry.message().ok()?.content;
            match entry.role {
                Role::User => rest.add_user(entry.id.as_ref(), &content).ok()?,
                Role::Assistant => {
                    let names = entry.author.as_ref().map(|author| author.names().to_vec());
                    let id = entry.id.clone().unwrap_or_default();
                    rest.add_answer(&id, &content, names.unwrap_or_default(), false).ok()?;
                }
            }
        }
        Some(rest)
    }

    /// How full the window is: what the provider counted at the last answer, and what was added
    /// since. `overhead` is what is sent besides the conversation, where nobody has counted yet.
    pub fn used(&self, overhead: impl FnOnce() -> u64) -> u64 {
        match self.context {
            0 => overhead() + self.entries.iter().map(|entry| entry.tokens).sum::<u64>(),
            counted => counted + self.since,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::CLEARED;
    use crate::journal::Record;
    use crate::message::ResultPart;
    use crate::usage::Usage;
    use serde_json::json;

    /// A turn: a prompt, a call with a long result, and an answer.
    fn turn(number: usize, file: &str) -> Vec<Record> {
        let turn = format!("t{number}");
        let call = Block::ToolUse {
            id: format!("c{number}"),
            name: "Read".into(),
            input: json!({ "file_path": file }),
        };
        let result = Block::ToolResult {
            tool_use_id: format!("c{number}"),
            content: vec![ResultPart::Text { text: "word ".repeat(800) }],
            is_error: false,
        };
        let answer = |id: &str, content: Vec<Block>, input_tokens: u64| Record::Assistant {
            id: format!("{id}{number}"),
            turn: turn.clone(),
            model: "m".into(),
            asked: None,
            content,
            stop_reason: None,
            usage: Usage { input_tokens, ..Usage::default() },
        };
        vec![
            Record::User {
                id: format!("u{number}"),
                turn: turn.clone(),
                content: vec![Block::text(format!("question {number}"))],
            },
            answer("a", vec![call], 100),
            Record::Results { turn: turn.clone(), content: vec![result] },
            answer("b", vec![Block::text(format!("answer {number}"))], 5_000),
        ]
    }

    fn conversation(files: &[&str]) -> Conversation {
        let mut conversation = Conversation::default();
        for (number, file) in files.iter().enumerate() {
            for record in turn(number, file) {
                conversation.apply(&record).unwrap();
            }
        }
        conversation
    }

    fn texts(conversation: &Conversation) -> Vec<String> {
        let pieces = conversation.pieces("m").into_iter();
        pieces.map(|piece| piece.json().to_owned()).collect()
    }

    fn compacted(kept: usize) -> Record {
        Record::Compacted {
            id: "s".into(),
            trigger: "auto".into(),
            content: vec![Block::text("summary")],
            kept,
            before: 5_000,
            after: 700,
            model: "m".into(),
            usage: Usage { output_tokens: 7, ..Usage::default() },
            cost_usd: 0.5,
        }
    }

    #[test]
    fn a_summary_takes_the_place_of_all_but_the_tail() {
        let mut whole = conversation(&["/a", "/b"]);
        whole.apply(&compacted(0)).unwrap();
        assert_eq!(texts(&whole).len(), 1);
        assert_eq!((whole.used(|| 0), whole.spent().usage().output_tokens), (700, 7));
        let mut tail = conversation(&["/a", "/b"]);
        // Two entries: the result would be first, and its call is gone.
        tail.apply(&compacted(2)).unwrap();
        let left = texts(&tail);
        assert_eq!(left.len(), 2, "{left:?}");
        assert!(left[0].contains("summary") && left[1].contains("answer 1"));
        let mut tail = conversation(&["/a", "/b"]);
        tail.apply(&compacted(3)).unwrap();
        assert_eq!(texts(&tail).len(), 4);
        assert_eq!(tail.old_results(0).calls, ["c1"]);
    }

    #[test]
    fn what_was_added_since_the_last_count_is_estimated() {
        let mut conversation = Conversation::default();
        assert_eq!(conversation.used(|| 10), 10);
        let records = turn(0, "/a");
        conversation.apply(&records[0]).unwrap();
        assert!((12..30).contains(&conversation.used(|| 10)));
        conversation.apply(&records[1]).unwrap();
        assert_eq!(conversation.used(|| 10), 100);
        conversation.apply(&records[2]).unwrap();
        assert!((800..1_400).contains(&conversation.used(|| 10)), "{}", conversation.used(|| 10));
    }

    #[test]
    fn old_and_repeated_results_are_cleared_the_same_on_replay() {
        let mut live = conversation(&["/a", "/b", "/a"]);
        assert_eq!(live.superseded().calls, ["c0"]);
        assert_eq!(live.old_results(1).calls, ["c0", "c1"]);
        assert_eq!(live.old_results(5).calls, Vec::<String>::new());
        let record = Record::Cleared { calls: vec!["c0".into()], why: "superseded".into() };
        live.apply(&record).unwrap();
        assert!((3_500..4_500).contains(&live.used(|| 0)), "{}", live.used(|| 0));
        let text = texts(&live).concat();
        assert_eq!(text.matches(CLEARED).count(), 1);
        assert_eq!(text.matches("word ").count(), 1_600);
        assert_eq!(live.superseded().calls, Vec::<String>::new());
        let mut replayed = conversation(&["/a", "/b", "/a"]);
        let line = serde_json::to_string(&record).unwrap();
        replayed.apply(&serde_json::from_str(&line).unwrap()).unwrap();
        assert_eq!(texts(&live), texts(&replayed));
    }

    #[test]
    fn a_rewind_takes_results_along_and_brings_them_back() {
        let mut conversation = conversation(&["/a", "/b"]);
        let (to, token) = ("u1".to_owned(), "r".to_owned());
        conversation.apply(&Record::Rewound { to, token: token.clone() }).unwrap();
        assert_eq!(conversation.old_results(0).calls, ["c0"]);
        conversation.apply(&Record::Unrewound { token }).unwrap();
        assert_eq!(conversation.old_results(0).calls, ["c0", "c1"]);
    }

    #[test]
    fn a_result_stands_until_something_takes_its_place() {
        let standing = |records: &[Record]| {
            let mut conversation = conversation(&["/a", "/b"]);
            records.iter().for_each(|record| conversation.apply(record).unwrap());
            ["c0", "c1", "c2"].map(|call| conversation.stands(call))
        };
        let cleared = Record::Cleared { calls: vec!["c0".into()], why: "old".into() };
        let back = Record::Rewound { to: "u1".into(), token: "r".into() };
        let forth = Record::Unrewound { token: "r".into() };
        assert_eq!(standing(&[]), [true, true, false]);
        assert_eq!(standing(&[cleared]), [false, true, false]);
        assert_eq!(standing(&[compacted(0)]), [false, false, false]);
        assert_eq!(standing(&[compacted(3)]), [false, true, false]);
        assert_eq!(standing(std::slice::from_ref(&back)), [true, false, false]);
        assert_eq!(standing(&[back, forth]), [true, true, false]);
        // A name that was used before says nothing.
        assert_eq!(standing(&turn(0, "/c")), [false, true, false]);
        // A picture that was refused is not seen any more; what stands beside it is.
        let mut shown = turn(2, "/p");
        if let Record::Results { content, .. } = &mut shown[2]
            && let Block::ToolResult { content, .. } = &mut content[0]
        {
            let document = crate::message::pdf_document("JVBERi0x".to_owned(), "p");
            content.push(ResultPart::Other(document));
        }
        assert_eq!(standing(&shown), [true, true, true]);
        shown.push(Record::MediaStripped { turn: "t2".into() });
        assert_eq!(standing(&shown), [true, true, false]);
    }

    #[test]
    fn the_oldest_can_go() {
        let conversation = conversation(&["/a", "/b", "/c"]);
        let rest = conversation.without_oldest(20).unwrap();
        let left = texts(&rest);
        assert!(left.len() < texts(&conversation).len());
        assert!(left[0].contains(r#""role":"user""#), "{}", left[0]);
        assert!(Conversation::default().without_oldest(20).is_none());
        let mut rest = Some(conversation);
        let mut steps = 0;
        while let Some(smaller) = rest.as_ref().and_then(|rest| rest.without_oldest(20)) {
            rest = Some(smaller);
            steps += 1;
        }
        assert!((2..20).contains(&steps), "{steps}");
    }
}
