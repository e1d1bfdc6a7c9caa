//! What the model is told about the notes that it keeps for itself, and what they say.

use super::one_line;

/// The notes as a session finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    /// Where the model keeps them.
    pub folder: String,
    /// What the index says; nothing when there is none yet.
    pub index: Option<String>,
    /// An index that another agent keeps on the same project: its file, and what it says.
    pub foreign: Option<(String, String)>,
}

impl Notes {
    /// More of an index is not shown.
    pub const LINES: usize = 200;
    pub const BYTES: usize = 25_000;

    pub(super) fn describe(&self) -> String {
        let mut text = introduction(&one_line(&self.folder));
        match self.index.as_deref().map(str::trim).filter(|index| !index.is_empty()) {
            Some(index) => text.push_str(&format!("\n\n## MEMORY.md\n\n{}", cut(index))),
            None => text.push_str("\n\nThere are no notes yet."),
        }
        if let Some((file, index)) = &self.foreign {
            text.push_str(&format!(
                "\n\n## {} (notes of another agent on this project: read them, never write there)\
                 \n\n{}",
                one_line(file),
                cut(index.trim())
            ));
        }
        text
    }
}

fn introduction(folder: &str) -> String {
    format!(
        "# Notes of your own\n\n\
         What you learn about this project would be gone with the session. So you have a folder for \
         notes, {folder}, which later sessions in this project find again. Read, Write and Edit work \
         on Markdown files right in it without asking anybody; nothing else may be put there. \
         `MEMORY.md` is its index, and the beginning of it ({} lines) is shown below as it was when \
         this session began. Give each thing one line there; what needs more goes into a file of its \
         own, which the line names and which you read when it matters.\n\n\
         Worth a note is what a later session needs and cannot see for itself: how the user wants \
         things done and why, what was decided and for what reason, what was tried and failed, where \
         things are that are not in the project. Not worth one is what the code, its history or the \
         instructions say anyway, and what only counts today. Never note a secret. When the user asks \
         you to remember something for later, note it; when they ask you to forget, take it out. A \
         note is as old as it is: look before you rely on one, mend it when it is wrong, and go by \
         what the user says now.",
        Notes::LINES
    )
}

fn cut(text: &str) -> String {
    let lines = text.lines().take(Notes::LINES).collect::<Vec<_>>().join("\n");
    let shown = &lines[..lines.floor_char_boundary(Notes::BYTES)];
    let more = if shown.len() < text.len() { "\n… (the file goes on)" } else { "" };
    format!("{shown}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_shown_as_far_as_they_fit() {
        let notes = Notes { folder: "/n\nx".into(), index: None, foreign: None };
        let text = notes.describe();
        assert!(text.contains("notes, /n\u{fffd}x, which"), "{text}");
        assert!(text.ends_with("There are no notes yet."), "{text}");
        let check = |index: &str, expect: &str| {
            let notes = Notes { index: Some(index.into()), ..notes.clone() };
            let text = notes.describe();
            assert!(text.ends_with(expect), "{text}");
        };
        check("- tabs\n", "## MEMORY.md\n\n- tabs");
        check(" \n", "no notes yet.");
        check(&"- x\n".repeat(201), "- x\n- x\n… (the file goes on)");
        check(&"é".repeat(13_000), "é\n… (the file goes on)");
        let foreign = Some(("/c/MEMORY.md".to_owned(), "- spaces\n".to_owned()));
        let text = Notes { foreign, ..notes }.describe();
        assert!(text.contains("## /c/MEMORY.md (notes of another agent"), "{text}");
        assert!(text.ends_with("- spaces"), "{text}");
    }
}
