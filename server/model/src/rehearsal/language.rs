//! The small command language, in plain words. Lenient about phrasing, and honest about what it did
//! not understand.

use super::words::{Step, Token, TokenKind, steps};

mod phrases;

pub(super) use phrases::escape;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    Help,
    Read { file: String },
    Search { pattern: String, path: Option<String> },
    Find { glob: String, path: Option<String> },
    Replace { old: String, new: String, file: Option<String> },
    Rename { symbol: String, new: String, path: Option<String> },
    Create { file: String, text: String },
    Append { file: String, text: String },
    Run { command: String },
    Explain { target: String, is_path: bool },
    Todo { items: Vec<String> },
    Fix { file: Option<String> },
    SayWords { count: usize },
    Echo { text: String },
    Unknown { text: String },
}

/// What a prompt asks for, step by step.
pub(super) fn parse(prompt: &str) -> Vec<Command> {
    let steps = steps(prompt);
    let mut commands: Vec<Command> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let command = command(step);
        match (commands.last_mut(), command) {
            // A list below its heading.
            (None, Command::Todo { items }) if items.is_empty() => {
                let items = steps[at + 1..].iter().map(|step| step.raw.to_owned()).collect();
                return vec![Command::Todo { items }];
            }
            // The diagnostic itself, below the request to fix it.
            (Some(Command::Fix { .. }), Command::Unknown { .. }) => {}
            (Some(Command::Unknown { text }), Command::Unknown { text: more }) => {
                text.push('\n');
                text.push_str(&more);
            }
            (_, command) => commands.push(command),
        }
    }
    commands
}

fn command(step: &Step<'_>) -> Command {
    let tokens = without_courtesy(&step.tokens);
    let Some(first) = tokens.first() else {
        return Command::Unknown { text: step.raw.to_owned() };
    };
    let raw_start = step.tokens.first().map_or(0, |token| token.start);
    let phrase = Phrase { verb: first.plain(), rest: &tokens[1..], raw: step.raw, raw_start };
    let understood = match phrase.verb.as_str() {
        "help" | "hi" | "hello" | "hey" | "commands" | "" if !first.is_quoted() => phrase.help(),
        "read" | "show" | "open" | "cat" | "view" | "print" | "display" => phrase.read(),
        "search" | "grep" | "look" | "find" | "locate" | "glob" | "list" | "ls" => phrase.find(),
        "replace" | "change" | "substitute" | "swap" => phrase.replace(),
        "remove" | "delete" => phrase.remove(),
        "rename" => phrase.rename(),
        "create" | "write" | "make" | "new" | "touch" => phrase.create(),
        "append" | "add" | "insert" => phrase.append(),
        "run" | "execute" | "exec" | "$" => phrase.run(),
        "explain" | "describe" | "summarize" | "summarise" | "outline" | "what" | "what's" => {
            phrase.explain()
        }
        "todo" | "todos" | "plan" => phrase.todo(),
        "fix" | "repair" | "correct" => Some(phrase.fix()),
        "say" | "count" => phrase.say(),
        _ => None,
    };
    understood.unwrap_or_else(|| Command::Unknown { text: step.raw.to_owned() })
}

/// `Could you please now …` asks for the same as `…`.
fn without_courtesy(tokens: &[Token]) -> &[Token] {
    const COURTESY: &[&str] = &[
        "please", "kindly", "now", "also", "first", "next", "finally", "and", "can", "could",
        "would", "will", "you", "i", "i'd", "want", "like", "to", "let's", "lets", "let", "us",
        "ok", "okay", "just", "need",
    ];
    let is_courtesy =
        |token: &Token| token.kind == TokenKind::Word && COURTESY.contains(&token.plain().as_str());
    let skip = tokens.iter().take_while(|token| is_courtesy(token)).count();
    &tokens[skip..]
}

/// A step that begins with a verb.
struct Phrase<'a> {
    verb: String,
    rest: &'a [Token],
    /// The step as it was typed, and where that begins in the prompt.
    raw: &'a str,
    raw_start: usize,
}

#[cfg(test)]
mod tests;
