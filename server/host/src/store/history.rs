//! Which lines of a journal are the conversation as it stands: without what a rewind cut off, and
//! without what is not about the conversation. Only their places are kept, so that a long journal
//! costs little.

use std::borrow::Cow;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use agent::conversation::PartialAnswer;
use agent::journal::Chosen;
use agent::{Block, Record, Title, TitleOrigin};
use serde::Deserialize;

use super::lines::Lines;
use super::read::title_of;
use super::recover;

pub struct History {
    pub cwd: PathBuf,
    pub model: String,
    pub mode: String,
    pub chosen: Chosen,
    /// As it was given, else from the first prompt.
    pub title: Title,
    /// When the first line was written, in milliseconds since 1970.
    pub began: u64,
    pub(super) kept: Vec<Place>,
    file: File,
}

/// One line of the file.
#[derive(Clone)]
pub(super) struct Place {
    start: u64,
    len: usize,
    pub(super) kind: Kind,
    pub(super) id: Option<String>,
    pub(super) turn: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Results,
    TurnEnded,
    Compacted,
    Note,
    /// One block of an answer that was not whole yet.
    AnswerBlock,
    /// The result of one call, while others still ran.
    CallResult,
    Other,
}

/// As much of a line as decides about it.
#[derive(Deserialize)]
struct Peek<'a> {
    #[serde(default)]
    at: u64,
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    id: Option<String>,
    turn: Option<String>,
    to: Option<String>,
    token: Option<String>,
    title: Option<String>,
    origin: Option<TitleOrigin>,
    cwd: Option<String>,
    model: Option<String>,
    mode: Option<String>,
    effort: Option<String>,
    thinking: Option<String>,
    output_style: Option<String>,
    led_by: Option<String>,
}

struct Cut {
    token: Option<String>,
    at: usize,
    tail: Vec<Place>,
}

impl History {
    /// Lines that are no records are passed over, as everywhere.
    pub fn read(path: &Path) -> Result<Self, String> {
        let unreadable =
            |error: std::io::Error| format!("{} cannot be read ({error}).", path.display());
        let file = File::open(path).map_err(unreadable)?;
        let mut history = Self {
            cwd: PathBuf::new(),
            model: String::new(),
            mode: String::new(),
            chosen: Chosen::default(),
            title: Title::default(),
            began: 0,
            kept: Vec::new(),
            file,
        };
        let (mut lines, mut buffer) = (Lines::open(path).map_err(unreadable)?, Vec::new());
        let mut cuts = Vec::new();
        while let Some(line) = lines.next(&mut buffer).map_err(unreadable)? {
            let json = if line.start == 0 { recover::without_mark(&buffer) } else { &buffer };
            let Ok(peek) = serde_json::from_slice::<Peek<'_>>(json) else { continue };
            if peek.kind == "user"
                && history.title.text().is_none()
                && let Some(title) = first_words(&buffer)
            {
                history.title.offer(title, TitleOrigin::Prompt);
            }
            let place = Place {
                start: line.start,
                len: buffer.len(),
                kind: kind_of(&peek.kind),
                // A part has the id of the answer, but does not stand for it.
                id: peek.id.clone().filter(|_| kind_of(&peek.kind) != Kind::AnswerBlock),
                turn: peek.turn.clone(),
            };
            history.take(peek, place, &mut cuts);
        }
        history.cwd = recover::working_directory(path, history.cwd);
        if history.cwd.as_os_str().is_empty() && history.kept.is_empty() {
            return Err(format!("{} is no journal of a session.", path.display()));
        }
        Ok(history)
    }

    fn take(&mut self, peek: Peek<'_>, place: Place, cuts: &mut Vec<Cut>) {
        match &*peek.kind {
            "session" | "config" => {
                if let Some(cwd) = peek.cwd {
                    self.cwd = cwd.into();
                    self.began = peek.at;
                }
                self.model = peek.model.unwrap_or(std::mem::take(&mut self.model));
                self.mode = peek.mode.unwrap_or(std::mem::take(&mut self.mode));
                let (effort, thinking) = (peek.effort, peek.thinking);
                let (output_style, led_by) = (peek.output_style, peek.led_by);
                self.chosen = Chosen { effort, thinking, output_style, led_by };
            }
            "title" => {
                if let Some(title) = peek.title {
                    self.title.offer(title, peek.origin.unwrap_or_default());
                }
            }
            "rewound" => {
                let is_it = |place: &Place| place.id.is_some() && place.id == peek.to;
                if let Some(at) = self.kept.iter().position(is_it) {
                    cuts.push(Cut { token: peek.token, at, tail: self.kept.split_off(at) });
                }
            }
            "unrewound" => {
                if let Some(cut) = cuts.pop_if(|cut| cut.token == peek.token) {
                    self.kept.splice(cut.at..cut.at, cut.tail);
                }
            }
            // What was decided and spent elsewhere, and what waits, is no part of what was said.
            "permission" | "inline" | "judged" | "helped" | "queued" | "unqueued"
            | "queue_moved" | "checkout" | "agent" => {}
            "answer_retracted" => {
                self.drop_parts(Kind::AnswerBlock);
                self.drop_parts(Kind::CallResult);
            }
            kind => {
                match kind {
                    "user" => cuts.clear(),
                    "assistant" => self.drop_parts(Kind::AnswerBlock),
                    "results" => self.drop_parts(Kind::CallResult),
                    _ => {}
                }
                self.kept.push(place);
            }
        }
    }

    /// A whole record takes the place of those that were written before it was whole.
    fn drop_parts(&mut self, kind: Kind) {
        let others = [Kind::User, Kind::Results, Kind::Compacted, Kind::TurnEnded];
        let before = self.kept.iter().rposition(|place| others.contains(&place.kind));
        let tail = self.kept.split_off(before.map_or(0, |before| before + 1));
        self.kept.extend(tail.into_iter().filter(|place| place.kind != kind));
    }

    /// Ends with this message, and with the results of its calls.
    pub(super) fn end_with(&mut self, message: &str) -> Result<(), String> {
        let is_it = |place: &Place| place.id.as_deref() == Some(message);
        let Some(at) = self.kept.iter().position(is_it) else {
            return Err(format!("There is no message {message} in the session."));
        };
        let results = self.kept[at + 1..].iter().take_while(|place| place.kind == Kind::Results);
        let end = at + 1 + results.count();
        self.kept.truncate(end);
        Ok(())
    }

    /// What was never recorded whole comes as the records that it amounts to.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        let read = |place: &Place| serde_json::from_slice::<Record>(&self.line(place).ok()?).ok();
        let records = self.kept.iter().filter_map(read).map(Some).chain([None]);
        let whole = |partial: &mut PartialAnswer, record: Option<Record>| {
            let mut whole = match &record {
                Some(record) => partial.take(record),
                None => partial.flush(),
            };
            whole.extend(record.filter(|record| !PartialAnswer::is_part(record)));
            Some(whole)
        };
        records.scan(PartialAnswer::default(), whole).flatten()
    }

    pub(super) fn line(&self, place: &Place) -> std::io::Result<Vec<u8>> {
        let mut line = vec![0; place.len];
        self.file.read_exact_at(&mut line, place.start)?;
        Ok(line)
    }
}

fn kind_of(name: &str) -> Kind {
    match name {
        "user" => Kind::User,
        "results" => Kind::Results,
        "turn_ended" => Kind::TurnEnded,
        "compacted" => Kind::Compacted,
        "note" => Kind::Note,
        "answer_block" => Kind::AnswerBlock,
        "call_result" => Kind::CallResult,
        _ => Kind::Other,
    }
}

fn first_words(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Said {
        content: Vec<Block>,
    }
    title_of(&serde_json::from_slice::<Said>(line).ok()?.content)
}

/// The records of a journal as they stand in it, one a line; what is no record is left out.
pub fn raw_records(path: &Path) -> Result<String, String> {
    let unreadable =
        |error: std::io::Error| format!("{} cannot be read ({error}).", path.display());
    let (mut lines, mut buffer) = (Lines::open(path).map_err(unreadable)?, Vec::new());
    let mut text = String::new();
    while lines.next(&mut buffer).map_err(unreadable)?.is_some() {
        let line = std::str::from_utf8(&buffer).ok();
        let is_record = |line: &&str| serde_json::from_str::<Peek<'_>>(line).is_ok();
        if let Some(line) = line.filter(is_record) {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(text)
}
