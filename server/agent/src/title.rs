//! What a session is called, and by whom: a name that the user gave is never replaced by one that
//! was made up.

use serde::{Deserialize, Serialize};

use crate::journal::Record;

/// Where a title comes from, the weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleOrigin {
    /// The first words of the first prompt.
    Prompt,
    /// A model summed the conversation up.
    Generated,
    /// The user. Journals of old say nothing of the origin: there it was the user, too.
    #[default]
    User,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Title(Option<(String, TitleOrigin)>);

impl Title {
    /// Takes the title unless a better one is there; says whether it did. The first prompt gives
    /// its name only once.
    pub fn offer(&mut self, title: impl Into<String>, origin: TitleOrigin) -> bool {
        let better = match &self.0 {
            None => true,
            Some((_, known)) => origin >= *known && origin != TitleOrigin::Prompt,
        };
        if better {
            self.0 = Some((title.into(), origin));
        }
        better
    }

    pub fn text(&self) -> Option<&str> {
        self.0.as_ref().map(|(title, _)| title.as_str())
    }

    pub fn origin(&self) -> Option<TitleOrigin> {
        self.0.as_ref().map(|(_, origin)| *origin)
    }

    /// As the journal keeps it; what follows from the first prompt need not be kept.
    pub fn record(&self) -> Option<Record> {
        let (title, origin) = self.0.clone()?;
        (origin != TitleOrigin::Prompt).then_some(Record::Title { title, origin })
    }
}

#[cfg(test)]
mod tests {
    use super::TitleOrigin::{Generated, Prompt, User};
    use super::*;

    #[test]
    fn the_stronger_name_stays() {
        let check = |offers: &[(&str, TitleOrigin)], expect: &str| {
            let mut title = Title::default();
            for (text, origin) in offers {
                title.offer(*text, *origin);
            }
            assert_eq!(title.text(), Some(expect), "{offers:?}");
        };
        check(&[("a", Prompt), ("b", Prompt)], "a");
        check(&[("a", Prompt), ("b", Generated), ("c", Prompt)], "b");
        check(&[("a", Generated), ("b", Generated)], "b");
        check(&[("a", User), ("b", Generated)], "a");
        check(&[("a", User), ("b", User)], "b");
    }

    #[test]
    fn an_old_journal_names_no_origin() {
        let old: Record = serde_json::from_str(r#"{"type":"title","title":"x"}"#).unwrap();
        assert_eq!(old, Record::Title { title: "x".into(), origin: User });
    }
}
