//! Images and documents: which ones a provider takes, and what stands in for those it does not.

use serde_json::Value;

use super::{Conversation, Entry};
use crate::message::{Block, ImageSource, ResultPart};
use crate::request::Piece;

/// What providers take of one image, as base64.
const LARGEST: usize = 5 << 20;
/// And of a document: that of a whole request.
const LARGEST_DOCUMENT: usize = 32 << 20;
/// How the base64 of a PDF begins.
const PDF: &str = "JVBERi";

/// The kinds of images that are taken, with how their base64 begins.
const KINDS: [(&str, &str); 4] = [
    ("image/png", "iVBORw0KGg"),
    ("image/jpeg", "/9j/"),
    ("image/gif", "R0lGO"),
    ("image/webp", "UklGR"),
];

const REFUSED: &str = "the model's provider refused it";

pub(super) fn placeholder(problem: &str) -> String {
    format!("[An image or a document was left out here: {problem}.]")
}

/// Why an image would be refused.
pub(super) fn problem(source: &ImageSource) -> Option<&'static str> {
    match source {
        ImageSource::Url { url } => {
            let web = url.starts_with("https://") || url.starts_with("http://");
            (!web).then_some("its address is not one of the web")
        }
        ImageSource::Base64 { media_type, data } => {
            let Some((_, start)) = KINDS.iter().find(|(kind, _)| kind == media_type) else {
                return Some("it is none of PNG, JPEG, GIF and WebP");
            };
            if data.len() > LARGEST {
                return Some("it is larger than 5 MB");
            }
            (!data.starts_with(start) || !is_base64(data)).then_some("it is damaged")
        }
    }
}

/// Why a document would be refused. What it is made of, where it is not a file, is the provider's
/// business.
pub(super) fn document_problem(document: &Value) -> Option<&'static str> {
    let source = document.get("source")?;
    if source["type"] != "base64" {
        return None;
    }
    let data = source["data"].as_str().unwrap_or_default();
    if source["media_type"] != "application/pdf" {
        return Some("it is no PDF");
    }
    if data.len() > LARGEST_DOCUMENT {
        return Some("it is larger than 32 MB");
    }
    (!data.starts_with(PDF) || !is_base64(data)).then_some("it is damaged")
}

fn is_base64(data: &str) -> bool {
    let body = data.trim_end_matches('=');
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    data.len().is_multiple_of(4) && data.len() - body.len() <= 2 && body.bytes().all(letter)
}

pub(super) fn any(content: &[Block]) -> bool {
    content.iter().any(|block| match block {
        Block::ToolResult { content, .. } => content.iter().any(is_media_part),
        block => is_media(block),
    })
}

fn is_media(block: &Block) -> bool {
    match block {
        Block::Image { .. } => true,
        Block::Other(value) => value["type"] == "document",
        _ => false,
    }
}

fn is_media_part(part: &ResultPart) -> bool {
    match part {
        ResultPart::Image { .. } => true,
        ResultPart::Other(value) => value["type"] == "document",
        ResultPart::Text { .. } => false,
    }
}

impl Conversation {
    /// Whether there is anything that a provider could refuse as too large a picture.
    pub fn has_media(&self) -> bool {
        self.entries.iter().any(|entry| entry.has_media)
    }

    pub(super) fn strip_media(&mut self) -> Result<(), serde_json::Error> {
        let mut gone = Vec::new();
        for entry in self.entries.iter_mut().filter(|entry| entry.has_media) {
            gone.extend(strip(entry)?);
        }
        self.drop_held(&gone);
        self.sent.renew(&self.entries);
        Ok(())
    }
}

/// Says which calls lost something of their results.
fn strip(entry: &mut Entry) -> Result<Vec<String>, serde_json::Error> {
    let mut message = entry.piece.message()?;
    let mut calls = Vec::new();
    for block in &mut message.content {
        match block {
            Block::ToolResult { tool_use_id, content, .. } => {
                for part in content.iter_mut().filter(|part| is_media_part(part)) {
                    *part = ResultPart::Text { text: placeholder(REFUSED) };
                    calls.push(tool_use_id.clone());
                }
            }
            block if is_media(block) => *block = Block::text(placeholder(REFUSED)),
            _ => {}
        }
    }
    entry.piece = Piece::new(&message)?;
    entry.has_media = false;
    Ok(calls)
}
