//! Decides what to say and which tools to call next.

use super::act::perform;
use super::inline::rewrite;
use super::language::{Command, parse};
use super::script::{Pause, Script};
use super::{Reply, View};

const INTRODUCTION: &str = "\
I am the **rehearsal model** that is built into Bowline: offline, free, and only as clever as a \
short list of commands (say `help`). For a real model set `ANTHROPIC_API_KEY`, or \
`OPENAI_BASE_URL` for a local server.";

const REMINDER: &str = "(This is the rehearsal model; `help` says what it understands.)";

pub(super) fn reply(view: &View) -> Reply {
    if let Some(question) = &view.inline {
        return Reply { text: rewrite(question), calls: Vec::new() };
    }
    let commands = parse(&view.prompt);
    let mut script = Script::new(view);
    if commands.is_empty() {
        script.say("What shall I do?");
    }
    for (at, command) in commands.iter().enumerate() {
        match perform(&mut script, command) {
            Ok(()) => {}
            Err(Pause::Calls(calls)) => {
                let text = introduced(view, &script.text(), false);
                return Reply { text, calls };
            }
            Err(Pause::Failed(why)) => {
                script.say(why);
                // After a failed run, `then fix it` is the very thing to do.
                if !matches!(commands.get(at + 1), Some(Command::Fix { .. })) {
                    left_out(&mut script, commands.len() - at - 1);
                    break;
                }
            }
        }
    }
    Reply { text: introduced(view, &script.text(), true), calls: Vec::new() }
}

fn left_out(script: &mut Script<'_>, count: usize) {
    match count {
        0 => {}
        1 => script.say("I left out the step after that."),
        _ => script.say(format!("I left out the {count} steps after that.")),
    }
}

/// Nobody should ever take this model for a real one: the first answer explains, every later turn
/// ends with a reminder.
fn introduced(view: &View, text: &str, is_end: bool) -> String {
    let mut parts = Vec::new();
    if view.is_first_answer {
        parts.push(INTRODUCTION);
    }
    if !text.is_empty() {
        parts.push(text);
    }
    if is_end && !view.is_first_answer {
        parts.push(REMINDER);
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests;
