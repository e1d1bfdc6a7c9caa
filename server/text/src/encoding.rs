//! Bytes to text and back, without changing one of them.
//!
//! Only encodings that come back byte for byte are text here; everything else is refused, so that
//! writing a file after an edit never changes anything outside the edit. Line ends are kept as they
//! are: a [`Format`] knows them for those who write new lines, and `encode` does not touch them.

use encoding_rs::{Encoder, EncoderResult, WINDOWS_1252};

use crate::newline::Newline;

/// How text is stored as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    Utf8,
    /// UTF-8 after a byte order mark.
    Utf8Bom,
    /// UTF-16 after a byte order mark, as the next one.
    Utf16Le,
    Utf16Be,
    /// One byte for each character, as the web reads it: with the quotes and dashes of Windows in
    /// the places where the standard has nothing to show.
    Latin1,
}

/// How a file stores its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format {
    pub encoding: Encoding,
    pub newline: Newline,
}

/// The text of some bytes, and how they stored it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    pub format: Format,
}

/// Bytes that are no text, or none that could be written back unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    #[error("the file is binary (byte {offset}); use a tool that knows its format")]
    Binary { offset: usize },
    #[error("the file says it is {encoding} but is broken at byte {offset}; repair it first")]
    Broken { encoding: &'static str, offset: usize },
}

/// A character that the file's encoding does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the file is stored in Latin-1, which has no {character:?}; write it without that character \
     or convert the file to UTF-8"
)]
pub struct CannotEncode {
    pub character: char,
}

const UTF8_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];
const UTF16_LE_MARK: &[u8] = &[0xFF, 0xFE];
const UTF16_BE_MARK: &[u8] = &[0xFE, 0xFF];

/// Reads bytes as text, or says why they are none.
pub fn decode(bytes: &[u8]) -> Result<Decoded, NotText> {
    let (encoding, text) = if let Some(rest) = bytes.strip_prefix(UTF8_MARK) {
        refuse_nul(rest, UTF8_MARK.len())?;
        (Encoding::Utf8Bom, decode_marked_utf8(rest)?)
    } else if let Some(rest) = bytes.strip_prefix(UTF16_LE_MARK) {
        (Encoding::Utf16Le, decode_utf16(rest, u16::from_le_bytes)?)
    } else if let Some(rest) = bytes.strip_prefix(UTF16_BE_MARK) {
        (Encoding::Utf16Be, decode_utf16(rest, u16::from_be_bytes)?)
    } else {
        refuse_nul(bytes, 0)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => (Encoding::Utf8, text.to_owned()),
            Err(error) => (Encoding::Latin1, decode_latin1(bytes, error.valid_up_to())?),
        }
    };
    let format = Format { encoding, newline: Newline::of(&text) };
    Ok(Decoded { text, format })
}

/// Stores text as the format says, line ends as they stand in the text.
pub fn encode(text: &str, format: &Format) -> Result<Vec<u8>, CannotEncode> {
    match format.encoding {
        Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
        Encoding::Utf8Bom => Ok([UTF8_MARK, text.as_bytes()].concat()),
        Encoding::Utf16Le => Ok(encode_utf16(text, UTF16_LE_MARK, u16::to_le_bytes)),
        Encoding::Utf16Be => Ok(encode_utf16(text, UTF16_BE_MARK, u16::to_be_bytes)),
        Encoding::Latin1 => encode_latin1(text, WINDOWS_1252.new_encoder()),
    }
}

fn refuse_nul(bytes: &[u8], base: usize) -> Result<(), NotText> {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => Err(NotText::Binary { offset: base + at }),
        None => Ok(()),
    }
}

fn decode_marked_utf8(bytes: &[u8]) -> Result<String, NotText> {
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|error| NotText::Broken {
        encoding: "UTF-8",
        offset: UTF8_MARK.len() + error.valid_up_to(),
    })
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, NotText> {
    let mark = UTF16_LE_MARK.len();
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut offset = mark;
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match decoded {
            Ok('\0') => return Err(NotText::Binary { offset }),
            Ok(c) => {
                text.push(c);
                offset += 2 * c.len_utf16();
            }
            Err(_) => return Err(NotText::Broken { encoding: "UTF-16", offset }),
        }
    }
    if odd.is_empty() { Ok(text) } else { Err(NotText::Broken { encoding: "UTF-16", offset }) }
}

fn encode_utf16(text: &str, mark: &[u8], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(mark.len() + text.len() * 2);
    encoded.extend_from_slice(mark);
    encoded.extend(text.encode_utf16().flat_map(bytes));
    encoded
}

/// Every byte is a character in Latin-1, so only the look decides: text has no control characters
/// but those that move the cursor, and most of it is ASCII.
fn decode_latin1(bytes: &[u8], first_odd: usize) -> Result<String, NotText> {
    let is_control = |byte: &u8| match byte {
        b'\t' | b'\n' | b'\r' | 0x08 | 0x0C | 0x1B => false,
        byte => byte.is_ascii_control(),
    };
    if let Some(offset) = bytes.iter().position(is_control) {
        return Err(NotText::Binary { offset });
    }
    let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    if high * 2 > bytes.len() {
        return Err(NotText::Binary { offset: first_odd });
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Ok(text.into_owned())
}

fn encode_latin1(text: &str, mut encoder: Encoder) -> Result<Vec<u8>, CannotEncode> {
    let mut encoded = Vec::new();
    let mut rest = text;
    loop {
        encoded.reserve(rest.len().max(16));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut encoded, true);
        match result {
            EncoderResult::InputEmpty => return Ok(encoded),
            EncoderResult::OutputFull => rest = &rest[read..],
            EncoderResult::Unmappable(character) => return Err(CannotEncode { character }),
        }
    }
}

#[cfg(test)]
mod tests;
