//! The permission prompt: what is asked, as it will be, and one key to answer.
//!
//! `subject` says what is shown, `choices` which answers there are, `input` lets the user change
//! what would be done.

mod choices;
mod input;
mod subject;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use protocol::permission::{OptionKind, OptionScope, PermissionRequestParams, Subject};
use serde_json::Value;

use super::pages::Pages;
use super::{Origin, Step, digit, is_escape, move_mark, write, written};
use crate::editor::buffer::Buffer;
use crate::render::line::{Line, Span};
use crate::render::safe::{literal, strict};
use crate::render::theme;
use crate::render::wrap::{Margin, wrap};
use input::{Input, Said};

/// Rows of a title: what it is about stands below it, whole.
const TITLE_ROWS: usize = 2;
/// Rows of a reason that stay in sight; a longer one can be paged through.
const REASON_ROWS: usize = 3;
/// Fewer rows than this are no place to read: then everything but the answers is paged.
const LEAST_ROOM: usize = 4;

#[derive(Debug)]
pub(crate) struct Permission {
    pub origin: Origin,
    pub request: PermissionRequestParams,
    pub hears: Hears,
    cwd: String,
    marked: usize,
    pages: Pages,
    field: Option<Field>,
}

/// What may answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Hears {
    /// Nothing yet: it has only just come into sight.
    Nothing,
    Keys,
    /// A line that is typed, where there are no keys.
    Lines,
}

/// What is being written.
#[derive(Debug)]
enum Field {
    /// To the model, along with the refusal.
    Feedback(Buffer),
    /// What shall be done instead.
    Input(Box<Input>),
}

/// The user's decision.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Decision {
    /// `None` denies once, also when the server offered no way to say no.
    pub option: Option<String>,
    pub feedback: Option<String>,
    pub edited_input: Option<Value>,
}

impl Decision {
    fn choose(option: &str) -> Self {
        Self { option: Some(option.to_owned()), ..Self::default() }
    }

    /// A no for now, which nobody will remember.
    pub fn not_now(request: &PermissionRequestParams) -> Self {
        let once = request
            .options
            .iter()
            .find(|option| option.kind == OptionKind::Deny && option.scope == OptionScope::Once);
        Self { option: once.map(|option| option.id.clone()), ..Self::default() }
    }
}

impl Permission {
    pub fn new(origin: Origin, request: PermissionRequestParams, cwd: &str) -> Self {
        let marked = choices::first_mark(&request);
        Self {
            origin,
            request,
            hears: Hears::Keys,
            cwd: cwd.to_owned(),
            marked,
            pages: Pages::default(),
            field: None,
        }
    }

    pub fn is_trust(&self) -> bool {
        choices::is_trust(&self.request)
    }

    /// The id of the answer with this number, counted from one.
    pub fn option(&self, number: usize) -> Option<String> {
        self.request.options.get(number.checked_sub(1)?).map(|option| option.id.clone())
    }

    /// What it is about is a change of a text.
    pub fn shows_change(&self) -> bool {
        matches!(self.request.subject, Subject::Edit(_))
    }

    /// Letters are a text.
    pub fn writes(&self) -> bool {
        self.field.is_some()
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Step<Decision> {
        match self.field {
            Some(Field::Feedback(_)) => return self.on_feedback_key(key),
            Some(Field::Input(_)) => return self.on_input_key(key),
            None => {}
        }
        if is_escape(key) {
            return Step::Answered(Decision::not_now(&self.request));
        }
        let options = &self.request.options;
        if let Some(option) = digit(key).and_then(|at| options.get(at)) {
            return Step::Answered(Decision::choose(&option.id));
        }
        if move_mark(&mut self.marked, options.len(), key) || self.pages.on_key(key) {
            return Step::Open;
        }
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Step::Open;
        }
        let chosen = match key.code {
            KeyCode::Char('e') if !self.is_trust() => {
                self.field = Some(Field::Feedback(Buffer::default()));
                None
            }
            KeyCode::Char('i' | 'E') => {
                self.field = Input::of(&self.request).map(|input| Field::Input(Box::new(input)));
                None
            }
            KeyCode::Char(letter) => choices::with_letter(&self.request, letter),
            KeyCode::Enter => self.request.options.get(self.marked),
            _ => None,
        };
        chosen.map_or(Step::Open, |option| Step::Answered(Decision::choose(&option.id)))
    }

    pub fn paste(&mut self, text: &str) {
        match &mut self.field {
            Some(Field::Feedback(feedback)) => feedback.insert(text),
            Some(Field::Input(input)) => input.paste(text),
            None => {}
        }
    }

    fn on_feedback_key(&mut self, key: KeyEvent) -> Step<Decision> {
        let Some(Field::Feedback(feedback)) = &mut self.field else { return Step::Open };
        match key.code {
            // Back to the choice: leaving a comment field must decide nothing.
            _ if is_escape(key) => self.field = None,
            KeyCode::Enter => {
                let text = feedback.take();
                let mut decision = Decision::not_now(&self.request);
                decision.feedback = Some(text).filter(|text| !text.trim().is_empty());
                return Step::Answered(decision);
            }
            _ => write(feedback, key),
        }
        Step::Open
    }

    fn on_input_key(&mut self, key: KeyEvent) -> Step<Decision> {
        let Some(Field::Input(input)) = &mut self.field else { return Step::Open };
        match input.on_key(key) {
            Said::Nothing => Step::Open,
            Said::Back => {
                self.field = None;
                Step::Open
            }
            Said::Do { option, input } => {
                let edited_input = input;
                Step::Answered(Decision { edited_input, ..Decision::choose(&option) })
            }
        }
    }

    /// The rows of the prompt and, while something is written, the caret among them.
    pub fn draw(
        &mut self,
        width: usize,
        height: usize,
        others: usize,
    ) -> (Vec<Line>, Option<(usize, usize)>) {
        let mut lines = vec![Line::styled("─".repeat(width), theme::WARN)];
        lines.extend(self.title(width, others));
        if let Some(Field::Input(input)) = &self.field {
            let (rows, (row, column)) = input.draw(width, height.saturating_sub(lines.len()));
            let caret = (lines.len() + row, column);
            lines.extend(rows);
            return (lines, Some(caret));
        }
        let (mut foot, caret) = match &self.field {
            Some(Field::Feedback(feedback)) => feedback_rows(feedback, width),
            _ => (choices::draw(&self.request, self.marked, self.hears, width), None),
        };
        self.add_body(width, height.saturating_sub(foot.len()), &mut lines);
        let caret = caret.map(|(row, column)| (lines.len() + row, column));
        lines.append(&mut foot);
        (lines, caret)
    }

    fn title(&self, width: usize, others: usize) -> Vec<Line> {
        let text = match &self.request.subject {
            Subject::Command(_) => literal(&self.request.title),
            _ => strict(&self.request.title).into_owned(),
        };
        let mut spans = Vec::new();
        if others > 0 {
            spans.push(Span::new(format!("({others} more waiting) "), theme::DIM));
        }
        spans.push(Span::new(text, theme::BOLD));
        capped(wrap(&spans, width, &Margin::default()), TITLE_ROWS)
    }

    /// Why it is asked, what it is about, and what is to be known about that. What does not fit
    /// is paged; the plain facts stay in sight where there is room.
    fn add_body(&mut self, width: usize, height: usize, lines: &mut Vec<Line>) {
        let reason = [Span::new(strict(&self.request.reason), theme::DIM)];
        let mut reason = match self.request.reason.is_empty() {
            true => Vec::new(),
            false => wrap(&reason, width, &Margin::default()),
        };
        let subject = subject::draw(&self.request.subject, &self.cwd, width);
        let (mut rows, mut facts) = (subject.rows, subject.facts);
        let fixed = lines.len() + reason.len() + facts.len() + 1;
        let low = height.saturating_sub(fixed) < LEAST_ROOM.min(rows.len());
        let own = rows.len();
        if low {
            rows.splice(..0, facts.drain(..));
        }
        if low || reason.len() > REASON_ROWS {
            rows.splice(..0, reason.drain(..));
        }
        // What came before it moves the end of the text along.
        let whole = if subject.whole > 0 { subject.whole + rows.len() - own } else { 0 };
        lines.append(&mut reason);
        let room = height.saturating_sub(lines.len() + facts.len() + 1).max(3);
        self.pages.add_with_end(rows, whole, room, lines);
        lines.append(&mut facts);
    }
}

/// The first rows, and how many characters the others have.
fn capped(mut rows: Vec<Line>, most: usize) -> Vec<Line> {
    if rows.len() > most {
        let rest = rows.split_off(most);
        let hidden: usize = rest.iter().map(|row| row.text().chars().count()).sum();
        rows.push(Line::styled(format!("… {hidden} more characters"), theme::WARN));
    }
    rows
}

fn feedback_rows(feedback: &Buffer, width: usize) -> (Vec<Line>, Option<(usize, usize)>) {
    let hint = "Say what to do instead (enter: deny and send, esc: back)";
    let mut rows = vec![Line::styled(hint, theme::DIM).truncated(width)];
    let (text, (row, column)) = written(feedback, width);
    rows.extend(text);
    (rows, Some((1 + row, column)))
}

#[cfg(test)]
mod tests;
