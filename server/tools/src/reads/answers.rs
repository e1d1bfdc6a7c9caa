//! Which calls showed what of a file, so that the same is not said twice.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use text::Fingerprint;

use crate::media::Form;

/// So many calls are remembered for each file.
const MOST: usize = 16;

/// What a call to Read asked for, besides the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) offset: Option<usize>,
    pub(crate) limit: Option<usize>,
    pub(crate) pages: Option<String>,
    /// How a picture or a PDF was shown.
    pub(crate) form: Option<Form>,
}

/// A call that showed something of a file, and what the file said then.
#[derive(Debug)]
struct Answer {
    asked: Asked,
    said: Fingerprint,
    call: String,
}

/// The last calls for each file, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Answers(HashMap<PathBuf, VecDeque<Answer>>);

impl Answers {
    pub(super) fn note(&mut self, path: &Path, asked: Asked, said: Fingerprint, call: &str) {
        let answers = self.0.entry(path.to_owned()).or_default();
        answers.retain(|answer| answer.asked != asked);
        answers.push_back(Answer { asked, said, call: call.to_owned() });
        if answers.len() > MOST {
            answers.pop_front();
        }
    }

    /// The files of which this call showed something, and what they said.
    pub(super) fn of_call(&self, call: &str) -> impl Iterator<Item = (&Path, Fingerprint)> {
        self.0.iter().flat_map(move |(path, answers)| {
            let of_call = answers.iter().filter(move |answer| answer.call == call);
            of_call.map(move |answer| (path.as_path(), answer.said))
        })
    }

    pub(super) fn find(&self, path: &Path, asked: &Asked, says: Fingerprint) -> Option<String> {
        let answer = self.0.get(path)?.iter().find(|answer| answer.asked == *asked)?;
        (answer.said == says).then(|| answer.call.clone())
    }
}
