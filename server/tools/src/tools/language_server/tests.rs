//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use std::path::PathBuf;

use crate::pipeline::Answer as Says;
use crate::testing::Desk;
use crate::tool::Preview;
use crate::world::{Findings, Verified};
use language::{Answer, FileEdit, Finding, Place, Query, Severity, Symbol};
use policy::Behavior;
use serde_json::{Value, json};

fn ask(operation: &str, more: Value) -> Value {
    let mut input = json!({"operation": operation, "file_path": "a.rs"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

fn place(path: PathBuf, line: u32, columns: std::ops::Range<u32>) -> Place {
    Place { path, start: (line, columns.start), end: (line, columns.end) }
}

fn desk() -> Desk {
    Desk::new(&[
        ("w/a.rs", "fn one() {}\nfn two() { one() }\n"),
        ("w/b.rs", "é one one\n"),
        ("w/.env", "one=secret\n"),
        ("lib/std.rs", "pub fn one() {}\n"),
    ])
}

const ONE: &str = "one";

#[tokio::test]
async fn where_a_name_is() {
    let desk = desk();
    desk.rule(Behavior::Deny, "Read(.env)");
    let files = ["w/b.rs", "w/a.rs", "lib/std.rs", "w/.env"].map(|name| desk.path(name));
    desk.serve(move |query| match query {
        Query::Definition(at) if (at.line, at.column) == (2, 12) => {
            Ok(Answer::Places(vec![place(at.path.clone(), 1, 4..7)]))
        }
        Query::References(_) => {
            Ok(Answer::Places(files.iter().map(|path| place(path.clone(), 1, 3..6)).collect()))
        }
        Query::Hover(at) => Ok(Answer::Hover(format!("\nfn {}:{}\n", at.line, at.column))),
        other => panic!("{other:?}"),
    });
    let one = json!({"line": 2, "symbol": ONE});
    let text = desk.ok("LanguageServer", ask("definition", one.clone())).await;
    assert_eq!(text, "a.rs:1:4: fn one() {}");
    let text = desk.ok("LanguageServer", ask("references", one.clone())).await;
    assert_eq!(
        text, "4 uses in 3 files:\n$/lib/std.rs:1:3\na.rs:1:3: fn one() {}\nb.rs:1:3: é one one",
        "without the text of what would be asked about, and nothing of what is denied"
    );
    assert_eq!(desk.ok("LanguageServer", ask("hover", one)).await, "fn 2:12");
    let text = desk.err("LanguageServer", ask("hover", json!({"line": 9, "symbol": ONE}))).await;
    assert_eq!(text, "The file has 2 lines, and no line 9.");
    assert!(desk.user.asked().is_empty());
    desk.serve(|_| Ok(Answer::Places(Vec::new())));
    let text = desk.ok("LanguageServer", ask("references", json!({"line": 1, "column": 4}))).await;
    assert_eq!(text, "No use was found.");
}

#[tokio::test]
async fn long_lists_are_cut() {
    let desk = desk();
    let path = desk.path("w/a.rs");
    desk.serve(move |_| {
        Ok(Answer::Places((1..=250).map(|line| place(path.clone(), line, 1..2)).collect()))
    });
    let text =
        desk.ok("LanguageServer", ask("references", json!({"line": 1, "symbol": ONE}))).await;
    assert!(text.starts_with("250 uses in 1 file:\na.rs:1:1: fn one() {}\n"), "{text}");
    assert!(text.contains("a.rs:100:1\n") && !text.contains("a.rs:101:1"), "{text}");
    assert!(text.contains("150 more places are not shown"), "{text}");
}

#[tokio::test]
async fn what_is_declared() {
    let desk = desk();
    let path = desk.path("w/a.rs");
    desk.serve(move |query| {
        let symbol = |name: &str, depth, container: Option<&str>| Symbol {
            name: name.to_owned(),
            kind: "function".to_owned(),
            container: container.map(str::to_owned),
            depth,
            place: place(path.clone(), 2, 4..7),
        };
        Ok(Answer::Symbols(match query {
            Query::WorkspaceSymbols { name, .. } if name == "tw" => {
                vec![symbol("two", 0, Some("main"))]
            }
            _ => vec![symbol("two", 0, None), symbol("inner", 1, None)],
        }))
    });
    let text = desk.ok("LanguageServer", ask("symbols", json!({}))).await;
    assert_eq!(text, "     2\tfunction two\n     2\t  function inner");
    let text = desk.ok("LanguageServer", ask("workspace_symbols", json!({"query": "tw"}))).await;
    assert_eq!(text, "function two in main a.rs:2:4: fn two() { one() }");
    let text = desk.err("LanguageServer", ask("workspace_symbols", json!({}))).await;
    assert!(text.contains("query is missing"), "{text}");
}

#[tokio::test]
async fn without_a_server_the_syntax_still_tells() {
    let desk = desk();
    desk.open("w/a.rs", "// unsaved\nfn three() {}\n");
    let text = desk.ok("LanguageServer", ask("symbols", json!({}))).await;
    assert!(text.contains("function three") && !text.contains("one"), "{text}");
    assert!(text.contains("no language server here. This is what the syntax"), "{text}");
    let text = desk.err("LanguageServer", ask("diagnostics", json!({}))).await;
    assert_eq!(text, "There is no language server here.");
    let other = json!({"operation": "symbols", "file_path": ".env"});
    assert_eq!(desk.err("LanguageServer", other).await, "There is no language server here.");
}

#[tokio::test]
async fn what_is_wrong() {
    let desk = desk();
    let finding = |line, severity| Finding {
        start: (line, 1),
        end: (line, 2),
        severity,
        code: None,
        source: Some("rustc".to_owned()),
        message: "wrong".to_owned(),
    };
    let findings = vec![finding(1, Severity::Hint), finding(2, Severity::Error)];
    desk.serve(move |_| Ok(Answer::Diagnostics { findings: findings.clone(), verified: false }));
    let text = desk.ok("LanguageServer", ask("diagnostics", json!({}))).await;
    let listed = "a.rs:2:1 error wrong [rustc]\na.rs:1:1 hint wrong [rustc]\n";
    assert!(text.starts_with(listed) && text.contains("unverified"), "{text}");
    desk.serve(|_| Ok(Answer::Diagnostics { findings: Vec::new(), verified: true }));
    let text = desk.ok("LanguageServer", ask("diagnostics", json!({}))).await;
    assert_eq!(text, "No problems are known.");
}

/// A server that renames the three `one` in `a.rs` and the last one in `b.rs`.
fn renames(desk: &Desk) {
    let (a, b) = (desk.path("w/a.rs"), desk.path("w/b.rs"));
    desk.serve(move |query| {
        let Query::Rename { to, .. } = query else { panic!("{query:?}") };
        let edit = |path: &PathBuf, places: &[(u32, std::ops::Range<u32>)]| FileEdit {
            path: path.clone(),
            edits: places
                .iter()
                .map(|(line, columns)| (place(path.clone(), *line, columns.clone()), to.clone()))
                .collect(),
        };
        Ok(Answer::Edits(vec![edit(&a, &[(1, 4..7), (2, 12..15)]), edit(&b, &[(1, 7..10)])]))
    });
}

fn rename() -> Value {
    ask("rename", json!({"line": 1, "symbol": ONE, "new_name": "uno"}))
}

#[tokio::test]
async fn a_rename_is_shown_as_a_whole_and_made_everywhere() {
    let desk = desk();
    renames(&desk);
    desk.open("w/b.rs", "é one one\n");
    desk.ok("Read", json!({"file_path": "b.rs"})).await;
    *desk.editor.findings.lock().unwrap() =
        Findings { state: Verified::Yes, ..Findings::default() };
    let report = desk.call("LanguageServer", rename()).await;
    assert_eq!(
        desk.words(&report),
        "Renamed to uno: 3 places in 2 files.\na.rs: 2\nb.rs: 1\nNo new problems."
    );
    assert_eq!(desk.on_disk("w/a.rs"), "fn uno() {}\nfn two() { uno() }\n");
    assert_eq!(desk.in_editor("w/b.rs"), "é one uno\n");
    assert_eq!(report.diffs.len(), 2);
    let asked = desk.user.asked();
    assert_eq!(asked[0].title, "Rename one in a.rs to uno");
    let Preview::Edit { path, others, .. } = &asked[0].preview else { panic!("{asked:?}") };
    assert_eq!((path, others.len()), (&desk.path("w/a.rs"), 1));
    assert_eq!((others[0].version, others[0].new.as_str()), (Some(1), "é one uno\n"));
    // The one that was known stays known, the other does not become it.
    let edit = |path: &str| {
        json!({"file_path": path, "old_string": "uno", "new_string": "1",
                                   "replace_all": true})
    };
    let text = desk.ok("Edit", edit("b.rs")).await;
    assert!(!text.contains("Somebody else"), "{text}");
    let text = desk.err("Edit", edit("a.rs")).await;
    assert!(text.contains("You have not read"), "{text}");
}

#[tokio::test]
async fn a_rename_that_gets_stuck_says_where() {
    let desk = desk();
    renames(&desk);
    *desk.editor.locked.lock().unwrap() = Some(desk.path("w/a.rs"));
    let report = desk.call("LanguageServer", rename()).await;
    let text = desk.words(&report);
    assert!(report.outcome.is_error);
    let expect = "Renamed to uno: 1 place in 1 file.\nb.rs: 1\nNOT changed:\na.rs: It changed at";
    assert!(text.starts_with(expect), "{text}");
    assert_eq!(report.diffs.len(), 1);
    assert_eq!(desk.on_disk("w/b.rs"), "é one uno\n");
}

#[tokio::test]
async fn a_rename_asks_for_every_file() {
    let mut desk = desk();
    renames(&desk);
    desk.rule(Behavior::Deny, "Edit(./b.rs)");
    let text = desk.err("LanguageServer", rename()).await;
    assert!(text.contains("not allowed"), "{text}");
    assert!(desk.user.asked().is_empty());
    desk = self::desk();
    renames(&desk);
    desk.user.answer = Says::Deny { reason: "no".to_owned(), feedback: None };
    desk.err("LanguageServer", rename()).await;
    assert_eq!(desk.on_disk("w/a.rs"), "fn one() {}\nfn two() { one() }\n");
}

#[tokio::test]
async fn a_rename_of_another_text_is_not_made() {
    let desk = desk();
    let path = desk.path("w/a.rs");
    let answer = move |columns: std::ops::Range<u32>| {
        let edits = vec![(place(path.clone(), 1, columns), "uno".to_owned())];
        Ok(Answer::Edits(vec![FileEdit { path: path.clone(), edits }]))
    };
    let outside = answer.clone();
    desk.serve(move |_| outside(90..93));
    let text = desk.err("LanguageServer", rename()).await;
    assert!(text.contains("changed while the language server was asked"), "{text}");
    desk.serve(|_| Ok(Answer::Edits(Vec::new())));
    let text = desk.err("LanguageServer", rename()).await;
    assert!(text.contains("found nothing to rename"), "{text}");
    desk.serve(|_| Err("`uno` is a keyword.".to_owned()));
    assert_eq!(desk.err("LanguageServer", rename()).await, "`uno` is a keyword.");
    let nameless = ask("rename", json!({"line": 1, "symbol": ONE}));
    assert!(desk.err("LanguageServer", nameless).await.contains("new_name is missing"));
    desk.serve(move |_| answer(4..7));
    desk.ok("LanguageServer", rename()).await;
    let alone =
        matches!(&desk.user.asked()[0].preview, Preview::Edit { others, .. } if others.is_empty());
    assert!(alone);
}
