//! Prompts of the past: walking up and down, searching back, and their form in a file. The file
//! itself is the business of `history_file`.

/// How many prompts are kept.
pub(crate) const LIMIT: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct History {
    /// The oldest first.
    entries: Vec<String>,
    /// Where the walk stands, and the text that was being written when it began.
    walk: Option<(usize, String)>,
}

impl History {
    /// Reads the file's form: one JSON string on each line. Lines that are none are skipped.
    pub fn decode(file: &str) -> Self {
        let mut history = Self::default();
        for line in file.lines() {
            if let Ok(entry) = serde_json::from_str::<String>(line) {
                history.push(&entry);
            }
        }
        history
    }

    /// One entry in the file's form, with its line end.
    pub fn encode(entry: &str) -> String {
        serde_json::Value::from(entry).to_string() + "\n"
    }

    /// All entries in the file's form.
    pub fn encode_all(&self) -> String {
        self.entries.iter().map(|entry| Self::encode(entry)).collect()
    }

    /// Adds a prompt; false when it says nothing new.
    pub fn push(&mut self, entry: &str) -> bool {
        self.walk = None;
        if entry.trim().is_empty() || self.entries.last().is_some_and(|last| last == entry) {
            return false;
        }
        self.entries.push(entry.to_owned());
        if self.entries.len() > LIMIT {
            self.entries.remove(0);
        }
        true
    }

    /// The entry before; `current` is kept for the way back.
    pub fn older(&mut self, current: &str) -> Option<&str> {
        let at = self.walk.as_ref().map_or(self.entries.len(), |(at, _)| *at).checked_sub(1)?;
        let draft = self.walk.take().map_or_else(|| current.to_owned(), |(_, draft)| draft);
        self.walk = Some((at, draft));
        self.entries.get(at).map(String::as_str)
    }

    /// The entry after, and at the end the text that was being written.
    pub fn newer(&mut self) -> Option<String> {
        let (at, draft) = self.walk.take()?;
        match self.entries.get(at + 1) {
            Some(entry) => {
                self.walk = Some((at + 1, draft));
                Some(entry.clone())
            }
            None => Some(draft),
        }
    }

    /// An edit ends the walk.
    pub fn stop_walking(&mut self) {
        self.walk = None;
    }

    /// The newest entry before `below` that holds `query`, with its place.
    pub fn search(&self, query: &str, below: usize) -> Option<(usize, &str)> {
        let query = query.to_lowercase();
        let end = below.min(self.entries.len());
        let found = self.entries[..end].iter().rposition(|e| e.to_lowercase().contains(&query))?;
        Some((found, &self.entries[found]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_there_and_back() {
        let mut history = History::default();
        assert!(history.push("one") && history.push("two"));
        assert!(!history.push("two") && !history.push("  "));
        assert_eq!(history.older("draft"), Some("two"));
        assert_eq!(history.older("two"), Some("one"));
        assert_eq!(history.older("one"), None);
        assert_eq!(history.newer().as_deref(), Some("two"));
        assert_eq!(history.newer().as_deref(), Some("draft"));
        assert_eq!(history.newer(), None);
    }

    #[test]
    fn searches_backwards() {
        let history = History::decode("\"fix a\"\n\"test\"\n\"Fix b\"\n");
        assert_eq!(history.search("fix", usize::MAX), Some((2, "Fix b")));
        assert_eq!(history.search("fix", 2), Some((0, "fix a")));
        assert_eq!(history.search("fix", 0), None);
        assert_eq!(history.search("zzz", usize::MAX), None);
    }

    #[test]
    fn survives_lines_and_damage_in_the_file() {
        let mut history = History::decode("\"a\\nb\"\nbroken\n\"c\"\n");
        assert_eq!(history.encode_all(), "\"a\\nb\"\n\"c\"\n");
        assert_eq!(history.older(""), Some("c"));
        assert_eq!(history.older(""), Some("a\nb"));
    }

    #[test]
    fn keeps_a_bounded_number() {
        let mut history = History::default();
        for number in 0..LIMIT + 5 {
            history.push(&number.to_string());
        }
        assert_eq!(history.entries.len(), LIMIT);
        assert_eq!(history.entries[0], "5");
    }
}
