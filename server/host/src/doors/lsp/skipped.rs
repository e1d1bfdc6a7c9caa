//! What a message was that was too long to be read, by its beginning and its end: the names that
//! matter are short, and the long text is between them or at one side.

use workspace::DocumentUri;

use crate::core::LostMessage;

/// What was lost; nothing where nobody's text depends on it.
pub(super) fn describe(start: &[u8], end: &[u8]) -> Option<LostMessage> {
    let method = value_of(start, end, "\"method\"")?;
    let uri = || value_of(start, end, "\"uri\"").map(|uri| DocumentUri::new(&uri));
    match method.as_str() {
        "textDocument/didOpen" => Some(uri().map_or(LostMessage::Unknown, LostMessage::Open)),
        "textDocument/didChange" | "textDocument/didSave" => {
            Some(uri().map_or(LostMessage::Unknown, LostMessage::Change))
        }
        _ => None,
    }
}

/// The text that a key names, where it is first met in the beginning or last in the end.
fn value_of(start: &[u8], end: &[u8], key: &str) -> Option<String> {
    let (start, end) = (String::from_utf8_lossy(start), String::from_utf8_lossy(end));
    let at_start = start.find(key).and_then(|at| text_at(start.get(at + key.len()..)?));
    at_start.or_else(|| end.rfind(key).and_then(|at| text_at(end.get(at + key.len()..)?)))
}

/// The JSON text behind a colon.
fn text_at(rest: &str) -> Option<String> {
    let value = rest.trim_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<String>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skipped_message_is_described_whatever_the_order_of_its_keys() {
        let uri = || DocumentUri::new("file:///w/big%20one.txt");
        let check = |start: &str, end: &str, expect: Option<LostMessage>| {
            assert_eq!(describe(start.as_bytes(), end.as_bytes()), expect, "{start} … {end}");
        };
        let document = r#""textDocument":{"uri":"file:///w/big%20one.txt","version":1,"text":"xx"#;
        let open = r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"#;
        check(&format!("{open}{document}"), "xx\"}}}", Some(LostMessage::Open(uri())));
        let end = r#"xx","uri" : "file:///w/big%20one.txt"}},"method":"textDocument/didOpen"}"#;
        check(r#"{"params":{"textDocument":{"text":"xx"#, end, Some(LostMessage::Open(uri())));
        let change = open.replace("Open", "Change");
        check(&format!("{change}{document}"), "x", Some(LostMessage::Change(uri())));
        check(open, "", Some(LostMessage::Unknown));
        check(r#"{"method":"agent/prompt","params":{"text":"x"#, "", None);
        check("", "", None);
    }
}
