//! A page, as its bytes are to be read.

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::html::markdown;

/// How far into a page its own word for its encoding is looked for.
const HEAD: usize = 4096;

#[derive(Clone, Debug)]
pub struct Page {
    /// Where it was found, after redirects.
    pub url: Url,
    pub status: u16,
    /// How many bytes came.
    pub bytes: usize,
    pub body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Text, or Markdown made from HTML.
    Text(String),
    /// Anything else, as it came.
    Binary { media_type: String, bytes: Vec<u8> },
}

impl Body {
    /// What the bytes are, by what the server says they are.
    pub(crate) fn read(content_type: &str, bytes: Vec<u8>) -> Body {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let media_type = media_type.to_ascii_lowercase();
        if !is_text(&media_type, &bytes) {
            return Body::Binary { media_type, bytes };
        }
        let text = decode(content_type, &bytes);
        if is_html(&media_type, &text) { Body::Text(markdown(&text)) } else { Body::Text(text) }
    }

    fn len(&self) -> usize {
        match self {
            Body::Text(text) => text.len(),
            Body::Binary { bytes, .. } => bytes.len(),
        }
    }
}

impl Page {
    /// What it costs to remember it.
    pub(crate) fn size(&self) -> usize {
        self.body.len() + self.url.as_str().len()
    }
}

fn is_text(media_type: &str, bytes: &[u8]) -> bool {
    let named = ["json", "xml", "javascript", "yaml", "toml", "x-sh", "x-www-form-urlencoded"];
    match media_type.split_once('/') {
        Some(("text", _)) => true,
        Some(("application", kind)) => named.iter().any(|name| kind.contains(name)),
        // Nobody said what it is, so its bytes do.
        None => !bytes.iter().take(HEAD).any(|byte| *byte == 0),
        _ => media_type == "image/svg+xml",
    }
}

fn is_html(media_type: &str, text: &str) -> bool {
    let says_so = matches!(media_type, "text/html" | "application/xhtml+xml");
    let start = text.trim_start().get(..9).unwrap_or_default().to_ascii_lowercase();
    says_so || (media_type.is_empty() && (start == "<!doctype" || start.starts_with("<html")))
}

/// By its first bytes, by what the server says, by what the page itself says, else as UTF-8.
fn decode(content_type: &str, bytes: &[u8]) -> String {
    let label = |text: &str| {
        let lower = text.to_ascii_lowercase();
        let after = lower.split("charset=").nth(1)?;
        let name = after.trim_start_matches(['"', '\'', ' ']);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:.".contains(c));
        Encoding::for_label(&name.as_bytes()[..end.unwrap_or(name.len())])
    };
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    let encoding = label(content_type).or_else(|| label(&head)).unwrap_or(UTF_8);
    // A mark at the beginning overrules whatever anybody says.
    encoding.decode(bytes).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bytes_are() {
        let check = |content_type: &str, bytes: &[u8], expect: &str| match Body::read(
            content_type,
            bytes.to_vec(),
        ) {
            Body::Text(text) => assert_eq!(text.trim(), expect, "{content_type}"),
            Body::Binary { media_type, .. } => {
                assert_eq!(format!("[{media_type}]"), expect, "{content_type}");
            }
        };
        check("text/plain", "grüß".as_bytes(), "grüß");
        check("text/plain; charset=ISO-8859-1", b"gr\xfc\xdf", "grüß");
        check("text/plain; charset=\"windows-1252\"", b"\x80", "€");
        check("text/plain", b"\xff\xfea\0", "a");
        check("text/html", b"<meta charset=\"latin1\"><h1>gr\xfc\xdf</h1>", "# grüß");
        check("", b"<!DOCTYPE html><p>hello", "hello");
        check("", b"{\"a\": 1}", "{\"a\": 1}");
        check("application/vnd.api+json", b"{}", "{}");
        check("application/pdf", b"%PDF-1.7", "[application/pdf]");
        check("image/PNG; x=y", b"\x89PNG", "[image/png]");
        check("", b"a\0b", "[]");
        check("text/plain; charset=no-such-thing", b"plain", "plain");
    }
}
