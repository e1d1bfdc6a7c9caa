//! Conversations in a line each, and what is left of them.

use super::*;
use crate::journal::Record;
use crate::message::{Block, ResultPart};
use crate::usage::Usage;
use serde_json::json;

/// `p` a prompt that begins a turn, `s` one said into it, `w` a call that worked, `f` one that
/// failed, `a` last words, `L` very long ones. Each is named by its letter and place.
fn records(script: &str) -> Vec<Record> {
    let mut turn = 0;
    let mut records = Vec::new();
    for (at, letter) in script.chars().enumerate() {
        let id = format!("{letter}{at}");
        turn += usize::from(letter == 'p');
        let (turn, text) = (format!("t{turn}"), format!("text {at}"));
        let answer = |content: Vec<Block>| Record::Assistant {
            id: id.clone(),
            turn: turn.clone(),
            model: "m".into(),
            asked: None,
            content,
            stop_reason: None,
            usage: Usage { input_tokens: 50_000, ..Usage::default() },
        };
        match letter {
            'p' | 's' => records.push(Record::User { id, turn, content: vec![Block::text(text)] }),
            'a' => records.push(answer(vec![Block::text(text)])),
            'L' => records.push(answer(vec![
                Block::Thinking { thinking: "hm".into(), signature: "seal".into() },
                Block::text(format!("begin {} end", "word ".repeat(4_000))),
            ])),
            _ => {
                let call = format!("c{at}");
                let input = json!({ "command": text });
                let made = Block::ToolUse { id: call.clone(), name: "Bash".into(), input };
                records.push(answer(vec![made]));
                let content = vec![ResultPart::Text { text: "word ".repeat(800) }];
                let is_error = letter == 'f';
                let result = Block::ToolResult { tool_use_id: call, content, is_error };
                records.push(Record::Results { turn, content: vec![result] });
            }
        }
    }
    records
}

fn conversation(script: &str) -> Conversation {
    let mut conversation = Conversation::default();
    records(script).iter().for_each(|record| conversation.apply(record).unwrap());
    conversation
}

fn sent(conversation: &Conversation) -> Vec<String> {
    conversation.pieces("m").iter().map(|piece| piece.json().to_owned()).collect()
}

fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

#[test]
fn old_work_and_failed_attempts_go() {
    let check = |script: &str, answers: &[&str], shortened: &[&str]| {
        let snip = plan(&conversation(script));
        assert_eq!((snip.answers, snip.shortened), (owned(answers), owned(shortened)), "{script}");
    };
    check("", &[], &[]);
    check("pwwa", &[], &[]);
    check("pwwapwapwa", &[], &[]);
    // The fourth turn from the end keeps its prompt and its last words.
    check("pwwapwapwapw", &["w1", "w2"], &[]);
    check("pwwpwapwapw", &["w1", "w2"], &[]);
    check("pwLpapapa", &["w1"], &["L2"]);
    // What is said into a turn neither goes nor begins one.
    check("pwswapapapa", &["w1", "w3"], &[]);
    check("pwswsws", &[], &[]);
    // Of a turn that goes on, only what failed, and not lately.
    check("pfwwwwwwwwww", &["f1"], &[]);
    check("pfffffffffffff", &[], &[]);
    check("pwfwfwwwwwwwwww", &["f2", "f4"], &[]);
    check("pfwwwwwwwww", &[], &[]);
}

#[test]
fn what_is_left_can_be_sent_and_is_the_same_on_replay() {
    let scripts = ["pwwapwapwapw", "pwLpfapapa", "pwfwfwwwwwwwwww", "pwswapapapas", "pwpwpwpwpw"];
    for script in scripts {
        let mut live = conversation(script);
        let before = live.used(|| 0);
        let snip = plan(&live);
        assert!(snip.tokens > 200, "{script}");
        let record = Record::Snipped { answers: snip.answers, shortened: snip.shortened };
        live.apply(&record).unwrap();
        let freed = before - live.used(|| 0);
        assert!(freed.abs_diff(snip.tokens) < 150, "{script}: {freed} of {}", snip.tokens);
        let left = sent(&live);
        let text = left.concat();
        for (at, _) in script.match_indices(['p', 's']) {
            assert!(text.contains(&format!("text {at}\"")), "{script}: {text}");
        }
        let mut replayed = conversation(script);
        let line = serde_json::to_string(&record).unwrap();
        replayed.apply(&serde_json::from_str(&line).unwrap()).unwrap();
        assert_eq!(sent(&replayed), left, "{script}");
        assert_eq!(plan(&live).answers, Vec::<String>::new(), "{script}: once is enough");
        assert_eq!(live.held_results(), text.matches("tool_result").count(), "{script}");
    }
}

#[test]
fn the_rest_says_that_something_is_gone() {
    let mut conversation = conversation("pwwLpapapa");
    let Snip { answers, shortened, .. } = plan(&conversation);
    conversation.apply(&Record::Snipped { answers, shortened }).unwrap();
    let left = sent(&conversation);
    assert!(left[0].contains("text 0") && left[0].contains("was left out"), "{}", left[0]);
    assert!(left[1].contains("begin word") && left[1].contains(" end"), "{}", left[1]);
    assert!(left[1].contains("left out") && !left[1].contains("seal"), "{}", left[1]);
    assert!(left[1].len() < 4_000 && left.len() == 8);
}
