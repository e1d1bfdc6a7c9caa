//! What is selected, and what is shown around it.

use protocol::lsp::Range as WireRange;

use super::*;

const RUST: &str = "\
use std::fmt;

/// Says hello.
fn greet(name: &str) {
    let word = \"hello\";
    println!(\"{word} {name}\");
}

fn other() {
    greet(\"you\");
}
";

fn range(start: (u32, u32), end: (u32, u32)) -> WireRange {
    serde_json::from_value(serde_json::json!({
        "start": { "line": start.0, "character": start.1 },
        "end": { "line": end.0, "character": end.1 },
    }))
    .unwrap()
}

fn selected(text: &str, job: &InlineJob) -> Result<Selected, String> {
    let text = Text::from(text);
    let source = Source {
        path: Path::new("/w/a.rs"),
        shown: "a.rs".to_owned(),
        language: None,
        text: &text,
        encoding: PositionEncoding::Utf16,
        trees: &Trees::default(),
    };
    select(&source, job)
}

fn edit(start: (u32, u32), end: (u32, u32)) -> InlineJob {
    InlineJob::Edit { range: range(start, end), instruction: "do".to_owned() }
}

fn fix(start: (u32, u32), end: (u32, u32)) -> InlineJob {
    let found =
        serde_json::json!({ "range": range(start, end), "message": "bad\n  really", "code": 7 });
    InlineJob::Fix { diagnostics: vec![serde_json::from_value(found).unwrap()] }
}

#[test]
fn a_selection_takes_the_indentation_in_front_of_it() {
    let check = |start, end, expect: &str| {
        assert_eq!(selected(RUST, &edit(start, end)).unwrap().old, expect);
    };
    check((4, 4), (4, 23), "    let word = \"hello\";");
    check((4, 8), (4, 12), "word");
    check((4, 0), (5, 0), "    let word = \"hello\";\n");
    check((4, 4), (4, 4), "");
}

#[test]
fn the_question_has_the_place() {
    let question = selected(RUST, &edit((4, 4), (4, 23))).unwrap().question;
    assert_eq!((question.path.as_str(), question.line), ("a.rs", 5));
    assert_eq!(question.language.to_lowercase(), "rust");
    assert!(question.before.ends_with("fn greet(name: &str) {\n"), "{question:?}");
    assert!(question.after.starts_with("\n    println!"), "{question:?}");
    assert_eq!(format!("{}{}{}", question.before, question.selection, question.after), RUST);
}

#[test]
fn of_a_long_file_the_lines_nearby_are_shown() {
    let text: String = (0..1000).map(|line| format!("// {line}\n")).collect();
    let question = selected(&text, &edit((500, 0), (501, 0))).unwrap().question;
    assert_eq!(question.selection, "// 500\n");
    assert!(question.before.starts_with("// 470\n"), "{question:?}");
    assert!(question.after.ends_with("// 531\n"), "{question:?}");
}

#[test]
fn a_fix_takes_the_item_around_it() {
    let selected = selected(RUST, &fix((5, 15), (5, 19))).unwrap();
    assert!(selected.old.starts_with("/// Says hello.\nfn greet"), "{:?}", selected.old);
    assert!(selected.old.ends_with("}\n"), "{:?}", selected.old);
    assert_eq!(selected.question.problems, ["line 6: bad; really [7]"]);
}

#[test]
fn without_an_item_a_fix_takes_some_lines() {
    let text: String = (0..100).map(|line| format!("// {line}\n")).collect();
    let fixed = selected(&text, &fix((50, 0), (50, 3))).unwrap().old;
    assert_eq!((fixed.lines().next(), fixed.lines().last()), (Some("// 45"), Some("// 55")));
    // A diagnostic of an older text may be past the end.
    assert_eq!(selected(&text, &fix((500, 0), (500, 3))).unwrap().old, "");
}

#[test]
fn too_much_is_too_much() {
    let text = format!("{}\n", "x".repeat(SELECTION_CAP + 1));
    let error = selected(&text, &edit((0, 0), (1, 0))).err().unwrap();
    assert!(error.contains("select less"), "{error}");
    assert!(selected("a", &edit((3, 0), (4, 0))).is_err());
}

#[test]
fn lines_end_as_they_do_nearby() {
    let selected = selected("a\r\nb\r\n", &edit((0, 0), (1, 0))).unwrap();
    assert_eq!(selected.frame, Frame::new("", "a\r\n", "b\r\n", "\r\n"));
}
