//! The words on a page, line by line, in the order in which they are drawn.
//!
//! A page is drawn, not written: it says where letters go. A move down begins a line, a move to the
//! right, or a wide gap between letters, is a space.

use std::collections::BTreeMap;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Encoding, Object, ObjectId};

use super::{LARGEST_STREAM, subset};

/// More of one page is not read.
const MOST: usize = 200_000;
/// A gap of so many thousandths of a letter is a space.
const GAP: f32 = -180.0;

pub(super) fn of_page(document: &Document, page: ObjectId) -> Option<String> {
    let attributes = subset::page(document, page);
    let encodings = encodings(document, &attributes);
    let content = document.get_page_content_with_limit(page, LARGEST_STREAM).ok()?;
    let mut lines = Lines { text: String::new(), encoding: None, height: None };
    for operation in Content::decode_iter(&content) {
        // What stands before a damaged place is still true.
        let Ok(operation) = operation else { break };
        lines.draw(&operation, &encodings);
        if lines.text.len() > MOST {
            break;
        }
    }
    let lines: Vec<&str> = lines.text.lines().map(str::trim_end).collect();
    Some(lines.join("\n").trim().to_owned())
}

/// What the letters of the page's fonts stand for.
fn encodings<'a>(document: &'a Document, page: &'a Dictionary) -> BTreeMap<Vec<u8>, Encoding<'a>> {
    let below = |within: &'a Dictionary, key: &[u8]| {
        within.get_deref(key, document).and_then(Object::as_dict).ok()
    };
    let fonts = below(page, b"Resources").and_then(|resources| below(resources, b"Font"));
    let Some(fonts) = fonts else { return BTreeMap::new() };
    let known = fonts.iter().filter_map(|(name, _)| {
        let font = below(fonts, name)?;
        Some((name.clone(), font.get_font_encoding_with_limit(document, LARGEST_STREAM).ok()?))
    });
    known.collect()
}

struct Lines<'a> {
    text: String,
    encoding: Option<&'a Encoding<'a>>,
    /// Where the last text began that was put at a place of its own.
    height: Option<f32>,
}

impl<'a> Lines<'a> {
    fn draw(&mut self, operation: &Operation, encodings: &'a BTreeMap<Vec<u8>, Encoding<'a>>) {
        let operands = &operation.operands;
        let number = |at: usize| operands.get(at).and_then(|operand| operand.as_float().ok());
        match operation.operator.as_str() {
            "Tf" => {
                let font = operands.first().and_then(|operand| operand.as_name().ok());
                self.encoding = font.and_then(|font| encodings.get(font));
            }
            "Td" | "TD" => match number(1) {
                Some(down) if down != 0.0 => self.new_line(),
                _ => self.space(),
            },
            "Tm" => {
                let height = number(5);
                if self.height.is_some() && self.height != height {
                    self.new_line();
                } else {
                    self.space();
                }
                self.height = height;
            }
            "T*" | "ET" => self.new_line(),
            "Tj" | "TJ" => operands.iter().for_each(|operand| self.show(operand)),
            "'" | "\"" => {
                self.new_line();
                operands.iter().for_each(|operand| self.show(operand));
            }
            _ => {}
        }
    }

    fn show(&mut self, operand: &Object) {
        match operand {
            Object::String(bytes, _) => {
                if let Some(encoding) = self.encoding {
                    // Letters that its font does not know are left out.
                    let _ = encoding.write_to_string(bytes, &mut self.text);
                }
            }
            Object::Array(items) => {
                for item in items {
                    match item.as_float() {
                        Ok(gap) if gap < GAP => self.space(),
                        Ok(_) => {}
                        Err(_) => self.show(item),
                    }
                }
            }
            _ => {}
        }
    }

    fn new_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }
}
