//! What Markdown looks like on the screen, and that streaming changes nothing about it.

use expect_test::{Expect, expect};

use super::*;
use crate::render::line::plain_text;

fn draw_in_pieces(source: &str, width: usize, piece: usize) -> Vec<Line> {
    let mut markdown = Markdown::new(Highlighting::off());
    let mut lines = Vec::new();
    let mut start = 0;
    while start < source.len() {
        let mut end = (start + piece).min(source.len());
        while !source.is_char_boundary(end) {
            end += 1;
        }
        markdown.push(&source[start..end]);
        markdown.drain(width, &mut lines);
        // The preview must never disturb what is committed.
        let _ = markdown.tail(width, 10);
        start = end;
    }
    markdown.finish();
    markdown.drain(width, &mut lines);
    assert!(markdown.is_drained());
    lines
}

fn check(source: &str, width: usize, expect: &Expect) {
    let whole = draw_in_pieces(source, width, source.len().max(1));
    for piece in [1, 5] {
        assert_eq!(draw_in_pieces(source, width, piece), whole, "in pieces of {piece}");
    }
    expect.assert_eq(&plain_text(&whole));
}

#[test]
fn headings_paragraphs_and_inline_styles() {
    let source = "# Title\nSome **bold**, *thin* and `code` text that is longer than a row.\n\n\
                  A [link](https://example.org/a) and <https://example.org/b>.\n\n---\n> quoted\n> twice";
    check(
        source,
        40,
        &expect![[r#"
        Title

        Some bold, thin and code text that is
        longer than a row.

        A link (https://example.org/a) and
        https://example.org/b.

        ────────────────────────────────────────
        ▎ quoted twice
    "#]],
    );
}

#[test]
fn lists() {
    let source = "Steps:\n1. one\n1. two\n   - deep item that has to be wrapped somewhere\n1. three\n\n\
                  - [x] done\n- [ ] open\n\n  its second paragraph\n";
    check(
        source,
        30,
        &expect![[r#"
        Steps:

        1. one
        2. two
           • deep item that has to be
             wrapped somewhere
        3. three
        • ☑ done
        • ☐ open

          its second paragraph
    "#]],
    );
}

#[test]
fn code_keeps_its_spaces() {
    let source = "Run:\n```sh\nif true; then\n    echo  \"two  spaces\"\nfi\n```\nDone.";
    check(
        source,
        40,
        &expect![[r#"
        Run:

          if true; then
              echo  "two  spaces"
          fi

        Done.
    "#]],
    );
}

#[test]
fn tables_fit_the_terminal() {
    let source =
        "| name | what it is for |\n|---|--:|\n| `text` | ropes and edits |\n| 日本 | wide |\n";
    check(
        source,
        40,
        &expect![[r#"
        name │  what it is for
        ─────┼────────────────
        text │ ropes and edits
        日本 │            wide
    "#]],
    );
    check(
        source,
        18,
        &expect![[r#"
            name │  what it is
                 │         for
            ─────┼────────────
            text │   ropes and
                 │       edits
            日本 │        wide
        "#]],
    );
    check(
        source,
        8,
        &expect![[r#"
            name:
            text
            what it
            is for:
            ropes
            and
            edits

            name:
            日本
            what it
            is for:
            wide
        "#]],
    );
}

#[test]
fn hostile_text_is_shown() {
    check(
        "a \u{1b}[31mred\u{7}\n```\n\u{202e}code\n```",
        40,
        &expect![[r#"
        a ^[[31mred^G

          <U+202E>code
    "#]],
    );
}

#[test]
fn the_tail_shows_what_is_not_final() {
    let mut markdown = Markdown::new(Highlighting::off());
    markdown.push("first\n\nsecond **bo");
    let mut lines = Vec::new();
    markdown.drain(40, &mut lines);
    assert_eq!(plain_text(&lines), "first\n");
    assert_eq!(plain_text(&markdown.tail(40, 10)), "\nsecond **bo\n");
    assert_eq!(plain_text(&markdown.tail(40, 1)), "second **bo\n");
}

#[test]
fn fences_are_coloured_once_the_grammars_are_there() {
    let mut markdown = Markdown::new(Highlighting::loaded());
    markdown.push("```rust\nlet x = 1;\n```\n");
    let mut lines = Vec::new();
    markdown.drain(40, &mut lines);
    assert_eq!(plain_text(&lines), "  let x = 1;\n");
    assert!(lines[0].spans.iter().any(|span| span.style == theme::KEYWORD), "{lines:?}");
}
