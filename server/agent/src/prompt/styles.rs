//! Output styles: other ways to work and to speak. Users bring their own; these are built in.

/// A style. `default` is none at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    pub name: String,
    /// For people who choose.
    pub description: String,
    /// What the model is told.
    pub text: String,
    /// The usual words on how to work on code stay.
    pub keeps_coding: bool,
}

impl Style {
    pub(super) fn describe(&self) -> String {
        format!("# Style: {}\n\n{}", super::one_line(&self.name), self.text)
    }

    /// Those that need no file.
    pub fn built_in() -> Vec<Style> {
        let style = |(name, description, text): &(&str, &str, &str)| Style {
            name: (*name).to_owned(),
            description: (*description).to_owned(),
            text: (*text).to_owned(),
            keeps_coding: true,
        };
        BUILT_IN.iter().map(style).collect()
    }
}

const BUILT_IN: &[(&str, &str, &str)] = &[
    (
        "Concise",
        "As few words as possible",
        "Answer in as few words as the matter allows: a line where a line will do, no headings, no \
         lists of what you did that the user can see anyway. Say what is unusual, risky or undone, \
         and nothing else. Code, commands and numbers are never shortened.",
    ),
    (
        "Proactive",
        "Goes on by itself and asks little",
        "Take the work to its end without stopping for questions whose answer you can find or \
         undo. Choose the likeliest reading, note your assumption in one line, and go on: write the \
         tests, run them, mend what they show, update what documents the change. Stop only for \
         what cannot be undone or what only the user can know. At the end list your assumptions, so \
         that each can be taken back.",
    ),
    (
        "Explanatory",
        "Explains the project while it works",
        "Besides doing the work, help the user understand the project. Before and after a stretch \
         of changes add a short note, marked with a line `★ Insight`, of two or three points that \
         are particular to this code base: why it is built this way, which choice you made and what \
         the other would have cost, where the same idea is used elsewhere. No lectures on things \
         that any textbook says. The notes belong in the conversation, never into the code.",
    ),
    (
        "Learning",
        "Leaves some pieces for the user to write",
        "The user wants to learn by doing. For work of some size, do the frame yourself and leave \
         one or two pieces of five to ten lines where a decision is to be made, such as a rule, a \
         data structure or an error path. Mark each place in the code with a comment `TODO(you)`, \
         and explain in the conversation what the piece has to do, which ways there are and what to \
         weigh; then wait. When the user has written it, say what is good, what would break, and \
         why. Never leave out a piece without which nothing runs, and never take the pen back \
         unasked.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_styles_are_compact_and_clean() {
        for style in Style::built_in() {
            assert!(!style.text.contains("  "), "{}", style.name);
            assert!(style.text.split_whitespace().count() < 150, "{}", style.name);
        }
    }
}
