//! Every path of a turn, as a script of what goes in and what comes out.

mod finishing;
mod property;
mod recorded;
mod recovery;
mod script;
mod trouble;

use script::{check, check_with};

#[test]
fn a_plain_answer() {
    check(
        "
        > prompt hi
        < journal user u1 [hi]
        < ask the model
        > start 10 1
        > open-text 0
        < show message t.1
        > text 0 hel
        < show message t.1 \"hel\"
        > text 0 lo
        < show message t.1 \"lo\"
        > close 0
        < show message t.1 ends
        > usage 10 7
        < show usage 17
        > stop end_turn
        < journal answer t.1 [hello] (end_turn)
        < end completed after 1, 10 in, 7 out
        ",
    );
}

#[test]
fn thinking_keeps_its_seal() {
    check(
        "
        > prompt hi
        < journal user u1 [hi]
        < ask the model
        > open-thinking 0
        < show thought t.1
        > thinking 0 hm
        < show thought t.1 \"hm\"
        > sign 0 se
        > sign 0 al
        > close 0
        < show thought t.1 ends
        > opaque 1 {\"type\":\"redacted_thinking\",\"data\":\"x\"}
        > close 1
        > say ok
        > stop end_turn
        < journal answer t.1 [thinking:hm/seal | {\"type\":\"redacted_thinking\",\"data\":\"x\"} | ok] (end_turn)
        < end completed after 1
        ",
    );
}

#[test]
fn blocks_left_open_are_ended_and_empty_text_is_dropped() {
    check(
        "
        > prompt hi
        < journal user u1 [hi]
        < ask the model
        > say \x20
        > open-text 1
        < show message t.1
        > text 1 yes
        < show message t.1 \"yes\"
        > stop stop_sequence
        < show message t.1 ends
        < journal answer t.1 [yes] (stop_sequence)
        < end completed after 1
        ",
    );
    check(
        "
        > prompt hi
        < journal user u1 [hi]
        < ask the model
        > say \x20
        > stop end_turn
        < journal results [(say something)]
        < ask the model (empty_answer)
        ",
    );
}

#[test]
fn parallel_calls_start_while_the_answer_streams_and_results_keep_the_order() {
    check(
        "
        > prompt look
        < journal user u1 [look]
        < ask the model
        > open-tool 0 c1 Read
        < show tool c1 Read
        > input 0 {\"a\":
        < show input c1 {\"a\":
        > input 0 1}
        < show input c1 1}
        > close 0
        < start c1 Read {\"a\":1}
        > call c2 Grep {}
        < start c2 Grep {}
        > result c2 two
        > say looking
        > stop tool_use
        < journal answer t.1 [c1:Read{\"a\":1} | c2:Grep{} | looking] (tool_use)
        > result c1 one
        < journal results [c1=one | c2=two]
        < ask the model
        > say done
        > stop end_turn
        < journal answer t.2 [done] (end_turn)
        < end completed after 2
        ",
    );
}

#[test]
fn all_results_may_come_before_the_answer_ends() {
    check(
        "
        > prompt look
        < journal user u1 [look]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > error c1 gone
        > stop tool_use
        < journal answer t.1 [c1:Read{}] (tool_use)
        < journal results [c1!=gone]
        < ask the model
        ",
    );
}

#[test]
fn blocks_that_overlap_keep_their_order() {
    check(
        "
        > prompt look
        < journal user u1 [look]
        < ask the model
        > open-tool 0 c1 Read
        < show tool c1 Read
        > open-tool 1 c2 Read
        < show tool c2 Read
        > close 1
        < start c2 Read {}
        > close 0
        < start c1 Read {}
        > stop tool_use
        < journal answer t.1 [c1:Read{} | c2:Read{}] (tool_use)
        > result c2 two
        > result c1 one
        < journal results [c1=one | c2=two]
        < ask the model
        ",
    );
}

#[test]
fn a_call_that_wants_to_be_alone_waits_and_is_waited_for() {
    check(
        "
        > prompt work
        < journal user u1 [work]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > call c2 Read
        < start c2 Read {}
        > call c3 XEdit
        > call c4 XEdit
        > call c5 Read
        > stop tool_use
        < journal answer t.1 [c1:Read{} | c2:Read{} | c3:XEdit{} | c4:XEdit{} | c5:Read{}] (tool_use)
        > result c2 2
        > result c1 1
        < start c3 XEdit {}
        > result c3 3
        < start c4 XEdit {}
        > result c4 4
        < start c5 Read {}
        > result c5 5
        < journal results [c1=1 | c2=2 | c3=3 | c4=4 | c5=5]
        < ask the model
        ",
    );
}

#[test]
fn no_more_than_ten_run_at_once() {
    let mut script = "> prompt go\n< journal user u1 [go]\n< ask the model\n".to_owned();
    for n in 1..=12 {
        script += &format!("> call c{n} Read\n");
        if n <= super::MAX_PARALLEL {
            script += &format!("< start c{n} Read {{}}\n");
        }
    }
    script += "> result c7 x\n< start c11 Read {}\n> result c11 x\n< start c12 Read {}\n";
    check(&script);
}

#[test]
fn input_that_is_no_json_object_is_answered_and_not_run() {
    for json in ["{\"a\":", "[1]", "null", "{} x"] {
        check(&format!(
            "
            > prompt go
            < journal user u1 [go]
            < ask the model
            > call c1 Read {json}
            < show failed c1: (bad input)
            > call c2 Read
            < start c2 Read {{}}
            > stop tool_use
            < journal answer t.1 [c1:Read{{}} | c2:Read{{}}] (tool_use)
            > result c2 ok
            < journal results [c1!=(bad input) | c2=ok]
            < ask the model
            "
        ));
    }
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read {
        < show failed c1: (bad input)
        > stop max_tokens
        < journal answer t.1 [c1:Read{}] (max_tokens)
        < journal results [c1!=(bad input)]
        < ask the model
        ",
    );
}

#[test]
fn the_number_of_answers_has_a_limit() {
    check_with(
        |rules| rules.max_answers = Some(2),
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > call c1 Read
        < start c1 Read {}
        > stop tool_use
        < journal answer t.1 [c1:Read{}] (tool_use)
        > result c1 a
        < journal results [c1=a]
        < ask the model
        > call c2 Read
        < start c2 Read {}
        > stop tool_use
        < journal answer t.2 [c2:Read{}] (tool_use)
        > steer more
        > result c2 b
        < journal results [c2=b]
        < end max_turns after 2
        > steered
        < u2 [more]
        > steered
        ",
    );
    // A complete answer is not cut off by the limit, also when there was more to say.
    check_with(
        |rules| rules.max_answers = Some(1),
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > steer more
        > say done
        > stop end_turn
        < journal answer t.1 [done] (end_turn)
        < end completed after 1
        > steered
        < u2 [more]
        ",
    );
}

#[test]
fn a_paused_answer_goes_back_as_it_is() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > opaque 0 {\"type\":\"server_tool_use\"}
        > steer more
        > stop pause_turn
        < journal answer t.1 [{\"type\":\"server_tool_use\"}] (pause_turn)
        < ask the model
        > say found
        > stop end_turn
        < journal answer t.2 [found] (end_turn)
        < journal user u2 [more]
        < ask the model
        ",
    );
    check_with(
        |rules| rules.max_answers = Some(1),
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > say half
        > stop pause_turn
        < journal answer t.1 [half] (pause_turn)
        < end max_turns after 1
        ",
    );
}

#[test]
fn other_reasons_to_stop_end_the_turn() {
    let check = |reason: &str, end: &str| {
        check(&format!(
            "
            > prompt go
            < journal user u1 [go]
            < ask the model
            > say half
            > stop {reason}
            < journal answer t.1 [half] ({reason})
            < end {end} after 1
            "
        ));
    };
    check("refusal", "refusal");
    check("from_the_future", "completed");
}

#[test]
fn thinking_that_ran_out_of_tokens_is_not_kept() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > think first
        > open-thinking 1
        < show thought t.1
        > thinking 1 and
        < show thought t.1 \"and\"
        > close 1
        < show thought t.1 ends
        > say \x20
        > stop max_tokens
        < journal answer t.1 [thinking:first/sealed] (max_tokens)
        < journal results [(go on)]
        < ask the model (max_output_tokens_recovery)
        ",
    );
}

#[test]
fn steering_goes_along_with_the_next_request() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > steer a
        > call c1 Read
        < start c1 Read {}
        > stop tool_use
        < journal answer t.1 [c1:Read{}] (tool_use)
        > steer b
        > result c1 x
        < journal results [c1=x]
        < journal user u2 [a]
        < journal user u3 [b]
        < ask the model
        > steer c
        > say done
        > stop end_turn
        < journal answer t.2 [done] (end_turn)
        < journal user u4 [c]
        < ask the model
        > say really
        > stop end_turn
        < journal answer t.3 [really] (end_turn)
        < end completed after 3
        > steer late
        > steered
        ",
    );
}

#[test]
fn usage_is_summed_over_the_answers() {
    check(
        "
        > prompt go
        < journal user u1 [go]
        < ask the model
        > usage 10 5
        < show usage 15
        > call c1 Read
        < start c1 Read {}
        > stop tool_use
        < journal answer t.1 [c1:Read{}] (tool_use)
        > result c1 x
        < journal results [c1=x]
        < ask the model
        > usage 20 1
        < show usage 21
        > usage 0 4
        < show usage 24
        > fail server
        < end model_error after 2, 30 in, 9 out, error server
        ",
    );
}
