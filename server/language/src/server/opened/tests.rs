//! A server that follows our notifications always ends up with our text.

use PositionEncoding::{Utf8, Utf16, Utf32};
use proptest::prelude::*;

use super::*;
use crate::server::fake::Told;

fn capabilities(encoding: &str, sync: u32) -> Capabilities {
    let offered = json!({ "positionEncoding": encoding, "textDocumentSync": sync });
    Capabilities::read(&json!({ "capabilities": offered })).unwrap()
}

#[test]
fn one_change_says_it_all() {
    let check = |old: &str, new: &str, start: (u32, u32), end: (u32, u32), text: &str| {
        let position = |(line, character)| json!({ "line": line, "character": character });
        let range = json!({ "start": position(start), "end": position(end) });
        let found = difference(&Text::from(old), &Text::from(new), Utf16);
        assert_eq!(found, json!({ "range": range, "text": text }), "{old:?} {new:?}");
    };
    check("a\nb\nc\n", "a\nX\nc\n", (1, 0), (1, 1), "X");
    check("", "new", (0, 0), (0, 0), "new");
    check("old", "", (0, 0), (0, 3), "");
    check("é😀x", "é😀y", (0, 3), (0, 4), "y");
    check("aaa", "aaaa", (0, 3), (0, 3), "a");
    check("a\r\nb", "a\rb", (0, 1), (1, 0), "\r");
    check("a\rb", "a\r\nb", (0, 1), (1, 0), "\r\n");
    check("a\r\nb", "a\nb", (0, 1), (1, 0), "\n");
    check("a\nb", "a\r\nb", (0, 1), (1, 0), "\r\n");
}

fn any_text() -> impl Strategy<Value = String> {
    "[ab\r\né😀]{0,12}"
}

proptest! {
    #[test]
    fn a_server_always_has_our_text(
        steps in prop::collection::vec((0..3_usize, any_text()), 1..20),
        sync in 0..3_u32,
        encoding in prop::sample::select(vec![("utf-8", Utf8), ("utf-16", Utf16), ("utf-32", Utf32)]),
    ) {
        let capabilities = capabilities(encoding.0, sync);
        let (mut opened, mut told) = (Opened::default(), Told::default());
        for (which, text) in steps {
            let path = PathBuf::from(format!("/w/{which}.py"));
            let text = Text::from(text);
            let mut send = |method: &str, params: Value| {
                let message = json!({ "method": method, "params": params });
                told.hear(&message, encoding.1);
            };
            opened.bring(&path, &text, "python", &capabilities, &mut send).unwrap();
            let document = opened.get_mut(&path).unwrap();
            let (version, theirs) = &told.documents[document.uri.as_str()];
            prop_assert_eq!(*version, i64::from(document.version));
            prop_assert_eq!(theirs, &text);
        }
    }
}

#[test]
fn the_same_text_is_not_sent_again_and_the_oldest_document_goes() {
    let capabilities = capabilities("utf-8", 2);
    let (mut opened, mut told) = (Opened::default(), Told::default());
    let (mut messages, mut most) = (0, 0);
    for round in 0..3 {
        for number in 0..MOST_OPEN + 10 {
            let path = PathBuf::from(format!("/w/{number}.py"));
            let text = Text::from(format!("{round} {number}"));
            for _ in 0..2 {
                let mut send = |method: &str, params: Value| {
                    messages += 1;
                    told.hear(&json!({ "method": method, "params": params }), Utf8);
                    most = most.max(told.documents.len());
                };
                opened.bring(&path, &text, "python", &capabilities, &mut send).unwrap();
            }
        }
    }
    assert_eq!(most, MOST_OPEN);
    assert_eq!(opened.paths().len(), MOST_OPEN);
    // Each document is opened once a round, and all but the last fifty are closed.
    assert_eq!(messages, 2 * 3 * (MOST_OPEN + 10) - MOST_OPEN);
    let error =
        opened.bring(Path::new("relative"), &Text::default(), "x", &capabilities, &mut |_, _| {});
    assert!(error.is_err());
}
