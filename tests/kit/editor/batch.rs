//! Several changes of one document told in one message, in the ways editors do it.

use serde_json::{Value, json};

use super::buffer::{Buffer, did_change, position};
use crate::profile::Encoding;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// One after the other, each with its range (VS Code).
    Steps,
    /// One range that covers them all (Neovim).
    Coalesced,
    /// The whole text (editors without incremental changes).
    FullText,
}

impl Batch {
    pub const ALL: [Self; 3] = [Self::Steps, Self::Coalesced, Self::FullText];

    /// One `didChange` for `changes`, which led from one text to the buffer's present one.
    pub(super) fn merge(
        self,
        uri: &str,
        before: &str,
        now: &Buffer,
        changes: &[Value],
        encoding: Encoding,
    ) -> Value {
        let content = match self {
            Self::Steps => {
                let steps = changes.iter().flat_map(|change| change["contentChanges"].as_array());
                steps.flatten().cloned().collect()
            }
            Self::Coalesced => vec![coalesced(before, &now.text, encoding)],
            Self::FullText => vec![json!({ "text": now.text })],
        };
        did_change(uri, now.version, &content)
    }
}

fn coalesced(before: &str, now: &str, encoding: Encoding) -> Value {
    let same = |(one, other): &(char, char)| one == other;
    let width = |(c, _): (char, char)| c.len_utf8();
    let head: usize = before.chars().zip(now.chars()).take_while(same).map(width).sum();
    let (rest, new_rest) = (&before[head..], &now[head..]);
    let backwards = rest.chars().rev().zip(new_rest.chars().rev());
    let tail: usize = backwards.take_while(same).map(width).sum();
    // No editor names a place between `\r` and `\n`.
    let torn = |text: &str, at: usize| text[..at].ends_with('\r') && text[at..].starts_with('\n');
    let head = if torn(before, head) || torn(now, head) { head - 1 } else { head };
    let end = before.len() - tail;
    let tail = if torn(before, end) || torn(now, now.len() - tail) { tail - 1 } else { tail };
    let start = position(before, head, encoding);
    let end = position(before, before.len() - tail, encoding);
    json!({ "range": { "start": start, "end": end }, "text": &now[head..now.len() - tail] })
}
