//! What a server may offer, and what it may not.

use super::*;
use serde_json::json;

fn plain(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

#[test]
fn schemas_that_a_provider_would_refuse() {
    let check = |given: Value, expect: bool| {
        assert_eq!(schema::check(&given).is_ok(), expect, "{given}");
    };
    check(json!({}), true);
    check(json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } } }), true);
    check(json!({ "type": "object", "properties": { "a": true }, "required": ["a"] }), true);
    check(json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "object" } } }), true);
    check(json!(null), false);
    check(json!([]), false);
    check(json!({ "type": "string" }), false);
    check(json!({ "type": "object", "properties": [] }), false);
    check(json!({ "properties": { "a": { "type": "text" } } }), false);
    check(json!({ "properties": { "a": { "type": 5 } } }), false);
    check(json!({ "properties": { "a": 5 } }), false);
    check(json!({ "properties": { "a b": {} } }), false);
    check(json!({ "properties": { "": {} } }), false);
    check(json!({ "properties": { "a": { "items": 3 } } }), false);
    check(json!({ "properties": { "a": { "enum": "b" } } }), false);
    check(json!({ "required": "a" }), false);
    check(json!({ "properties": { "a": { "$ref": "https://evil.example/x" } } }), false);
    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({ "properties": { "a": deep } });
    }
    check(deep, false);
}

#[test]
fn what_the_top_of_a_schema_may_not_say_is_taken_out() {
    let given = json!({ "$schema": "https://json-schema.org/x", "anyOf": [{}], "title": "T" });
    let expect = json!({ "type": "object", "properties": {}, "title": "T" });
    assert_eq!(schema::check(&given), Ok(expect));
}

#[test]
fn a_bad_tool_costs_only_itself() {
    let items = [
        plain("a"),
        json!({ "name": "bad", "inputSchema": { "type": "array" } }),
        json!({ "inputSchema": {} }),
        json!({ "name": "x".repeat(300), "inputSchema": {} }),
        json!("nonsense"),
        plain("a"),
        plain("a b"),
        plain("a.b"),
        json!({ "name": "big", "inputSchema": { "description": "y".repeat(70_000) } }),
        plain("z"),
    ];
    let (tools, left_out) = tools("s", &items);
    let names: Vec<&str> = tools.iter().map(|tool| tool.full_name.as_str()).collect();
    assert_eq!(names, ["mcp__s__a", "mcp__s__a_b", "mcp__s__z"]);
    assert_eq!(left_out.len(), 7, "{left_out:?}");
}

#[test]
fn thousands_of_tools_are_cut() {
    let items: Vec<Value> = (0..5000).map(|at| plain(&format!("t{at}"))).collect();
    let (tools, left_out) = tools("s", &items);
    assert_eq!(tools.len(), MOST_TOOLS);
    assert!(left_out.len() < 30 && left_out.last().unwrap().contains("more"), "{left_out:?}");
}

#[test]
fn what_a_server_says_about_its_tools() {
    let item = json!({
        "name": "t", "description": "d".repeat(5000), "inputSchema": {},
        "annotations": { "title": "A tool\nof mine", "readOnlyHint": true, "destructiveHint": "yes" },
        "_meta": { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 9_000_000 },
    });
    let (tools, _) = tools("s", &[item]);
    assert_eq!(tools[0].description.len(), 2048);
    let expect = Hints {
        title: Some("A tool".to_owned()),
        read_only: true,
        always_load: true,
        largest_result: Some(500_000),
        ..Hints::default()
    };
    assert_eq!(tools[0].hints, expect);
}

#[test]
fn prompts_and_resources_are_read_as_far_as_they_make_sense() {
    let found = prompts(
        "my server",
        &[
            json!({ "name": "review", "arguments": [{ "name": "file", "required": true }, 5] }),
            json!({ "name": "review" }),
            json!({ "name": "" }),
        ],
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].command, "mcp__my_server__review");
    assert_eq!(found[0].arguments, [Argument { name: "file".into(), required: true }]);
    let found = resources(&[json!({ "uri": "a://b" }), json!({ "name": "n" }), json!(7)], "uri");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].name, "a://b");
}
