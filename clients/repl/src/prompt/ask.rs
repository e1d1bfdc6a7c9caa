//! Questions of the agent: choices, several choices, free text, flat forms, links to open.

mod field;
mod spoken;

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent};
use protocol::ask::{AskAction, AskParams, AskResult};
use serde_json::Value;

use super::{Origin, Step, digit, is_escape, move_mark, option_row, write, written};
use crate::editor::buffer::Buffer;
use crate::render::line::{Line, Span};
use crate::render::safe::strict;
use crate::render::theme;
use crate::render::wrap::{Margin, wrap};
use field::Field;

#[derive(Debug)]
pub(crate) struct Asking {
    pub origin: Origin,
    pub request: AskParams,
    fields: Vec<Field>,
    at: usize,
    marked: usize,
    chosen: Vec<bool>,
    text: Buffer,
    /// The user writes an answer of their own beside the choices.
    writing: bool,
    problem: Option<String>,
    answers: BTreeMap<String, Value>,
}

impl Asking {
    pub fn new(origin: Origin, request: AskParams) -> Self {
        let fields = field::fields(&request);
        let mut asking = Self {
            origin,
            request,
            fields,
            at: 0,
            marked: 0,
            chosen: Vec::new(),
            text: Buffer::default(),
            writing: false,
            problem: None,
            answers: BTreeMap::new(),
        };
        asking.begin_field();
        asking
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Step<AskResult> {
        if is_escape(key) {
            if self.writing && self.fields.get(self.at).is_some_and(|f| !f.options.is_empty()) {
                self.writing = false;
                return Step::Open;
            }
            return Step::Answered(AskResult { action: AskAction::Decline, content: None });
        }
        if self.fields.is_empty() {
            // A link: the user says when the page is done.
            return match key.code {
                KeyCode::Enter => {
                    Step::Answered(AskResult { action: AskAction::Accept, content: None })
                }
                _ => Step::Open,
            };
        }
        if self.writing { self.on_text_key(key) } else { self.on_choice_key(key) }
    }

    /// Letters are a text.
    pub fn writes(&self) -> bool {
        self.writing
    }

    pub fn paste(&mut self, text: &str) {
        if self.writing {
            self.text.insert(text);
        }
    }

    fn on_text_key(&mut self, key: KeyEvent) -> Step<AskResult> {
        if key.code == KeyCode::Enter {
            return self.finish_text();
        }
        write(&mut self.text, key);
        Step::Open
    }

    fn finish_text(&mut self) -> Step<AskResult> {
        let Some(field) = self.fields.get(self.at) else { return Step::Open };
        match field.value_of_text(self.text.text()) {
            Ok(Some(value)) => self.answer(value),
            Ok(None) => self.next_field(),
            Err(problem) => {
                self.problem = Some(problem);
                Step::Open
            }
        }
    }

    fn on_choice_key(&mut self, key: KeyEvent) -> Step<AskResult> {
        let Some(field) = self.fields.get(self.at) else { return Step::Open };
        let count = field.options.len() + usize::from(field.free);
        if move_mark(&mut self.marked, count, key) {
            return Step::Open;
        }
        let multi = field.multi;
        let picked = match key.code {
            KeyCode::Enter if multi && self.marked < field.options.len() => {
                return self.finish_choices();
            }
            KeyCode::Enter => Some(self.marked),
            KeyCode::Char(' ') if multi => Some(self.marked),
            _ => digit(key).filter(|at| *at < count),
        };
        let Some(picked) = picked else { return Step::Open };
        self.marked = picked;
        if picked == field.options.len() {
            self.writing = true;
            return Step::Open;
        }
        if multi {
            if let Some(chosen) = self.chosen.get_mut(picked) {
                *chosen = !*chosen;
            }
            return Step::Open;
        }
        let value = field.value_of_choice(picked);
        self.answer(value)
    }

    fn finish_choices(&mut self) -> Step<AskResult> {
        let Some(field) = self.fields.get(self.at) else { return Step::Open };
        let chosen = field.options.iter().zip(&self.chosen).filter(|(_, chosen)| **chosen);
        let labels: Vec<Value> =
            chosen.map(|(option, _)| Value::from(option.label.as_str())).collect();
        self.answer(Value::Array(labels))
    }

    fn answer(&mut self, value: Value) -> Step<AskResult> {
        if let Some(field) = self.fields.get(self.at) {
            let value = match (field.multi, value) {
                (true, Value::String(text)) => Value::from(vec![text]),
                (_, value) => value,
            };
            self.answers.insert(field.id.clone(), value);
        }
        self.next_field()
    }

    fn next_field(&mut self) -> Step<AskResult> {
        self.at += 1;
        if self.at < self.fields.len() {
            self.begin_field();
            return Step::Open;
        }
        let content = Some(std::mem::take(&mut self.answers));
        Step::Answered(AskResult { action: AskAction::Accept, content })
    }

    fn begin_field(&mut self) {
        self.marked = 0;
        self.problem = None;
        self.text.take();
        let Some(field) = self.fields.get(self.at) else { return };
        self.chosen = vec![false; field.options.len()];
        self.writing = field.options.is_empty();
    }

    pub fn draw(&self, width: usize) -> (Vec<Line>, Option<(usize, usize)>) {
        let mut lines = vec![Line::styled("─".repeat(width), theme::ACCENT)];
        let paragraph =
            |text: &str, style| wrap(&[Span::new(strict(text), style)], width, &Margin::default());
        if let Some(message) = &self.request.message {
            lines.extend(paragraph(message, theme::PLAIN));
        }
        if let Some(url) = &self.request.url {
            lines.extend(paragraph(url, theme::LINK));
            let hint = "open it in a browser; enter when done, esc to decline";
            lines.push(Line::styled(hint, theme::DIM).truncated(width));
            return (lines, None);
        }
        let Some(field) = self.fields.get(self.at) else { return (lines, None) };
        let place = match self.fields.len() {
            1 => String::new(),
            count => format!("({}/{count}) ", self.at + 1),
        };
        lines.extend(paragraph(&format!("{place}{}", field.text), theme::BOLD));
        for (at, option) in field.options.iter().enumerate() {
            let marked = at == self.marked && !self.writing;
            let tick = match (field.multi, self.chosen.get(at)) {
                (true, Some(true)) => "☑ ",
                (true, _) => "☐ ",
                _ => "",
            };
            let row = option_row(at, marked, &format!("{tick}{}", strict(&option.label)));
            let detail = format!("  {}", strict(&option.description));
            lines.push(row.with(detail.trim_end(), theme::DIM).truncated(width));
        }
        let caret = self.draw_text(field, width, &mut lines);
        if let Some(problem) = &self.problem {
            lines.extend(paragraph(problem, theme::BAD));
        }
        let hint = match (self.writing, field.multi) {
            (true, _) => "enter to answer, esc to decline",
            (false, true) => "space to tick, enter to answer, esc to decline",
            (false, false) => "↑↓ or a number, enter to answer, esc to decline",
        };
        lines.push(Line::styled(hint, theme::DIM).truncated(width));
        (lines, caret)
    }

    fn draw_text(
        &self,
        field: &Field,
        width: usize,
        lines: &mut Vec<Line>,
    ) -> Option<(usize, usize)> {
        if !self.writing {
            if field.free {
                let at = field.options.len();
                lines.push(option_row(at, at == self.marked, "something else …"));
            }
            return None;
        }
        let (rows, (row, column)) = written(&self.text, width);
        let caret = (lines.len() + row, column);
        lines.extend(rows);
        Some(caret)
    }
}

#[cfg(test)]
mod tests;
