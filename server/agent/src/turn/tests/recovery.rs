//! Scripts of requests that fail and are sent again: when, to whom, and what is kept.

use super::super::Rules;
use super::script::{check, check_with};

fn retries(rules: &mut Rules) {
    rules.max_retries = 2;
}

fn fallback(rules: &mut Rules) {
    rules.max_retries = 5;
    rules.models.extend(["second".to_owned(), "third".to_owned()]);
}

fn longer(rules: &mut Rules) {
    rules.can_answer_longer = true;
}

#[test]
fn tried_again_until_it_works() {
    check_with(
        retries,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > fail rate_limited
        < wait 500 after attempt 1: rate_limited
        > fail server
        > say too early
        > waited
        < ask the model (retry)
        > fail network
        < wait 1000 after attempt 2: network
        > steer and this
        > waited
        < journal user u2 [and this]
        < ask the model (retry)
        > say done
        > stop end_turn
        < journal answer t.3 [done] (end_turn)
        < end completed after 1
        ",
    );
}

#[test]
fn not_for_ever_and_not_for_everything() {
    check_with(
        retries,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > fail overloaded
        < wait 500 after attempt 1: overloaded
        > waited
        < ask the model (retry)
        > fail overloaded
        < wait 1000 after attempt 2: overloaded
        > waited
        < ask the model (retry)
        > open-text 0
        < show message t.3
        > text 0 par
        < show message t.3 \"par\"
        > fail overloaded
        < show message t.3 ends
        < journal answer t.3 [par] (broken off)
        < end model_error after 1, error overloaded
        > waited
        ",
    );
    for kind in ["authentication", "forbidden", "spend_limit", "unknown_model", "invalid_request"] {
        check_with(
            retries,
            &format!(
                "
                > prompt go
                < journal user u1 [go]
                < ask the model
                > fail {kind}
                < end model_error after 1, error {kind}
                "
            ),
        );
    }
}

#[test]
fn what_was_shown_is_taken_back() {
    check_with(
        retries,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > open-text 0
        < show message t.1
        > text 0 hel
        < show message t.1 \"hel\"
        > call c1 Read {
        < show failed c1: (bad input)
        > open-tool 2 c2 Read
        < show tool c2 Read
        > fail broken_stream
        < show message t.1 ends
        < show cancelled c2: (asked again)
        < show nothing of t.1
        < wait 500 after attempt 1: broken_stream
        > waited
        < ask the model (retry)
        > say hello
        > stop end_turn
        < journal answer t.2 [hello] (end_turn)
        < end completed after 1
        ",
    );
}

#[test]
fn a_call_that_has_begun_is_never_made_again() {
    check_with(
        retries,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say so
        > call c1 XEdit
        < start c1 XEdit {}
        > call c2 Read
        > open-tool 3 c3 Read
        < show tool c3 Read
        > fail broken_stream
        < show failed c3: (broken off)
        < journal answer t.1 [so | c1:XEdit{} | c2:Read{}] (broken off)
        > result c1 one
        < start c2 Read {}
        > result c2 two
        < journal results [c1=one | c2=two]
        < wait 500 after attempt 1: broken_stream
        > waited
        < ask the model (retry)
        > say done
        > stop end_turn
        < journal answer t.2 [done] (end_turn)
        < end completed after 1
        ",
    );
}

#[test]
fn cancelled_while_waiting() {
    check_with(
        retries,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > fail overloaded
        < wait 500 after attempt 1: overloaded
        > cancel
        < stop the model
        < journal results [(interrupted)]
        < end aborted_streaming after 1
        > waited
        ",
    );
}

#[test]
fn another_model_stands_in() {
    check_with(
        fallback,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > fail overloaded
        < wait 500 after attempt 1: overloaded
        > waited
        < ask the model (retry)
        > fail overloaded
        < wait 1000 after attempt 2: overloaded
        > waited
        < ask the model (retry)
        > open-text 0
        < show message t.3
        > text 0 hel
        < show message t.3 \"hel\"
        > fail overloaded
        < show message t.3 ends
        < show nothing of t.3
        < use second: overloaded
        < ask the model (fallback)
        > call c1 Read
        < start c1 Read {}
        > stop tool_use
        < journal answer t.4 [c1:Read{}] (tool_use)
        > result c1 one
        < journal results [c1=one]
        < ask the model
        > fail overloaded
        < wait 500 after attempt 1: overloaded
        > waited
        < ask the model (retry)
        > fail overloaded
        < wait 1000 after attempt 2: overloaded
        > waited
        < ask the model (retry)
        > fail overloaded
        < use third: overloaded
        < ask the model (fallback)
        > say done
        > stop end_turn
        < journal answer t.8 [done] (end_turn)
        < end completed after 2
        ",
    );
}

#[test]
fn two_refusals_of_a_long_prompt_are_two_chances() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > fail prompt_too_long
        < make room: Drain
        > steer wait
        > room made
        < journal user u2 [wait]
        < ask the model (collapse_drain_retry)
        > fail prompt_too_long
        < make room: Compact
        > room made
        < ask the model (reactive_compact_retry)
        > fail prompt_too_long
        < end prompt_too_long after 1, error prompt_too_long
        ",
    );
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > fail request_too_large
        < make room: StripMedia
        > room none
        < make room: Drain
        > room none
        < make room: Compact
        > room none
        < end prompt_too_long after 1, error request_too_large
        > room made
        ",
    );
    // What helped may help again, once the turn got somewhere.
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > fail prompt_too_long
        < make room: Drain
        > room made
        < ask the model (collapse_drain_retry)
        > call c1 Read
        < start c1 Read {}
        > stop tool_use
        < journal answer t.2 [c1:Read{}] (tool_use)
        > result c1 one
        < journal results [c1=one]
        < ask the model
        > fail prompt_too_long
        < make room: Drain
        > cancel
        < stop the model
        < journal results [(interrupted)]
        < end aborted_streaming after 2
        ",
    );
}

#[test]
fn media_that_is_refused_is_taken_out_once() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > fail media_too_large
        < make room: StripMedia
        > room made
        < ask the model (media_strip_retry)
        > fail media_too_large
        < end image_error after 1, error media_too_large
        ",
    );
}

#[test]
fn a_full_window() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > full
        < end blocking_limit after 1, error full
        ",
    );
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say half
        > stop model_context_window_exceeded
        < journal answer t.1 [half] (model_context_window_exceeded)
        < make room: Drain
        > room none
        < make room: Compact
        > room made
        < journal results [(go on)]
        < ask the model (reactive_compact_retry)
        ",
    );
}

#[test]
fn an_answer_that_is_too_long_gets_more_room_and_is_then_continued() {
    check_with(
        longer,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > open-text 0
        < show message t.1
        > text 0 one
        < show message t.1 \"one\"
        > stop max_tokens
        < show message t.1 ends
        < show nothing of t.1
        < ask the model (max_output_tokens_escalate)
        > say one two
        > stop max_tokens
        < journal answer t.2 [one two] (max_tokens)
        < journal results [(go on)]
        < ask the model (max_output_tokens_recovery)
        > say three
        > stop max_tokens
        < journal answer t.3 [three] (max_tokens)
        < journal results [(go on)]
        < ask the model (max_output_tokens_recovery)
        > open-tool 0 c1 Read
        < show tool c1 Read
        > stop max_tokens
        < show failed c1: (unfinished)
        < journal results [(go on)]
        < ask the model (max_output_tokens_recovery)
        > say four
        > stop max_tokens
        < journal answer t.5 [four] (max_tokens)
        < end max_output_tokens after 4
        ",
    );
    // A call that was complete is made, and its results are what the model goes on from.
    check_with(
        longer,
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > open-tool 1 c2 Read
        < show tool c2 Read
        > stop max_tokens
        < show failed c2: (unfinished)
        < journal answer t.1 [c1:Read{}] (max_tokens)
        > result c1 one
        < journal results [c1=one]
        < ask the model
        ",
    );
}

#[test]
fn nothing_at_all_is_asked_for_once_more() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > stop end_turn
        < journal results [(say something)]
        < ask the model (empty_answer)
        > stop end_turn
        < end completed after 2
        ",
    );
}

#[test]
fn the_same_failing_call_over_and_over() {
    let step = |n: u32, note: &str| {
        format!(
            "
            > call c{n} Read {{\"a\":1}}
            < start c{n} Read {{\"a\":1}}
            > stop tool_use
            < journal answer t.{n} [c{n}:Read{{\"a\":1}}] (tool_use)
            > error c{n} no
            < journal results [c{n}!=no{note}]
            "
        )
    };
    let ask = "< ask the model\n";
    let mut script = format!("> prompt go\n< journal user u1 [go]\n{ask}");
    for n in 1..=7 {
        script += &step(n, if n == 5 { " | (repeating)" } else { "" });
        script += ask;
    }
    script += &step(8, "");
    let error = super::super::texts::repeated(8);
    script += &format!("< end malformed_tool_use_exhausted after 8, error {error}");
    check(&script);
}
