//! A change of a file, as people read it: line numbers, colours, the changed words marked.

use std::time::Duration;

use anstyle::Style;
use similar::{ChangeTag, TextDiff};

use super::line::Line;
use super::safe::strict;
use super::theme;
use super::wrap::{Margin, wrap_exact};

/// Rows of context around a change.
const CONTEXT: usize = 3;
/// Comparing gives up on finding the smallest difference after this long.
const PATIENCE: Duration = Duration::from_millis(50);

/// How many lines a change adds and takes away, and the rows that show it.
pub(crate) struct Drawn {
    pub added: usize,
    pub removed: usize,
    pub lines: Vec<Line>,
}

/// Draws the change from `old` to `new` at most `rows` rows long.
pub(crate) fn draw(old: &str, new: &str, width: usize, rows: usize) -> Drawn {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let digits = diff.old_len().max(diff.new_len()).max(1).to_string().len().max(3);
    let mut drawn = Drawn { added: 0, removed: 0, lines: Vec::new() };
    let mut hidden = 0;
    for (index, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if index > 0 && drawn.lines.len() < rows {
            drawn.lines.push(Line::styled(format!("{:>digits$}", "⋮"), theme::DIM));
        }
        for operation in group {
            for change in diff.iter_inline_changes(operation) {
                let look = Look::of(change.tag());
                drawn.added += usize::from(change.tag() == ChangeTag::Insert);
                drawn.removed += usize::from(change.tag() == ChangeTag::Delete);
                if drawn.lines.len() >= rows {
                    hidden += 1;
                    continue;
                }
                let number = change.new_index().or(change.old_index()).unwrap_or(0) + 1;
                let mut line = Line::default();
                for (changed, text) in change.iter_strings_lossy() {
                    let text = strict(text.trim_end_matches(['\n', '\r'])).into_owned();
                    line.push(&text, if changed { look.word } else { look.row });
                }
                let first = Line::styled(format!("{number:>digits$} "), theme::DIM)
                    .with(look.sign, look.row);
                let rest = Line::plain(" ".repeat(digits + 3));
                drawn.lines.extend(wrap_exact(&line, width, &Margin::new(first, rest)));
            }
        }
    }
    if drawn.lines.len() > rows {
        hidden += drawn.lines.len() - rows;
        drawn.lines.truncate(rows);
    }
    if hidden > 0 {
        drawn.lines.push(Line::styled(format!("… {hidden} more lines"), theme::DIM));
    }
    drawn
}

struct Look {
    sign: &'static str,
    row: Style,
    word: Style,
}

impl Look {
    fn of(tag: ChangeTag) -> Self {
        match tag {
            ChangeTag::Equal => Self { sign: "  ", row: theme::DIM, word: theme::DIM },
            ChangeTag::Insert => Self { sign: "+ ", row: theme::ADDED, word: theme::ADDED_WORD },
            ChangeTag::Delete => {
                Self { sign: "- ", row: theme::REMOVED, word: theme::REMOVED_WORD }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::line::plain_text;
    use super::*;

    fn check(old: &str, new: &str, rows: usize, expect: &Expect) {
        let drawn = draw(old, new, 40, rows);
        let text = format!("+{} -{}\n{}", drawn.added, drawn.removed, plain_text(&drawn.lines));
        expect.assert_eq(&text);
    }

    #[test]
    fn shows_numbers_signs_and_context() {
        let old: String = (1..=12).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 6\n", "line six\nnew\n");
        check(
            &old,
            &new,
            40,
            &expect![[r#"
            +2 -1
              3   line 3
              4   line 4
              5   line 5
              6 - line 6
              6 + line six
              7 + new
              8   line 7
              9   line 8
             10   line 9
        "#]],
        );
    }

    #[test]
    fn cuts_long_changes_and_says_so() {
        let new: String = (1..=9).map(|n| format!("line {n}\n")).collect();
        check(
            "",
            &new,
            3,
            &expect![[r#"
            +9 -0
              1 + line 1
              2 + line 2
              3 + line 3
            … 6 more lines
        "#]],
        );
    }

    #[test]
    fn marks_the_changed_words() {
        let drawn = draw("let total = 1;\n", "let total = 2;\n", 40, 10);
        let marked: Vec<&str> = drawn
            .lines
            .iter()
            .flat_map(|line| &line.spans)
            .filter(|span| span.style == theme::ADDED_WORD || span.style == theme::REMOVED_WORD)
            .map(|span| span.text.as_str())
            .collect();
        assert!(marked.iter().all(|text| !text.contains("total")), "{marked:?}");
        assert!(!marked.is_empty());
    }
}
