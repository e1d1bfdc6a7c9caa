//! What the user looks at in the editor, and what is selected there: told when they share it, and
//! only when it is something else than before.

use std::ops::Range;

use text::Text;

/// The most of a selection that is told; the model can read the file.
const LONGEST: usize = 4_000;

/// What was said about the editor last.
#[derive(Default)]
pub(super) struct Told(Option<String>);

/// A file in the editor, with the place in its text where that is known.
pub(super) struct Looked<'a> {
    /// As people write it.
    pub(super) file: &'a str,
    pub(super) place: Option<(&'a Text, Range<usize>)>,
}

impl Told {
    pub(super) fn note(&mut self, looked: Option<&Looked<'_>>) -> Option<String> {
        let now = looked?.describe();
        (self.0.as_ref() != Some(&now)).then(|| self.0.insert(now).clone())
    }
}

impl Looked<'_> {
    fn describe(&self) -> String {
        let file = self.file;
        let Some((text, selected)) = &self.place else {
            return format!("The user looks at {file} in the editor. It need not be about this.");
        };
        let first = text.byte_to_line(selected.start) + 1;
        if selected.is_empty() {
            return format!(
                "The user looks at {file} in the editor; the caret is in line {first}. It need not \
                 be about this."
            );
        }
        let last = text.byte_to_line(selected.end.saturating_sub(1)) + 1;
        let words = text.slice(selected.clone()).unwrap_or_default();
        let shown = &words[..words.floor_char_boundary(LONGEST)];
        let more =
            if shown.len() < words.len() { "\n… (read the file for the rest)" } else { "" };
        format!(
            "The user has selected lines {first} to {last} of {file} in the editor. It need not be \
             about this.\n{shown}{more}"
        )
    }

    /// The same, for the user.
    pub(super) fn for_people(&self) -> String {
        let file = self.file;
        match &self.place {
            Some((text, selected)) if !selected.is_empty() => {
                let first = text.byte_to_line(selected.start) + 1;
                let last = text.byte_to_line(selected.end.saturating_sub(1)) + 1;
                format!("Shared with the model: lines {first} to {last} of {file}, as selected.")
            }
            _ => format!("Shared with the model: that you look at {file}."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_looks_at() {
        let text = Text::from("one\ntwo\nthree\n");
        let check = |selected: Option<Range<usize>>, model: &str, people: &str| {
            let looked = Looked { file: "a.rs", place: selected.map(|range| (&text, range)) };
            let note = Told::default().note(Some(&looked)).unwrap();
            assert!(note.contains(model), "{note}");
            assert_eq!(looked.for_people(), format!("Shared with the model: {people}."));
        };
        check(None, "looks at a.rs in the editor.", "that you look at a.rs");
        check(Some(5..5), "the caret is in line 2.", "that you look at a.rs");
        check(Some(0..4), "selected lines 1 to 1 of a.rs", "lines 1 to 1 of a.rs, as selected");
        check(Some(2..9), "\ne\ntwo\nt", "lines 1 to 3 of a.rs, as selected");
        let long = Text::from("é".repeat(3_000));
        let looked = Looked { file: "a", place: Some((&long, 0..6_000)) };
        let note = looked.describe();
        assert!(
            note.len() < 4_300 && note.ends_with("é\n… (read the file for the rest)"),
            "{note}"
        );
    }

    #[test]
    fn the_same_is_told_once() {
        let mut told = Told::default();
        let file = |file| Looked { file, place: None };
        let mut check = |looked: Option<&Looked<'_>>, expect: bool| {
            assert_eq!(told.note(looked).is_some(), expect);
        };
        check(None, false);
        check(Some(&file("a")), true);
        check(Some(&file("a")), false);
        check(None, false);
        check(Some(&file("b")), true);
        check(Some(&file("a")), true);
    }
}
