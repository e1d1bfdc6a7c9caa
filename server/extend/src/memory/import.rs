//! `@path` in a memory file: another file belongs to it.

use std::path::{Path, PathBuf};

/// How many files may stand one behind the other.
pub(super) const DEEPEST: usize = 4;
/// A file that names more than this is a list, not instructions.
const MOST: usize = 100;

/// What a text imports, in its order: words that begin with an at sign, outside of code.
pub(super) fn imports(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in outside_fences(text) {
        for part in outside_spans(line) {
            let words = part.split_whitespace();
            let names = words.filter_map(|word| word.strip_prefix('@'));
            let names = names.map(|name| name.trim_end_matches([',', ';', ':', '.', ')', ']']));
            for name in names.filter(|name| is_path(name)) {
                if found.len() < MOST && !found.iter().any(|known| known == name) {
                    found.push(name.to_owned());
                }
            }
        }
    }
    found
}

/// `@scope/package` is no path of ours either, but only the disk can tell.
fn is_path(name: &str) -> bool {
    let first = name.chars().next();
    first.is_some_and(|c| c.is_alphanumeric() || "./~_-".contains(c))
}

fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut fence: Option<&str> = None;
    text.lines().filter(move |line| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => {
                fence = Some(mark);
                false
            }
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                false
            }
            (open, _) => open.is_none(),
        }
    })
}

/// The parts of a line that are not between backticks. One that is never closed is a letter.
fn outside_spans(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].bytes().take_while(|byte| *byte == b'`').count();
        let mark = &rest[start..start + ticks];
        let after = &rest[start + ticks..];
        let Some(end) = after.find(mark) else { break };
        parts.push(&rest[..start]);
        rest = &after[end + ticks..];
    }
    parts.push(rest);
    parts
}

/// Where an import leads: from the file that names it, from the home, or from the root.
pub(super) fn target(written: &str, from: &Path, home: Option<&Path>) -> Option<PathBuf> {
    match written.strip_prefix("~/") {
        Some(rest) => Some(home?.join(rest)),
        None => Some(from.parent()?.join(written)),
    }
}

/// The text without HTML comments that stand on lines of their own: those are for people.
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut fenced, mut inside) = (false, false);
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        if !inside && (start.starts_with("```") || start.starts_with("~~~")) {
            fenced = !fenced;
        }
        if !fenced && !inside && start.starts_with("<!--") {
            inside = true;
        }
        if !inside {
            kept.push_str(line);
            continue;
        }
        if let Some(end) = line.find("-->") {
            inside = false;
            let rest = &line[end + 3..];
            if !rest.trim().is_empty() {
                kept.push_str(rest);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_outside_of_code_are_imports() {
        let check = |text: &str, expect: &[&str]| assert_eq!(imports(text), expect, "{text:?}");
        check("see @docs/style.md, and @~/notes.md.", &["docs/style.md", "~/notes.md"]);
        check("@./a\n@../b\n@/c/d @a.md @a.md", &["./a", "../b", "/c/d", "a.md"]);
        check("mail ann@example.org", &[]);
        check("`@code.md` and ``a ` @b.md`` and `open @c.md", &["c.md"]);
        check("```\n@fenced.md\n```\n@after.md", &["after.md"]);
        check("~~~\n```\n@fenced.md\n~~~\n@after.md", &["after.md"]);
        check("@", &[]);
        check("(@a.md)", &[]);
    }

    #[test]
    fn comments_on_their_own_lines_go() {
        let check =
            |text: &str, expect: &str| assert_eq!(without_comments(text), expect, "{text:?}");
        check("a\n<!-- b -->\nc\n", "a\nc\n");
        check("a\n<!-- b\n@x.md\n-->\nc", "a\nc");
        check("a <!-- b --> c", "a <!-- b --> c");
        check("```\n<!-- b -->\n```\n", "```\n<!-- b -->\n```\n");
        check("<!-- b --> c\n", " c\n");
        check("<!-- never closed\nc", "");
    }
}
