//! Commands that only look.

use serde_json::{Value, json};

use super::super::language::escape;
use super::super::lines;
use super::super::outline;
use super::super::script::{Pause, Script};
use super::super::view::plain;
use super::{block, code_block};

pub(super) fn read_file(script: &mut Script<'_>, file: &str) -> Result<String, Pause> {
    script.call("Read", json!({"file_path": script.absolute(file)}))
}

pub(super) fn read_lines(script: &mut Script<'_>, file: &str) -> Result<Vec<String>, Pause> {
    Ok(lines::of_read(&read_file(script, file)?))
}

pub(super) fn read(script: &mut Script<'_>, file: &str) -> Result<(), Pause> {
    let result = read_file(script, file)?;
    let lines = lines::of_read(&result);
    if lines.is_empty() {
        // A picture or a document comes without lines.
        let what = if result.contains("is empty") { "is empty" } else { "has no text to show" };
        script.say(format!("`{file}` {what}."));
        return Ok(());
    }
    script.say(format!("`{file}` has {}:", counted(lines.len(), "line")));
    script.say(code_block(file, &lines));
    Ok(())
}

pub(super) fn search(
    script: &mut Script<'_>,
    pattern: &str,
    path: Option<&str>,
) -> Result<(), Pause> {
    let mut input = json!({"pattern": pattern, "output_mode": "content", "-n": true});
    set_path(script, &mut input, path);
    let result = script.call("Grep", input)?;
    let found = result_lines(&result);
    let place = path.map(|path| format!(" in `{path}`")).unwrap_or_default();
    if found.is_empty() {
        script.say(format!("Nothing matches `{pattern}`{place}."));
        return Ok(());
    }
    script.say(format!("`{pattern}` matches {}{place}:", counted(found.len(), "line")));
    let shown: Vec<&str> = found.iter().map(|line| script.relative(line)).collect();
    script.say(block("", &shown.join("\n")));
    Ok(())
}

pub(super) fn find(script: &mut Script<'_>, glob: &str, path: Option<&str>) -> Result<(), Pause> {
    let mut input = json!({"pattern": glob});
    set_path(script, &mut input, path);
    let result = script.call("Glob", input)?;
    let found = result_lines(&result);
    if found.is_empty() {
        script.say(format!("No file matches `{glob}`."));
        return Ok(());
    }
    script.say(format!("`{glob}` matches {}:", counted(found.len(), "file")));
    let shown: Vec<&str> = found.iter().map(|line| script.relative(line)).collect();
    script.say(block("", &shown.join("\n")));
    Ok(())
}

pub(super) fn explain(script: &mut Script<'_>, target: &str, is_path: bool) -> Result<(), Pause> {
    if is_path {
        let lines = read_lines(script, target)?;
        script.say(outline::describe(target, &lines));
        return Ok(());
    }
    let pattern = whole_word(target);
    let input = json!({"pattern": pattern, "output_mode": "content", "-n": true});
    let result = script.call("Grep", input)?;
    let found: Vec<Hit> =
        result_lines(&result).iter().filter_map(|line| Hit::parse(line)).collect();
    let Some(best) = found.iter().find(|hit| outline::is_definition(&hit.text)).or(found.first())
    else {
        script.say(format!("`{target}` does not occur here; is it spelled like that?"));
        return Ok(());
    };
    let mut files: Vec<&str> = found.iter().map(|hit| hit.file.as_str()).collect();
    files.dedup();
    let (uses, spread) = (counted(found.len(), "line"), counted(files.len(), "file"));
    let lines = read_lines(script, &best.file)?;
    let name = script.relative(&best.file).to_owned();
    let what = if outline::is_definition(&best.text) { "is defined" } else { "is mentioned" };
    script.say(format!(
        "`{target}` {what} at line {} of `{name}`; it occurs on {uses} in {spread}:",
        best.line
    ));
    let from = best.line.saturating_sub(1).min(lines.len());
    let to = lines.len().min(from + 12);
    script.say(code_block(&name, &lines[from..to]));
    script.say(outline::describe(&name, &lines));
    Ok(())
}

/// One line of a Grep result: `file:line:text`.
struct Hit {
    file: String,
    line: usize,
    text: String,
}

impl Hit {
    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.splitn(3, ':');
        let (file, number, text) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Hit { file: file.to_owned(), line: number.parse().ok()?, text: text.to_owned() })
    }
}

/// A pattern that does not match inside longer names.
pub(super) fn whole_word(text: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let before = if is_word(text.chars().next()) { r"\b" } else { "" };
    let after = if is_word(text.chars().next_back()) { r"\b" } else { "" };
    format!("{before}{}{after}", escape(text))
}

pub(super) fn set_path(script: &Script<'_>, input: &mut Value, path: Option<&str>) {
    if let Some(path) = path {
        input["path"] = Value::String(script.absolute(path));
    }
}

/// The lines of a list, without the remarks that tools put around one.
pub(super) fn result_lines(result: &str) -> Vec<String> {
    let is_remark = |line: &str| {
        let counts = line.strip_prefix("Found ").and_then(|rest| rest.split(' ').nth(1));
        counts.is_some_and(|unit| ["file", "files", "total", "matches"].contains(&unit))
            || line.ends_with(" has a match:")
            || line.ends_with(" have a match:")
            || line.starts_with("No files found")
            || line.starts_with("No matches found")
            || line.starts_with('(')
            || line.starts_with('[')
            || line == "--"
    };
    let result = plain(result);
    let lines = result.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.filter(|line| !is_remark(line)).map(str::to_owned).collect()
}

pub(super) fn counted(count: usize, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}
