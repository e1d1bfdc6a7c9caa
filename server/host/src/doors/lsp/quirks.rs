//! What editors do that they do not announce, by the names they give themselves.

/// The differences that matter here; an editor that is not in the table has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quirks {
    /// Takes version 0 for none, and applies such an edit to whatever the text is by then. Its
    /// documents start at 0 and jump to 3 or more, so 1 asks for the same and is checked.
    pub(super) zero_is_unchecked: bool,
    /// A question has so many lines of room: it is put into the echo area or a line of the screen,
    /// where a long change pushes the answers out of sight. The rest is shown as a document.
    pub(super) message_lines: Option<usize>,
}

const TABLE: [(&str, Quirks); 3] = [
    ("Neovim", Quirks { zero_is_unchecked: true, message_lines: None }),
    ("Eglot", Quirks { zero_is_unchecked: false, message_lines: Some(12) }),
    ("helix", Quirks { zero_is_unchecked: false, message_lines: Some(12) }),
];

pub(super) fn of(name: &str) -> Quirks {
    let known = TABLE.iter().find(|(editor, _)| editor.eq_ignore_ascii_case(name));
    known.map(|(_, quirks)| *quirks).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_are_known_by_name() {
        assert!(of("Neovim").zero_is_unchecked);
        assert_eq!(of("Helix").message_lines, Some(12));
        assert_eq!(of("somebody"), Quirks::default());
        assert_eq!(of(""), Quirks::default());
    }
}
