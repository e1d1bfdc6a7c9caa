//! Inline edits: the few rewritings of a selection that need no understanding, and for everything
//! else a comment above it, so that whoever tries one without a key sees it land.

use agent::inline::Question;

use super::diagnostics::{self, Change};
use super::language::{Command, parse};
use super::lines::replace_word;

/// What takes the place of the selection.
pub(super) fn rewrite(question: &Question) -> String {
    let selection = &question.selection;
    let changed = if question.problems.is_empty() {
        obey(&question.instruction, selection)
    } else {
        mend(question)
    };
    match changed {
        // An empty answer says nothing; an empty block removes.
        Some(text) if text.is_empty() => "```\n```".to_owned(),
        Some(text) => text,
        None => remark(question),
    }
}

fn obey(instruction: &str, selection: &str) -> Option<String> {
    let mut text = selection.to_owned();
    for command in parse(instruction) {
        text = match command {
            Command::Replace { old, new, .. } if !old.is_empty() => text.replace(&old, &new),
            Command::Rename { symbol, new, .. } => replace_word(&text, &symbol, &new),
            _ => return None,
        };
    }
    (text != selection).then_some(text)
}

/// Applies what the problems themselves suggest.
fn mend(question: &Question) -> Option<String> {
    let mut lines: Vec<String> = question.selection.lines().map(str::to_owned).collect();
    let mut mended = false;
    for problem in &question.problems {
        let Some((number, message)) =
            problem.strip_prefix("line ").and_then(|rest| rest.split_once(": "))
        else {
            continue;
        };
        // As compilers print it, which is what can be read.
        let report = format!("selection.txt:{number}: {message}");
        let Some(suggestion) = diagnostics::find(&report, None) else { continue };
        let at = suggestion.line.checked_sub(question.line);
        let Some(line) = at.and_then(|at| lines.get_mut(at)) else { continue };
        let new = match suggestion.change {
            Change::Line { new } => new,
            Change::Word { wrong, right } => replace_word(line, &wrong, &right),
        };
        mended |= *line != new;
        *line = new;
    }
    mended.then(|| lines.join("\n"))
}

/// A comment with the instruction, indented like the line it stands above.
fn remark(question: &Question) -> String {
    let first = question.selection.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let indent = &first[..first.len() - first.trim_start().len()];
    let wish = question.instruction.lines().next().unwrap_or_default().trim_end_matches('.');
    let (open, close) = comment(&question.path);
    let remark = format!("{indent}{open} Rehearsal model, asked: {wish}.{close}");
    let selection = question.selection.trim_start_matches('\n');
    if selection.is_empty() { remark } else { format!("{remark}\n{selection}") }
}

fn comment(path: &str) -> (&'static str, &'static str) {
    match path.rsplit('.').next().unwrap_or_default() {
        "py" | "pyi" | "sh" | "bash" | "zsh" | "rb" | "toml" | "yml" | "yaml" | "txt" => ("#", ""),
        "lua" | "sql" | "hs" => ("--", ""),
        "md" | "html" | "xml" | "vue" | "svelte" => ("<!--", " -->"),
        "css" => ("/*", " */"),
        _ => ("//", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, instruction: &str, problems: &[&str], expect: &str) {
        let question = Question {
            path: path.into(),
            line: 3,
            selection: "    let coutn = 1;\n    use(coutn);\n".into(),
            problems: problems.iter().map(|problem| (*problem).to_owned()).collect(),
            instruction: instruction.into(),
            ..Question::default()
        };
        assert_eq!(rewrite(&question), expect);
    }

    #[test]
    fn what_is_plain_is_done_and_the_rest_is_a_comment() {
        check("a.rs", "rename coutn to count", &[], "    let count = 1;\n    use(count);\n");
        check("a.rs", "replace \"= 1\" with \"= 2\"", &[], "    let coutn = 2;\n    use(coutn);\n");
        check(
            "a.rs",
            "Simplify this.",
            &[],
            "    // Rehearsal model, asked: Simplify this.\n    let coutn = 1;\n    use(coutn);\n",
        );
        check(
            "a.md",
            "Document",
            &[],
            "    <!-- Rehearsal model, asked: Document. -->\n    let coutn = 1;\n    use(coutn);\n",
        );
    }

    #[test]
    fn problems_that_say_how_are_mended() {
        let problem = "line 4: cannot find value `coutn`, did you mean `count`? [rustc]";
        check("a.rs", "Fix it.", &[problem], "    let coutn = 1;\n    use(count);");
        let vague = "line 4: this is wrong";
        check(
            "a.rs",
            "Fix it.",
            &[vague],
            "    // Rehearsal model, asked: Fix it.\n    let coutn = 1;\n    use(coutn);\n",
        );
    }

    #[test]
    fn a_caret_gets_a_comment() {
        let question =
            Question { path: "a.py".into(), instruction: "x".into(), ..Question::default() };
        assert_eq!(rewrite(&question), "# Rehearsal model, asked: x.");
    }
}
