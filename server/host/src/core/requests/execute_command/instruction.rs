//! What to do with a selection, when the editor has no field to type it in: a comment that says so,
//! or one of a few wishes everybody has.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::core::door::Door;

/// Who has not chosen by then has gone.
const CHOSEN_WITHIN: Duration = Duration::from_secs(5 * 60);
const INFO: u8 = 3;

/// The title in the message box, and the instruction it stands for.
const WISHES: [(&str, &str); 4] = [
    ("Simplify", "Simplify this without changing what it does."),
    ("Add error handling", "Handle the errors that can happen here, in the way of this file."),
    ("Make it faster", "Make this faster without changing what it does."),
    ("Add types and comments", "Add the types and the comments that a reader misses here."),
];

#[derive(Serialize)]
struct MessageRequest {
    r#type: u8,
    message: &'static str,
    actions: Vec<Title>,
}

#[derive(Serialize, Deserialize)]
struct Title {
    title: String,
}

/// Asks the user; nothing when the box was closed.
pub(super) async fn ask(door: &Arc<Door>) -> Option<String> {
    let actions = WISHES.iter().map(|(title, _)| Title { title: (*title).to_owned() }).collect();
    let message = "What shall Bowline do with the selection? (Or write it in a comment on the line \
                   above, and ask again.)";
    let params = MessageRequest { r#type: INFO, message, actions };
    let asked = door.ask("window/showMessageRequest", &params);
    let chosen = asked.answer::<Option<Title>>(CHOSEN_WITHIN).await.ok().flatten()?;
    let wish = WISHES.iter().find(|(title, _)| *title == chosen.title);
    wish.map(|(_, instruction)| (*instruction).to_owned())
}

/// How a comment of one line begins, and ends where it has to. Those that document come first,
/// because they begin like others and are no instruction.
const DOCUMENTING: [&str; 5] = ["///", "//!", "/**", "#!", "\"\"\""];
const COMMENTS: [(&str, &str); 8] = [
    ("//", ""),
    ("#", ""),
    ("--", ""),
    (";", ""),
    ("%", ""),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{-", "-}"),
];

/// The words of a line that is a comment and nothing else.
pub(super) fn in_comment(line: &str) -> Option<String> {
    let line = line.trim();
    if DOCUMENTING.iter().any(|mark| line.starts_with(mark)) {
        return None;
    }
    let words = COMMENTS.iter().find_map(|(open, close)| {
        let inside = line.strip_prefix(open)?.strip_suffix(close)?;
        Some(inside.trim_start_matches(open).trim())
    })?;
    // A row of signs is a line across the page.
    words.contains(char::is_alphanumeric).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_tell_what_to_do() {
        let check = |line: &str, expect: Option<&str>| {
            assert_eq!(in_comment(line).as_deref(), expect, "{line:?}");
        };
        check("    // make this shorter\n", Some("make this shorter"));
        check("# use a list comprehension\r\n", Some("use a list comprehension"));
        check("## really", Some("really"));
        check("-- no cursor", Some("no cursor"));
        check("/* inline it */", Some("inline it"));
        check("<!-- sort them -->", Some("sort them"));
        check("/* inline it", None);
        check("/// Paints the hull.", None);
        check("/** Paints the hull. */", None);
        check("#!/bin/sh", None);
        check("// ----------", None);
        check("let a = 1; // not here", None);
        check("", None);
    }
}
