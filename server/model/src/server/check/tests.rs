//! What the real API refuses, refused here.

use serde_json::json;

use super::*;

fn with(messages: Value) -> Value {
    json!({"model": "m", "max_tokens": 10, "messages": messages})
}

fn check(body: &Value, problem: &str) {
    let found = messages(body).err().unwrap_or_default();
    assert!(found.contains(problem), "{found:?} is not about {problem:?}");
    assert_eq!(found.is_empty(), problem.is_empty(), "{found}");
}

#[test]
fn malformed_requests_are_refused_in_the_words_of_the_api() {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "X", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": []});
    let user = |content: Value| json!({"role": "user", "content": content});
    let assistant = |content: Value| json!({"role": "assistant", "content": content});
    let text = |text: &str| json!({"type": "text", "text": text});
    let hi = || user(json!("hi"));
    check(&with(json!([hi()])), "");
    check(&with(json!([hi(), assistant(json!([call("a")])), user(json!([result("a")]))])), "");
    check(&json!({"max_tokens": 1, "messages": [hi()]}), "model");
    check(&json!({"model": "m", "messages": [hi()]}), "max_tokens");
    check(&with(json!([])), "at least one");
    check(&with(json!([assistant(json!("x"))])), "first message");
    check(&with(json!([user(json!([text(" ")]))])), "non-whitespace");
    check(&with(json!([user(json!([]))])), "non-empty");
    check(&with(json!([hi(), assistant(json!([call("a")]))])), "without `tool_result`");
    check(&with(json!([hi(), assistant(json!([call("a")])), hi()])), "without `tool_result`");
    check(&with(json!([hi(), assistant(json!([call("a"), call("a")])), hi()])), "unique");
    check(&with(json!([user(json!([result("a")]))])), "unexpected `tool_use_id`");
    check(
        &with(json!([hi(), assistant(json!([{"type": "thinking", "thinking": "x"}]))])),
        "signature",
    );
    check(&with(json!([{"role": "system", "content": "x"}])), "first message");
    let mut body = with(json!([hi()]));
    body["temperature"] = json!(1);
    check(&body, "temperature");
    let mut body = with(json!([hi()]));
    body["tools"] = json!([{"name": "a b", "input_schema": {"type": "object"}}]);
    check(&body, "tools.0.name");
    body["tools"] = json!([{"name": "a"}]);
    check(&body, "input_schema");
    let marked = |count: usize| {
        let block = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
        with(json!([user(json!(vec![block; count]))]))
    };
    check(&marked(4), "");
    check(&marked(5), "Found 5");
}

#[test]
fn completions_need_their_results_too() {
    let body = |messages: Value| json!({"model": "m", "messages": messages});
    let call = json!({"role": "assistant", "tool_calls": [{"id": "a"}]});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "x"});
    let user = json!({"role": "user", "content": "x"});
    assert_eq!(completions(&body(json!([user, call, result, user]))), Ok(()));
    assert!(completions(&body(json!([user, call, user]))).is_err());
    assert!(completions(&body(json!([user, call]))).is_err());
    assert!(completions(&body(json!([result]))).is_err());
}
