//! The request's JSON, strung together from pieces that are JSON already.

use agent::models::{self, Model, ThinkingSupport};
use agent::{CacheTtl, ModelRequest, Piece, Thinking};

/// The API takes four cache breakpoints; tools and system use one each.
const CACHED_MESSAGES: usize = 2;

/// What the API asks of a thinking budget at least.
const MIN_BUDGET: u32 = 1024;

/// The same API behind other doors wants its version, its model and its stream said elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dress {
    Direct,
    #[cfg(feature = "bedrock")]
    Bedrock,
    #[cfg(feature = "vertex")]
    Vertex,
}

impl Dress {
    fn begin(self, body: &mut String, model: &str) {
        match self {
            Dress::Direct => {
                body.push_str(r#"{"stream":true,"model":"#);
                push_string(body, model);
            }
            #[cfg(feature = "bedrock")]
            Dress::Bedrock => body.push_str(r#"{"anthropic_version":"bedrock-2023-05-31""#),
            #[cfg(feature = "vertex")]
            Dress::Vertex => {
                body.push_str(r#"{"stream":true,"anthropic_version":"vertex-2023-10-16""#);
            }
        }
    }
}

/// A whole request for a streamed answer.
pub(crate) fn write(request: &ModelRequest, ttl: CacheTtl, dress: Dress) -> String {
    let mut body = with_room_for(request);
    dress.begin(&mut body, &request.model);
    push_beginning(&mut body, request, ttl);
    body.push_str(&format!(r#","max_tokens":{}"#, max_tokens(request)));
    if !request.session.is_empty() {
        body.push_str(r#","metadata":{"user_id":"#);
        push_string(&mut body, &request.session);
        body.push('}');
    }
    if let (Dress::Direct, Some(tokens)) = (dress, request.clear_above) {
        push_clearing(&mut body, tokens);
    }
    push_messages(&mut body, &request.messages, ttl);
    body.push('}');
    body
}

/// Lets the provider clear old results of tools, as we would: the last five stay, and never for less
/// than what makes up for the cache.
fn push_clearing(body: &mut String, above: u64) {
    let at_least = (above / 10).min(10_000);
    body.push_str(&format!(
        r#","context_management":{{"edits":[{{"type":"clear_tool_uses_20250919","trigger":{{"type":"input_tokens","value":{above}}},"keep":{{"type":"tool_uses","value":5}},"clear_at_least":{{"type":"input_tokens","value":{at_least}}}}}]}}"#
    ));
}

/// The same, only to be counted.
pub(super) fn write_to_count(request: &ModelRequest) -> String {
    let mut body = with_room_for(request);
    body.push_str(r#"{"model":"#);
    push_string(&mut body, &request.model);
    push_beginning(&mut body, request, CacheTtl::Off);
    push_messages(&mut body, &request.messages, CacheTtl::Off);
    body.push('}');
    body
}

fn max_tokens(request: &ModelRequest) -> u32 {
    let known = models::find(&request.model);
    known.map_or(request.max_tokens, |model| request.max_tokens.min(model.max_output))
}

fn with_room_for(request: &ModelRequest) -> String {
    let size: usize = request.messages.iter().map(|piece| piece.json().len() + 64).sum();
    String::with_capacity(size + request.system.len() + request.tools.len() + 512)
}

/// What a request and a count have in common before the messages.
fn push_beginning(body: &mut String, request: &ModelRequest, ttl: CacheTtl) {
    let model = models::limits(&request.model);
    push_array(body, "system", &request.system, ttl);
    push_array(body, "tools", &request.tools, ttl);
    body.push_str(&thinking(request.thinking, model, max_tokens(request)));
    body.push_str(&output_config(request, model));
}

/// The breakpoints sit on the last two things the user (or a tool) said: the older one finds what
/// the previous request stored, the newer one stores for the next.
fn push_messages(body: &mut String, messages: &[Piece], ttl: CacheTtl) {
    let users = messages.iter().enumerate().rev().filter(|(_, piece)| piece.is_user());
    let cached: Vec<usize> = users.take(CACHED_MESSAGES).map(|(index, _)| index).collect();
    body.push_str(r#","messages":["#);
    for (index, piece) in messages.iter().enumerate() {
        if index > 0 {
            body.push(',');
        }
        piece.write(body, if cached.contains(&index) { ttl } else { CacheTtl::Off });
    }
    body.push(']');
}

/// An empty array is left out. The last entry of any other gets a breakpoint.
fn push_array(body: &mut String, key: &str, array: &str, ttl: CacheTtl) {
    let array = array.trim();
    if array.is_empty() || array == "[]" {
        return;
    }
    body.push_str(&format!(r#","{key}":"#));
    match array.strip_suffix("}]") {
        Some(head) => body.extend([head, ttl.mark(), "}]"]),
        None => body.push_str(array),
    }
}

fn thinking(thinking: Thinking, model: &Model, max_tokens: u32) -> String {
    use ThinkingSupport::{Adaptive, Always, Budget, None};
    // Without `display`, the newer models think in silence and a person sees nothing for minutes.
    const ADAPTIVE: &str = r#","thinking":{"type":"adaptive","display":"summarized"}"#;
    match (thinking, model.thinking) {
        (Thinking::Default, _) | (_, None) | (Thinking::Disabled, Always) => String::new(),
        (Thinking::Disabled, Adaptive | Budget) => r#","thinking":{"type":"disabled"}"#.to_owned(),
        (Thinking::Adaptive | Thinking::Budget(_), Adaptive | Always) => ADAPTIVE.to_owned(),
        (Thinking::Adaptive, Budget) => budget(max_tokens / 2, max_tokens),
        (Thinking::Budget(tokens), Budget) => budget(tokens, max_tokens),
    }
}

/// How hard to try, and the shape the answer must have.
fn output_config(request: &ModelRequest, model: &Model) -> String {
    let effort = request.effort.filter(|_| model.effort);
    let effort = effort.map(|effort| format!(r#""effort":"{}""#, effort.name()));
    let schema = request.format.as_deref();
    let format =
        schema.map(|schema| format!(r#""format":{{"type":"json_schema","schema":{schema}}}"#));
    let parts: Vec<String> = [effort, format].into_iter().flatten().collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(r#","output_config":{{{}}}"#, parts.join(","))
}

/// A budget must leave room for an answer.
fn budget(tokens: u32, max_tokens: u32) -> String {
    if max_tokens <= MIN_BUDGET {
        return String::new();
    }
    let tokens = tokens.clamp(MIN_BUDGET, max_tokens - 1);
    format!(r#","thinking":{{"type":"enabled","budget_tokens":{tokens}}}"#)
}

fn push_string(body: &mut String, text: &str) {
    body.push_str(&serde_json::Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use agent::{Block, Effort, Message};
    use serde_json::{Value, json};

    use super::*;

    fn request(model: &str) -> ModelRequest {
        let piece = |message| Piece::new(&message).unwrap();
        ModelRequest {
            model: model.to_owned(),
            max_tokens: 4000,
            system: r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#.into(),
            tools: r#"[{"name":"X","input_schema":{"type":"object"}}]"#.into(),
            messages: vec![
                piece(Message::user(vec![Block::text("one")])),
                piece(Message::assistant(vec![Block::text("two")])),
                piece(Message::user(vec![Block::text("three"), Block::text("four")])),
                piece(Message::assistant(vec![Block::text("five")])),
                piece(Message::user(vec![Block::text("six \"}]}\" ")])),
            ],
            thinking: Thinking::Default,
            effort: None,
            format: None,
            clear_above: None,
            session: "s \"1\"".to_owned(),
        }
    }

    fn parsed(request: &ModelRequest) -> Value {
        serde_json::from_str(&write(request, CacheTtl::FiveMinutes, Dress::Direct)).unwrap()
    }

    #[test]
    fn breakpoints_on_system_tools_and_the_last_two_user_messages() {
        let body = parsed(&request("claude-sonnet-5-5"));
        let here = json!({"type": "ephemeral"});
        assert_eq!(body["system"][1]["cache_control"], here);
        assert_eq!(body["tools"][0]["cache_control"], here);
        assert_eq!(body["messages"][2]["content"][1]["cache_control"], here);
        assert_eq!(body["messages"][4]["content"][0]["cache_control"], here);
        assert_eq!(body["messages"][4]["content"][0]["text"], "six \"}]}\" ");
        assert_eq!(body.to_string().matches("cache_control").count(), 4);
        assert_eq!(body["metadata"]["user_id"], "s \"1\"");
        assert_eq!((&body["stream"], &body["max_tokens"]), (&json!(true), &json!(4000)));
    }

    #[test]
    fn breakpoints_last_as_long_as_they_should_or_are_not_there() {
        let request = request("claude-sonnet-5-5");
        let hour: Value =
            serde_json::from_str(&write(&request, CacheTtl::Hour, Dress::Direct)).unwrap();
        let here = json!({"type": "ephemeral", "ttl": "1h"});
        assert_eq!(hour["tools"][0]["cache_control"], here);
        assert_eq!(hour["messages"][4]["content"][0]["cache_control"], here);
        assert_eq!(hour.to_string().matches("1h").count(), 4);
        assert!(!write(&request, CacheTtl::Off, Dress::Direct).contains("cache_control"));
    }

    #[test]
    fn what_is_counted_is_what_is_sent_without_the_rest() {
        let request = request("claude-sonnet-5-5");
        let counted: Value = serde_json::from_str(&write_to_count(&request)).unwrap();
        let mut sent: Value =
            serde_json::from_str(&write(&request, CacheTtl::Off, Dress::Direct)).unwrap();
        for extra in ["max_tokens", "stream", "metadata"] {
            sent.as_object_mut().unwrap().remove(extra);
        }
        assert_eq!(counted, sent);
    }

    #[test]
    fn the_provider_may_clear_results_when_it_is_asked_to() {
        let request = ModelRequest { clear_above: Some(50_000), ..request("claude-sonnet-5-5") };
        let edit = parsed(&request)["context_management"]["edits"][0].clone();
        assert_eq!(edit["type"], "clear_tool_uses_20250919");
        assert_eq!(edit["trigger"], json!({"type": "input_tokens", "value": 50_000}));
        assert_eq!(edit["keep"], json!({"type": "tool_uses", "value": 5}));
        assert_eq!(edit["clear_at_least"]["value"], 5_000);
    }

    #[test]
    fn nothing_empty_is_sent() {
        let mut bare = request("m");
        (bare.system, bare.tools, bare.session) = ("[]".into(), "".into(), String::new());
        let body = parsed(&bare);
        let mut keys: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["max_tokens", "messages", "model", "stream"]);
    }

    #[test]
    fn thinking_follows_the_model() {
        let check = |model: &str, thinking, max_tokens, expect: Value| {
            let request = ModelRequest { thinking, max_tokens, ..request(model) };
            assert_eq!(parsed(&request).get("thinking").cloned().unwrap_or_default(), expect);
        };
        let adaptive = json!({"type": "adaptive", "display": "summarized"});
        let budget = |tokens| json!({"type": "enabled", "budget_tokens": tokens});
        check("claude-sonnet-5-5", Thinking::Default, 4000, Value::Null);
        check("claude-sonnet-5-5", Thinking::Adaptive, 4000, adaptive.clone());
        check("claude-sonnet-5-5", Thinking::Disabled, 4000, json!({"type": "disabled"}));
        check("claude-opus-5-5", Thinking::Disabled, 4000, Value::Null);
        check("claude-opus-5-5", Thinking::Budget(9), 4000, adaptive);
        check("claude-haiku-4-5", Thinking::Budget(9), 4000, budget(1024));
        check("claude-haiku-4-5", Thinking::Budget(9000), 4000, budget(3999));
        check("claude-haiku-4-5", Thinking::Adaptive, 4000, budget(2000));
        check("claude-haiku-4-5", Thinking::Adaptive, 1000, Value::Null);
        check("local", Thinking::Adaptive, 4000, Value::Null);
    }

    #[test]
    fn limits_of_known_models_hold() {
        let huge = |model| ModelRequest { max_tokens: 999_999, ..request(model) };
        assert_eq!(parsed(&huge("claude-haiku-4-5"))["max_tokens"], 64_000);
        assert_eq!(parsed(&huge("claude-next-9"))["max_tokens"], 999_999);
        let tried = |model| ModelRequest { effort: Some(Effort::XHigh), ..request(model) };
        assert_eq!(parsed(&tried("claude-opus-5-5"))["output_config"]["effort"], "xhigh");
        assert_eq!(parsed(&tried("claude-haiku-4-5")).get("output_config"), None);
    }

    #[test]
    fn a_schema_goes_with_the_effort_and_alone() {
        let schema = r#"{"type":"object","additionalProperties":false}"#;
        let shape = json!({"type": "json_schema",
            "schema": {"type": "object", "additionalProperties": false}});
        let shaped =
            |model, effort| ModelRequest { effort, format: Some(schema.into()), ..request(model) };
        let both = parsed(&shaped("claude-opus-5-5", Some(Effort::Low)));
        assert_eq!(both["output_config"], json!({"effort": "low", "format": shape}));
        let alone = parsed(&shaped("claude-haiku-4-5", Some(Effort::Low)));
        assert_eq!(alone["output_config"], json!({"format": shape}));
    }
}
