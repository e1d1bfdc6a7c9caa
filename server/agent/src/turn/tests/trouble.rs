//! Scripts of turns that are cancelled, that fail, and that are told things too late.

use super::script::check;

#[test]
fn cancelled_before_the_first_byte() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > steer more
        > cancel
        < stop the model
        < journal results [(interrupted)]
        < end aborted_streaming after 1
        > cancel
        > steered
        < u2 [more]
        ",
    );
}

#[test]
fn cancelled_in_the_middle_of_text() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > think hm
        > open-text 1
        < show message t.1
        > text 1 hel
        < show message t.1 \"hel\"
        > cancel
        < stop the model
        < show message t.1 ends
        < journal answer t.1 [thinking:hm/sealed | hel] (broken off)
        < journal results [(interrupted)]
        < end aborted_streaming after 1
        ",
    );
}

#[test]
fn cancelled_in_the_middle_of_thinking() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > open-thinking 0
        < show thought t.1
        > thinking 0 hm
        < show thought t.1 \"hm\"
        > cancel
        < stop the model
        < show thought t.1 ends
        < journal results [(interrupted)]
        < end aborted_streaming after 1
        ",
    );
}

#[test]
fn cancelled_in_the_middle_of_a_call() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say so
        > open-tool 1 c1 Read
        < show tool c1 Read
        > input 1 {\"a
        < show input c1 {\"a
        > cancel
        < stop the model
        < show cancelled c1: (not run)
        < journal answer t.1 [so] (broken off)
        < journal results [(interrupted)]
        < end aborted_streaming after 1
        ",
    );
}

#[test]
fn cancelled_with_calls_that_run_and_calls_that_wait() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 XEdit
        < start c1 XEdit {}
        > call c2 Read
        > call c3 Read {
        < show failed c3: (bad input)
        > open-tool 3 c4 Read
        < show tool c4 Read
        > cancel
        < stop the model
        < show cancelled c4: (not run)
        < journal answer t.1 [c1:XEdit{} | c2:Read{} | c3:Read{}] (broken off)
        < show cancelled c2: (not run)
        < stop c1
        > cancel
        > say late
        > stop tool_use
        > fail server
        > result c2 never started
        > result c1 half
        < journal results [c1=half | c2!=(not run) | c3!=(bad input) | (interrupted)]
        < end aborted_streaming after 1
        > result c1 again
        > cancel
        ",
    );
}

#[test]
fn cancelled_after_the_answer() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > call c2 Read
        < start c2 Read {}
        > stop tool_use
        < journal answer t.1 [c1:Read{} | c2:Read{}] (tool_use)
        > result c2 two
        > cancel
        < stop c1
        > error c1 stopped
        < journal results [c1!=stopped | c2=two | (interrupted)]
        < end aborted_tools after 1
        ",
    );
}

#[test]
fn cancelled_when_every_call_has_ended_but_the_answer_has_not() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > result c1 one
        > cancel
        < stop the model
        < journal answer t.1 [c1:Read{}] (broken off)
        < journal results [c1=one | (interrupted)]
        < end aborted_streaming after 1
        ",
    );
}

#[test]
fn the_model_fails_at_once() {
    let check = |kind: &str, end: &str| {
        check(&format!(
            "
            > prompt go
            < journal user u1 [go]
            < ask the model
            > fail {kind}
            < end {end} after 1, error {kind}
            > fail {kind}
            > cancel
            "
        ));
    };
    check("overloaded", "model_error");
    check("network", "model_error");
}

#[test]
fn the_model_fails_after_text() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > open-text 0
        < show message t.1
        > text 0 hel
        < show message t.1 \"hel\"
        > open-tool 1 c1 Read
        < show tool c1 Read
        > fail broken_stream
        < show message t.1 ends
        < show failed c1: (broken off)
        < journal answer t.1 [hel] (broken off)
        < end model_error after 1, error broken_stream
        ",
    );
}

#[test]
fn the_model_fails_while_calls_run() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > call c2 Read
        < start c2 Read {}
        > call c3 XEdit
        > result c1 one
        > fail timed_out
        < journal answer t.1 [c1:Read{} | c2:Read{} | c3:XEdit{}] (broken off)
        < show failed c3: (broken off)
        < stop c2
        > cancel
        > result c2 late
        < journal results [c1=one | c2=late | c3!=(broken off)]
        < end model_error after 1, error timed_out
        ",
    );
}

#[test]
fn what_comes_after_the_end_changes_nothing() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say done
        > stop end_turn
        < journal answer t.1 [done] (end_turn)
        < end completed after 1
        > prompt again
        > open-text 0
        > text 0 more
        > call c1 Read
        > usage 1 1
        > stop end_turn
        > fail server
        > result c1 x
        > cancel
        ",
    );
}

#[test]
fn what_comes_before_the_prompt_changes_nothing() {
    check(
        "
        > say early
        > stop end_turn
        > result c1 x
        > cancel
        > fail server
        > prompt go
        < journal user u1 [go]
        < ask the model
        > prompt twice
        ",
    );
}

#[test]
fn results_that_are_late_doubled_or_unknown_are_ignored() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > call c2 XEdit
        > result c9 unknown
        > result c2 not started
        > result c1 one
        < start c2 XEdit {}
        > result c1 again
        > stop tool_use
        < journal answer t.1 [c1:Read{} | c2:XEdit{}] (tool_use)
        > result c1 again
        > result c2 two
        < journal results [c1=one | c2=two]
        < ask the model
        > result c1 much later
        > result c2 much later
        > say done
        > stop end_turn
        < journal answer t.2 [done] (end_turn)
        < end completed after 2
        ",
    );
}

#[test]
fn a_stream_that_breaks_its_promises_breaks_nothing() {
    // A block begins twice, grows after its end, ends twice, or has a number from nowhere.
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > text 0 nothing begun
        > close 0
        > open-tool 0 c1 Read
        < show tool c1 Read
        > close 0
        < start c1 Read {}
        > close 0
        > input 0 {}
        > open-text 0
        > text 0 over the call
        > open-text 99
        < show message t.1
        > text 99 lost
        > text 1 kept
        < show message t.1 \"kept\"
        > close 1
        < show message t.1 ends
        > text 1 after the end
        > close 1
        > stop tool_use
        < journal answer t.1 [c1:Read{} | kept] (tool_use)
        > result c1 one
        < journal results [c1=one]
        < ask the model
        ",
    );
    // The answer ends before a call is complete.
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > open-tool 0 c1 Read
        < show tool c1 Read
        > input 0 {\"a
        < show input c1 {\"a
        > stop max_tokens
        < show failed c1: (unfinished)
        < journal results [(go on)]
        < ask the model (max_output_tokens_recovery)
        ",
    );
}

#[test]
fn two_calls_of_one_answer_never_share_an_id() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > call c1 Read
        < start c1-2 Read {}
        > stop tool_use
        < journal answer t.1 [c1:Read{} | c1-2:Read{}] (tool_use)
        > result c1-2 two
        > result c1 one
        < journal results [c1=one | c1-2=two]
        < ask the model
        ",
    );
}
