//! The outline of the part of a file that one call does not show, so that the model knows where to
//! read on.

use std::fmt::Write;
use std::path::Path;

use text::Text;
use workspace::syntax::{Item, Language, Tree};

use crate::show::line_count;

/// The most entries; those that lie deepest are left out first.
const ENTRIES: usize = 200;
/// The most bytes of all entries.
const BYTES: usize = 10_000;

/// What lies behind line `last`, counted from one; empty when there is nothing to say. It parses
/// the text, so ask for it where waiting is allowed.
pub(super) fn behind(path: &Path, text: &Text, last: usize) -> String {
    let tree = Language::of(path).and_then(|language| Tree::parse(language, text));
    let mut items = tree.map(|tree| tree.outline()).unwrap_or_default();
    items.retain(|item| item.lines.end > last);
    if items.is_empty() {
        return String::new();
    }
    let entries = entries(&items);
    let mut out = format!("\nOutline of lines {} to {}:\n", last + 1, line_count(text));
    let mut shown = 0;
    for item in entries {
        let before = out.len();
        let indent = "  ".repeat(item.depth as usize);
        let (first, last) = (item.lines.start + 1, item.lines.end);
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{first}-{last}\t{indent}{} {}", item.kind, item.name);
        if out.len() > BYTES {
            out.truncate(before);
            break;
        }
        shown += 1;
    }
    if shown < items.len() {
        let _ = writeln!(out, "… and {} more", items.len() - shown);
    }
    out
}

/// The entries to show, in the order of the file.
fn entries(items: &[Item]) -> Vec<&Item> {
    let mut kept: Vec<_> = items.iter().enumerate().collect();
    kept.sort_by_key(|(at, item)| (item.depth, *at));
    kept.truncate(ENTRIES);
    kept.sort_by_key(|(at, _)| *at);
    kept.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, text: &str, last: usize) -> String {
        behind(Path::new(name), &Text::from(text), last)
    }

    #[test]
    fn what_is_behind_a_line() {
        let text =
            "fn a() {}\nimpl B {\n    fn c() {}\n    /// Says.\n    fn d() {}\n}\nfn e() {}\n";
        let check = |last: usize, expect: &str| assert_eq!(shown("x.rs", text, last), expect);
        check(3, "\nOutline of lines 4 to 7:\n2-6\timpl B\n4-5\t  method d\n7-7\tfunction e\n");
        check(6, "\nOutline of lines 7 to 7:\n7-7\tfunction e\n");
        check(7, "");
        assert_eq!(shown("x.txt", text, 0), "");
        assert_eq!(shown("x.rs", "// nothing\n", 0), "");
    }

    #[test]
    fn it_is_capped() {
        let class = |name: usize| format!("class C{name}:\n{}", "    def f(): pass\n".repeat(9));
        let text: String = (0..100).map(class).collect();
        let out = shown("x.py", &text, 0);
        assert_eq!(out.lines().count(), ENTRIES + 3, "{out}");
        assert!(out.contains("class C99") && out.ends_with("… and 800 more\n"), "{out}");
        let wide = format!("def {}(): pass\n", "漢".repeat(90)).repeat(150);
        let out = shown("x.py", &wide, 0);
        assert!(out.len() < BYTES + 50 && out.contains("more"), "{}", out.len());
    }
}
