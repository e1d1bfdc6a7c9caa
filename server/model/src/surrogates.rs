//! Half of a surrogate pair, written `\ud83d` in JSON: some servers cut an emoji in two. No text can
//! hold it, and a parser refuses the whole event for it, so it becomes the replacement character.

use std::borrow::Cow;

/// The same JSON, without halves of pairs. Costs a look where there are none.
pub(crate) fn repaired(json: &str) -> Cow<'_, str> {
    if !json.contains(r"\ud") && !json.contains(r"\uD") {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str(r"\ufffd");
                rest = &rest[6..];
                continue;
            }
            // Any other escape, of which the second letter may be a backslash.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The number of a `\uXXXX` at the beginning.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix(r"\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn halves_are_replaced_and_nothing_else() {
        for (before, after) in [
            (r#""plain""#, r#""plain""#),
            (r#""\ud83e\udd80""#, r#""\ud83e\udd80""#),
            (r#""\ud83e""#, r#""\ufffd""#),
            (r#""\udd80\ud83e\udd80 \uD83E x""#, r#""\ufffd\ud83e\udd80 \ufffd x""#),
            (r#""\\ud83e \"\n\u00e9""#, r#""\\ud83e \"\n\u00e9""#),
            (r#""\ud83e\ud83e\udd80""#, r#""\ufffd\ud83e\udd80""#),
            (r"\ud8", r"\ud8"),
            ("\\ud\\", "\\ud\\"),
        ] {
            assert_eq!(repaired(before), after);
        }
    }

    proptest! {
        #[test]
        fn any_text_survives(units in prop::collection::vec(any::<u16>(), 0..20), text in ".*") {
            let escapes: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("{}{escapes}\"", serde_json::to_string(&text).unwrap().strip_suffix('"').unwrap());
            let read: String = serde_json::from_str(&repaired(&json)).unwrap();
            prop_assert_eq!(read, format!("{text}{}", String::from_utf16_lossy(&units)));
        }
    }
}
