//! What holds for a turn whatever it is told, in whatever order.

use std::collections::HashMap;

use proptest::prelude::*;

use super::super::*;
use super::recorded;
use super::script::{Script, rules};

/// One line of a script; `n` makes ids that are new, `old` points at something said before.
fn line(kind: usize, n: usize, old: usize) -> String {
    let index = old % 4;
    match kind {
        0 | 1 => format!("call c{n} Read {{}}"),
        2 => format!("call c{n} XEdit {{}}"),
        3 => format!("call c{n} Read {{"),
        4 => "say x".to_owned(),
        5 => "think x".to_owned(),
        6 => format!("open-tool {index} c{n} Read"),
        7 => format!("open-text {index}"),
        8 => format!("open-thinking {index}"),
        9 => format!("input {index} {{}}"),
        10 => format!("text {index} x"),
        11 => format!("close {index}"),
        12..=16 => format!("result c{} x", n.saturating_sub(old)),
        17 => format!("steer {n}"),
        18 | 19 => "stop tool_use".to_owned(),
        20 => "stop end_turn".to_owned(),
        21 => "stop pause_turn".to_owned(),
        22 => "stop max_tokens".to_owned(),
        23 => ["fail server", "fail overloaded", "fail prompt_too_long", "fail forbidden"][index]
            .to_owned(),
        24 if old == 0 => "cancel".to_owned(),
        25 => "waited".to_owned(),
        26 => ["room made", "room none"][index % 2].to_owned(),
        27 => ["hooks fine", "hooks go-on x", "hooks end x", "stop end_turn"][index].to_owned(),
        28 if old == 0 => "hook-stops x".to_owned(),
        _ => format!("thinking {index} x"),
    }
}

fn scripts() -> impl Strategy<Value = Vec<String>> {
    let step = (0usize..30, 0usize..8);
    prop::collection::vec(step, 0..80).prop_map(|steps| {
        let lines = steps.into_iter().enumerate();
        lines.map(|(n, (kind, old))| line(kind, n, old)).collect()
    })
}

fn calls_of(content: &[Block]) -> Vec<&str> {
    let ids = content.iter().filter_map(|block| match block {
        Block::ToolUse { id, .. } => Some(id.as_str()),
        _ => None,
    });
    ids.collect()
}

fn results_of(content: &[Block]) -> Vec<&str> {
    let ids = content.iter().filter_map(|block| match block {
        Block::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
        _ => None,
    });
    ids.collect()
}

/// Every call has exactly one result, in order, in the record that follows its answer, and the
/// model is never asked before.
fn check_journal(effects: &[Effect]) -> Result<(), TestCaseError> {
    let mut open: Vec<&str> = Vec::new();
    for effect in effects {
        match effect {
            Effect::Journal(Record::Assistant { content, .. }) => {
                prop_assert!(open.is_empty(), "an answer before the results of the last");
                prop_assert!(!content.is_empty(), "an answer without content");
                open = calls_of(content);
            }
            Effect::Journal(Record::Results { content, .. }) => {
                prop_assert_eq!(results_of(content), std::mem::take(&mut open));
            }
            Effect::Journal(Record::CallResult { .. }) => {}
            Effect::Journal(_) | Effect::CallModel(_) | Effect::MakeRoom(_) | Effect::End(_) => {
                prop_assert!(open.is_empty(), "{:?} while {:?} have no result", effect, open);
            }
            _ => {}
        }
    }
    Ok(())
}

/// No provider would take these back.
fn check_content(effects: &[Effect]) -> Result<(), TestCaseError> {
    for effect in effects {
        let Effect::Journal(Record::Assistant { content, stop_reason, .. }) = effect else {
            continue;
        };
        for block in content {
            let blank = matches!(block, Block::Text { text } if text.trim().is_empty());
            prop_assert!(!blank, "blank text in {:?}", content);
        }
        let unsealed = |block: &Block| match block {
            Block::Thinking { signature, .. } => signature.is_empty(),
            _ => false,
        };
        prop_assert!(!content.last().is_some_and(unsealed), "{:?} ends unsealed", content);
        let broken_off = stop_reason.is_none();
        prop_assert!(!broken_off || !content.iter().any(unsealed), "{:?}", content);
    }
    Ok(())
}

/// What a person sees begin, they see end; a call that is shown starts or is dropped, once.
fn check_shown(effects: &[Effect]) -> Result<(), TestCaseError> {
    let mut calls: HashMap<&str, (u32, u32)> = HashMap::new();
    let (mut begun, mut ended) = (0, 0);
    for effect in effects {
        match effect {
            Effect::Show(Shown::ToolStarted { id, .. }) => calls.entry(id).or_default().0 += 1,
            Effect::Show(Shown::ToolDropped { id, .. }) => calls.entry(id).or_default().1 += 1,
            Effect::StartCall(call) => calls.entry(&call.id).or_default().1 += 1,
            Effect::Show(Shown::MessageStarted { .. } | Shown::ThoughtStarted { .. }) => begun += 1,
            Effect::Show(Shown::MessageEnded { .. } | Shown::ThoughtEnded { .. }) => ended += 1,
            _ => {}
        }
    }
    prop_assert_eq!(begun, ended);
    for (id, (shown, settled)) in calls {
        prop_assert_eq!((shown, settled), (1, 1), "{}", id);
    }
    Ok(())
}

/// What is taken back never made a call, and is not in the journal.
fn check_retracted(effects: &[Effect]) -> Result<(), TestCaseError> {
    for effect in effects {
        let Effect::Show(Shown::Retracted { message_id }) = effect else { continue };
        let kept = effects.iter().any(|effect| match effect {
            Effect::Journal(Record::Assistant { id, .. }) => id == message_id,
            _ => false,
        });
        prop_assert!(!kept, "{} was taken back and kept", message_id);
    }
    Ok(())
}

/// Which calls run after these effects and inputs, and how many at most did at once.
#[derive(Default)]
struct Running {
    ids: Vec<String>,
    most: usize,
}

impl Running {
    fn follow(&mut self, input: &str, effects: &[Effect]) {
        if let Some(id) = input.strip_prefix("result ").and_then(|rest| rest.strip_suffix(" x")) {
            self.ids.retain(|running| running != id);
        }
        for effect in effects {
            if let Effect::StartCall(call) = effect {
                self.ids.push(call.id.clone());
            }
        }
        self.most = self.most.max(self.ids.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_promises_hold(
        lines in scripts(),
        max_answers in prop::option::of(1u32..5),
        (max_retries, stop_hooks, can_answer_longer) in (0u32..4, any::<bool>(), any::<bool>()),
    ) {
        let models = vec!["main".to_owned(), "other".to_owned()];
        let rules = Rules { max_answers, max_retries, stop_hooks, can_answer_longer, models, ..rules() };
        let mut script = Script::new(rules);
        let mut effects = script.feed("prompt go");
        let mut running = Running::default();
        for line in &lines {
            let new = script.feed(line);
            running.follow(line, &new);
            effects.extend(new);
        }
        prop_assert!(running.most <= MAX_PARALLEL);

        // However far it got, a cancel and the results of what still runs end it.
        let new = script.feed("cancel");
        running.follow("cancel", &new);
        effects.extend(new);
        for id in running.ids {
            effects.extend(script.feed(&format!("result {id} x")));
        }
        let ends = effects.iter().filter(|effect| matches!(effect, Effect::End(_))).count();
        prop_assert_eq!(ends, 1);
        prop_assert!(matches!(effects.last(), Some(Effect::End(_))), "something after the end");
        check_journal(&effects)?;
        check_content(&effects)?;
        check_shown(&effects)?;
        check_retracted(&effects)?;
        recorded::check(&effects)?;
    }
}
