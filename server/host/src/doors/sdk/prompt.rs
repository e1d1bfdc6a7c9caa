//! A message of the host becomes a prompt.

use protocol::prompt::{Block, DocumentBlock, ImageBlock};
use protocol::session::{Delivery, Disposition, SessionPrompt, SessionPromptParams};
use serde_json::{Value, json};

use super::messages::ids;
use super::shared::{Mark, Shared};

/// Sends it. What is said with `shouldQuery: false` is held until somebody wants an answer.
pub(super) async fn send(shared: &Shared, message: Value, first: bool, held: &mut Vec<Block>) {
    let uuid = message["uuid"].as_str().map_or_else(ids::fresh, str::to_owned);
    let said = message["message"].clone();
    let content = match blocks(&said["content"]) {
        Ok(content) => content,
        Err(problem) => {
            shared.mark(Mark::Sent { uuid: uuid.clone(), message: said });
            return shared.mark(Mark::Refused { uuid, problem });
        }
    };
    if message["shouldQuery"] == json!(false) {
        return held.extend(content);
    }
    // A prompt whose first block is empty is never a command, whatever it begins with.
    let verbatim = message["client_composed"] == json!(true) || !held.is_empty();
    let guard = verbatim.then(|| Block::text(""));
    let content = guard.into_iter().chain(held.drain(..)).chain(content).collect();
    shared.mark(Mark::Sent { uuid: uuid.clone(), message: said });
    let params = SessionPromptParams {
        session_id: shared.session().to_owned(),
        content,
        delivery: Some(delivery(&message, first)),
        client_message_id: Some(uuid.clone()),
    };
    match shared.ask::<SessionPrompt>(&params).await {
        Ok(result) if result.disposition == Disposition::Steered => {
            shared.mark(Mark::Steered { uuid });
        }
        Ok(_) => {}
        Err(error) => shared.mark(Mark::Refused { uuid, problem: error.message }),
    }
}

/// Each prompt has a turn of its own, unless it is urgent. The first does not wait for what an earlier
/// life of the session left in the queue.
fn delivery(message: &Value, first: bool) -> Delivery {
    match message["priority"].as_str() {
        Some("now") => Delivery::Steer,
        _ if first => Delivery::Steer,
        _ => Delivery::Auto,
    }
}

/// The error is a sentence for the host.
fn blocks(content: &Value) -> Result<Vec<Block>, String> {
    match content {
        Value::String(text) => Ok(vec![Block::text(text)]),
        Value::Array(blocks) => blocks.iter().map(block).collect(),
        _ => Err("The message has no content: write a text, or a list of blocks.".to_owned()),
    }
}

fn block(block: &Value) -> Result<Block, String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let source = &block["source"];
    let mime_type = text(&source["media_type"]).unwrap_or_default();
    match (block["type"].as_str(), source["type"].as_str()) {
        (Some("text"), _) => Ok(Block::text(text(&block["text"]).unwrap_or_default())),
        (Some("image"), _) => Ok(Block::Image(ImageBlock {
            mime_type,
            data: text(&source["data"]),
            uri: text(&source["url"]),
            width: None,
            height: None,
        })),
        (Some("document"), Some("text")) => {
            Ok(Block::text(text(&source["data"]).unwrap_or_default()))
        }
        (Some("document"), _) => Ok(Block::Document(DocumentBlock {
            mime_type,
            data: text(&source["data"]),
            uri: text(&source["url"]),
            title: text(&block["title"]),
        })),
        (kind, _) => {
            let kind = kind.unwrap_or("no type");
            Err(format!("A message has text, image and document blocks, not {kind:?}."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_host_may_say() {
        assert_eq!(blocks(&json!("hi")).unwrap(), [Block::text("hi")]);
        let both = json!([
            { "type": "text", "text": "look" },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AA" } },
        ]);
        let both = blocks(&both).unwrap();
        assert!(matches!(&both[1], Block::Image(image) if image.data.as_deref() == Some("AA")));
        assert!(blocks(&json!([{ "type": "tool_result" }])).unwrap_err().contains("tool_result"));
        assert!(blocks(&Value::Null).is_err());
    }

    #[test]
    fn who_waits_and_who_does_not() {
        assert_eq!(delivery(&json!({}), true), Delivery::Steer);
        assert_eq!(delivery(&json!({}), false), Delivery::Auto);
        assert_eq!(delivery(&json!({ "priority": "now" }), false), Delivery::Steer);
        assert_eq!(delivery(&json!({ "priority": "later" }), false), Delivery::Auto);
    }
}
