//! What the sandbox refused a command, and what it made that did not stay: told to the model with
//! the way out.

use exec::Denial;

use crate::world::{Shelter, refusal};

/// Whether the user does not want to hear of it. What a command made is always told.
pub(super) fn is_untold(command: &str, denial: &Denial, shelter: &Shelter) -> bool {
    if matches!(denial, Denial::Obeyed { .. }) {
        return false;
    }
    let text = refusal(denial);
    shelter.untold.iter().any(|(pattern, parts)| {
        let named = pattern == "*" || policy::names_command(command, pattern);
        named && parts.iter().any(|part| text.contains(part.as_str()))
    })
}

/// A sentence or two for each kind of thing.
pub(super) fn notes_on_refused(
    command: &str,
    denials: &[Denial],
    shelter: Option<&Shelter>,
) -> Vec<String> {
    let may_be_left = shelter.is_some_and(|shelter| shelter.may_be_left);
    let (made, refused): (Vec<&Denial>, Vec<&Denial>) =
        denials.iter().partition(|denial| matches!(denial, Denial::Obeyed { .. }));
    let mut notes = Vec::new();
    if !refused.is_empty() {
        let texts: Vec<String> = refused.iter().map(|denial| refusal(denial)).collect();
        let mut note = format!("The sandbox refused: {}.", texts.join("; "));
        let writes = refused.iter().any(|denial| matches!(denial, Denial::Write(_)));
        if writes && command.split_whitespace().any(|word| word == "git") {
            note.push_str(" Git may have stopped half-way: look at `git status`.");
        }
        if may_be_left {
            note.push_str(
                " If the task needs exactly that, run the command again with \
                 dangerouslyDisableSandbox; the user will be asked.",
            );
        }
        notes.push(note);
    }
    notes.extend(note_on_made(&made, may_be_left));
    notes
}

fn note_on_made(made: &[&Denial], may_be_left: bool) -> Option<String> {
    let describe = |denial: &&&Denial| match denial {
        Denial::Obeyed { path, why, aside } => {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            let aside = aside.as_ref().map(|place| format!(", moved to {}", place.display()));
            Some(format!("{}{why}{}", path.display(), aside.unwrap_or_default()))
        }
        _ => None,
    };
    let is_moved = |denial: &&&Denial| matches!(denial, Denial::Obeyed { aside: Some(_), .. });
    let moved: Vec<String> = made.iter().filter(is_moved).filter_map(|it| describe(&it)).collect();
    let left: Vec<String> =
        made.iter().filter(|it| !is_moved(it)).filter_map(|it| describe(&it)).collect();
    let mut note = String::new();
    if !moved.is_empty() {
        note.push_str(&format!(
            "The command made what other programs obey, outside the sandbox too, so it was taken \
             away: {}. If the task needs it, write it with Write or Edit{}; the user will be asked.",
            moved.join("; "),
            if may_be_left { ", or run the command with dangerouslyDisableSandbox" } else { "" },
        ));
    }
    if !left.is_empty() {
        let blank = if note.is_empty() { "" } else { " " };
        note.push_str(&format!(
            "{blank}The command made or changed what other programs obey; tell the user to look at \
             it: {}.",
            left.join("; ")
        ));
    }
    (!note.is_empty()).then_some(note)
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn obeyed(path: &str, why: &str, aside: Option<&str>) -> Denial {
        Denial::Obeyed { path: path.into(), why: why.to_owned(), aside: aside.map(Into::into) }
    }

    #[test]
    fn what_is_told_depends_on_what_happened() {
        let shelter = Shelter {
            description: String::new(),
            quiet: true,
            excluded: Vec::new(),
            untold: Vec::new(),
            may_be_left: true,
        };
        let check = |command: &str, denials: &[Denial], expect: &[&[&str]]| {
            let notes = notes_on_refused(command, denials, Some(&shelter));
            assert_eq!(notes.len(), expect.len(), "{notes:?}");
            for (note, parts) in notes.iter().zip(expect) {
                parts.iter().for_each(|part| assert!(note.contains(part), "{note}: {part}"));
            }
        };
        check("ls", &[], &[]);
        let write = Denial::Write("/etc/x".into());
        check("ls", from_ref(&write), &[&["refused: write /etc/x.", "dangerouslyDisableSandbox"]]);
        check("cd x && git switch y", from_ref(&write), &[&["half-way"]]);
        let moved = obeyed("/w/s/.git/config", "core.fsmonitor", Some("/a/config"));
        check("x", from_ref(&moved), &[&["/w/s/.git/config (core.fsmonitor), moved to /a/config"]]);
        let left = obeyed("/w/s/.npmrc", "", None);
        check(
            "x",
            &[write, moved, left],
            &[&["refused"], &["taken away", "look at it: /w/s/.npmrc"]],
        );
    }
}
