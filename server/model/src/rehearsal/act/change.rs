//! Commands that change files. Every one reads first: an edit of text nobody has seen is a guess.

use serde_json::json;

use super::super::Call;
use super::super::diagnostics::{self, Change};
use super::super::language::escape;
use super::super::lines::{self, count_word, replace_word, unique_edit};
use super::super::script::{Pause, Script};
use super::look::{counted, read_file, read_lines, result_lines, set_path, whole_word};

/// How many files are read at once.
const BATCH: usize = 10;

fn edit(script: &mut Script<'_>, file: &str, old: &str, new: &str, all: bool) -> Result<(), Pause> {
    let mut input =
        json!({"file_path": script.absolute(file), "old_string": old, "new_string": new});
    if all {
        input["replace_all"] = true.into();
    }
    script.call("Edit", input).map(drop)
}

pub(super) fn replace(
    script: &mut Script<'_>,
    old: &str,
    new: &str,
    file: &str,
) -> Result<(), Pause> {
    let shown = read_file(script, file)?;
    let is_partial = lines::is_partial(&shown);
    let count = lines::of_read(&shown).join("\n").matches(old).count();
    if old.is_empty() || (count == 0 && !is_partial) {
        return Err(Pause::Failed(format!(
            "`{file}` does not contain `{old}`; nothing was changed."
        )));
    }
    edit(script, file, old, new, count != 1 || is_partial)?;
    script.say(format!("Replaced `{old}` with `{new}` in `{file}` ({}).", counted(count, "place")));
    Ok(())
}

pub(super) fn replace_everywhere(
    script: &mut Script<'_>,
    old: &str,
    new: &str,
) -> Result<(), Pause> {
    let files = matching_files(script, &escape(old), None)?;
    let texts = read_all(script, &files)?;
    let mut tally = Tally::default();
    for (file, lines) in files.iter().zip(texts) {
        let Some(lines) = lines else {
            tally.skipped.push(file);
            continue;
        };
        let count = lines.join("\n").matches(old).count();
        if count > 0 {
            edit(script, file, old, new, count != 1)?;
        }
        tally.add(count);
    }
    tally.report(script, &format!("Replaced `{old}` with `{new}`"), old);
    Ok(())
}

pub(super) fn rename(
    script: &mut Script<'_>,
    symbol: &str,
    new: &str,
    path: Option<&str>,
) -> Result<(), Pause> {
    let files = matching_files(script, &whole_word(symbol), path)?;
    let texts = read_all(script, &files)?;
    let mut tally = Tally::default();
    for (file, lines) in files.iter().zip(texts) {
        match lines {
            Some(lines) => tally.add(rename_in(script, file, lines, symbol, new)?),
            None => tally.skipped.push(file),
        }
    }
    tally.report(script, &format!("Renamed `{symbol}` to `{new}`"), symbol);
    Ok(())
}

/// What became of the files that were to be changed.
#[derive(Default)]
struct Tally<'f> {
    places: usize,
    files: usize,
    /// Not seen whole, so not touched.
    skipped: Vec<&'f str>,
}

impl Tally<'_> {
    fn add(&mut self, places: usize) {
        self.places += places;
        self.files += usize::from(places > 0);
    }

    fn report(&self, script: &mut Script<'_>, done: &str, old: &str) {
        if self.places > 0 {
            let (places, files) = (counted(self.places, "place"), counted(self.files, "file"));
            script.say(format!("{done}: {places} in {files}."));
        } else {
            script.say(format!("`{old}` does not occur in a file I could change."));
        }
        if !self.skipped.is_empty() {
            let names = self.skipped.join("`, `");
            script.say(format!("I left `{names}` alone, because I could not see all of it."));
        }
    }
}

/// One edit for the whole file where that is safe; one per line where the name is also a part of
/// other names.
fn rename_in(
    script: &mut Script<'_>,
    file: &str,
    mut lines: Vec<String>,
    symbol: &str,
    new: &str,
) -> Result<usize, Pause> {
    let text = lines.join("\n");
    let alone = count_word(&text, symbol);
    if alone == 0 {
        return Ok(0);
    }
    if alone == text.matches(symbol).count() {
        edit(script, file, symbol, new, true)?;
        return Ok(alone);
    }
    for at in 0..lines.len() {
        if count_word(&lines[at], symbol) > 0 {
            let line = replace_word(&lines[at], symbol, new);
            let (old, replaced) = unique_edit(&lines, at, &line);
            edit(script, file, &old, &replaced, false)?;
            lines[at] = line;
        }
    }
    Ok(alone)
}

fn matching_files(
    script: &mut Script<'_>,
    pattern: &str,
    path: Option<&str>,
) -> Result<Vec<String>, Pause> {
    let mut input = json!({"pattern": pattern, "output_mode": "files_with_matches"});
    set_path(script, &mut input, path);
    let result = script.call("Grep", input)?;
    Ok(result_lines(&result))
}

/// `None` for a file that cannot be read, or not to its end.
fn read_all(script: &mut Script<'_>, files: &[String]) -> Result<Vec<Option<Vec<String>>>, Pause> {
    let mut texts = Vec::with_capacity(files.len());
    for batch in files.chunks(BATCH) {
        let read = |file: &String| Call {
            name: "Read",
            input: json!({"file_path": script.absolute(file)}),
        };
        let calls = batch.iter().map(read).collect();
        let outcomes = script.together(calls)?;
        let whole = |outcome: Result<String, String>| {
            outcome.ok().filter(|shown| !lines::is_partial(shown))
        };
        texts.extend(
            outcomes.into_iter().map(|outcome| whole(outcome).map(|shown| lines::of_read(&shown))),
        );
    }
    Ok(texts)
}

pub(super) fn create(script: &mut Script<'_>, file: &str, text: &str) -> Result<(), Pause> {
    let mut content = text.to_owned();
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    let path = script.absolute(file);
    let input = json!({"file_path": path, "content": content});
    if let Err(error) = script.attempt("Write", input.clone())? {
        // A file that exists must have been seen before it is overwritten.
        if !error.to_lowercase().contains("read it") {
            return Err(Pause::Failed(format!("Write did not work: {}", first_line(&error))));
        }
        script.call("Read", json!({"file_path": path}))?;
        script.call("Write", input)?;
    }
    script.say(format!("Wrote `{file}` ({}).", counted(content.lines().count(), "line")));
    Ok(())
}

pub(super) fn append(script: &mut Script<'_>, file: &str, text: &str) -> Result<(), Pause> {
    let text = text.trim_end_matches('\n');
    let input = json!({"file_path": script.absolute(file)});
    let Ok(shown) = script.attempt("Read", input)? else {
        return create(script, file, text);
    };
    let lines = lines::of_read(&shown);
    let Some(last) = lines.last() else {
        return create(script, file, text);
    };
    if lines::is_partial(&shown) {
        let text = format!("`{file}` is too long for me to find its end; nothing was changed.");
        return Err(Pause::Failed(text));
    }
    let (old, new) = unique_edit(&lines, lines.len() - 1, &format!("{last}\n{text}"));
    edit(script, file, &old, &new, false)?;
    script.say(format!("Appended {} to `{file}`.", counted(text.lines().count(), "line")));
    Ok(())
}

pub(super) fn fix(script: &mut Script<'_>, file: Option<&str>) -> Result<(), Pause> {
    let asked = diagnostics::find(&script.view.raw_prompt, file);
    let found =
        asked.or_else(|| script.tool_texts().find_map(|text| diagnostics::find(text, file)));
    let Some(suggestion) = found else {
        let text = "I can apply a repair that a compiler or an editor suggests, but I see none \
                    here: paste its message (`FILE:LINE: … did you mean …`), or ask me to `run` \
                    the check first and then to `fix it`.";
        return Err(Pause::Failed(text.to_owned()));
    };
    let file = suggestion.file.as_str();
    let lines = read_lines(script, file)?;
    let at = suggestion.line - 1;
    let new = match (&suggestion.change, lines.get(at)) {
        (Change::Line { new }, Some(_)) => new.clone(),
        (Change::Word { wrong, right }, Some(line)) => replace_word(line, wrong, right),
        (_, None) => {
            let text = format!("`{file}` has no line {} any more.", suggestion.line);
            return Err(Pause::Failed(text));
        }
    };
    if new == lines[at] {
        let text = format!(
            "Line {} of `{file}` does not hold the mistake any more; nothing was changed.",
            suggestion.line
        );
        return Err(Pause::Failed(text));
    }
    let (old, replaced) = unique_edit(&lines, at, &new);
    edit(script, file, &old, &replaced, false)?;
    script.say(format!(
        "Applied the suggestion at line {} of `{file}`: `{}`.",
        suggestion.line,
        new.trim()
    ));
    Ok(())
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason was given")
}
