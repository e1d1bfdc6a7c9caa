//! How a notebook writes its JSON: its indentation and its ends of lines.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};
use text::Newline;

pub(super) struct Style {
    /// One step of indentation; nothing when all is written in one line.
    indent: Option<String>,
    newline: &'static str,
}

impl Style {
    pub(super) fn of(text: &str) -> Style {
        let newline = match Newline::of(text) {
            Newline::CrLf => "\r\n",
            Newline::Cr => "\r",
            _ => "\n",
        };
        // The first member shows what one step is.
        let inside = text.trim_start().strip_prefix('{').unwrap_or_default();
        let blank = &inside[..inside.len() - inside.trim_start().len()];
        let indent = blank.rfind(['\r', '\n']).map(|end| blank[end + 1..].to_owned());
        Style { indent, newline }
    }

    /// A value that starts in a line with this indentation.
    pub(super) fn write(&self, value: &Value, indentation: &str) -> String {
        let Some(indent) = &self.indent else { return value.to_string() };
        let mut out = Vec::new();
        let formatter = PrettyFormatter::with_indent(indent.as_bytes());
        let written = value.serialize(&mut Serializer::with_formatter(&mut out, formatter));
        // Neither can fail: a value writes itself, and as UTF-8.
        let (Ok(()), Ok(pretty)) = (written, String::from_utf8(out)) else {
            return value.to_string();
        };
        // No string holds an end of line: in JSON they are escaped.
        pretty.replace('\n', &format!("{}{indentation}", self.newline))
    }

    /// A list with this one value, where the list starts in a line with this indentation.
    pub(super) fn write_list_of(&self, value: &Value, indentation: &str) -> String {
        let Some(indent) = &self.indent else { return format!("[{value}]") };
        let inner = format!("{indentation}{indent}");
        let (newline, value) = (self.newline, self.write(value, &inner));
        format!("[{newline}{inner}{value}{newline}{indentation}]")
    }
}

/// The blanks at the start of the line that holds this byte.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let head = &text[..at];
    let line = &text[head.rfind(['\r', '\n']).map_or(0, |end| end + 1)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
