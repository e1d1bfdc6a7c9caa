//! Finds, in what compilers and editors print, a mistake together with its own suggested repair.

/// A repair that a tool proposed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Suggestion {
    pub(super) file: String,
    /// From 1.
    pub(super) line: usize,
    pub(super) change: Change,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// One word on the line is wrong.
    Word { wrong: String, right: String },
    /// The line is to read like this.
    Line { new: String },
}

/// The first mistake in the text that comes with a suggestion, in this file if one is named.
pub(super) fn find(text: &str, file: Option<&str>) -> Option<Suggestion> {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len()).find_map(|at| {
        let (found, line) = location(lines[at])?;
        if file.is_some_and(|file| !found.ends_with(file.trim_start_matches("./"))) {
            return None;
        }
        let change = change_near(&lines, at, line)?;
        Some(Suggestion { file: found, line, change })
    })
}

/// `path:3:5`, `path:3` or `path(3,5)`, anywhere on the line.
fn location(line: &str) -> Option<(String, usize)> {
    line.split_whitespace().find_map(|word| {
        let word = word.trim_matches(['"', '\'', '`', ',']);
        let (path, rest) = word.split_once([':', '('])?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let number = digits.parse().ok().filter(|number| *number > 0)?;
        let name = path.rsplit('/').next()?;
        let is_file = name.contains('.') && !name.ends_with('.') && !path.is_empty();
        is_file.then(|| (path.to_owned(), number))
    })
}

/// A report has its message on the line of its location or the one before, and its suggestion
/// within the next few, before another report begins.
fn change_near(lines: &[&str], at: usize, number: usize) -> Option<Change> {
    const REACH: usize = 14;
    let end = lines.len().min(at + REACH);
    let next = (at + 1..end).find(|line| location(lines[*line]).is_some());
    let report = &lines[at..next.unwrap_or(end)];
    if let Some(new) = replaced_line(report, number) {
        return Some(Change::Line { new });
    }
    let message = lines[at.saturating_sub(1)..=at].iter().rev();
    let wrong = message.clone().find_map(|line| quotations(line).first().cloned())?;
    let hints = report.iter().filter(|line| is_hint(line));
    let right = hints.filter_map(|line| quotations(line).pop()).find(|right| *right != wrong)?;
    Some(Change::Word { wrong, right })
}

/// `3 - old` followed by `3 + new` (or `3 ~ new`), as rustc shows a repair.
fn replaced_line(report: &[&str], number: usize) -> Option<String> {
    report.iter().find_map(|line| {
        let rest = line.trim_start().strip_prefix(&number.to_string())?.trim_start();
        let new = rest.strip_prefix("+ ").or_else(|| rest.strip_prefix("~ "))?;
        Some(new.to_owned())
    })
}

fn is_hint(line: &str) -> bool {
    const HINTS: &[&str] = &[
        "did you mean",
        "do you mean",
        "you meant",
        "similar name",
        "help:",
        "replace with",
        "replace it with",
        "suggestion",
        "instead",
        "try:",
        "try using",
        "rename to",
    ];
    let line = line.to_lowercase();
    HINTS.iter().any(|hint| line.contains(hint))
}

/// Everything between quotation marks that could be code.
fn quotations(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(open) = rest.find(['`', '\'', '"', '‘', '“']) {
        let mark = rest[open..].chars().next().unwrap_or('`');
        let close = match mark {
            '‘' => '’',
            '“' => '”',
            same => same,
        };
        let inner = &rest[open + mark.len_utf8()..];
        let Some(end) = inner.find(close) else { break };
        let text = &inner[..end];
        // An apostrophe opens nothing.
        let apostrophe = mark == '\'' && rest[..open].ends_with(char::is_alphanumeric);
        if apostrophe {
            rest = inner;
            continue;
        }
        if !text.is_empty() {
            found.push(text.to_owned());
        }
        rest = &inner[end + close.len_utf8()..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(&str, usize, &str, &str)>) {
        let found = find(text, None);
        let expect = expect.map(|(file, line, wrong, right)| Suggestion {
            file: file.to_owned(),
            line,
            change: match wrong {
                "" => Change::Line { new: right.to_owned() },
                _ => Change::Word { wrong: wrong.to_owned(), right: right.to_owned() },
            },
        });
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn suggestions_of_several_tools() {
        check(
            "error[E0425]: cannot find value `coutn` in this scope\n --> src/main.rs:3:20\n  |\n3 |     x(coutn);\n  |       ^^^^^ help: a local variable with a similar name exists: `count`\n",
            Some(("src/main.rs", 3, "coutn", "count")),
        );
        check(
            "error: x\n --> src/main.rs:3:20\nhelp: a similar name exists\n  |\n3 -     x(coutn);\n3 +     x(count);\n",
            Some(("src/main.rs", 3, "", "    x(count);")),
        );
        check(
            "src/a.ts(12,5): error TS2552: Cannot find name 'coutn'. Did you mean 'count'?",
            Some(("src/a.ts", 12, "coutn", "count")),
        );
        check(
            "src/a.ts:12:5 - error TS2552: Cannot find name 'coutn'. Did you mean 'count'?",
            Some(("src/a.ts", 12, "coutn", "count")),
        );
        check(
            "a.c:4:3: error: use of undeclared identifier 'prnt'; did you mean 'print'?",
            Some(("a.c", 4, "prnt", "print")),
        );
        check("src/a.rs:1:1: warning: don't use `x`", None);
        check("nothing here: 12", None);
        check("", None);
    }

    #[test]
    fn a_named_file_is_preferred() {
        let text = "a.c:1:1: error: 'p'; did you mean 'q'?\nb.c:2:1: error: 'r'; did you mean 's'?";
        assert_eq!(find(text, Some("b.c")).unwrap().line, 2);
        assert_eq!(find(text, Some("c.c")), None);
    }
}
