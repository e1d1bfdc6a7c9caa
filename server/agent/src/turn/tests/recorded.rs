//! Nothing is announced before it is recorded: wherever the process ends, what was shown comes back.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::script::check as run;
use crate::conversation::{Conversation, PartialAnswer};
use crate::message::Block;
use crate::turn::{Effect, Shown};

#[test]
fn blocks_and_results_are_recorded_before_their_end_is_shown() {
    run("
        > prompt hi
        < journal user u1 [hi]
        < ask the model
        > open-text 0
        < show message t.1
        > text 0 look
        < show message t.1 \"look\"
        > close 0
        < journal block 0 of t.1 [look]
        < show message t.1 ends
        > call c1 Write {}
        < journal block 1 of t.1 [c1:Write{}]
        < start c1 Write {}
        > result c1 written
        < journal result [c1=written]
        < show c1 ended
        > call c2 Read {}
        < journal block 2 of t.1 [c2:Read{}]
        < start c2 Read {}
        > stop tool_use
        < journal answer t.1 [look | c1:Write{} | c2:Read{}] (tool_use)
        > result c2 read
        < journal results [c1=written | c2=read]
        < show c2 ended
        < ask the model
        ");
}

#[test]
fn an_answer_that_is_asked_for_again_is_recorded_as_void() {
    super::check_with(
        |rules| rules.max_retries = 1,
        "
        > prompt hi
        < journal user u1 [hi]
        < ask the model
        > say hello
        < journal block 0 of t.1 [hello]
        > fail network
        < journal nothing of t.1
        < show nothing of t.1
        < wait 500 after attempt 1: network
        ",
    );
}

/// Ends the process after each effect in turn, and compares what was shown with what comes back.
pub(super) fn check(effects: &[Effect]) -> Result<(), TestCaseError> {
    let mut conversation = Conversation::default();
    let mut whole = Conversation::default();
    let (mut calls, mut texts) = (BTreeSet::new(), 0_usize);
    let mut retracted = BTreeSet::new();
    // Texts that overlap are one stream of words: nobody can say which ended.
    let (mut open, mut growing) = (0, None::<String>);
    let mut ended: Vec<(String, String)> = Vec::new();
    for effect in effects {
        match effect {
            Effect::Journal(record) => {
                conversation.apply(record).unwrap();
                if !PartialAnswer::is_part(record) {
                    whole.apply(record).unwrap();
                }
                continue;
            }
            Effect::Show(Shown::ToolEnded { id }) => _ = calls.insert(id.clone()),
            Effect::Show(Shown::MessageStarted { .. }) => {
                growing = (open == 0).then(String::new);
                open += 1;
            }
            Effect::Show(Shown::MessageDelta { text, .. }) => {
                growing.iter_mut().for_each(|growing| growing.push_str(text));
            }
            Effect::Show(Shown::MessageEnded { message_id }) => {
                open -= 1;
                let text = growing.take().filter(|text| !text.trim().is_empty());
                ended.extend(text.map(|text| (message_id.clone(), text)));
            }
            Effect::Show(Shown::Retracted { message_id }) => {
                _ = retracted.insert(message_id.clone());
            }
            _ => continue,
        }
        texts += 1;
        let mut loaded = conversation.clone();
        let recovered = loaded.settle().unwrap();
        for call in &calls {
            prop_assert!(has_result(&loaded, call), "after {} events: {}", texts, call);
        }
        for (id, text) in ended.iter().filter(|(id, _)| !retracted.contains(id)) {
            prop_assert!(has_text(&loaded, id, text), "{} {:?} of {:?}", id, text, effects);
        }
        for id in &retracted {
            let there = loaded.entries().iter().any(|entry| entry.id.as_ref() == Some(id));
            prop_assert!(!there, "{} was taken back", id);
        }
        // What is written down after a restart says the same, however often it is read.
        let mut again = conversation.clone();
        recovered.iter().for_each(|record| again.apply(record).unwrap());
        prop_assert_eq!(json(&again), json(&loaded));
        prop_assert!(again.settle().unwrap().is_empty());
    }
    prop_assert_eq!(json(&conversation), json(&whole), "the parts leave no trace");
    Ok(())
}

fn json(conversation: &Conversation) -> Vec<String> {
    conversation.pieces("main").iter().map(|piece| piece.json().to_owned()).collect()
}

fn blocks(conversation: &Conversation) -> impl Iterator<Item = (Option<&String>, Block)> {
    conversation.entries().iter().flat_map(|entry| {
        let content = entry.message().unwrap().content.into_iter();
        content.map(move |block| (entry.id.as_ref(), block))
    })
}

fn has_result(conversation: &Conversation, call: &str) -> bool {
    blocks(conversation).any(|(_, block)| match block {
        Block::ToolResult { tool_use_id, .. } => tool_use_id == call,
        _ => false,
    })
}

fn has_text(conversation: &Conversation, id: &String, text: &str) -> bool {
    blocks(conversation).any(|(entry, block)| {
        entry == Some(id) && matches!(block, Block::Text { text: said } if said == *text)
    })
}
