//! Changing what would be done before allowing it: the command as it is written, any other input
//! as JSON.

use crossterm::event::KeyEvent;
use protocol::permission::{OptionKind, OptionScope, PermissionRequestParams, Subject};
use serde_json::Value;

use crate::editor::keys::Action;
use crate::editor::{Editor, layout};
use crate::keymap::usual_edit;
use crate::render::line::{Line, Span};
use crate::render::safe::strict;
use crate::render::theme;
use crate::render::wrap::{Margin, wrap};

/// The part of a tool's input that is a command.
const COMMAND: &str = "command";

#[derive(Debug)]
pub(super) struct Input {
    /// The answer that a changed input gets: a yes for this once.
    option: String,
    original: Value,
    is_command: bool,
    editor: Editor,
    problem: Option<String>,
}

/// What a key said.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    Nothing,
    /// Back to the question; nothing is decided.
    Back,
    /// Do it, with this input where it is another one.
    Do {
        option: String,
        input: Option<Value>,
    },
}

impl Input {
    /// `None` when the input cannot be changed.
    pub fn of(request: &PermissionRequestParams) -> Option<Self> {
        let Changeable { option, original, command } = changeable(request)?;
        let text = match command {
            Some(command) => command.to_owned(),
            None => serde_json::to_string_pretty(original).ok()?,
        };
        let mut editor = Editor::default();
        editor.refill(&text);
        let cleaned = editor.buffer.text() != text;
        Some(Self {
            option: option.to_owned(),
            original: original.clone(),
            is_command: command.is_some(),
            editor,
            problem: cleaned.then(|| "Control characters are left out here.".to_owned()),
        })
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Said {
        match usual_edit(key) {
            Some(Action::Escape | Action::Interrupt) => return Said::Back,
            Some(Action::Submit) => return self.submit(),
            // There is no history here, nothing to complete, and no mode to change.
            None | Some(Action::Search | Action::Complete | Action::CycleMode) => {}
            Some(other) => {
                self.editor.on(other);
            }
        }
        Said::Nothing
    }

    pub fn paste(&mut self, text: &str) {
        self.editor.paste(text);
    }

    fn submit(&mut self) -> Said {
        match self.changed() {
            Ok(changed) => {
                let input = Some(changed).filter(|changed| *changed != self.original);
                Said::Do { option: self.option.clone(), input }
            }
            Err(problem) => {
                self.problem = Some(problem);
                Said::Nothing
            }
        }
    }

    fn changed(&self) -> Result<Value, String> {
        let text = self.editor.buffer.text();
        if self.is_command {
            if text.trim().is_empty() {
                return Err("There is nothing left to run.".to_owned());
            }
            let mut input = self.original.clone();
            if let Some(command) = input.get_mut(COMMAND) {
                *command = Value::from(text);
            }
            return Ok(input);
        }
        match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() => Ok(value),
            Ok(_) => Err("The input must be an object: { … }.".to_owned()),
            Err(error) => Err(format!("This is not JSON: {error}.")),
        }
    }

    /// The rows and the caret among them.
    pub fn draw(&self, width: usize, height: usize) -> (Vec<Line>, (usize, usize)) {
        let hint = format!(
            "Change the {} (enter: allow it like this, once; ctrl+j: new line; esc: back)",
            name(self.is_command)
        );
        let mut rows = wrap(&[Span::new(hint, theme::DIM)], width, &Margin::default());
        if let Some(problem) = &self.problem {
            let problem = Span::new(strict(problem), theme::BAD);
            rows.extend(wrap(&[problem], width, &Margin::default()));
        }
        let room = height.saturating_sub(rows.len()).max(1);
        let view = layout::view(&self.editor.buffer, width.saturating_sub(2), room);
        let caret = (rows.len() + view.caret_row, 2 + view.caret_column);
        let last = view.rows.len().saturating_sub(1);
        for (at, row) in view.rows.iter().enumerate() {
            let sign = match at {
                0 if view.more_above => "↑ ",
                _ if at == last && view.more_below => "↓ ",
                0 => "› ",
                _ => "  ",
            };
            rows.push(Line::styled(sign, theme::ACCENT).with(row, theme::PLAIN));
        }
        (rows, caret)
    }
}

/// What of a request can be changed, and the answer that goes with it.
struct Changeable<'a> {
    option: &'a str,
    original: &'a Value,
    command: Option<&'a str>,
}

fn changeable(request: &PermissionRequestParams) -> Option<Changeable<'_>> {
    if request.editable != Some(true) {
        return None;
    }
    let once = request
        .options
        .iter()
        .find(|option| option.kind == OptionKind::Allow && option.scope == OptionScope::Once)?;
    let call = request.tool_call.as_ref().and_then(|call| call.input.as_ref());
    let original = match (&request.subject, call) {
        (_, Some(input)) => input,
        (Subject::Mcp(subject), None) => &subject.input,
        _ => return None,
    };
    let command = match &request.subject {
        Subject::Command(_) => original.get(COMMAND).and_then(Value::as_str),
        _ => None,
    };
    Some(Changeable { option: &once.id, original, command })
}

/// What it is that can be changed, in a word; `None` when nothing can be.
pub(super) fn what_changes(request: &PermissionRequestParams) -> Option<&'static str> {
    changeable(request).map(|changeable| name(changeable.command.is_some()))
}

fn name(is_command: bool) -> &'static str {
    if is_command { "command" } else { "input" }
}
