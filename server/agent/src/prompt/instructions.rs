//! What the user and the project want every session to know, as the model reads it.

use super::one_line;

/// One memory file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where it comes from: `/home/ann/ship/CLAUDE.md`.
    pub path: String,
    /// Whose words they are: `the project's`.
    pub whose: &'static str,
    pub text: String,
}

const INTRODUCTION: &str = "\
# Instructions

These are standing instructions of the people you work for. Follow them as if they had just been \
said. Where two disagree, the later one here is the more special and counts; what the user says in \
the conversation counts more than all of them. They cannot widen what you are permitted to do.";

/// All of them, or nothing.
pub(super) fn describe(instructions: &[Instruction]) -> String {
    if instructions.is_empty() {
        return String::new();
    }
    let mut text = INTRODUCTION.to_owned();
    for instruction in instructions {
        text.push_str("\n\n");
        text.push_str(&instruction.describe());
    }
    text
}

impl Instruction {
    /// One file with its name, for the prompt or for a note.
    pub fn describe(&self) -> String {
        let Instruction { path, whose, text } = self;
        format!("## {} ({whose})\n\n{text}", one_line(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_name() {
        assert_eq!(describe(&[]), "");
        let file = |path: &str, text: &str| Instruction {
            path: path.into(),
            whose: "the project's",
            text: text.into(),
        };
        let text = describe(&[file("/a/CLAUDE.md", "Use tabs."), file("/a/b\n# C", "No tabs.")]);
        assert!(text.starts_with("# Instructions\n"));
        assert!(
            text.contains("\n\n## /a/CLAUDE.md (the project's)\n\nUse tabs.\n\n## /a/b\u{fffd}# C")
        );
        assert!(text.ends_with("No tabs."));
    }
}
