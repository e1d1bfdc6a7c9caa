//! What a conversation is made of: messages of blocks, in the shape of the Messages API, which is
//! the shape they are journalled and sent in.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub content: Vec<Block>,
}

impl Message {
    pub fn user(content: Vec<Block>) -> Self {
        Self { role: Role::User, content }
    }

    pub fn assistant(content: Vec<Block>) -> Self {
        Self { role: Role::Assistant, content }
    }

    /// All text blocks, joined by newlines.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Block::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// One block. A kind that this version does not know is kept as it came (`Other`), because a
/// replayed history must be faithful to the byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text {
        text: String,
    },
    Image {
        source: ImageSource,
    },
    Thinking {
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        content: Vec<ResultPart>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    #[serde(untagged)]
    Other(Value),
}

impl Block {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ImageSource {
    Base64 { media_type: String, data: String },
    Url { url: String },
}

/// What a tool result may carry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResultPart {
    Text {
        text: String,
    },
    Image {
        source: ImageSource,
    },
    #[serde(untagged)]
    Other(Value),
}

impl From<ResultPart> for Block {
    fn from(part: ResultPart) -> Self {
        match part {
            ResultPart::Text { text } => Block::Text { text },
            ResultPart::Image { source } => Block::Image { source },
            ResultPart::Other(value) => Block::Other(value),
        }
    }
}

/// A PDF in Base64, as the Messages API takes it. Other providers are given its words instead.
pub fn pdf_document(data: String, title: &str) -> Value {
    serde_json::json!({
        "type": "document",
        "source": { "type": "base64", "media_type": "application/pdf", "data": data },
        "title": title,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_unknown_blocks_round_trip() {
        for json in [
            r#"{"type":"text","text":"hi"}"#,
            r#"{"type":"thinking","thinking":"hm","signature":"s"}"#,
            r#"{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/a"}}"#,
            r#"{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"x"}]}"#,
            r#"{"type":"tool_result","tool_use_id":"t1","content":[],"is_error":true}"#,
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}"#,
            r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#,
        ] {
            let block: Block = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&block).unwrap(), json);
        }
    }
}
