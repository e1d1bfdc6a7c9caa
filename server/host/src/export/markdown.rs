//! A session as Markdown: what was asked, what was answered, what was done, with short results.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

use agent::{Block, Record, ResultPart};
use serde_json::Value;

use crate::store::{self, History, Sidechain};

/// So much of a result is shown.
const LINES: usize = 20;
const BYTES: usize = 2_000;

/// The results of calls, by their ids.
type Results = HashMap<String, (String, bool)>;

pub(super) fn render(journal: &Path, agents: &[Sidechain]) -> Result<String, String> {
    let history = History::read(journal)?;
    let id = journal.file_stem().unwrap_or_default().to_string_lossy();
    let mut out = String::new();
    let title = history.title.text().unwrap_or("A session");
    let _ = writeln!(out, "# {title}\n");
    let _ = writeln!(out, "- Session: `{id}`\n- Folder: `{}`", history.cwd.display());
    let _ = writeln!(out, "- Model: `{}`", history.model);
    if let Some(began) = i64::try_from(history.began)
        .ok()
        .filter(|began| *began > 0)
        .and_then(chrono::DateTime::from_timestamp_millis)
    {
        let _ = writeln!(out, "- Began: {}", began.format("%Y-%m-%d %H:%M UTC"));
    }
    conversation(&mut out, &history, "##", &HashSet::new());
    let known: HashSet<String> = history.records().filter_map(|record| id_of(&record)).collect();
    for agent in agents {
        let Some(path) = store::sidechain(journal, &agent.id) else { continue };
        let Ok(history) = History::read(&path) else { continue };
        if let Record::Agent { agent: kind, name, description, .. } = &agent.record {
            let name = name.as_ref().map(|name| format!(" {name:?}")).unwrap_or_default();
            let _ = writeln!(out, "\n## Agent `{}`: {kind}{name}, {description}\n", agent.id);
            let _ = writeln!(out, "- Model: `{}`", history.model);
        }
        conversation(&mut out, &history, "###", &known);
    }
    Ok(out)
}

fn id_of(record: &Record) -> Option<String> {
    match record {
        Record::User { id, .. } | Record::Assistant { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// What was said, but for what is known: a fork begins with the conversation of its parent.
fn conversation(out: &mut String, history: &History, level: &str, known: &HashSet<String>) {
    let results: Results = history.records().flat_map(results_of).collect();
    let mut speaker = "";
    for record in history.records() {
        let (who, content) = match &record {
            Record::User { content, .. } => ("User", content),
            Record::Assistant { content, .. } => ("Assistant", content),
            Record::Compacted { .. } => {
                out.push_str("\n*Everything before this was summed up for the model here.*\n");
                continue;
            }
            _ => continue,
        };
        if id_of(&record).is_some_and(|id| known.contains(&id)) {
            continue;
        }
        let mut said = String::new();
        content.iter().for_each(|block| show(&mut said, block, &results));
        if said.is_empty() {
            continue;
        }
        if who != speaker || who == "User" {
            let _ = writeln!(out, "\n{level} {who}");
            speaker = who;
        }
        out.push_str(&said);
    }
}

fn results_of(record: Record) -> Vec<(String, (String, bool))> {
    let (Record::Results { content, .. } | Record::User { content, .. }) = record else {
        return Vec::new();
    };
    let result = |block| match block {
        Block::ToolResult { tool_use_id, content, is_error } => {
            let parts: Vec<_> = content.iter().map(part).collect();
            Some((tool_use_id, (parts.join("\n"), is_error)))
        }
        _ => None,
    };
    content.into_iter().filter_map(result).collect()
}

fn part(part: &ResultPart) -> &str {
    match part {
        ResultPart::Text { text } => text,
        ResultPart::Image { .. } => "[image]",
        ResultPart::Other(value) if value["type"] == "document" => "[document]",
        ResultPart::Other(_) => "[attachment]",
    }
}

fn show(out: &mut String, block: &Block, results: &Results) {
    match block {
        Block::Text { text } if tools::is_reminder(text) || text.trim().is_empty() => {}
        Block::Text { text } => {
            let _ = writeln!(out, "\n{}", text.trim_end());
        }
        Block::Image { .. } => out.push_str("\n*[image]*\n"),
        Block::Other(value) if value["type"] == "document" => {
            let title = value["title"].as_str().unwrap_or_default();
            let _ = writeln!(out, "\n*[document {title}]*");
        }
        Block::ToolUse { id, name, input } => {
            call(out, name, input);
            if let Some((text, failed)) = results.get(id) {
                let word = if *failed { "Failed" } else { "Result" };
                let _ = writeln!(out, "\n{word}:\n\n{}", fenced("", &short(text)));
            }
        }
        _ => {}
    }
}

fn call(out: &mut String, name: &str, input: &Value) {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let (subject, body) = match (text("command"), text("file_path"), text("new_string")) {
        (Some(command), ..) => (None, fenced("sh", command)),
        (_, Some(path), Some(new)) => {
            let old = text("old_string").unwrap_or_default();
            (Some(path), fenced("diff", &changed(old, new)))
        }
        (_, Some(path), None) => match text("content") {
            Some(content) => (Some(path), fenced("diff", &changed("", content))),
            None => (Some(path), String::new()),
        },
        _ => (None, fenced("json", &short(&format!("{input:#}")))),
    };
    let _ = write!(out, "\n**{name}**");
    if let Some(subject) = subject {
        let _ = write!(out, " `{subject}`");
    }
    let gap = if body.is_empty() { "" } else { "\n\n" };
    let _ = writeln!(out, "{gap}{body}");
}

/// What went and what came, with the lines around that both have.
fn changed(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let before = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old[before..].iter().rev().zip(new[before..].iter().rev());
    let after = rest.take_while(|(old, new)| old == new).count();
    let with = |sign: char, lines: &[&str]| {
        lines.iter().map(|line| format!("{sign}{line}\n")).collect::<String>()
    };
    [
        with(' ', &old[..before]),
        with('-', &old[before..old.len() - after]),
        with('+', &new[before..new.len() - after]),
        with(' ', &old[old.len() - after..]),
    ]
    .concat()
}

fn short(text: &str) -> String {
    let text = text.trim_end();
    let shown: Vec<_> = text.lines().take(LINES).collect();
    let mut shown = shown.join("\n");
    if shown.len() > BYTES {
        shown.truncate(shown.floor_char_boundary(BYTES));
    }
    if shown.len() < text.len() {
        let left = text.lines().count().saturating_sub(shown.lines().count());
        let more = if left > 0 { format!("{left} more lines") } else { "and more".to_owned() };
        let _ = write!(shown, "\n… ({more})");
    }
    shown
}

/// Between fences that nothing inside can close.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_hold() {
        for (text, expect) in
            [("a", "```\na\n```"), ("```x```", "````\n```x```\n````"), ("", "```\n\n```")]
        {
            assert_eq!(fenced("", text), expect);
        }
    }

    #[test]
    fn changes_are_lines() {
        for (old, new, expect) in [
            ("a\nb\nc", "a\nx\nc", " a\n-b\n+x\n c\n"),
            ("", "new\n", "+new\n"),
            ("a\na", "a", " a\n-a\n"),
            ("same", "same", " same\n"),
        ] {
            assert_eq!(changed(old, new), expect, "{old:?} {new:?}");
        }
    }

    #[test]
    fn long_results_are_cut() {
        let many = "line\n".repeat(100);
        assert!(short(&many).ends_with("line\n… (80 more lines)"), "{}", short(&many));
        assert_eq!(short("one\n"), "one");
    }
}
