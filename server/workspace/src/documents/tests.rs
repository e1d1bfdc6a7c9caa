//! Changes against a plain string, and everything a client can get wrong.

use super::*;
use proptest::prelude::*;
use std::path::Path;

const NAME: &str = "file:///w/a.rs";

fn uri() -> DocumentUri {
    DocumentUri::new(NAME)
}

fn opened(text: &str) -> Documents {
    let mut documents = Documents::default();
    documents.open(uri(), "rust".to_owned(), 1, text);
    documents
}

fn text_of(documents: &Documents) -> String {
    documents.snapshot().by_uri(&uri()).unwrap().text.to_string()
}

fn at(line: u32, column: u32) -> Position {
    Position { line, column }
}

fn change(from: (u32, u32), to: (u32, u32), text: &str) -> Change {
    Change { range: Some(at(from.0, from.1)..at(to.0, to.1)), text: text.to_owned() }
}

fn full(text: &str) -> Change {
    Change { range: None, text: text.to_owned() }
}

#[test]
fn changes_apply_in_order_each_on_the_one_before() {
    let check = |before: &str, encoding: PositionEncoding, changes: Vec<Change>, after: &str| {
        let mut documents = opened(before);
        let changed = documents.change(&uri(), 2, changes, encoding).unwrap();
        assert_eq!(text_of(&documents), after);
        assert_eq!(changed.edit.apply(&Text::from(before)).unwrap(), *after);
    };
    use PositionEncoding::{Utf8, Utf16, Utf32};
    check("", Utf16, vec![change((0, 0), (0, 0), "a")], "a");
    check("ab", Utf16, vec![change((0, 1), (0, 2), "")], "a");
    // VS Code sends them from the end, Neovim from the start.
    check("a\nb", Utf16, vec![change((1, 0), (1, 1), "B"), change((0, 0), (0, 1), "A")], "A\nB");
    check(
        "a\nb",
        Utf16,
        vec![change((0, 0), (0, 1), "x\ny"), change((2, 0), (2, 1), "B")],
        "x\ny\nB",
    );
    check("😀x", Utf16, vec![change((0, 2), (0, 3), "y")], "😀y");
    check("😀x", Utf8, vec![change((0, 4), (0, 5), "y")], "😀y");
    check("😀x", Utf32, vec![change((0, 1), (0, 2), "y")], "😀y");
    check("a\r\nb\rc", Utf16, vec![change((1, 0), (2, 0), "")], "a\r\nc");
    check("old", Utf16, vec![full("new text"), change((0, 3), (0, 8), "")], "new");
    check("same", Utf16, vec![], "same");
}

#[test]
fn what_does_not_fit_changes_nothing_and_asks_for_the_text() {
    let check = |changes: Vec<Change>| {
        let mut documents = opened("a😀b\nline");
        let error = documents.change(&uri(), 2, changes, PositionEncoding::Utf16).unwrap_err();
        assert!(matches!(error, SyncError::OutsideText { .. }), "{error}");
        assert_eq!(text_of(&documents), "a😀b\nline");
        assert!(documents.needs_resync(&uri()));
        assert!(!documents.snapshot().by_uri(&uri()).unwrap().in_sync);
    };
    check(vec![change((2, 0), (2, 0), "x")]);
    check(vec![change((0, 0), (0, 99), "x")]);
    check(vec![change((0, 2), (0, 2), "x")]); // inside the surrogate pair
    check(vec![change((1, 2), (1, 1), "x")]); // backwards
    // The first one fits, and is not applied either.
    check(vec![change((0, 0), (0, 1), "A"), change((9, 0), (9, 0), "x")]);
}

#[test]
fn only_the_full_text_brings_a_document_back() {
    let lost = || {
        let mut documents = opened("abc");
        let nonsense = vec![change((9, 9), (9, 9), "")];
        documents.change(&uri(), 2, nonsense, PositionEncoding::Utf16).unwrap_err();
        documents
    };
    let mut documents = lost();
    let small = vec![change((0, 0), (0, 1), "A")];
    let error = documents.change(&uri(), 3, small, PositionEncoding::Utf16).unwrap_err();
    assert_eq!(error, SyncError::OutOfSync { uri: uri() });
    assert!(documents.change(&uri(), 4, vec![], PositionEncoding::Utf16).is_err());

    let edit = documents.replace(&uri(), 7, "truth").unwrap();
    assert_eq!(edit.apply(&Text::from("abc")).unwrap(), *"truth");
    assert!(!documents.needs_resync(&uri()));
    assert_eq!(documents.snapshot().by_uri(&uri()).unwrap().version, 7);

    let mut documents = lost();
    let whole = vec![full("truth"), change((0, 0), (0, 1), "T")];
    documents.change(&uri(), 3, whole, PositionEncoding::Utf16).unwrap();
    assert_eq!(text_of(&documents), "Truth");
    assert!(!documents.needs_resync(&uri()));

    let mut documents = lost();
    documents.open(uri(), "rust".to_owned(), 1, "again");
    assert!(!documents.needs_resync(&uri()));
    assert_eq!(text_of(&documents), "again");

    let mut documents = lost();
    assert_eq!(documents.save(&uri(), None), Ok(None));
    assert!(documents.needs_resync(&uri()));
    assert!(documents.save(&uri(), Some("saved")).unwrap().is_some());
    assert!(!documents.needs_resync(&uri()));
    assert_eq!(text_of(&documents), "saved");
}

#[test]
fn versions() {
    let mut documents = opened("");
    let grow = || vec![change((0, 0), (0, 0), "x")];
    let mut send = |version| documents.change(&uri(), version, grow(), PositionEncoding::Utf8);
    assert_eq!(send(2).unwrap().skipped, 0);
    assert_eq!(send(6).unwrap().skipped, 3);
    for got in [6, 5, i32::MIN] {
        assert_eq!(send(got), Err(SyncError::StaleVersion { uri: uri(), have: 6, got }));
    }
    assert_eq!(text_of(&documents), "xx");
    assert!(documents.needs_resync(&uri()));
    documents.open(uri(), "rust".to_owned(), i32::MIN, "");
    let last = documents.change(&uri(), i32::MAX, grow(), PositionEncoding::Utf8).unwrap();
    assert_eq!(last.skipped, u32::MAX - 1);
}

#[test]
fn a_document_that_is_not_open() {
    let mut documents = Documents::default();
    let unknown = || SyncError::NotOpen { uri: uri() };
    assert_eq!(documents.change(&uri(), 1, vec![], PositionEncoding::Utf8), Err(unknown()));
    assert_eq!(documents.replace(&uri(), 1, ""), Err(unknown()));
    assert_eq!(documents.save(&uri(), None), Err(unknown()));
    assert_eq!(documents.close(&uri()), Err(unknown()));
    assert!(!documents.needs_resync(&uri()));
}

#[test]
fn dirty_until_saved() {
    let mut documents = opened("a");
    let dirty = |documents: &Documents| documents.snapshot().by_uri(&uri()).unwrap().dirty;
    assert!(!dirty(&documents));
    documents.replace(&uri(), 1, "a").unwrap();
    assert!(!dirty(&documents));
    documents.change(&uri(), 2, vec![full("b")], PositionEncoding::Utf8).unwrap();
    assert!(dirty(&documents));
    assert_eq!(documents.save(&uri(), Some("b")), Ok(None));
    assert!(!dirty(&documents));
}

#[test]
fn a_snapshot_does_not_move() {
    let mut documents = opened("before");
    let snapshot = documents.snapshot();
    documents.change(&uri(), 2, vec![full("after")], PositionEncoding::Utf8).unwrap();
    documents.open(DocumentUri::new("untitled:1"), String::new(), 1, "");
    assert_eq!(snapshot.by_uri(&uri()).unwrap().text, *"before");
    assert_eq!(snapshot.iter().count(), 1);
    assert_eq!(snapshot.get(Path::new("/w/a.rs")).unwrap().version, 1);
    documents.close(&uri()).unwrap();
    assert_eq!(documents.snapshot().iter().count(), 1);
    assert!(!snapshot.is_empty());
}

#[test]
fn reopened_under_another_spelling() {
    let mut documents = opened("one");
    let other = DocumentUri::new("file://localhost/w/a%2Ers");
    documents.open(other.clone(), "rust".to_owned(), 5, "two");
    let snapshot = documents.snapshot();
    assert_eq!(snapshot.iter().count(), 1);
    assert_eq!(snapshot.by_uri(&uri()).unwrap().uri.as_str(), other.as_str());
    assert_eq!(text_of(&documents), "two");
}

/// What a client does at one moment: a range as two places in its own text, and what goes there.
fn typed() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    (any::<prop::sample::Index>(), 0usize..6, "[a-c é😀\n\r]{0,4}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    /// Twenty documents of two hundred and fifty changes each: five thousand in all, each checked.
    #[test]
    fn random_changes_equal_a_string(
        start in "[a-c é😀\n\r]{0,40}",
        keys in prop::collection::vec(typed(), 250),
        encoding in prop::sample::select(vec![
            PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32,
        ]),
    ) {
        let mut documents = opened(&start);
        let mut model = start;
        for (version, (place, length, new)) in (2..).zip(keys) {
            // The client names only places an editor can name: not inside a character or a CRLF.
            let places: Vec<usize> = (0..=model.len())
                .filter(|at| model.is_char_boundary(*at))
                .filter(|at| !(model[..*at].ends_with('\r') && model[*at..].starts_with('\n')))
                .collect();
            let from = place.index(places.len());
            let to = (from + length).min(places.len() - 1);
            let text = Text::from(model.as_str());
            let range = text.position(places[from], encoding)..text.position(places[to], encoding);
            let changes = vec![Change { range: Some(range), text: new.clone() }];
            let changed = documents.change(&uri(), version, changes, encoding).unwrap();
            prop_assert_eq!(changed.edit.apply(&text).unwrap().to_string().len(), changed.edit.len_after());
            model.replace_range(places[from]..places[to], &new);
            prop_assert_eq!(text_of(&documents), model.as_str());
        }
    }
}
