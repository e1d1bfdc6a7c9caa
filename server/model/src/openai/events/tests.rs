//! How servers really stream.

use agent::{ModelErrorKind, StreamEvent as E};
use serde_json::json;

use super::*;

fn origin() -> Origin {
    Origin {
        host: "h".to_owned(),
        model: "m".to_owned(),
        key_variable: "K",
        url_variable: "U",
        knows_models: false,
    }
}

/// The events as short words, which is what makes the tables below readable.
fn run(chunks: &[&str]) -> String {
    let mut format = Events::new(origin());
    let mut out = VecDeque::new();
    let mut error = None;
    for chunk in chunks {
        if let Err(found) = format.on(chunk, &mut out) {
            error = Some(found);
            break;
        }
    }
    if error.is_none() {
        error = format.on_end(&mut out).err();
    }
    let words = out.into_iter().map(|event| match event {
        E::Started { model, .. } => format!("start:{model}"),
        E::TextStarted { index } => format!("text{index}"),
        E::TextDelta { index, text } => format!("{index}={text}"),
        E::ThinkingStarted { index } => format!("think{index}"),
        E::ThinkingDelta { index, text } => format!("{index}~{text}"),
        E::ToolStarted { index, id, name } => format!("tool{index}:{id}:{name}"),
        E::InputDelta { index, json } => format!("{index}+{json}"),
        E::BlockEnded { index } => format!("end{index}"),
        E::Usage(usage) => format!(
            "usage:{},{},{}",
            usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens
        ),
        E::Stopped { reason } => format!("{reason:?}"),
        other => format!("{other:?}"),
    });
    let error = error.map(|error| format!("{:?}", error.kind));
    words.chain(error).collect::<Vec<_>>().join(" ")
}

fn chunk(delta: Value) -> String {
    json!({"model": "srv", "choices": [{"index": 0, "delta": delta}]}).to_string()
}

fn finish(reason: &str) -> String {
    json!({"choices": [{"delta": {}, "finish_reason": reason}]}).to_string()
}

fn calls(calls: Value) -> String {
    chunk(json!({"tool_calls": calls}))
}

fn check(chunks: &[String], expect: &str) {
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    assert_eq!(run(&chunks), expect);
}

#[test]
fn text_thinking_and_usage() {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 4}}});
    check(
        &[
            chunk(json!({"role": "assistant", "content": ""})),
            chunk(json!({"reasoning_content": "hm", "content": null})),
            chunk(json!({"content": "a"})),
            chunk(json!({"content": "b"})),
            finish("stop"),
            usage.to_string(),
            "[DONE]".to_owned(),
        ],
        "start:srv think0 0~hm end0 text1 1=a 1=b usage:6,4,2 end1 EndTurn",
    );
}

#[test]
fn calls_in_pieces_by_index() {
    check(
        &[
            chunk(json!({"content": "ok"})),
            calls(json!([{"index": 0, "id": "c1", "function": {"name": "A", "arguments": ""}}])),
            calls(json!([{"index": 0, "function": {"arguments": "{\"x\""}}])),
            calls(json!([{"index": 0, "function": {"arguments": ":1}"}}])),
            calls(json!([{"index": 1, "id": "c2", "function": {"name": "B", "arguments": "{}"}}])),
            finish("tool_calls"),
            "[DONE]".to_owned(),
        ],
        "start:srv text0 0=ok end0 tool1:c1:A 1+{\"x\" 1+:1} end1 tool2:c2:B 2+{} end2 ToolUse",
    );
}

#[test]
fn whole_calls_without_ids_or_indices_and_no_goodbye() {
    let two = json!([
        {"function": {"name": "A", "arguments": {"x": 1}}},
        {"function": {"name": "A", "arguments": "{}"}},
    ]);
    check(
        &[calls(two), finish("stop")],
        "start:srv tool0:call_m_0:A 0+{\"x\":1} end0 tool1:call_m_1:A 1+{} end1 ToolUse",
    );
}

#[test]
fn every_call_numbered_zero_but_with_its_own_id() {
    let call =
        |id: &str| json!([{"index": 0, "id": id, "function": {"name": "A", "arguments": "{}"}}]);
    check(
        &[calls(call("c1")), calls(call("c2")), finish("tool_calls")],
        "start:srv tool0:c1:A 0+{} end0 tool1:c2:A 1+{} end1 ToolUse",
    );
}

#[test]
fn a_server_that_repeats_id_and_name_in_every_delta() {
    let call =
        |part: &str| json!([{"index": 0, "id": "c", "function": {"name": "A", "arguments": part}}]);
    check(
        &[calls(call("{\"a\":")), calls(call("1}")), finish("tool_calls")],
        "start:srv tool0:c:A 0+{\"a\": 0+1} end0 ToolUse",
    );
}

#[test]
fn reasons_and_errors() {
    check(&[finish("length")], "start:m MaxTokens");
    check(&[finish("content_filter")], "start:m Refusal");
    check(&["[DONE]".to_owned()], "start:m EndTurn");
    check(&[chunk(json!({"content": "x"}))], "start:srv text0 0=x BrokenStream");
    check(&["{".to_owned()], "BrokenStream");
    check(&[json!({"error": {"message": "boom", "type": "server_error"}}).to_string()], "Server");
    check(&[json!({"error": "context size exceeded"}).to_string()], "PromptTooLong");
}

#[test]
fn kinds_are_those_of_the_agent() {
    let error = Events::new(origin()).on_end(&mut VecDeque::new()).unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::BrokenStream);
}
