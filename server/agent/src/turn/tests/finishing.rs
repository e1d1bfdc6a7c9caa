//! Scripts of turns whose model is done: who makes it go on, and what keeps it from going on.

use std::sync::Arc;

use super::super::{Budget, EndReason, Rules, Why, texts};
use super::script::check_with;

fn hooks(rules: &mut Rules) {
    rules.stop_hooks = true;
}

#[test]
fn stop_hooks_let_it_end_or_go_on() {
    check_with(
        hooks,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say done
        > stop end_turn
        < journal answer t.1 [done] (end_turn)
        < ask hooks
        > hooks go-on run the tests
        < journal results [run the tests]
        < ask the model (stop_hook_blocking)
        > say now
        > stop end_turn
        < journal answer t.2 [now] (end_turn)
        < ask hooks again
        > hooks fine
        < end completed after 2
        > hooks fine
        ",
    );
    check_with(
        hooks,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say done
        > stop end_turn
        < journal answer t.1 [done] (end_turn)
        < ask hooks
        > steer one more thing
        > hooks end no more
        < end stop_hook_prevented after 1, error no more
        > steered
        < u2 [one more thing]
        ",
    );
    check_with(
        hooks,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say done
        > stop end_turn
        < journal answer t.1 [done] (end_turn)
        < ask hooks
        > steer one more thing
        > hooks fine
        < journal user u2 [one more thing]
        < ask the model
        > say ok
        > stop end_turn
        < journal answer t.2 [ok] (end_turn)
        < ask hooks
        > cancel
        < stop the model
        < journal results [(interrupted)]
        < end aborted_streaming after 2
        ",
    );
}

#[test]
fn a_hook_of_a_call_stops_the_turn() {
    check_with(
        |_| (),
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 XEdit
        < start c1 XEdit {}
        > call c2 Read
        > stop tool_use
        < journal answer t.1 [c1:XEdit{} | c2:Read{}] (tool_use)
        > hook-stops not today
        < show cancelled c2: (not run)
        < stop c1
        > error c1 stopped
        < journal results [c1!=stopped | c2!=(not run)]
        < end hook_stopped after 1, error not today
        ",
    );
}

#[test]
fn a_budget_is_looked_at_before_each_request() {
    let tokens = |rules: &mut Rules| rules.budget = Budget { tokens: Some(10), cost_usd: None };
    check_with(
        tokens,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > usage 5 10
        < show usage 15
        > stop tool_use
        < journal answer t.1 [c1:Read{}] (tool_use)
        > result c1 one
        < journal results [c1=one]
        < end budget_exhausted after 1, 5 in, 10 out
        ",
    );
    check_with(
        |rules| rules.budget.cost_usd = Some(0.0),
        "
        > prompt go
        < journal user u1 [go]
        < end budget_exhausted after 0
        ",
    );
    // Failed attempts are paid for as well.
    check_with(
        |rules| {
            rules.max_retries = 1;
            rules.models = vec!["claude-opus-5-5".to_owned()];
            rules.budget.cost_usd = Some(0.5);
        },
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > start 100000 10000
        > fail server
        < wait 500 after attempt 1: server
        > waited
        < end budget_exhausted after 1, 100000 in, 10000 out
        ",
    );
}

#[test]
fn a_budget_in_tokens_is_there_to_be_used() {
    check_with(
        |rules| rules.budget.tokens = Some(1000),
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say a
        > usage 1 600
        < show usage 601
        > stop end_turn
        < journal answer t.1 [a] (end_turn)
        < journal results [(use the budget)]
        < ask the model (token_budget_continuation)
        > say b
        > usage 1 300
        < show usage 301
        > stop end_turn
        < journal answer t.2 [b] (end_turn)
        < end completed after 2, 2 in, 900 out
        ",
    );
}

#[test]
fn an_answer_that_does_not_follow_the_schema_is_asked_for_again() {
    let check_json = |rules: &mut Rules| {
        let check = |text: &str| if text == "{}" { Ok(()) } else { Err("no object".to_owned()) };
        rules.check = Some(Arc::new(check));
    };
    let wrong = texts::does_not_fit("no object");
    let ask = "> prompt go\n< journal user u1 [go]\n< ask the model\n";
    let round = |n: u32| {
        format!(
            "> say nope
            > stop end_turn
            < journal answer t.{n} [nope] (end_turn)
            "
        )
    };
    let again = format!("< journal results [{wrong}]\n< ask the model (structured_output_retry)\n");
    let right =
        "> say {}\n> stop end_turn\n< journal answer t.2 [{}] (end_turn)\n< end completed after 2";
    check_with(check_json, &format!("{ask}{}{again}{right}", round(1)));
    let mut never = ask.to_owned();
    for n in 1..=5 {
        never += &format!("{}{again}", round(n));
    }
    let error = texts::never_fit("no object");
    never += &round(6);
    never += &format!("< end structured_output_retry_exhausted after 6, error {error}");
    check_with(check_json, &never);
}

#[test]
fn every_reason_has_a_name_of_its_own() {
    use EndReason as E;
    let ends = [
        E::Completed,
        E::MaxOutputTokens,
        E::MaxTurns,
        E::BudgetExhausted,
        E::Refusal,
        E::AbortedStreaming,
        E::AbortedTools,
        E::PromptTooLong,
        E::BlockingLimit,
        E::ImageError,
        E::ModelError,
        E::RepeatedFailure,
        E::StructuredOutputRetryExhausted,
        E::StopHookPrevented,
        E::HookStopped,
        E::ToolDeferred,
    ];
    let names: std::collections::HashSet<_> = ends.iter().map(|end| end.name()).collect();
    assert_eq!(names.len(), ends.len());
    assert!(Why::Retry.repeats() && Why::Retry.is_unusual());
    assert!(!Why::NextTurn.repeats() && !Why::NextTurn.is_unusual());
}
