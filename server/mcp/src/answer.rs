//! What a server answered, as values: the parts of a result, a resource or a prompt.
//!
//! Read leniently: a part of a kind that nobody knows is shown as the JSON it is.

use serde_json::Value;

/// More parts than this nobody looks at.
const MOST_PARTS: usize = 1000;

/// The result of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub parts: Vec<Part>,
    /// The tool failed in its own terms.
    pub is_error: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    /// Base64.
    Image {
        mime_type: String,
        data: String,
    },
    /// Something else that is not text, in Base64.
    Blob {
        what: String,
        mime_type: String,
        data: String,
    },
    /// A resource that came along.
    Resource {
        uri: String,
        text: String,
    },
    /// A resource that can be read.
    Link {
        uri: String,
        name: String,
        description: String,
    },
}

impl Answer {
    /// Its words, for whoever has no use for anything else.
    pub fn text(&self) -> String {
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) | Part::Resource { text, .. } => Some(text.as_str()),
            Part::Image { .. } | Part::Blob { .. } | Part::Link { .. } => None,
        });
        words.collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn read(result: &Value) -> Answer {
        let mut parts = parts(&result["content"]);
        let structured = result.get("structuredContent").filter(|value| !value.is_null());
        // Servers give the same in both ways, for clients of both kinds. Once is enough.
        if let Some(structured) = structured
            && !parts.iter().any(|part| matches!(part, Part::Text(_)))
        {
            parts.push(Part::Text(pretty(structured)));
        }
        if parts.is_empty() && result.get("content").is_none() {
            parts.push(Part::Text(pretty(result)));
        }
        Answer { parts, is_error: result["isError"].as_bool() == Some(true) }
    }
}

fn parts(content: &Value) -> Vec<Part> {
    content.as_array().into_iter().flatten().take(MOST_PARTS).map(part).collect()
}

fn part(value: &Value) -> Part {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    match value["type"].as_str() {
        Some("text") => Part::Text(text("text")),
        Some("image") => Part::Image { mime_type: text("mimeType"), data: text("data") },
        Some("audio") => {
            let what = "A recording".to_owned();
            Part::Blob { what, mime_type: text("mimeType"), data: text("data") }
        }
        Some("resource") => contents(&value["resource"]),
        Some("resource_link") => {
            Part::Link { uri: text("uri"), name: text("name"), description: text("description") }
        }
        _ => Part::Text(pretty(value)),
    }
}

/// The parts of a resource that was read.
pub(crate) fn resource(result: &Value) -> Vec<Part> {
    let all = result["contents"].as_array().into_iter().flatten();
    all.take(MOST_PARTS).map(contents).collect()
}

fn contents(value: &Value) -> Part {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let (uri, mime_type) = (text("uri"), text("mimeType"));
    match value["blob"].as_str() {
        Some(data) if mime_type.starts_with("image/") => {
            Part::Image { mime_type, data: data.to_owned() }
        }
        Some(data) => Part::Blob { what: uri, mime_type, data: data.to_owned() },
        None => Part::Resource { uri, text: text("text") },
    }
}

/// The messages of a prompt: whether the user says it, and what.
pub(crate) fn prompt(result: &Value) -> Vec<(bool, Part)> {
    let all = result["messages"].as_array().into_iter().flatten().take(MOST_PARTS);
    let message = |message: &Value| (message["role"] != "assistant", part(&message["content"]));
    all.map(message).collect()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_of_all_kinds() {
        let check = |given: Value, expect: &[Part]| {
            assert_eq!(Answer::read(&given).parts, expect, "{given}");
        };
        let text = |text: &str| Part::Text(text.to_owned());
        check(json!({ "content": [{ "type": "text", "text": "a" }] }), &[text("a")]);
        check(json!({ "content": [] }), &[]);
        check(json!({ "content": [], "structuredContent": 5 }), &[text("5")]);
        let both = json!({ "content": [{ "type": "text", "text": "5" }], "structuredContent": 5 });
        check(both, &[text("5")]);
        check(json!({ "content": [{ "type": "new" }] }), &[text("{\n  \"type\": \"new\"\n}")]);
        check(json!({ "odd": 1 }), &[text("{\n  \"odd\": 1\n}")]);
        let image = json!({ "type": "image", "mimeType": "image/png", "data": "AA==" });
        let png = Part::Image { mime_type: "image/png".into(), data: "AA==".into() };
        check(json!({ "content": [image] }), &[png]);
        let held = json!({ "type": "resource", "resource": { "uri": "a:b", "text": "t" } });
        let held_part = Part::Resource { uri: "a:b".into(), text: "t".into() };
        check(json!({ "content": [held] }), &[held_part]);
        assert!(Answer::read(&json!({ "isError": true, "content": [] })).is_error);
    }
}
