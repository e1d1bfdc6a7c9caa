//! Every shape an answer may have, in every encoding; and what is none of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{At, FileEdit, Place, Severity, Symbol};
use PositionEncoding::{Utf8, Utf16, Utf32};

/// Line 2 has an `é` (2 bytes, 1 unit) and a `😀` (4 bytes, 2 units) in front of `name`.
const TEXT: &str = "let a;\n\"é😀\" name();\r\nend";

struct Disk(HashMap<PathBuf, Text>);

impl Disk {
    fn new() -> Disk {
        let text = |text: &str| Text::from(text);
        Disk(HashMap::from([
            ("/w/a.rs".into(), text(TEXT)),
            ("/w/b c.rs".into(), text("fn b() {\n    x\n}\n")),
        ]))
    }
}

impl Files for Disk {
    fn text(&self, path: &Path) -> Option<Text> {
        self.0.get(path).cloned()
    }
}

fn at(line: u32, column: u32) -> At {
    At { path: "/w/a.rs".into(), line, column }
}

fn place(path: &str, start: (u32, u32), end: (u32, u32)) -> Place {
    Place { path: path.into(), start, end }
}

fn read(query: &Query, value: Value) -> Result<Answer, String> {
    answer(query, value, Utf16, &Disk::new())
}

#[test]
fn a_question_is_a_request() {
    let check = |query: Query, method: &str, params: Value| {
        let found = request(&query, &Text::from(TEXT), Utf16).unwrap();
        assert_eq!(found, (method, params));
    };
    let document = json!({ "uri": "file:///w/a.rs" });
    // Column 7 in characters is behind one character of two units.
    let position = json!({ "line": 1, "character": 6 });
    let params = json!({ "textDocument": document, "position": position });
    check(Query::Definition(at(2, 6)), "textDocument/definition", params.clone());
    check(Query::Hover(at(2, 6)), "textDocument/hover", params.clone());
    let mut references = params.clone();
    references["context"] = json!({ "includeDeclaration": true });
    check(Query::References(at(2, 6)), "textDocument/references", references);
    let mut rename = params.clone();
    rename["newName"] = json!("other");
    let to = "other".to_owned();
    check(Query::Rename { at: at(2, 6), to }, "textDocument/rename", rename);
    let path = PathBuf::from("/w/a.rs");
    let whole = json!({ "textDocument": document });
    check(Query::Symbols { path: path.clone() }, "textDocument/documentSymbol", whole.clone());
    check(Query::Diagnostics { path: path.clone() }, "textDocument/diagnostic", whole);
    let query = Query::WorkspaceSymbols { name: "x".into(), near: path };
    check(query, "workspace/symbol", json!({ "query": "x" }));
    let prepare = prepare_rename(&at(2, 6), &Text::from(TEXT), Utf16).unwrap();
    assert_eq!(prepare, ("textDocument/prepareRename", params));
}

#[test]
fn columns_are_counted_as_the_server_does() {
    let check = |line: u32, column: u32, expect: [u32; 3]| {
        for (encoding, character) in [Utf8, Utf16, Utf32].into_iter().zip(expect) {
            let query = Query::Hover(at(line, column));
            let (_, params) = request(&query, &Text::from(TEXT), encoding).unwrap();
            let expect = json!({ "line": line - 1, "character": character });
            assert_eq!(params["position"], expect, "{encoding:?} {line}:{column}");
        }
    };
    check(1, 1, [0, 0, 0]);
    check(1, 7, [6, 6, 6]);
    check(2, 2, [1, 1, 1]);
    check(2, 3, [3, 2, 2]);
    check(2, 4, [7, 4, 3]);
    check(2, 12, [15, 12, 11]);
    check(3, 4, [3, 3, 3]);
}

#[test]
fn a_place_that_is_not_there_is_refused() {
    let check = |at: At, expect: &str| {
        let error = request(&Query::Hover(at), &Text::from(TEXT), Utf16).unwrap_err();
        assert_eq!(error, expect);
    };
    check(at(0, 1), "Lines and columns count from 1; ask again with those.");
    check(at(1, 0), "Lines and columns count from 1; ask again with those.");
    check(at(4, 1), "/w/a.rs has 3 lines, so there is no line 4.");
    check(at(u32::MAX, 1), "/w/a.rs has 3 lines, so there is no line 4294967295.");
    check(at(2, 14), "Line 2 of /w/a.rs has 12 characters, so there is no column 14.");
    let relative = At { path: "a.rs".into(), line: 1, column: 1 };
    check(relative, "a.rs is no absolute path; give one.");
    let unnamed = Query::Rename { at: at(1, 1), to: " ".into() };
    let error = request(&unnamed, &Text::from(TEXT), Utf16).unwrap_err();
    assert_eq!(error, "The new name is empty; say what to rename it to.");
}

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    let position = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
    json!({ "start": position(start), "end": position(end) })
}

#[test]
fn places_in_every_spelling() {
    let check = |value: Value, expect: &[Place]| {
        for query in [Query::Definition(at(1, 1)), Query::References(at(1, 1))] {
            assert_eq!(read(&query, value.clone()), Ok(Answer::Places(expect.to_vec())));
        }
    };
    let name = range((1, 6), (1, 10));
    let location = json!({ "uri": "file:///w/a.rs", "range": name });
    let found = place("/w/a.rs", (2, 6), (2, 10));
    check(Value::Null, &[]);
    check(json!([]), &[]);
    check(location.clone(), std::slice::from_ref(&found));
    check(json!([location, location]), &[found.clone(), found.clone()]);
    let link = json!({
        "targetUri": "file:///w/b%20c.rs",
        "targetRange": range((0, 0), (2, 1)),
        "targetSelectionRange": range((0, 3), (0, 4)),
        "originSelectionRange": null,
    });
    let linked = place("/w/b c.rs", (1, 4), (1, 5));
    check(link.clone(), std::slice::from_ref(&linked));
    check(json!([location, link]), &[found.clone(), linked]);
    // A file nobody can read keeps the server's columns.
    let unknown = json!({ "uri": "file:///x", "range": range((3, 9), (3, 12)) });
    check(unknown, &[place("/x", (4, 10), (4, 13))]);
    // What is in no file is left out as long as something else is found.
    let inside = json!({ "uri": "jdt://contents/X.class", "range": name });
    check(json!([inside, location]), &[found]);
    assert_eq!(
        read(&Query::Definition(at(1, 1)), inside),
        Err("It is at jdt://contents/X.class, which is no file that can be read; look at its \
             documentation instead."
            .into())
    );
}

#[test]
fn a_place_outside_of_the_text_is_moved_into_it() {
    let check = |start, end, expect: ((u32, u32), (u32, u32))| {
        let value = json!({ "uri": "file:///w/a.rs", "range": range(start, end) });
        let expect = place("/w/a.rs", expect.0, expect.1);
        assert_eq!(
            read(&Query::Definition(at(1, 1)), value),
            Ok(Answer::Places(vec![expect])),
            "{start:?} {end:?}"
        );
    };
    check((0, 4), (0, 999), ((1, 5), (1, 7)));
    check((0, 0), (99, 0), ((1, 1), (3, 4)));
    check((1, 3), (1, 4), ((2, 3), (2, 4))); // in the middle of the 😀
    check((2, 1), (0, 1), ((3, 2), (3, 2))); // backwards
    check((u32::MAX, u32::MAX), (u32::MAX, u32::MAX), ((3, 4), (3, 4)));
}

#[test]
fn hover_in_every_spelling() {
    let check = |contents: Value, expect: &str| {
        let value = json!({ "contents": contents });
        assert_eq!(read(&Query::Hover(at(1, 1)), value), Ok(Answer::Hover(expect.into())));
    };
    check(json!("plain \n"), "plain");
    check(json!({ "kind": "markdown", "value": "**bold**" }), "**bold**");
    check(json!({ "kind": "plaintext", "value": "" }), "");
    check(json!({ "language": "rust", "value": "fn a()" }), "```rust\nfn a()\n```");
    check(json!({ "language": "md", "value": "```\nx\n```" }), "````md\n```\nx\n```\n````");
    check(json!({ "language": "rust", "value": " " }), "");
    check(
        json!(["one", { "language": "c", "value": "int a;" }, "", "two"]),
        "one\n\n```c\nint a;\n```\n\ntwo",
    );
    check(json!([]), "");
    let nothing = read(&Query::Hover(at(1, 1)), Value::Null);
    assert_eq!(nothing, Ok(Answer::Hover(String::new())));
}

fn symbol(name: &str, kind: &str, container: Option<&str>, depth: u32, place: Place) -> Symbol {
    let container = container.map(str::to_owned);
    Symbol { name: name.into(), kind: kind.into(), container, depth, place }
}

#[test]
fn symbols_in_every_spelling() {
    let of_file = Query::Symbols { path: "/w/a.rs".into() };
    let of_all = Query::WorkspaceSymbols { name: "x".into(), near: "/w/a.rs".into() };
    let nested = json!([{
        "name": "A", "kind": 5, "range": range((0, 0), (2, 3)), "selectionRange": range((0, 4), (0, 5)),
        "children": [
            { "name": "f", "kind": 6, "range": range((1, 0), (1, 10)),
              "selectionRange": range((1, 6), (1, 10)), "children": null, "detail": "()" },
            { "name": "odd", "kind": 99, "range": range((2, 0), (2, 1)),
              "selectionRange": range((2, 0), (2, 1)), "children": [] },
        ],
    }]);
    let expect = vec![
        symbol("A", "class", None, 0, place("/w/a.rs", (1, 5), (3, 4))),
        symbol("f", "method", Some("A"), 1, place("/w/a.rs", (2, 6), (2, 10))),
        symbol("odd", "symbol", Some("A"), 1, place("/w/a.rs", (3, 1), (3, 2))),
    ];
    assert_eq!(read(&of_file, nested), Ok(Answer::Symbols(expect)));

    let flat = json!([
        { "name": "b", "kind": 12, "containerName": "m",
          "location": { "uri": "file:///w/b%20c.rs", "range": range((0, 3), (0, 4)) } },
        { "name": "c", "kind": 26, "containerName": "",
          "location": { "uri": "file:///w/a.rs", "range": range((1, 6), (1, 10)) } },
    ]);
    let expect = vec![
        symbol("b", "function", Some("m"), 0, place("/w/b c.rs", (1, 4), (1, 5))),
        symbol("c", "type parameter", None, 0, place("/w/a.rs", (2, 6), (2, 10))),
    ];
    for query in [&of_file, &of_all] {
        assert_eq!(read(query, flat.clone()), Ok(Answer::Symbols(expect.clone())));
        assert_eq!(read(query, Value::Null), Ok(Answer::Symbols(Vec::new())));
    }
    // A symbol of the workspace may leave its range for later.
    let unplaced = json!([{ "name": "d", "kind": 1, "location": { "uri": "file:///w/a.rs" } }]);
    let expect = symbol("d", "file", None, 0, place("/w/a.rs", (1, 1), (1, 1)));
    assert_eq!(read(&of_all, unplaced), Ok(Answer::Symbols(vec![expect])));
}

fn rename(value: Value) -> Result<Answer, String> {
    read(&Query::Rename { at: at(2, 6), to: "new".into() }, value)
}

fn edit(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({ "range": range(start, end), "newText": "new", "annotationId": "x" })
}

#[test]
fn renames_in_every_spelling() {
    let expect = Ok(Answer::Edits(vec![
        FileEdit {
            path: "/w/a.rs".into(),
            edits: vec![
                (place("/w/a.rs", (1, 5), (1, 6)), "new".into()),
                (place("/w/a.rs", (2, 6), (2, 10)), "new".into()),
            ],
        },
        FileEdit {
            path: "/w/b c.rs".into(),
            edits: vec![(place("/w/b c.rs", (1, 4), (1, 5)), "new".into())],
        },
    ]));
    let (one, two, other) = (edit((0, 4), (0, 5)), edit((1, 6), (1, 10)), edit((0, 3), (0, 4)));
    let changes = json!({ "file:///w/b%20c.rs": [other], "file:///w/a.rs": [two, one] });
    assert_eq!(rename(json!({ "changes": changes })), expect);
    let of = |uri: &str, edits: Value| json!({ "textDocument": { "uri": uri, "version": null }, "edits": edits });
    let document_changes = json!([
        of("file:///w/a.rs", json!([two])),
        of("file:///w/b%20c.rs", json!([other])),
        of("file:///w/a.rs", json!([one])),
        of("file:///w/unchanged.rs", json!([])),
    ]);
    assert_eq!(rename(json!({ "documentChanges": document_changes })), expect);
    // Who sends both means the same by both.
    assert_eq!(rename(json!({ "documentChanges": document_changes, "changes": changes })), expect);
    assert_eq!(rename(json!({})), Ok(Answer::Edits(Vec::new())));
}

#[test]
fn a_rename_that_cannot_be_trusted_is_refused() {
    let check = |value: Value, expect: &str| assert_eq!(rename(value), Err(expect.to_owned()));
    let of = |edits: Value| json!({ "changes": { "file:///w/a.rs": edits } });
    check(Value::Null, rename_nothing());
    check(
        json!({ "documentChanges": [{ "kind": "rename", "oldUri": "a", "newUri": "b" }] }),
        "The rename would also rename files; do it by hand, step by step.",
    );
    check(
        json!({ "changes": { "untitled:1": [] } }),
        "The rename would change untitled:1, which is no file here; rename by hand.",
    );
    check(
        json!({ "changes": { "file:///gone": [edit((0, 0), (0, 1))] } }),
        "The rename would change /gone, which cannot be read.",
    );
    check(
        of(json!([edit((0, 0), (0, 3)), edit((0, 2), (0, 4))])),
        "The language server's rename changes the same text of /w/a.rs twice; rename by hand.",
    );
    let misfits = [edit((9, 0), (9, 1)), edit((0, 0), (0, 99)), edit((1, 3), (1, 5))];
    for misfit in misfits {
        let error = rename(of(json!([misfit]))).unwrap_err();
        assert!(error.contains("does not fit /w/a.rs"), "{error}");
    }
}

fn rename_nothing() -> &'static str {
    "The language server finds nothing to rename at this place; point at a name."
}

#[test]
fn what_can_be_renamed() {
    let nothing = Err(rename_nothing().to_owned());
    assert_eq!(prepared(&Value::Null), nothing);
    assert_eq!(prepared(&json!({ "defaultBehavior": false })), nothing);
    assert_eq!(prepared(&json!({ "defaultBehavior": true })), Ok(()));
    assert_eq!(prepared(&range((0, 0), (0, 1))), Ok(()));
    assert_eq!(prepared(&json!({ "range": range((0, 0), (0, 1)), "placeholder": "a" })), Ok(()));
}

fn finding(severity: Severity, code: Option<&str>, message: &str) -> Finding {
    Finding {
        start: (2, 6),
        end: (2, 10),
        severity,
        code: code.map(str::to_owned),
        source: None,
        message: message.into(),
    }
}

#[test]
fn diagnostics_in_every_spelling() {
    let name = range((1, 6), (1, 10));
    let items = json!([
        { "range": name, "message": "a" },
        { "range": name, "message": "b", "severity": 2, "code": 7 },
        { "range": name, "message": "c", "severity": 3, "code": "E1", "source": null },
        { "range": name, "message": { "kind": "markdown", "value": "d" }, "severity": 4,
          "code": { "value": "x", "target": "https://example.com" }, "tags": [1], "data": {} },
    ]);
    let expect = vec![
        finding(Severity::Error, None, "a"),
        finding(Severity::Warning, Some("7"), "b"),
        finding(Severity::Information, Some("E1"), "c"),
        finding(Severity::Hint, Some("x"), "d"),
    ];
    let text = Text::from(TEXT);
    let read = |value: Value| report(value, &text, Utf16);
    let full = |findings: Vec<Finding>, result_id: Option<&str>| {
        Ok(Report::Full { findings, result_id: result_id.map(str::to_owned) })
    };
    let value = json!({ "kind": "full", "items": items, "resultId": "r" });
    assert_eq!(read(value.clone()), full(expect.clone(), Some("r")));
    assert_eq!(read(items.clone()), full(expect.clone(), None));
    let published = json!({ "uri": "x", "diagnostics": items });
    assert_eq!(read(published), full(expect.clone(), None));
    let unchanged = json!({ "kind": "unchanged", "resultId": "r" });
    assert_eq!(read(unchanged.clone()), Ok(Report::Unchanged { result_id: "r".into() }));

    let query = Query::Diagnostics { path: "/w/a.rs".into() };
    let expect = Answer::Diagnostics { findings: expect, verified: true };
    assert_eq!(answer(&query, value, Utf16, &Disk::new()), Ok(expect));
    assert!(answer(&query, unchanged, Utf16, &Disk::new()).is_err());
}

#[test]
fn a_flood_of_diagnostics_keeps_the_worst() {
    let one = |severity: u32, message: &str| json!({ "range": range((0, 0), (0, 1)), "severity": severity, "message": message });
    let mut items = vec![one(4, "hint"); 1500];
    items.extend([one(1, "error"), one(2, &"é".repeat(9000))]);
    let found = findings(json!(items), &Text::from(TEXT), Utf16).unwrap();
    assert_eq!(found.len(), 1000);
    assert_eq!(found[0].message, "error");
    assert_eq!(found[1].message, "é".repeat(2000));
}

/// Every question, with every answer that is none.
#[test]
fn garbage_is_a_sentence() {
    let path = PathBuf::from("/w/a.rs");
    let queries = [
        Query::Definition(at(1, 1)),
        Query::References(at(1, 1)),
        Query::Hover(at(1, 1)),
        Query::Symbols { path: path.clone() },
        Query::WorkspaceSymbols { name: String::new(), near: path.clone() },
        Query::Rename { at: at(1, 1), to: "x".into() },
        Query::Diagnostics { path },
    ];
    let backwards = json!({ "start": { "line": -1, "character": 0 }, "end": null });
    let garbage = [
        json!(1),
        json!("text"),
        json!([1]),
        json!([null]),
        json!([{ "uri": 1 }]),
        json!([{ "uri": "file:///a", "range": backwards }]),
        json!({ "contents": 5, "changes": 5, "items": 5 }),
        json!({ "contents": [{}], "changes": { "file:///w/a.rs": [{}] }, "items": [{}] }),
    ];
    for query in &queries {
        for value in &garbage {
            let error = read(query, value.clone()).unwrap_err();
            assert!(error.ends_with("; ask another way."), "{query:?} {value}: {error}");
        }
    }
}

/// Any JSON at all, with the protocol's own words in it.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "uri",
        "range",
        "start",
        "end",
        "line",
        "character",
        "items",
        "kind",
        "full",
        "changes",
        "edits",
        "documentChanges",
        "textDocument",
        "file:///w/a.rs",
        "name",
        "location",
        "selectionRange",
        "children",
        "contents",
        "value",
        "message",
        "newText",
        "resultId",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..40_u32).prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        let key = word.clone().prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn nothing_a_server_says_can_hurt(value in any_json(), which in 0..7_usize) {
        let path = PathBuf::from("/w/a.rs");
        let query = match which {
            0 => Query::Definition(at(1, 1)),
            1 => Query::References(at(1, 1)),
            2 => Query::Hover(at(1, 1)),
            3 => Query::Symbols { path },
            4 => Query::WorkspaceSymbols { name: String::new(), near: path },
            5 => Query::Rename { at: at(1, 1), to: "x".into() },
            _ => Query::Diagnostics { path },
        };
        for encoding in [Utf8, Utf16, Utf32] {
            drop(answer(&query, value.clone(), encoding, &Disk::new()));
        }
        drop(prepared(&value));
    }

    /// Where we ask is where the answer is, whatever the server counts.
    #[test]
    fn places_come_back_as_they_were_asked(text in "[a-é😀\u{301}\r\n]{0,40}", pick in any::<prop::sample::Index>()) {
        let text = Text::from(text.as_str());
        let whole: String = text.chunks().collect();
        let offset = pick.index(whole.len() + 1);
        let here = text.position(offset, Utf32);
        let asked = At { path: "/w/a.rs".into(), line: here.line + 1, column: here.column + 1 };
        let files = Disk(HashMap::from([("/w/a.rs".into(), text.clone())]));
        for encoding in [Utf8, Utf16, Utf32] {
            let (_, params) = request(&Query::Hover(asked.clone()), &text, encoding).unwrap();
            let position = &params["position"];
            let location = json!({ "uri": "file:///w/a.rs", "range": { "start": position, "end": position } });
            let place = Place { path: "/w/a.rs".into(), start: (asked.line, asked.column), end: (asked.line, asked.column) };
            let found = answer(&Query::Definition(asked.clone()), location, encoding, &files);
            prop_assert_eq!(found, Ok(Answer::Places(vec![place])));
        }
    }
}
