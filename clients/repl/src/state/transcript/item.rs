//! What a conversation is made of, and how each part becomes rows.

use anstyle::Style;
use protocol::event::Severity;
use protocol::snapshot::Todo;

use crate::render::line::{Line, Span};
use crate::render::markdown::Markdown;
use crate::render::safe::safe;
use crate::render::tools::{self, ToolView};
use crate::render::width::text_width;
use crate::render::wrap::{Margin, wrap};
use crate::render::{last_rows, theme};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Spacing {
    Tool,
    Block,
}

pub(super) enum Item {
    Text(TextItem),
    Tool(Box<ToolView>),
    /// Rows whose content is known; only the width decides how they look.
    Fixed(Fixed),
}

pub(super) enum Fixed {
    User(String),
    Notice(Severity, String),
    Todos(Vec<Todo>),
    Rows(Vec<Line>),
}

pub(super) struct TextItem {
    pub(super) id: String,
    pub(super) body: Body,
    /// All of it, to show it again.
    pub(super) source: String,
    pub(super) ended: bool,
    /// Rows of it are in the scrollback already.
    pub(super) begun: bool,
}

pub(super) enum Body {
    Markdown(Box<Markdown>),
    /// Text that is shown as it is: thoughts, and everything in plain mode.
    Raw {
        text: String,
        style: Style,
    },
}

pub(super) fn needs_gap(last: Option<Spacing>, next: Spacing) -> bool {
    last.is_some_and(|last| (last, next) != (Spacing::Tool, Spacing::Tool))
}

impl Item {
    /// The user's own words.
    pub(super) fn is_said(&self) -> bool {
        matches!(self, Item::Fixed(Fixed::User(_)))
    }

    /// Nothing will change it any more.
    pub(super) fn is_ended(&self) -> bool {
        match self {
            Item::Fixed(_) => true,
            Item::Tool(tool) => tool.is_over(),
            Item::Text(text) => text.ended,
        }
    }

    pub(super) fn spacing(&self) -> Spacing {
        if matches!(self, Item::Tool(_)) { Spacing::Tool } else { Spacing::Block }
    }

    pub(super) fn draw(&self, cwd: &str, width: usize, rows: usize) -> Vec<Line> {
        match self {
            Item::Fixed(fixed) => fixed.draw(width),
            Item::Tool(tool) => tool.draw(cwd, width),
            Item::Text(text) => text.tail(width, rows),
        }
    }
}

impl Fixed {
    pub(super) fn draw(&self, width: usize) -> Vec<Line> {
        match self {
            Fixed::User(text) => {
                let margin =
                    Margin::new(Line::styled("› ", theme::ACCENT.bold()), Line::plain("  "));
                wrap(&[Span::new(safe(text), theme::BOLD)], width, &margin)
            }
            Fixed::Notice(severity, text) => {
                let style = match severity {
                    Severity::Error => theme::BAD,
                    Severity::Warning => theme::WARN,
                    _ => theme::DIM,
                };
                let margin = Margin::new(Line::styled("▪ ", style), Line::plain("  "));
                wrap(&[Span::new(safe(text), style)], width, &margin)
            }
            Fixed::Todos(items) => tools::todos(items, width),
            Fixed::Rows(rows) => {
                let row = |row: &Line| {
                    let hanging = Line::plain(" ".repeat(column(row, width)));
                    wrap(&row.spans, width, &Margin::new(Line::default(), hanging))
                };
                rows.iter().flat_map(row).collect()
            }
        }
    }
}

/// Where a row that does not fit goes on: below its second column, if it has columns and there is room,
/// else further in than an indented row begins.
fn column(row: &Line, width: usize) -> usize {
    const WIDEST: usize = 40;
    let text = row.text();
    match (&*row.spans, text.len() - text.trim_start_matches(' ').len()) {
        ([first, _, ..], _) if first.text.ends_with(' ') && width >= 2 * WIDEST => {
            text_width(&first.text).min(WIDEST)
        }
        (_, 0) => 0,
        (_, blanks) => (blanks + 2).min(width / 2),
    }
}

impl TextItem {
    pub(super) fn is(&self, id: &str, thought: bool) -> bool {
        !self.ended && self.is_thought() == thought && self.id == id
    }

    pub(super) fn is_thought(&self) -> bool {
        matches!(self.body, Body::Raw { style, .. } if style == theme::THOUGHT)
    }

    pub(super) fn push(&mut self, delta: &str) {
        self.source.push_str(delta);
        match &mut self.body {
            Body::Markdown(markdown) => markdown.push(delta),
            Body::Raw { text, .. } => text.push_str(delta),
        }
    }

    pub(super) fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true)
            && let Body::Markdown(markdown) = &mut self.body
        {
            markdown.finish();
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.ended
            && match &self.body {
                Body::Markdown(markdown) => markdown.is_drained(),
                Body::Raw { text, .. } => text.is_empty(),
            }
    }

    pub(super) fn drain(&mut self, width: usize, rows: &mut Vec<Line>) {
        match &mut self.body {
            Body::Markdown(markdown) => markdown.drain(width, rows),
            Body::Raw { text, style } => {
                let end =
                    if self.ended { text.len() } else { text.rfind('\n').map_or(0, |at| at + 1) };
                let complete: String = text.drain(..end).collect();
                rows.extend(raw_rows(&complete, *style, width));
            }
        }
    }

    pub(super) fn tail(&self, width: usize, rows: usize) -> Vec<Line> {
        match &self.body {
            Body::Markdown(markdown) => markdown.tail(width, rows),
            Body::Raw { text, style } => last_rows(raw_rows(text, *style, width), rows),
        }
    }
}

pub(super) fn raw_rows(text: &str, style: Style, width: usize) -> Vec<Line> {
    let row = |line: &str| wrap(&[Span::new(safe(line), style)], width, &Margin::default());
    text.lines().flat_map(row).collect()
}
