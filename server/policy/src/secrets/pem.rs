//! Private keys in PEM form, which go over many lines. Each line keeps its place, and what stands
//! before the key on it (a number, a file's name), but no byte of the key.

use super::MARK;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// No line of a key is longer.
const LONGEST: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Pem {
    inside: bool,
}

impl Pem {
    /// A line without what belongs to a key.
    pub(super) fn line(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        loop {
            if self.inside {
                if let Some(after) = after_end(rest) {
                    self.inside = false;
                    rest = after;
                } else if let Some((_, after)) = begin(rest) {
                    // The one before has no end.
                    out.push_str(MARK);
                    rest = after;
                    continue;
                } else if let Some((before, after)) = body(rest) {
                    out.push_str(before);
                    out.push_str(after);
                    return out;
                } else {
                    // Not a key after all.
                    self.inside = false;
                }
            }
            match begin(rest) {
                Some((before, after)) => {
                    out.push_str(before);
                    out.push_str(MARK);
                    self.inside = true;
                    rest = after;
                }
                None => {
                    out.push_str(rest);
                    return out;
                }
            }
        }
    }
}

/// The text before a key begins, and the text after its first line.
fn begin(text: &str) -> Option<(&str, &str)> {
    let start = text.match_indices(BEGIN).find_map(|(start, _)| {
        let label = text[start + BEGIN.len()..].split(DASHES).next()?;
        (label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK")).then_some(start)
    })?;
    let label = &text[start + BEGIN.len()..];
    let end = label.find(DASHES).map_or(text.len(), |at| start + BEGIN.len() + at + DASHES.len());
    Some((&text[..start], &text[end..]))
}

/// What follows the end of a key on this line. Whatever stands before it was the key.
fn after_end(text: &str) -> Option<&str> {
    let label = text.find(END)? + END.len();
    Some(text[label..].find(DASHES).map_or("", |at| &text[label + at + DASHES.len()..]))
}

/// A line of a key: what stands before it, and the end of the line.
fn body(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_end_matches(['\n', '\r']);
    let end = &line[text.len()..];
    if text.starts_with("Proc-Type:") || text.starts_with("DEK-Info:") {
        return Some(("", end));
    }
    // Something may stand before it: a line number, the `+` of a diff, a file's name.
    let before = text.trim_end().rfind([' ', '\t', ':', '|', '>']).map_or(0, |at| at + 1);
    let word = text[before..].trim_end().trim_end_matches(['"', ',', '\\', 'n']);
    let key = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-\\".contains(&byte);
    (word.len() <= LONGEST && word.bytes().all(key)).then_some((&text[..before], end))
}
