//! Streamed Markdown, drawn once: finished blocks become rows that are never touched again, and
//! only the unfinished end is drawn anew.

mod blocks;
mod inline;
mod simple;
mod table;

use std::collections::VecDeque;

pub(crate) use blocks::Block;
use blocks::Splitter;

use super::highlight::{Highlighter, Highlighting, Readiness};
use super::line::Line;
use super::safe::safe;
use super::theme;
use super::wrap::{Margin, wrap_exact};

/// More finished blocks than this between two frames are more than anybody can read.
const FLOOD: usize = 500;

/// One answer of the model while it arrives.
pub(crate) struct Markdown {
    splitter: Splitter,
    /// Finished blocks that are not drawn yet; they wait here while the grammars load.
    blocks: VecDeque<Block>,
    painter: Painter,
    highlighting: Highlighting,
}

/// Draws blocks one after the other and knows what stood before.
#[derive(Default)]
struct Painter {
    fence: Option<Fence>,
    /// The number the next item of an ordered list gets.
    next_number: Option<u64>,
    last: Last,
    /// The source had a blank line since the last block.
    gap: bool,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Last {
    #[default]
    Nothing,
    Item,
    Other,
}

struct Fence {
    indent: usize,
    colours: Option<Highlighter>,
}

impl Markdown {
    pub fn new(highlighting: Highlighting) -> Self {
        Self {
            splitter: Splitter::default(),
            blocks: VecDeque::new(),
            painter: Painter::default(),
            highlighting,
        }
    }

    pub fn push(&mut self, delta: &str) {
        let mut out = Vec::new();
        self.splitter.push(delta, &mut out);
        self.blocks.extend(out);
    }

    pub fn finish(&mut self) {
        let mut out = Vec::new();
        self.splitter.finish(&mut out);
        self.blocks.extend(out);
    }

    /// Nothing is left to draw.
    pub fn is_drained(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Draws the blocks that have become final since the last call.
    pub fn drain(&mut self, width: usize, out: &mut Vec<Line>) {
        let flood = self.blocks.len() > FLOOD;
        while let Some(block) = self.blocks.pop_front() {
            let colours = match &block {
                Block::FenceStart { language, .. } if !language.is_empty() && !flood => {
                    match self.highlighting.readiness() {
                        Readiness::Loading => {
                            self.blocks.push_front(block);
                            return;
                        }
                        Readiness::Ready(grammars) => Highlighter::new(&grammars, language),
                        Readiness::Off => None,
                    }
                }
                Block::Code(code) if !self.highlighting.spend(code.len()) => {
                    self.painter.go_plain();
                    None
                }
                _ => None,
            };
            self.painter.paint(&block, colours, width, out);
        }
    }

    /// The rows of what is not final yet, at most `rows` of them from the end.
    pub fn tail(&self, width: usize, rows: usize) -> Vec<Line> {
        let mut painter = self.painter.preview();
        let mut out = Vec::new();
        // Blocks waiting for the grammars are shown without colours; the last ones are enough.
        let skip = self.blocks.len().saturating_sub(rows);
        for block in self.blocks.iter().skip(skip) {
            painter.paint(block, None, width, &mut out);
        }
        for block in self.splitter.tail() {
            painter.paint(&block, None, width, &mut out);
        }
        let skip = out.len().saturating_sub(rows);
        out.split_off(skip)
    }
}

impl Painter {
    /// A painter for rows that will be thrown away.
    fn preview(&self) -> Self {
        Self {
            fence: self.fence.as_ref().map(|fence| Fence { indent: fence.indent, colours: None }),
            next_number: self.next_number,
            last: self.last,
            gap: self.gap,
        }
    }

    /// The open fence goes on in one colour.
    fn go_plain(&mut self) {
        if let Some(fence) = &mut self.fence {
            fence.colours = None;
        }
    }

    fn paint(
        &mut self,
        block: &Block,
        colours: Option<Highlighter>,
        width: usize,
        out: &mut Vec<Line>,
    ) {
        match block {
            Block::Gap => self.gap = true,
            Block::Text { source, indent } => {
                let source = safe(source);
                let text = inline::Text { source: &source, indent: *indent, width };
                let drawn = text.draw(self.next_number);
                let kind = if drawn.is_item { Last::Item } else { Last::Other };
                let joined = kind == Last::Item && self.last == Last::Item;
                let heading = source.starts_with('#');
                self.separate(!joined && (self.gap || heading || kind != self.last), out);
                out.extend(drawn.lines);
                // An indented paragraph belongs to the item before it and does not end the list.
                if *indent == 0 {
                    self.next_number = drawn.next_number;
                }
                self.last = kind;
                self.gap = heading;
            }
            Block::FenceStart { indent, .. } => {
                self.separate(true, out);
                self.fence = Some(Fence { indent: indent + 2, colours });
            }
            Block::Code(code) => self.paint_code(code, width, out),
            Block::FenceEnd => {
                self.fence = None;
                self.last = Last::Other;
                self.gap = true;
            }
        }
    }

    fn paint_code(&mut self, code: &str, width: usize, out: &mut Vec<Line>) {
        let code = safe(code);
        let indent = self.fence.as_ref().map_or(2, |fence| fence.indent);
        let coloured = self.fence.as_mut().and_then(|fence| {
            let line = fence.colours.as_mut()?.line(&code);
            if line.is_none() {
                fence.colours = None;
            }
            line
        });
        let line = coloured.unwrap_or_else(|| Line::styled(code, theme::PLAIN));
        out.extend(wrap_exact(&line, width, &Margin::indent(indent)));
    }

    fn separate(&mut self, wanted: bool, out: &mut Vec<Line>) {
        if wanted && self.last != Last::Nothing {
            out.push(Line::default());
        }
        self.gap = false;
    }
}

#[cfg(test)]
mod tests;
