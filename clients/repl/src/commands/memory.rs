//! `# note` and `/memory [user|local] note`: something every later session is to know. Without a note,
//! which memory files hold; `/memory show path` shows one.

use protocol::event::Severity;
use protocol::memory::MemoryScope;
use tokio::time::Instant;

use crate::app::{App, Pick};
use crate::prompt::picker::Entry;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    let (first, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let scope = match first {
        "user" => Some(MemoryScope::User),
        "project" => Some(MemoryScope::Project),
        "local" => Some(MemoryScope::Local),
        _ => None,
    };
    match (scope, rest.trim()) {
        (Some(_), "") => app.notice(Severity::Warning, "Write the note behind it."),
        (Some(scope), note) => app.remember(note, scope),
        (None, _) if argument.is_empty() => app.ask_memory(None),
        (None, path) if first == "show" && !path.is_empty() => {
            app.ask_memory(Some(path.to_owned()));
        }
        (None, _) => offer(app, argument),
    }
}

/// The note in a line that begins with a hash and a blank. A heading that goes on is a prompt.
pub(super) fn note_of(text: &str) -> Option<&str> {
    let note = text.strip_prefix("# ").map(str::trim)?;
    (!note.is_empty() && !note.contains('\n')).then_some(note)
}

/// Asks whose memory it goes to.
pub(super) fn offer(app: &mut App, note: &str) {
    let entry = |label: &str, detail: &str, scope| Entry {
        label: label.to_owned(),
        detail: detail.to_owned(),
        value: Pick::Remember(note.to_owned(), scope),
    };
    let entries = vec![
        entry("project", "shared with the project", MemoryScope::Project),
        entry("local", "yours, for this project", MemoryScope::Local),
        entry("user", "yours, for all projects", MemoryScope::User),
    ];
    app.offer("Remember it where?", entries, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_behind_a_hash_is_a_note() {
        for (text, expect) in [
            ("# use tabs", Some("use tabs")),
            ("#  ", None),
            ("#12 is fixed", None),
            ("# Plan\n- a", None),
            ("## heading", None),
        ] {
            assert_eq!(note_of(text), expect, "{text}");
        }
    }
}
