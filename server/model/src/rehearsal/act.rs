//! Carries commands out: each is a script of tool calls and what is said about them.

mod change;
mod look;
mod plan;

use serde_json::json;

use super::language::Command;
use super::outline;
use super::script::{Pause, Script};
use super::view::plain;

pub(super) const HELP: &str = "\
Here is what I understand; join steps with `then` or put each on its own line:

- `read FILE`, `explain FILE` or `explain NAME`
- `search PATTERN [in PATH]`, `find *.rs`, `list files [in PATH]`
- `replace \"A\" with \"B\" [in FILE]`, `rename NAME to NEW [in PATH]`
- `create FILE with \"TEXT\"` (or a code block), `append \"TEXT\" to FILE`
- `run COMMAND` or `$ COMMAND`
- `todo: first; second; third`
- `fix this: …` with a compiler's message that suggests a repair, or `fix it` after a run";

pub(super) fn perform(script: &mut Script<'_>, command: &Command) -> Result<(), Pause> {
    match command {
        Command::Help => script.say(HELP),
        Command::Read { file } => look::read(script, file)?,
        Command::Search { pattern, path } => look::search(script, pattern, path.as_deref())?,
        Command::Find { glob, path } => look::find(script, glob, path.as_deref())?,
        Command::Explain { target, is_path } => look::explain(script, target, *is_path)?,
        Command::Replace { old, new, file: Some(file) } => {
            change::replace(script, old, new, file)?;
        }
        Command::Replace { old, new, file: None } => change::replace_everywhere(script, old, new)?,
        Command::Rename { symbol, new, path } => {
            change::rename(script, symbol, new, path.as_deref())?;
        }
        Command::Create { file, text } => change::create(script, file, text)?,
        Command::Append { file, text } => change::append(script, file, text)?,
        Command::Fix { file } => change::fix(script, file.as_deref())?,
        Command::Run { command } => run(script, command)?,
        Command::Todo { items } => plan::todo(script, items)?,
        Command::SayWords { count } => script.say(words(*count)),
        Command::Echo { text } => script.say(text),
        Command::Unknown { text } => {
            let line = text.lines().next().unwrap_or_default();
            script.say(format!("I did not understand “{}”.", outline_text(line)));
            script.say(HELP);
        }
    }
    Ok(())
}

fn outline_text(line: &str) -> String {
    let mut short: String = line.chars().take(120).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

fn run(script: &mut Script<'_>, command: &str) -> Result<(), Pause> {
    let description = format!("Run {}", outline_text(command));
    let input = json!({"command": command, "description": description});
    let outcome = script.attempt("Bash", input)?;
    match outcome.map(|output| plain(&output)).map_err(|error| plain(&error)) {
        Ok(output) if matches!(output.trim(), "" | "(no output)") => {
            script.say(format!("`{}` ran and printed nothing.", outline_text(command)));
        }
        Ok(output) => {
            script.say(format!("`{}` printed:", outline_text(command)));
            script.say(block("", &output));
        }
        Err(error) => {
            let said = block("", &error);
            let text = format!("`{}` did not succeed:\n\n{said}", outline_text(command));
            return Err(Pause::Failed(text));
        }
    }
    Ok(())
}

/// A code block of at most a screenful.
fn block(tag: &str, text: &str) -> String {
    const SHOWN: usize = 30;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = lines.iter().take(SHOWN).copied().collect::<Vec<_>>().join("\n");
    // A block that holds a fence needs a longer one around it.
    let fence = if shown.contains("```") { "````" } else { "```" };
    let mut text = format!("{fence}{tag}\n{shown}\n{fence}");
    if lines.len() > SHOWN {
        text.push_str(&format!("\n\n… and {} more lines.", lines.len() - SHOWN));
    }
    text
}

fn code_block(name: &str, lines: &[String]) -> String {
    block(outline::language(name).tag(), &lines.join("\n"))
}

/// The same words in the same order, for measuring.
fn words(count: usize) -> String {
    const WORDS: [&str; 12] = [
        "the", "bowline", "holds", "under", "load", "and", "opens", "with", "one", "push", "every",
        "time",
    ];
    let mut text = String::with_capacity(count * 6);
    for number in 0..count {
        if number > 0 {
            text.push(if number % WORDS.len() == 0 { '\n' } else { ' ' });
        }
        text.push_str(WORDS[number % WORDS.len()]);
    }
    text
}
