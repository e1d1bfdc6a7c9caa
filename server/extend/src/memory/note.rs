//! A note that is to be remembered: which file it goes to, and how the file looks with it.

use std::path::{Path, PathBuf};

use crate::files;
use crate::settings::Locations;

/// Whose memory a note goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteScope {
    User,
    Project,
    Local,
}

/// The file for notes. `~/.claude` is never written to; a project's file is the one it has.
pub fn note_file(locations: &Locations, cwd: &Path, scope: NoteScope) -> PathBuf {
    match scope {
        NoteScope::User => {
            let names = ["CLAUDE.md", "AGENTS.md"].map(|name| locations.bowline_home.join(name));
            first(names)
        }
        NoteScope::Project => {
            let root = super::places::root_of(cwd);
            first(["CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"].map(|name| root.join(name)))
        }
        NoteScope::Local => super::places::root_of(cwd).join("CLAUDE.local.md"),
    }
}

/// The first that is there, else the last.
fn first<const N: usize>(paths: [PathBuf; N]) -> PathBuf {
    let found = paths.iter().find(|path| files::is_file(path)).cloned();
    found.unwrap_or_else(|| paths.into_iter().next_back().unwrap_or_default())
}

/// The text with one more item at its end.
pub fn with_note(text: &str, note: &str) -> String {
    let note = note.trim().replace('\n', "\n  ");
    let gap = match text.lines().last() {
        None => "",
        Some(last) if last.trim_start().starts_with("- ") => "",
        Some(last) if last.trim().is_empty() => "",
        Some(_) => "\n",
    };
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{newline}{gap}- {note}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_an_item_of_a_list() {
        let check =
            |text: &str, expect: &str| assert_eq!(with_note(text, " use tabs\nreally "), expect);
        check("", "- use tabs\n  really\n");
        check("# Rules\n", "# Rules\n\n- use tabs\n  really\n");
        check("- a\n- b", "- a\n- b\n- use tabs\n  really\n");
        check("text\n\n", "text\n\n- use tabs\n  really\n");
    }
}
