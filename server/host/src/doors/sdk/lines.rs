//! Lines out: one JSON object each, and never so long that a host gives up on it.

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

/// Hosts refuse a line of 1 MiB; some room is left for what they count differently.
pub(super) const LONGEST: usize = 1_000_000;
/// How much of a long text stays, tried one after the other.
const CUTS: [usize; 5] = [256 * 1024, 64 * 1024, 16 * 1024, 4 * 1024, 512];

pub(super) struct Lines<W> {
    output: W,
}

impl<W: AsyncWrite + Unpin> Lines<W> {
    pub(super) fn new(output: W) -> Self {
        Self { output }
    }

    pub(super) async fn write(&mut self, line: Value) -> std::io::Result<()> {
        let mut text = fitting(line);
        text.push('\n');
        self.output.write_all(text.as_bytes()).await
    }

    pub(super) async fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush().await
    }
}

/// The line, with its longest texts cut where it would be too long otherwise.
fn fitting(mut line: Value) -> String {
    let mut text = line.to_string();
    for most in CUTS {
        if text.len() <= LONGEST {
            break;
        }
        cut(&mut line, most);
        text = line.to_string();
    }
    text
}

fn cut(value: &mut Value, most: usize) {
    match value {
        Value::String(text) if text.len() > most => {
            let left_out = text.len() - most;
            text.truncate(text.floor_char_boundary(most));
            text.push_str(&format!("… ({left_out} more bytes are left out)"));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut(item, most)),
        // Half a picture is none.
        Value::Object(fields) if is_base64(fields) && long(fields.get("data"), most) => {
            fields.insert("data".to_owned(), Value::String(String::new()));
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| cut(field, most)),
        _ => {}
    }
}

fn is_base64(fields: &serde_json::Map<String, Value>) -> bool {
    fields.get("type").and_then(Value::as_str) == Some("base64")
}

fn long(data: Option<&Value>, most: usize) -> bool {
    data.and_then(Value::as_str).is_some_and(|data| data.len() > most)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_line_is_too_long() {
        let long = "ü".repeat(900_000);
        let line =
            fitting(json!({ "type": "user", "a": long, "b": [{ "c": long }], "short": "x" }));
        assert!(line.len() <= LONGEST, "{}", line.len());
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["short"], "x");
        assert!(value["a"].as_str().unwrap().contains("more bytes are left out"));
        let many: Vec<_> = (0..2000).map(|_| "a".repeat(4000)).collect();
        assert!(fitting(json!(many)).len() <= 2000 * 600);
        let picture = json!({ "source": { "type": "base64", "data": "A".repeat(2_000_000) } });
        let value: Value = serde_json::from_str(&fitting(picture)).unwrap();
        assert_eq!(value["source"]["data"], "");
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let line = json!({ "type": "assistant", "text": "a\nb" });
        assert_eq!(fitting(line.clone()), line.to_string());
    }
}
