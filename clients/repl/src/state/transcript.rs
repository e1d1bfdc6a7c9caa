//! The conversation on its way into the scrollback.
//!
//! Items stand in the order in which they began. What is finished at the front becomes rows once
//! and is only kept to be shown again; what is still open, and everything behind it, stays in the live
//! part.

mod item;
mod kept;
mod spoken;
mod whole;

use std::collections::{HashSet, VecDeque};

use protocol::event::Severity;
use protocol::snapshot::Todo;
use protocol::tool::{ToolCallState, ToolStatus};

use crate::render::highlight::Highlighting;
use crate::render::line::Line;
use crate::render::markdown::Markdown;
use crate::render::tools::ToolView;
use crate::render::{last_rows, theme};

use item::{Body, Fixed, Item, Spacing, TextItem, needs_gap};
use kept::Kept;
pub(crate) use whole::Whole;

/// How text becomes rows.
#[derive(Clone)]
pub(crate) enum Look {
    /// Markdown for a terminal.
    Rich(Highlighting),
    /// The text as it came, for pipes and dumb terminals.
    Plain,
    /// In words, for a screen reader.
    Spoken,
}

pub(crate) struct Transcript {
    look: Look,
    cwd: String,
    items: VecDeque<Item>,
    /// What was drawn, where it can be shown again.
    kept: Kept,
    /// How many of those, from the end, were not drawn yet: a page was in front.
    undrawn: usize,
    /// Rows that are final and wait to be drawn.
    finished: Vec<Line>,
    /// Texts of this turn that have been shown, at least in part: message and whether a thought.
    shown: HashSet<(String, bool)>,
    /// Off while an old conversation is shown: its code would use up what may be coloured.
    pub colours: bool,
    /// What stood last, for the empty row between unlike things.
    last: Option<Spacing>,
}

impl Transcript {
    pub fn new(look: Look, cwd: String) -> Self {
        Self {
            look,
            cwd,
            items: VecDeque::new(),
            kept: Kept::default(),
            undrawn: 0,
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
        let mut item =
            TextItem { id: id.to_owned(), body, source: String::new(), ended: false, begun: false };
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
        self.kept.retract(id);
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

    /// Another conversation begins; what was said before is not part of it.
    pub fn forget(&mut self) {
        self.kept = Kept::default();
    }

    /// The last answer of the model, as it wrote it.
    pub fn last_answer(&self) -> Option<&str> {
        let all = self.kept.items().chain(&self.items);
        let answers = all.filter_map(|item| match item {
            Item::Text(text) if !text.is_thought() => Some(text.source.as_str()),
            _ => None,
        });
        answers.last()
    }

    /// The rows that have become final since the last call.
    pub fn take_finished(&mut self, width: usize) -> Vec<Line> {
        if let Look::Rich(highlighting) = &self.look {
            highlighting.new_frame();
        }
        self.advance_all(width);
        std::mem::take(&mut self.finished)
    }

    /// Says something before what is still open, behind what is not.
    pub fn announce(&mut self, row: Line, width: usize) {
        self.advance_all(width);
        self.finished.push(row);
    }

    fn advance_all(&mut self, width: usize) {
        self.draw_settled(width);
        while let Some(mut item) = self.items.pop_front() {
            let over = self.advance(&mut item, width);
            if !over {
                self.items.push_front(item);
                break;
            }
            if matches!(self.look, Look::Rich(_)) {
                self.kept.push(item);
            }
        }
    }

    /// Puts aside what is finished while a page is in front: it is drawn when the page has closed.
    pub fn settle(&mut self) {
        while self.items.front().is_some_and(Item::is_ended)
            && let Some(item) = self.items.pop_front()
        {
            self.kept.push(item);
            self.undrawn += 1;
        }
    }

    fn draw_settled(&mut self, width: usize) {
        if self.undrawn == 0 {
            return;
        }
        let mut kept = std::mem::take(&mut self.kept);
        for item in kept.last_mut(std::mem::take(&mut self.undrawn)) {
            if !self.advance(item, width) {
                // The colours of its code are not there yet, and nobody waits for them any more.
                let rest = item.draw(&self.cwd, width, usize::MAX);
                self.finished.extend(rest);
            }
        }
        self.kept = kept;
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
        let spoken = matches!(self.look, Look::Spoken);
        let over = match item {
            Item::Fixed(_) if spoken => {
                rows = spoken::speak(item, &self.cwd);
                true
            }
            Item::Tool(tool) if spoken && tool.is_over() => {
                rows = spoken::speak(item, &self.cwd);
                true
            }
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
            if !begun && !spoken && needs_gap(self.last, item.spacing()) {
                self.finished.push(Line::default());
            }
            if let (Item::Text(text), true, false) = (&*item, spoken, begun) {
                self.finished.push(spoken::opening(text.is_thought()));
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

#[cfg(test)]
mod tests;
