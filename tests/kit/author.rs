//! A user who types around, inside and over what the agent writes, in batches, and remembers which
//! letters must remain when everything that the agent did is taken back.
//!
//! Each author has an alphabet: the file is in small Latin letters, the agent writes Greek capitals,
//! the user types Cyrillic and whatever counts differently in different encodings. Blanks and ends
//! of lines belong to nobody.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::dice::Dice;
use crate::editor::{Applied, Batch, Editor};

/// How often each letter is in a text.
pub type Letters = BTreeMap<char, isize>;

pub struct Author {
    pub dice: Dice,
    /// What must remain, of the file and of the user's typing.
    expected: Letters,
    /// The same when the file was saved last, and what the file says.
    saved: (Letters, String),
    /// Told with the next message.
    queue: Vec<Value>,
    /// The text when the last message was sent.
    told: String,
    /// The text before and after the agent's latest edit, while that is the latest change.
    undoable: Option<(String, String)>,
    /// What was typed and deleted since the last message. A letter that is both cannot be told from
    /// one that was moved, so that is not done in one message.
    typed: BTreeSet<char>,
    deleted: BTreeSet<char>,
    pub operations: usize,
}

const TYPED: [&str; 8] = ["д", "ж и", "щ\n", "ы\nэ", "я👩‍👧", "ю𝄞", "ф e\u{301}", "☃"];

fn is_agents(c: char) -> bool {
    ('Α'..='Ω').contains(&c)
}

fn is_anybodys(c: char) -> bool {
    !is_agents(c) && !c.is_whitespace()
}

pub fn letters(text: &str) -> Letters {
    let mut letters = Letters::new();
    for c in text.chars().filter(|c| is_anybodys(*c)) {
        *letters.entry(c).or_default() += 1;
    }
    letters
}

impl Author {
    pub fn new(seed: u64, text: &str) -> Self {
        let (expected, told) = (letters(text), text.to_owned());
        let saved = (expected.clone(), text.to_owned());
        let (queue, undoable, operations) = (Vec::new(), None, 0);
        let (typed, deleted) = Default::default();
        Self {
            dice: Dice::new(seed),
            expected,
            saved,
            queue,
            told,
            undoable,
            typed,
            deleted,
            operations,
        }
    }

    /// Something that a user does: mostly typing.
    pub fn act(&mut self, editor: &mut Editor, uri: &str) {
        self.operations += 1;
        match self.dice.below(10) {
            0 | 1 => self.delete(editor, uri),
            2 => self.undo_agent(editor, uri),
            3 => self.strip_blank(editor, uri),
            _ => self.insert(editor, uri),
        }
    }

    fn insert(&mut self, editor: &mut Editor, uri: &str) {
        let typed = TYPED[self.dice.below(TYPED.len())];
        let at = self.place(editor.text(uri));
        self.change(editor, uri, at..at, typed);
    }

    fn delete(&mut self, editor: &mut Editor, uri: &str) {
        let text = editor.text(uri);
        let at = self.place(text);
        let rest = text[at..].chars().take(1 + self.dice.below(4));
        // Marks stay, so that the agent finds what it looks for; so do ends of lines.
        let letters = rest.take_while(|c| !c.is_whitespace() && !is_mark(*c) && *c != '\u{200d}');
        let end = at + letters.map(char::len_utf8).sum::<usize>();
        if end > at {
            self.change(editor, uri, at..end, "");
        }
    }

    /// What a formatter does when a file is saved.
    fn strip_blank(&mut self, editor: &mut Editor, uri: &str) {
        let text = editor.text(uri);
        let blanks: Vec<_> = text.match_indices(" \n").map(|(at, _)| at).collect();
        if let Some(at) = blanks.get(self.dice.below(blanks.len())).copied() {
            self.change(editor, uri, at..at + 1, "");
        }
    }

    /// The editor's undo, and at times its redo.
    fn undo_agent(&mut self, editor: &mut Editor, uri: &str) {
        let Some((before, after)) = self.undoable.take() else { return self.insert(editor, uri) };
        let (range, old) = replaced(&before, &after);
        let new = after[range.clone()].to_owned();
        self.queue.push(editor.splice(uri, range.clone(), &old));
        if self.dice.below(2) == 0 {
            let range = range.start..range.start + old.len();
            self.queue.push(editor.splice(uri, range, &new));
        }
    }

    fn change(&mut self, editor: &mut Editor, uri: &str, range: std::ops::Range<usize>, new: &str) {
        let old = editor.text(uri)[range.clone()].to_owned();
        if old.chars().any(|c| self.typed.contains(&c))
            || new.chars().any(|c| self.deleted.contains(&c))
        {
            return;
        }
        self.deleted.extend(old.chars());
        self.typed.extend(new.chars());
        for (c, count) in letters(&old) {
            *self.expected.entry(c).or_default() -= count;
        }
        for (c, count) in letters(new) {
            *self.expected.entry(c).or_default() += count;
        }
        self.undoable = None;
        let change = editor.splice(uri, range, new);
        self.queue.push(change);
    }

    /// Anywhere but inside a mark; mostly at, or in, what the agent wrote.
    fn place(&mut self, text: &str) -> usize {
        let near = self.dice.below(3) > 0;
        let agents: Vec<_> =
            text.char_indices().filter(|(_, c)| is_agents(*c)).map(|(at, _)| at).collect();
        let at = match agents.get(self.dice.below(agents.len())) {
            Some(at) if near => at + [0, 'Α'.len_utf8()][self.dice.below(2)],
            _ => self.dice.below(text.len() + 1),
        };
        let can_be = |at: &usize| {
            let torn = text
                .get(..*at)
                .is_none_or(|head| head.ends_with('\r') || head.rfind('[') > head.rfind(']'));
            let joined =
                text.get(*at..).is_none_or(|tail| tail.starts_with(['\u{200d}', '\u{301}']));
            !torn && !joined
        };
        (at..=text.len()).find(can_be).unwrap_or(text.len())
    }

    /// The agent's edit, carried out between what was typed.
    pub fn apply(&mut self, editor: &mut Editor, uri: &str, edit: &Value) -> Applied {
        self.operations += 1;
        let before = editor.text(uri).to_owned();
        let done = editor.apply(edit);
        if done.applied {
            self.queue.extend(done.changes.iter().cloned());
            self.undoable = Some((before, editor.text(uri).to_owned()));
        }
        done
    }

    /// All that was not told yet, in one message or in several.
    pub fn flush(&mut self, editor: &Editor, uri: &str) -> Vec<Value> {
        let queue = std::mem::take(&mut self.queue);
        self.typed.clear();
        self.deleted.clear();
        let before = std::mem::replace(&mut self.told, editor.text(uri).to_owned());
        match self.dice.below(4) {
            _ if queue.is_empty() => Vec::new(),
            0 => queue,
            style => vec![editor.batch(Batch::ALL[style - 1], uri, &before, &queue)],
        }
    }

    pub fn has_untold(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Writes the text to the disk; returns what to write.
    pub fn save(&mut self, text: &str) -> String {
        self.saved = (self.expected.clone(), text.to_owned());
        text.to_owned()
    }

    /// Closes without saving: what was typed since goes, and so does what the agent wrote. Returns
    /// what the file says.
    pub fn discard(&mut self) -> String {
        self.expected = self.saved.0.clone();
        self.saved.1.clone()
    }

    /// The document was read anew.
    pub fn reopened(&mut self, text: &str) {
        self.queue.clear();
        text.clone_into(&mut self.told);
        self.undoable = None;
    }

    /// Once nothing of the agent is left: which letters are missing (fewer) or should not be there.
    pub fn violations(&self, text: &str) -> Letters {
        let mut found = letters(text);
        for (c, count) in &self.expected {
            *found.entry(*c).or_default() -= count;
        }
        for c in text.chars().filter(|c| is_agents(*c)) {
            *found.entry(c).or_default() += 1;
        }
        found.retain(|_, count| *count != 0);
        found
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '[' | ']') || c.is_ascii_digit()
}

/// Which range of `after` stands in the place of which piece of `before`.
fn replaced(before: &str, after: &str) -> (std::ops::Range<usize>, String) {
    let same = |(one, other): &(char, char)| one == other;
    let width = |(c, _): (char, char)| c.len_utf8();
    let head: usize = before.chars().zip(after.chars()).take_while(same).map(width).sum();
    let backwards = before[head..].chars().rev().zip(after[head..].chars().rev());
    let tail: usize = backwards.take_while(same).map(width).sum();
    (head..after.len() - tail, before[head..before.len() - tail].to_owned())
}
