//! The whole conversation as rows, for the page that shows it. What does not change is laid out once; a text
//! that streams costs what is new of it.

use super::item::{Body, Item, Spacing, TextItem, needs_gap};
use super::{Look, Transcript};
use crate::render::highlight::Highlighting;
use crate::render::line::Line;
use crate::render::markdown::Markdown;
use crate::render::theme;

/// Rows of one conversation at one width.
pub(crate) struct Whole {
    width: usize,
    /// Calls are shown with everything, not in short.
    pub details: bool,
    rows: Vec<Line>,
    /// The rows before this one do not change any more, and the parts that they show.
    settled: usize,
    laid: usize,
    version: usize,
    /// Where parts begin, and whether the user said it.
    starts: Vec<(usize, bool)>,
    last: Option<Spacing>,
    stream: Option<Stream>,
}

/// A text that streams, as far as it is laid out.
struct Stream {
    id: String,
    thought: bool,
    fed: usize,
    markdown: Markdown,
    rows: Vec<Line>,
}

impl Whole {
    pub fn new() -> Self {
        Self {
            width: 0,
            details: true,
            rows: Vec::new(),
            settled: 0,
            laid: 0,
            version: 0,
            starts: Vec::new(),
            last: None,
            stream: None,
        }
    }

    pub fn rows(&self) -> &[Line] {
        &self.rows
    }

    /// Rows before this one stay as they are.
    pub fn settled(&self) -> usize {
        self.settled
    }

    /// The part that a row belongs to, and how far into it the row is.
    pub fn part_at(&self, row: usize) -> (usize, usize) {
        let part = self.starts.partition_point(|(start, _)| *start <= row).saturating_sub(1);
        (part, row - self.starts.get(part).map_or(0, |(start, _)| *start).min(row))
    }

    pub fn start_of(&self, part: usize) -> usize {
        self.starts.get(part).map_or(0, |(start, _)| *start)
    }

    /// The rows where the user said something.
    pub fn prompts(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.starts.iter().filter(|(_, said)| *said).map(|(start, _)| *start)
    }

    /// Brings the rows up to date; true when all of them were laid out anew.
    pub fn update(&mut self, transcript: &Transcript, width: usize, details: bool) -> bool {
        let kept = &transcript.kept;
        let anew = self.width != width
            || self.details != details
            || self.version != kept.version()
            || self.laid > kept.len();
        if anew {
            *self = Self { width, details, version: kept.version(), ..Self::new() };
            if kept.cut {
                let text = "What came before is not kept here; /export writes all of it.";
                self.rows.push(Line::styled(text, theme::DIM));
                self.settled = 1;
            }
        }
        self.rows.truncate(self.settled);
        self.starts.truncate(self.laid);
        for item in kept.items().skip(self.laid) {
            let rows = self.draw(item, transcript);
            self.add(item, rows);
        }
        self.laid = kept.len();
        self.settled = self.rows.len();
        let last = self.last;
        for item in &transcript.items {
            let rows = match item {
                Item::Text(text) if matches!(text.body, Body::Markdown(_)) => {
                    self.draw_stream(text, transcript)
                }
                item => self.draw(item, transcript),
            };
            self.add(item, rows);
        }
        self.last = last;
        anew
    }

    fn add(&mut self, item: &Item, rows: Vec<Line>) {
        if !rows.is_empty() && needs_gap(self.last, item.spacing()) {
            self.rows.push(Line::default());
        }
        self.starts.push((self.rows.len(), item.is_said()));
        if !rows.is_empty() {
            self.last = Some(item.spacing());
            self.rows.extend(rows);
        }
    }

    fn draw(&self, item: &Item, transcript: &Transcript) -> Vec<Line> {
        match item {
            Item::Tool(tool) if self.details => tool.draw_whole(&transcript.cwd, self.width),
            Item::Text(text) => draw_text(text, transcript, self.width),
            other => other.draw(&transcript.cwd, self.width, usize::MAX),
        }
    }

    fn draw_stream(&mut self, text: &TextItem, transcript: &Transcript) -> Vec<Line> {
        let same = |known: &&mut Stream| known.id == text.id && known.thought == text.is_thought();
        let known = self.stream.as_mut().filter(same).is_some();
        if !known {
            self.stream = Some(Stream {
                id: text.id.clone(),
                thought: text.is_thought(),
                fed: 0,
                markdown: Markdown::new(colours(transcript)),
                rows: Vec::new(),
            });
        }
        let Some(stream) = &mut self.stream else { return Vec::new() };
        stream.markdown.push(text.source.get(stream.fed..).unwrap_or_default());
        stream.fed = text.source.len();
        stream.markdown.drain(self.width, &mut stream.rows);
        let mut rows = stream.rows.clone();
        rows.extend(stream.markdown.tail(self.width, usize::MAX));
        rows
    }
}

fn draw_text(text: &TextItem, transcript: &Transcript, width: usize) -> Vec<Line> {
    if text.is_thought() {
        return super::item::raw_rows(&text.source, theme::THOUGHT, width);
    }
    let mut rows = Vec::new();
    let mut markdown = Markdown::new(colours(transcript));
    markdown.push(&text.source);
    markdown.finish();
    markdown.drain(width, &mut rows);
    if !markdown.is_drained() {
        rows.extend(markdown.tail(width, usize::MAX));
    }
    rows
}

fn colours(transcript: &Transcript) -> Highlighting {
    match &transcript.look {
        Look::Rich(highlighting) => highlighting.clone(),
        _ => Highlighting::off(),
    }
}
