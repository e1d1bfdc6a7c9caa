//! Cells changed in place: everything outside of them stays, byte for byte.

use super::*;
use proptest::prelude::*;
use text::Text;

/// As Jupyter writes it.
const JUPYTER: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\n",
    "words"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "sum",
   "metadata": {"tags":  ["odd  spacing"]},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "3\n"
     ]
    }
   ],
   "source": [
    "print(1 + 2)"
   ]
  }
 ],
 "metadata": {"kernelspec": {"language": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn applied(text: &str, change: impl FnOnce(&Notebook<'_>) -> Option<text::Edit>) -> String {
    let notebook = Notebook::parse(text).unwrap();
    let edit = change(&notebook).unwrap();
    let new = edit.apply(&Text::from(text)).unwrap().to_string();
    Notebook::parse(&new).unwrap();
    new
}

fn check(
    text: &str,
    from: &str,
    to: &str,
    change: impl FnOnce(&Notebook<'_>) -> Option<text::Edit>,
) {
    assert!(text.contains(from), "{from}");
    assert_eq!(applied(text, change), text.replacen(from, to, 1));
}

#[test]
fn another_source() {
    check(JUPYTER, "    \"words\"", "    \"words\\n\",\n    \"more\"", |notebook| {
        notebook.replace(0, "# Title\nwords\nmore", None)
    });
    let source = applied(JUPYTER, |notebook| notebook.replace(1, "x = \"é\\n\"\n", None));
    let expect = JUPYTER
        .replace("\"print(1 + 2)\"", r#""x = \"é\\n\"\n""#)
        .replace("\"execution_count\": 7", "\"execution_count\": null");
    let (head, tail) = expect.split_once("\"outputs\": [").unwrap();
    let (_, tail) = tail.split_once("   ],\n").unwrap();
    assert_eq!(source, format!("{head}\"outputs\": [],\n{tail}"));
    check(JUPYTER, "[\n    \"# Title\\n\",\n    \"words\"\n   ]", "[]", |notebook| {
        notebook.replace(0, "", None)
    });
    let same = Notebook::parse(JUPYTER).unwrap();
    assert!(same.replace(0, "# Title\nwords", None).unwrap().is_empty());
    assert!(same.replace(0, "# Title\nwords", Some(CellType::Markdown)).unwrap().is_empty());
}

#[test]
fn another_type() {
    let code = applied(JUPYTER, |notebook| notebook.replace(0, "1", Some(CellType::Code)));
    let expect = "  {\n   \"cell_type\": \"code\",\n   \"id\": \"intro\",\n   \"metadata\": {},\n   \
                  \"source\": [\n    \"1\"\n   ],\n   \"execution_count\": null,\n   \
                  \"outputs\": []\n  },\n";
    assert!(code.contains(expect), "{code}");
    let words = applied(JUPYTER, |notebook| notebook.replace(1, "w", Some(CellType::Markdown)));
    let notebook = Notebook::parse(&words).unwrap();
    assert_eq!(notebook.cells[1].raw.cell_type, "markdown");
    assert!(notebook.cells[1].raw.outputs.is_none() && !words.contains("execution_count"));
}

#[test]
fn new_cells_and_cells_that_go() {
    let new = "{\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"new\",\n   \
               \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"a\\n\",\n    \"b\"\n   \
               ]\n  }";
    let insert = |text: &str, after: Option<usize>| {
        applied(text, |notebook| notebook.insert(after, "a\nb", CellType::Code, "new"))
    };
    let first = insert(JUPYTER, None);
    assert_eq!(first, JUPYTER.replacen("  {", &format!("  {new},\n  {{"), 1));
    let last = insert(JUPYTER, Some(1));
    assert_eq!(last, JUPYTER.replacen("  }\n ]", &format!("  }},\n  {new}\n ]"), 1));
    assert!(insert(JUPYTER, Some(0)).contains(&format!("  }},\n  {new},\n  {{")));
    // And back again.
    for (text, at) in [(first, 0), (last, 2)] {
        assert_eq!(applied(&text, |notebook| notebook.delete(at)), JUPYTER);
    }
    let one = applied(JUPYTER, |notebook| notebook.delete(0));
    assert_eq!(Notebook::parse(&one).unwrap().name(0), "sum");
    let none = applied(&one, |notebook| notebook.delete(0));
    assert!(none.starts_with("{\n \"cells\": [],\n"), "{none}");
    let again = insert(&none, None);
    assert!(again.starts_with(&format!("{{\n \"cells\": [\n  {new}\n ],\n")), "{again}");
}

#[test]
fn other_ways_to_write_json() {
    let compact = r#"{"cells":[{"cell_type":"code","source":"x","outputs":[1],"metadata":{}}],"nbformat":4,"nbformat_minor":2}"#;
    check(
        compact,
        r#""source":"x","outputs":[1]"#,
        r#""source":"a\nb","outputs":[]"#,
        |notebook| notebook.replace(0, "a\nb", None),
    );
    assert!(Notebook::parse(compact).unwrap().replace(9, "", None).is_none());
    let new = r#",{"cell_type":"markdown","metadata":{},"source":"m"}]"#;
    assert!(
        applied(compact, |notebook| notebook.insert(Some(0), "m", CellType::Markdown, "id"))
            .contains(new),
        "ids are for newer formats, and a source in one piece stays one"
    );
    let tabs = JUPYTER.lines().map(|line| {
        let text = line.trim_start();
        format!("{}{text}\r\n", "\t".repeat(line.len() - text.len()))
    });
    let windows: String = tabs.collect();
    check(&windows, "\"# Title\\n\",", "\"# Title\\n\",\r\n\t\t\t\t\"and\\n\",", |notebook| {
        notebook.replace(0, "# Title\nand\nwords", None)
    });
}

#[test]
fn what_is_no_notebook() {
    let check = |text: &str, expect: &str| {
        let Err(reason) = Notebook::parse(text) else { panic!("{text}") };
        assert!(reason.contains(expect), "{text}: {reason}");
    };
    check("", "EOF");
    check("{\"cells\": [", "at line 1 column");
    check("[]", "invalid");
    check("{}", "no list of cells");
    check("{\"cells\": 1}", "is no list");
    check("{\"nbformat\": 3, \"worksheets\": []}", "old format 3");
    check("{\"cells\": [{\"source\": \"\"}]}", "its cell 0 is broken (missing field `cell_type`");
    check("{\"cells\": [{\"cell_type\": \"code\", \"source\": 1}]}", "its cell 0 is broken");
}

#[test]
fn names_of_cells() {
    let notebook = Notebook::parse(JUPYTER).unwrap();
    let check = |name: &str, expect: Option<usize>| assert_eq!(notebook.find(name), expect);
    check("intro", Some(0));
    check("cell-1", Some(1));
    check("cell-2", None);
    check("other", None);
    assert_eq!(notebook.new_id("x"), notebook.new_id("x"));
    assert_eq!(notebook.new_id("x").len(), 8);
    assert_ne!(notebook.new_id("x"), notebook.new_id("y"));
}

#[test]
fn how_it_is_shown() {
    let page = |text: &str, first, count| page(&Notebook::parse(text).unwrap(), first, count);
    assert_eq!(
        page(JUPYTER, 1, None).unwrap(),
        "A notebook (python) with 2 cells.\n\
         <cell id=\"intro\" type=\"markdown\">\n# Title\nwords\n</cell>\n\
         <cell id=\"sum\" type=\"code\">\nprint(1 + 2)\n</cell>\n\
         <output of=\"sum\">\n3\n</output>\n"
    );
    assert!(!page(JUPYTER, 2, None).unwrap().contains("Title"));
    assert!(!page(JUPYTER, 1, Some(1)).unwrap().contains("sum"));
    assert!(page(JUPYTER, 3, None).unwrap_err().0.contains("has 2 cells"));
    let outputs = serde_json::json!([
        {"output_type": "display_data",
         "data": {"text/plain": ["<Figure>"], "text/html": "<b>", "image/png": "aGk="}},
        {"output_type": "error", "ename": "E", "evalue": "bad",
         "traceback": ["\u{1b}[0;31mTraceback\u{1b}[0m", "\u{1b}[1mE: bad"]},
        {"output_type": "stream", "text": "x".repeat(5_000)},
        {"output_type": "new"}, 7,
    ]);
    let cell = serde_json::json!({"cell_type": "code", "source": "s".repeat(70_000),
                                  "outputs": outputs});
    let many = serde_json::json!({"cells": [cell, cell, cell]}).to_string();
    let shown = page(&many, 1, None).unwrap();
    assert!(shown.contains("<Figure>\n[image/png, not shown]\nTraceback\nE: bad\nxxx"), "{shown}");
    assert!(shown.len() < 90_000 && shown.contains("bytes left out"), "{}", shown.len());
    assert!(shown.contains("PARTIAL: these are the cells 1 to 1 of 3. Read on with offset 2"));
}

proptest! {
    #[test]
    fn every_source_survives(source in "\\PC{0,40}|[a\\n\\r\"\\\\\u{2028}é]{0,20}", at in 0usize..2) {
        let new = applied(JUPYTER, |notebook| notebook.replace(at, &source, None));
        let notebook = Notebook::parse(&new).unwrap();
        prop_assert_eq!(notebook.cells[at].source.text(), source);
        prop_assert_eq!(&new[..30], &JUPYTER[..30]);
        let end = " \"nbformat_minor\": 5\n}\n";
        prop_assert!(new.ends_with(end));
    }

    #[test]
    fn nothing_panics(text in "[\\[\\]{}\",: a0-9\n]{0,60}|\\{\"cells\": \\[[\\[\\]{}\",a]{0,20}\\]\\}") {
        if let Ok(notebook) = Notebook::parse(&text) {
            let _ = notebook.insert(None, "x", CellType::Markdown, "id");
            let _ = page(&notebook, 1, None);
        }
    }
}
