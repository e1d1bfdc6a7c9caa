//! Tools that the model knows by name only, until it asks for what they take.

use serde_json::Value;

/// How tools whose definitions are not sent become known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loading {
    /// The provider has all definitions and shows those that a result refers to.
    References,
    /// The definition is added to the end of the list, from the next request on.
    #[default]
    Added,
}

/// What can be loaded, and what was.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    pub loading: Loading,
    pub(crate) books: Vec<Book>,
    /// In the order in which they were asked for.
    loaded: Vec<String>,
}

/// One tool on the shelf.
#[derive(Clone, Debug)]
pub(crate) struct Book {
    pub(crate) name: String,
    pub(crate) description: String,
}

impl Book {
    pub(crate) fn of(definition: &Value) -> Book {
        let text = |key: &str| definition[key].as_str().unwrap_or_default().to_owned();
        Book { name: text("name"), description: text("description") }
    }
}

impl Shelf {
    pub fn loaded(&self) -> &[String] {
        &self.loaded
    }

    /// Tools that come and go leave what was loaded as it is.
    pub(crate) fn restock(&mut self, books: Vec<Book>, loading: Loading) {
        (self.books, self.loading) = (books, loading);
    }

    pub(crate) fn load(&mut self, names: &[String]) {
        for name in names {
            if !self.loaded.contains(name) {
                self.loaded.push(name.clone());
            }
        }
    }

    /// What a question is about, the best first: `select:A,B` names tools; of other words those with
    /// a `+` must occur, and each of the others counts, in a name more than in a description.
    pub(crate) fn find(&self, query: &str, most: usize) -> Vec<&Book> {
        if let Some(names) = query.trim().strip_prefix("select:") {
            let named = |name: &str| {
                self.books.iter().find(|book| book.name.eq_ignore_ascii_case(name.trim()))
            };
            return names.split(',').filter_map(named).collect();
        }
        let query = query.to_lowercase();
        let words: Vec<(&str, bool)> = query
            .split_whitespace()
            .map(|word| word.strip_prefix('+').map_or((word, false), |word| (word, true)))
            .filter(|(word, _)| !word.is_empty())
            .collect();
        let mut found: Vec<(usize, &Book)> = self
            .books
            .iter()
            .map(|book| (score(book, &words), book))
            .filter(|(score, _)| *score > 0)
            .collect();
        found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.name.cmp(&other.1.name)));
        found.into_iter().take(most).map(|(_, book)| book).collect()
    }
}

fn score(book: &Book, words: &[(&str, bool)]) -> usize {
    let (name, about) = (book.name.to_lowercase(), book.description.to_lowercase());
    let mut sum = 0;
    for (word, needed) in words {
        let points = match (name.contains(word), about.contains(word)) {
            (true, _) => 10,
            (false, true) => 2,
            (false, false) if *needed => return 0,
            (false, false) => 0,
        };
        sum += points;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_find_tools() {
        let book = |name: &str, description: &str| Book {
            name: name.to_owned(),
            description: description.to_owned(),
        };
        let mut shelf = Shelf::default();
        let books = vec![
            book("CronCreate", "Plans a prompt."),
            book("NotebookEdit", "Changes a cell."),
            book("mcp__mail__send", "Sends a letter."),
            book("mcp__mail__read", "Reads a letter."),
        ];
        shelf.restock(books, Loading::Added);
        let check = |query: &str, expect: &[&str]| {
            let found: Vec<_> = shelf.find(query, 5).iter().map(|book| &*book.name).collect();
            assert_eq!(found, expect, "{query}");
        };
        check("select:NotebookEdit, croncreate,Nothing", &["NotebookEdit", "CronCreate"]);
        check("cell", &["NotebookEdit"]);
        check("letter send", &["mcp__mail__send", "mcp__mail__read"]);
        check("+mail prompt", &["mcp__mail__read", "mcp__mail__send"]);
        check("+nothing cell", &[]);
        check("", &[]);
        assert_eq!(shelf.find("a", 1).len(), 1);
    }
}
