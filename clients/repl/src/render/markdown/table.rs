//! Draws a table: columns as wide as they need, narrowed to the terminal, and a plain list of
//! `heading: value` where even that does not fit.

use pulldown_cmark::Alignment;

use crate::render::line::{Line, Span};
use crate::render::theme;
use crate::render::width::text_width;
use crate::render::wrap::{Margin, wrap};

/// A column narrower than this is unreadable.
const NARROWEST: usize = 4;
const SEPARATOR: &str = " │ ";

pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Vec<Span>>>,
    row: Vec<Vec<Span>>,
}

impl Table {
    pub fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub fn cell(&mut self, spans: Vec<Span>) {
        self.row.push(spans);
    }

    pub fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    pub fn draw(&self, width: usize) -> Vec<Line> {
        let columns = self.alignments.len();
        let separators = columns.saturating_sub(1) * 3;
        if columns == 0 || columns * NARROWEST + separators > width {
            return self.draw_as_list(width);
        }
        let widths = self.widths(width - separators);
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            self.draw_row(row, &widths, &mut lines);
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Line::styled(rules.join("─┼─"), theme::DIM));
            }
        }
        lines
    }

    /// The natural widths, with the widest columns cut until all fit.
    fn widths(&self, room: usize) -> Vec<usize> {
        let mut widths = vec![1; self.alignments.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell_width(cell));
            }
        }
        while widths.iter().sum::<usize>() > room {
            let excess = widths.iter().sum::<usize>() - room;
            let widest = widths.iter().copied().max().unwrap_or(0);
            let next = widths.iter().copied().filter(|width| *width < widest).max().unwrap_or(1);
            let count = widths.iter().filter(|width| **width == widest).count();
            let step = (widest - next).min(excess.div_ceil(count)).max(1);
            for width in widths.iter_mut().filter(|width| **width == widest) {
                *width = (*width - step).max(1);
            }
        }
        widths
    }

    fn draw_row(&self, row: &[Vec<Span>], widths: &[usize], lines: &mut Vec<Line>) {
        let cells: Vec<Vec<Line>> = widths
            .iter()
            .enumerate()
            .map(|(at, width)| match row.get(at) {
                Some(cell) => wrap(cell, *width, &Margin::default()),
                None => Vec::new(),
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for level in 0..height {
            let mut line = Line::default();
            for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
                if at > 0 {
                    line.push(SEPARATOR, theme::DIM);
                }
                let empty = Line::default();
                let part = cell.get(level).unwrap_or(&empty);
                let free = width.saturating_sub(part.width());
                let left = match self.alignments.get(at) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    _ => 0,
                };
                line.push(&" ".repeat(left), theme::PLAIN);
                line.extend(part);
                if at + 1 < widths.len() {
                    line.push(&" ".repeat(free - left), theme::PLAIN);
                }
            }
            lines.push(line);
        }
    }

    fn draw_as_list(&self, width: usize) -> Vec<Line> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for row in rows {
            for (name, cell) in head.iter().zip(row) {
                let mut spans = name.clone();
                spans.push(Span::new(": ", theme::DIM));
                spans.extend(cell.iter().cloned());
                lines.extend(wrap(&spans, width, &Margin::default()));
            }
            lines.push(Line::default());
        }
        lines.pop();
        lines
    }
}

fn cell_width(cell: &[Span]) -> usize {
    cell.iter().map(|span| text_width(&span.text)).sum()
}
