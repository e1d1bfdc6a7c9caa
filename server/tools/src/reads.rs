//! What a session knows about the files it has read.

mod answers;
mod kept;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use text::{Fingerprint, Text};
use workspace::Stamp;

use answers::Answers;
pub(crate) use answers::Asked;
use kept::KeptTexts;

/// So many bytes are kept of what the disk said, for all files together.
const KEPT: usize = 32 * 1024 * 1024;
/// The same of what the model has seen. Mostly it is the same text, which is held once.
const KEPT_SEEN: usize = 32 * 1024 * 1024;

/// Which text of which file the model has seen. An edit of a text it has not seen is refused,
/// and it is the content that counts, never the time stamp.
///
/// What the disk last said is kept besides, so that after a command it can be told what the command
/// changed; and what the model saw, so that it can be told what the user changed.
#[derive(Debug)]
pub struct ReadLedger {
    files: HashMap<PathBuf, Known>,
    seen: KeptTexts,
    on_disk: KeptTexts,
    reads: u64,
    answers: Answers,
}

/// A text of a file, and how much of it the model was shown.
#[derive(Clone, Copy, Debug)]
struct Seen {
    text: Fingerprint,
    /// So many lines from the top have been shown; nothing when all of it has.
    shown: Option<usize>,
}

/// What is known of one file.
#[derive(Clone, Debug)]
pub struct Known {
    /// The text that was read last. Its result is part of the next request, or was part of one.
    seen: Fingerprint,
    /// So many lines from the top have been shown; nothing when all of it has.
    shown: Option<usize>,
    /// The text that was part of a request that was sent, and with it the model's own changes.
    sent: Option<Seen>,
    /// What the disk was when it was last read.
    disk: Option<Stamp>,
    /// The model was told that the file says something else now: this.
    told: Option<Fingerprint>,
    /// The file on the disk when it was last compared with what is seen.
    compared: Option<Stamp>,
    /// When it was last read, counted in reads.
    at: u64,
}

impl Known {
    fn send(&mut self) {
        self.sent = Some(Seen { text: self.seen, shown: self.shown });
    }
}

impl Default for ReadLedger {
    fn default() -> ReadLedger {
        ReadLedger {
            files: HashMap::new(),
            seen: KeptTexts::with_cap(KEPT_SEEN),
            on_disk: KeptTexts::with_cap(KEPT),
            reads: 0,
            answers: Answers::default(),
        }
    }
}

impl ReadLedger {
    /// A call showed what was asked for of a file that said this.
    pub(crate) fn note_answer(&mut self, path: &Path, asked: Asked, said: Fingerprint, call: &str) {
        self.answers.note(path, asked, said, call);
    }

    /// The call that showed the same of a file that said the same. Whether its result is still
    /// there to be seen is for others to say.
    pub(crate) fn answered(&self, path: &Path, asked: &Asked, says: Fingerprint) -> Option<String> {
        // A text that counts as unknown must be read before it may be changed.
        let known = asked.form.is_some() || self.seen(path) == Some(says);
        self.answers.find(path, asked, says).filter(|_| known)
    }

    /// The model knows this text of a file, as well as it knew the one before.
    pub fn note(&mut self, path: &Path, text: Fingerprint) {
        self.reads += 1;
        let at = self.reads;
        match self.files.get_mut(path) {
            Some(known) => {
                if known.seen != text {
                    self.seen.forget(path);
                    known.compared = None;
                }
                (known.seen, known.at, known.told) = (text, at, None);
            }
            None => {
                let (shown, sent, disk, told, compared) = (None, None, None, None, None);
                let known = Known { seen: text, shown, sent, disk, told, compared, at };
                self.files.insert(path.to_owned(), known);
            }
        }
    }

    /// A request is sent: the model sees what was read since the last one.
    pub fn note_request(&mut self) {
        self.files.values_mut().for_each(Known::send);
    }

    /// The result of this call was given to the one who made it, without a request to a model.
    pub fn note_delivered(&mut self, call: &str) {
        for (path, said) in self.answers.of_call(call) {
            if let Some(known) = self.files.get_mut(path).filter(|known| known.seen == said) {
                known.send();
            }
        }
    }

    /// The model itself made this text of the old one, and so knows it as well as it knew that one,
    /// before any result is sent.
    pub fn note_own_change(&mut self, path: &Path, old: Option<Fingerprint>, new: Fingerprint) {
        let Some(known) = self.files.get_mut(path) else { return };
        match (old, &mut known.sent) {
            (None, sent) => *sent = Some(Seen { text: new, shown: None }),
            (Some(old), Some(sent)) if sent.text == old => sent.text = new,
            (Some(_), _) => {}
        }
    }

    /// What is known of the file, to be given back to `restore`.
    pub fn known(&self, path: &Path) -> Option<Known> {
        self.files.get(path).cloned()
    }

    pub fn restore(&mut self, path: &Path, known: Known) {
        self.seen.forget(path);
        self.files.insert(path.to_owned(), known);
    }

    /// The text that was noted last, so that it can be compared with a later one.
    pub fn keep_seen(&mut self, path: &Path, text: Text) {
        if self.files.contains_key(path) {
            self.seen.keep(path, text);
        }
    }

    pub(crate) fn seen_text(&self, path: &Path) -> Option<&Text> {
        self.seen.get(path)
    }

    /// The model knows that the file says this now, though it has not seen it.
    pub(crate) fn tell(&mut self, path: &Path, text: Fingerprint) {
        if let Some(known) = self.files.get_mut(path) {
            known.told = Some(text);
        }
    }

    pub(crate) fn was_told(&self, path: &Path, text: Fingerprint) -> bool {
        self.files.get(path).is_some_and(|known| known.told == Some(text))
    }

    pub(crate) fn compared(&self, path: &Path) -> Option<Stamp> {
        self.files.get(path)?.compared
    }

    pub(crate) fn note_compared(&mut self, path: &Path, stamp: Stamp) {
        if let Some(known) = self.files.get_mut(path) {
            known.compared = Some(stamp);
        }
    }

    /// The model does not know the file any more.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.forget_disk(path);
        self.seen.forget(path);
        self.files.remove(path);
    }

    /// The model was shown some lines, counted from zero, of a text with this many.
    pub fn note_lines(&mut self, path: &Path, text: Fingerprint, shown: Range<usize>, of: usize) {
        let before = self.files.get(path).filter(|known| known.seen == text);
        let from_top = match before {
            Some(Known { shown: None, .. }) => None,
            Some(Known { shown: Some(lines), .. }) if shown.start <= *lines => {
                Some(shown.end.max(*lines))
            }
            Some(Known { shown: lines, .. }) => *lines,
            None if shown.start == 0 => Some(shown.end),
            None => Some(0),
        };
        self.note(path, text);
        if let Some(known) = self.files.get_mut(path) {
            known.shown = from_top.filter(|lines| *lines < of);
        }
    }

    /// Whether all of the text that was sent was shown to the model.
    pub fn saw_all(&self, path: &Path) -> bool {
        let sent = self.files.get(path).and_then(|known| known.sent);
        sent.is_some_and(|sent| sent.shown.is_none())
    }

    /// The text that the model has really seen: it was part of a request that was sent.
    pub fn sent(&self, path: &Path) -> Option<Fingerprint> {
        Some(self.files.get(path)?.sent?.text)
    }

    /// The text that was read last, whether it was sent or not.
    pub fn seen(&self, path: &Path) -> Option<Fingerprint> {
        self.files.get(path).map(|known| known.seen)
    }

    /// The files that were read last, the latest first.
    pub fn latest(&self, most: usize) -> Vec<PathBuf> {
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort_by_key(|(_, known)| std::cmp::Reverse(known.at));
        files.into_iter().take(most).map(|(path, _)| path.clone()).collect()
    }

    /// The model does not know any other files any more.
    pub(crate) fn keep_only(&mut self, keep: impl Fn(&Path) -> bool) {
        let gone: Vec<_> = self.files.keys().filter(|path| !keep(path)).cloned().collect();
        gone.iter().for_each(|path| self.forget(path));
    }

    /// The disk said this when it was last read; without a text, something that is none.
    pub(crate) fn note_disk(&mut self, path: &Path, stamp: Stamp, text: Option<Text>) {
        let Some(known) = self.files.get_mut(path) else { return };
        known.disk = Some(stamp);
        match text {
            Some(text) => self.on_disk.keep(path, text),
            None => self.on_disk.forget(path),
        }
    }

    /// It is not on the disk any more.
    pub(crate) fn forget_disk(&mut self, path: &Path) {
        self.on_disk.forget(path);
        if let Some(known) = self.files.get_mut(path) {
            known.disk = None;
        }
    }

    /// Every file, with the stamp of what is known of it on the disk.
    pub(crate) fn on_disk(&self) -> impl Iterator<Item = (&Path, Option<Stamp>)> {
        self.files.keys().map(|path| (path.as_path(), self.disk_stamp(path)))
    }

    pub(crate) fn disk_stamp(&self, path: &Path) -> Option<Stamp> {
        self.files.get(path)?.disk
    }

    /// The text on the disk when it was last read, if it is still kept.
    pub(crate) fn disk_text(&self, path: &Path) -> Option<&Text> {
        self.on_disk.get(path)
    }
}

#[cfg(test)]
mod tests;
