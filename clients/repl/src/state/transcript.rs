//! The conversation on its way into the scrollback.
//!
//! Items stand in the order in which they began. What is finished at the front becomes rows once
//! and is forgotten; what is still open, and everything behind it, stays in the live part.

use std::collections::{HashSet, VecDeque};

use anstyle::Style;
use protocol::event::Severity;
use protocol::snapshot::Todo;
use protocol::tool::{ToolCallState, ToolStatus};

use crate::render::highlight::Highlighting;
use crate::render::line::{Line, Span};
use crate::render::markdown::Markdown;
use crate::render::safe::safe;
use crate::render::tools::{self, ToolView};
use crate::render::wrap::{Margin, wrap};
use crate::render::{last_rows, theme};

/// How text becomes rows.
#[derive(Clone)]
pub(crate) enum Look {
    /// Markdown for a terminal.
    Rich(Highlighting),
    /// The text as it came, for pipes and dumb terminals.
    Plain,
}

pub(crate) struct Transcript {
    look: Look,
    cwd: String,
    items: VecDeque<Item>,
    /// Rows that are final and wait to be drawn.
    finished: Vec<Line>,
    /// Texts of this turn that have been shown, at least in part: message and whether a thought.
    shown: HashSet<(String, bool)>,
    /// Off while an old conversation is shown: its code would use up what may be coloured.
    pub colours: bool,
    /// What stood last, for the empty row between unlike things.
    last: Option<Spacing>,
}

#[derive(Clone, Copy, PartialEq)]
enum Spacing {
    Tool,
    Block,
}

enum Item {
    Text(TextItem),
    Tool(Box<ToolView>),
    /// Rows whose content is known; only the width decides how they look.
    Fixed(Fixed),
}

enum Fixed {
    User(String),
    Notice(Severity, String),
    Todos(Vec<Todo>),
    Rows(Vec<Line>),
}

struct TextItem {
    id: String,
    body: Body,
    ended: bool,
    /// Rows of it are in the scrollback already.
    begun: bool,
}

enum Body {
    Markdown(Box<Markdown>),
    /// Text that is shown as it is: thoughts, and everything in plain mode.
    Raw {
        text: String,
        style: Style,
    },
}

impl Transcript {
    pub fn new(look: Look, cwd: String) -> Self {
        Self {
            look,
            cwd,
            items: VecDeque::new(),
            finished: Vec::new(),
            shown: HashSet::new(),
            colours: true,
            last: None,
        }
    }

    pub fn user(&mut self, text: &str) {
        self.items.push_back(Item::Fixed(Fixed::User(text.to_owned())));
    }

    pub fn notice(&mut self, severity: Severity, text: &str) {
        self.items.push_back(Item::Fixed(Fixed::Notice(severity, text.to_owned())));
    }

    pub fn rows(&mut self, rows: Vec<Line>) {
        self.items.push_back(Item::Fixed(Fixed::Rows(rows)));
    }

    /// A list that is still waiting to be drawn is replaced by its newer state.
    pub fn todos(&mut self, items: Vec<Todo>) {
        if items.is_empty() {
            return;
        }
        match self.items.back_mut() {
            Some(Item::Fixed(Fixed::Todos(old))) => *old = items,
            _ => self.items.push_back(Item::Fixed(Fixed::Todos(items))),
        }
    }

    /// More of an answer; it begins with its first text.
    pub fn answer(&mut self, id: &str, delta: &str) {
        self.text(id, delta, false);
    }

    pub fn thought(&mut self, id: &str, delta: &str) {
        self.text(id, delta, true);
    }

    fn text(&mut self, id: &str, delta: &str, thought: bool) {
        let open = self.items.iter_mut().rev().find_map(|item| match item {
            Item::Text(text) if text.is(id, thought) => Some(text),
            _ => None,
        });
        if let Some(text) = open {
            text.push(delta);
            return;
        }
        if delta.is_empty() {
            return;
        }
        self.end_open_texts();
        self.shown.insert((id.to_owned(), thought));
        let body = match &self.look {
            Look::Rich(highlighting) if !thought => {
                let colours = if self.colours { highlighting.clone() } else { Highlighting::off() };
                Body::Markdown(Box::new(Markdown::new(colours)))
            }
            _ => {
                let style = if thought { theme::THOUGHT } else { theme::PLAIN };
                Body::Raw { text: String::new(), style }
            }
        };
        let mut item = TextItem { id: id.to_owned(), body, ended: false, begun: false };
        item.push(delta);
        self.items.push_back(Item::Text(item));
    }

    /// The text is complete. `whole` is shown when nothing of it streamed.
    pub fn end_text(&mut self, id: &str, thought: bool, whole: Option<&str>) {
        if let Some(whole) = whole
            && !self.shown.contains(&(id.to_owned(), thought))
        {
            self.text(id, whole, thought);
        }
        for item in &mut self.items {
            if let Item::Text(text) = item
                && text.is(id, thought)
            {
                text.end();
            }
        }
    }

    /// Nothing of a message counts any more. Rows that are in the scrollback stay there, so it is
    /// said that they are void.
    pub fn retract(&mut self, id: &str) {
        let (mut begun, mut kinds) = (false, HashSet::new());
        self.items.retain(|item| match item {
            Item::Text(text) if text.id == id => {
                begun |= text.begun;
                kinds.insert(text.is_thought());
                false
            }
            _ => true,
        });
        let shown = self.shown.iter().filter(|(shown, _)| shown == id).count();
        self.shown.retain(|(shown, _)| shown != id);
        if begun || kinds.len() < shown {
            self.notice(Severity::Info, "What the model wrote last is void; it is asked again.");
        }
    }

    /// A model writes one thing after the other: what is behind a new thing is complete, whether
    /// or not its message is.
    fn end_open_texts(&mut self) {
        for item in &mut self.items {
            if let Item::Text(text) = item {
                text.end();
            }
        }
    }

    pub fn tool_started(&mut self, call: ToolCallState) {
        self.end_open_texts();
        self.items.push_back(Item::Tool(Box::new(ToolView::new(call))));
    }

    pub fn tool(&mut self, id: &str) -> Option<&mut ToolView> {
        self.items.iter_mut().rev().find_map(|item| match item {
            Item::Tool(tool) if tool.call.tool_call_id == id => Some(&mut **tool),
            _ => None,
        })
    }

    /// The turn is over: whatever is still open will hear no more.
    pub fn end_all(&mut self) {
        self.shown.clear();
        for item in &mut self.items {
            match item {
                Item::Text(text) => text.end(),
                Item::Tool(tool) if !tool.is_over() => tool.call.status = ToolStatus::Cancelled,
                _ => {}
            }
        }
    }

    /// The rows that have become final since the last call.
    pub fn take_finished(&mut self, width: usize) -> Vec<Line> {
        if let Look::Rich(highlighting) = &self.look {
            highlighting.new_frame();
        }
        while let Some(mut item) = self.items.pop_front() {
            let over = self.advance(&mut item, width);
            if !over {
                self.items.push_front(item);
                break;
            }
        }
        std::mem::take(&mut self.finished)
    }

    /// The rows of what is open, at most `rows` of them from the end.
    pub fn live(&self, width: usize, rows: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut last = self.last;
        for item in &self.items {
            let begun = matches!(item, Item::Text(text) if text.begun);
            let drawn = item.draw(&self.cwd, width, rows);
            if drawn.is_empty() {
                continue;
            }
            if !begun {
                if needs_gap(last, item.spacing()) {
                    lines.push(Line::default());
                }
                last = Some(item.spacing());
            }
            lines.extend(drawn);
        }
        last_rows(lines, rows)
    }

    /// Moves what is final of an item to the finished rows; true when nothing is left of it.
    fn advance(&mut self, item: &mut Item, width: usize) -> bool {
        let mut rows = Vec::new();
        let over = match item {
            Item::Fixed(fixed) => {
                rows = fixed.draw(width);
                true
            }
            Item::Tool(tool) if tool.is_over() => {
                rows = tool.draw(&self.cwd, width);
                true
            }
            Item::Tool(_) => false,
            Item::Text(text) => {
                text.drain(width, &mut rows);
                text.is_over()
            }
        };
        if !rows.is_empty() {
            let begun = matches!(item, Item::Text(text) if text.begun);
            if !begun && needs_gap(self.last, item.spacing()) {
                self.finished.push(Line::default());
            }
            if let Item::Text(text) = item {
                text.begun = true;
            }
            self.last = Some(item.spacing());
            self.finished.append(&mut rows);
        }
        over
    }
}

fn needs_gap(last: Option<Spacing>, next: Spacing) -> bool {
    last.is_some_and(|last| (last, next) != (Spacing::Tool, Spacing::Tool))
}

impl Item {
    fn spacing(&self) -> Spacing {
        if matches!(self, Item::Tool(_)) { Spacing::Tool } else { Spacing::Block }
    }

    fn draw(&self, cwd: &str, width: usize, rows: usize) -> Vec<Line> {
        match self {
            Item::Fixed(fixed) => fixed.draw(width),
            Item::Tool(tool) => tool.draw(cwd, width),
            Item::Text(text) => text.tail(width, rows),
        }
    }
}

impl Fixed {
    fn draw(&self, width: usize) -> Vec<Line> {
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
                let row = |row: &Line| wrap(&row.spans, width, &Margin::default());
                rows.iter().flat_map(row).collect()
            }
        }
    }
}

impl TextItem {
    fn is(&self, id: &str, thought: bool) -> bool {
        !self.ended && self.is_thought() == thought && self.id == id
    }

    fn is_thought(&self) -> bool {
        matches!(self.body, Body::Raw { style, .. } if style == theme::THOUGHT)
    }

    fn push(&mut self, delta: &str) {
        match &mut self.body {
            Body::Markdown(markdown) => markdown.push(delta),
            Body::Raw { text, .. } => text.push_str(delta),
        }
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true)
            && let Body::Markdown(markdown) = &mut self.body
        {
            markdown.finish();
        }
    }

    fn is_over(&self) -> bool {
        self.ended
            && match &self.body {
                Body::Markdown(markdown) => markdown.is_drained(),
                Body::Raw { text, .. } => text.is_empty(),
            }
    }

    fn drain(&mut self, width: usize, rows: &mut Vec<Line>) {
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

    fn tail(&self, width: usize, rows: usize) -> Vec<Line> {
        match &self.body {
            Body::Markdown(markdown) => markdown.tail(width, rows),
            Body::Raw { text, style } => last_rows(raw_rows(text, *style, width), rows),
        }
    }
}

fn raw_rows(text: &str, style: Style, width: usize) -> Vec<Line> {
    let row = |line: &str| wrap(&[Span::new(safe(line), style)], width, &Margin::default());
    text.lines().flat_map(row).collect()
}

#[cfg(test)]
mod tests;
