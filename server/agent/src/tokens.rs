//! About how many tokens something takes, by what it is made of.
//!
//! Nobody outside the provider can count exactly. The provider's own count of the last answer is the
//! anchor ([`crate::Usage::prompt`]); what came after it is estimated here, rather a little too high
//! than too low.

mod media;

use serde_json::Value;

use crate::message::{Block, ImageSource, ResultPart};
use crate::request::{ModelRequest, Piece};

/// What a message, a call or a result costs besides its content.
const FRAME: u64 = 4;

/// Longer runs without a space are no words: hashes, keys, base64.
const LONGEST_WORD: usize = 48;

/// Hundredths of a token.
mod weight {
    /// Prose has about 4.3 letters to a token, its spaces included.
    pub(super) const LETTER: u64 = 23;
    pub(super) const DIGIT: u64 = 45;
    /// Brackets, quotes, operators: what makes code and JSON dense.
    pub(super) const SIGN: u64 = 55;
    /// A run of indentation is one token or two, however long.
    pub(super) const BLANK: u64 = 23;
    pub(super) const MORE_BLANK: u64 = 5;
    /// In what only looks like a word, two letters make a token.
    pub(super) const NOISE: u64 = 50;
    /// Chinese, Japanese, Korean.
    pub(super) const CJK: u64 = 110;
    /// Greek, Cyrillic, Arabic, letters with accents …
    pub(super) const OTHER_LETTER: u64 = 50;
    pub(super) const SYMBOL: u64 = 200;
}

/// Text of any kind: prose, code, JSON, any script. Never 0 for anything that is there.
pub fn of_text(text: &str) -> u64 {
    let mut sum = 0_u64;
    let mut word = 0_usize;
    let mut blank = false;
    for letter in text.chars() {
        let is_blank = letter.is_ascii_whitespace();
        let in_word = letter.is_ascii_alphanumeric() || matches!(letter, '_' | '+' | '/' | '=');
        word = if in_word { word + 1 } else { 0 };
        sum += match letter {
            _ if word > LONGEST_WORD => weight::NOISE,
            _ if is_blank && blank => weight::MORE_BLANK,
            _ if is_blank => weight::BLANK,
            'a'..='z' | 'A'..='Z' => weight::LETTER,
            '0'..='9' => weight::DIGIT,
            _ if letter.is_ascii() => weight::SIGN,
            _ if is_cjk(letter) => weight::CJK,
            _ if letter.is_alphabetic() => weight::OTHER_LETTER,
            _ => weight::SYMBOL,
        };
        blank = is_blank;
    }
    sum.div_ceil(100)
}

fn is_cjk(letter: char) -> bool {
    matches!(u32::from(letter),
        0x1100..=0x11FF | 0x2E80..=0x9FFF | 0xA960..=0xA97F | 0xAC00..=0xD7FF
        | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF)
}

/// A message's content.
pub fn of_blocks(blocks: &[Block]) -> u64 {
    FRAME + blocks.iter().map(of_block).sum::<u64>()
}

fn of_block(block: &Block) -> u64 {
    match block {
        Block::Text { text } => of_text(text),
        Block::Thinking { thinking, .. } => of_text(thinking),
        // Sealed thoughts are about as long as their seal says, at three quarters of base64.
        Block::RedactedThinking { data } => data.len() as u64 / 6,
        Block::Image { source } => of_image(source),
        Block::ToolUse { name, input, .. } => 2 * FRAME + of_text(name) + of_json(input),
        Block::ToolResult { content, .. } => 2 * FRAME + content.iter().map(of_part).sum::<u64>(),
        Block::Other(value) => of_json(value),
    }
}

fn of_part(part: &ResultPart) -> u64 {
    match part {
        ResultPart::Text { text } => of_text(text),
        ResultPart::Image { source } => of_image(source),
        ResultPart::Other(value) => of_json(value),
    }
}

fn of_image(source: &ImageSource) -> u64 {
    match source {
        ImageSource::Base64 { data, .. } => media::image(data),
        ImageSource::Url { .. } => media::LARGEST_IMAGE,
    }
}

/// The width and height of an image in base64, in pixels.
pub fn image_size(data: &str) -> Option<(u32, u32)> {
    media::size(data)
}

/// JSON of any kind. A PDF in it counts by its pages, an image by its size.
pub fn of_json(value: &Value) -> u64 {
    let source = &value["source"];
    match (value["type"].as_str(), source["data"].as_str()) {
        (Some("image"), Some(data)) => media::image(data),
        (Some("document"), Some(data)) if source["type"] == "base64" => media::pdf(data),
        _ => match value {
            Value::Array(values) => values.iter().map(|value| of_json(value) + 1).sum(),
            Value::Object(map) => {
                map.iter().map(|(key, value)| of_text(key) + of_json(value) + 2).sum()
            }
            Value::String(text) => of_text(text) + 1,
            other => of_text(&other.to_string()),
        },
    }
}

/// Messages that came after an anchor.
pub fn of_pieces(pieces: &[Piece]) -> u64 {
    pieces.iter().map(Piece::tokens).sum()
}

/// A whole request: system, tools and messages.
pub fn of_request(request: &ModelRequest) -> u64 {
    of_text(&request.system) + of_text(&request.tools) + of_pieces(&request.messages)
}

#[cfg(test)]
mod tests;
