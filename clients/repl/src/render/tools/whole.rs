//! A call with everything that is known of it: what went in, and all that came out.

use protocol::tool::{ContentPart, FileDiff, ToolKind};
use serde_json::Value;

use super::{Below, ToolView, reminder};
use crate::render::line::{Line, Span};
use crate::render::safe::{literal, output};
use crate::render::wrap::{Margin, wrap, wrap_exact};
use crate::render::{diff, media, path_of, theme};

/// Rows of one diff: enough for everything that people read.
const DIFF_ROWS: usize = 20_000;

impl ToolView {
    /// About how much memory it takes.
    pub fn size(&self) -> usize {
        let input = self.call.input.as_ref().map_or(0, |input| input.to_string().len());
        let diff = self.call.diff.iter().map(|diff| {
            diff.old_text.as_ref().map_or(0, String::len)
                + diff.new_text.as_ref().map_or(0, String::len)
        });
        self.texts().map(str::len).sum::<usize>() + input + diff.sum::<usize>() + self.tail.len()
    }

    pub fn draw_whole(&self, cwd: &str, width: usize) -> Vec<Line> {
        let depth = if self.call.parent_tool_call_id.is_some() { 2 } else { 0 };
        let mut lines = self.whole_title(depth, width);
        let below = Below { indent: depth + 2, width };
        let shows_change = self.call.diff.is_some() && self.call.kind == ToolKind::Edit;
        if let Some(input) = self.call.input.as_ref().filter(|_| !shows_change) {
            input_rows(input, &below, &mut lines);
        }
        if let Some(change) = &self.call.diff {
            change_rows(change, cwd, &below, &mut lines);
        }
        let mut margin = below.margin();
        for part in &self.call.content {
            match part {
                ContentPart::Text(part) => text_rows(&part.text, &below, &mut margin, &mut lines),
                ContentPart::Output(part) => {
                    text_rows(&part.text, &below, &mut margin, &mut lines);
                    if let Some(code) = part.exit_code.filter(|code| *code != 0) {
                        below.note(&format!("exit code {code}"), theme::BAD, 1, &mut lines);
                    }
                }
                ContentPart::Diff(part) if self.call.diff.is_none() => {
                    let change = FileDiff {
                        uri: part.uri.clone(),
                        version: part.version,
                        old_text: part.old_text.clone(),
                        new_text: part.new_text.clone(),
                    };
                    change_rows(&change, cwd, &below, &mut lines);
                }
                ContentPart::Link(part) => below.note(&part.uri, theme::DIM, 1, &mut lines),
                ContentPart::Image(part) => {
                    let edges = (part.width, part.height);
                    let text = media::picture(&part.mime_type, edges, part.size);
                    below.note(&text, theme::DIM, 1, &mut lines);
                }
                _ => {}
            }
        }
        if !self.is_over() {
            text_rows(&self.tail, &below, &mut margin, &mut lines);
        }
        lines
    }

    fn whole_title(&self, depth: usize, width: usize) -> Vec<Line> {
        let indent = " ".repeat(depth);
        let first = Line::plain(indent.as_str()).with("● ", self.marker());
        let margin = Margin::new(first, Line::plain(format!("{indent}  ")));
        let mut spans = vec![Span::new(literal(&self.call.title), theme::BOLD)];
        if !matches!(self.call.status, protocol::tool::ToolStatus::Completed) {
            spans.push(Span::new(format!("  {}", self.call.status), theme::DIM));
        }
        wrap(&spans, width, &margin)
    }
}

/// What the model wrote: one row for each part, more where a part is a text of several lines.
fn input_rows(input: &Value, below: &Below, lines: &mut Vec<Line>) {
    let Value::Object(fields) = input else { return };
    let margin = Margin::indent(below.indent);
    for (name, value) in fields {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let text = literal(&text);
        let mut row = Line::styled(format!("{}: ", literal(name)), theme::ACCENT);
        if !text.contains('\n') {
            row.push(&text, theme::DIM);
            lines.extend(wrap_exact(&row, below.width, &margin));
            continue;
        }
        lines.extend(wrap_exact(&row, below.width, &margin));
        let deeper = Margin::indent(below.indent + 2);
        for line in text.lines() {
            lines.extend(wrap_exact(&Line::styled(line, theme::DIM), below.width, &deeper));
        }
    }
}

fn text_rows(text: &str, below: &Below, margin: &mut Margin, lines: &mut Vec<Line>) {
    if reminder(text).is_some() {
        return;
    }
    for line in output(text).trim_end().lines() {
        lines.extend(wrap_exact(&Line::plain(line), below.width, margin));
        margin.first = margin.rest.clone();
    }
}

fn change_rows(change: &FileDiff, cwd: &str, below: &Below, lines: &mut Vec<Line>) {
    let old = change.old_text.as_deref().unwrap_or("");
    let new = change.new_text.as_deref().unwrap_or("");
    let drawn = diff::draw(old, new, below.width.saturating_sub(below.indent + 2), DIFF_ROWS);
    let mut head = below.margin().first;
    head.push(&format!("{} ", literal(&path_of(&change.uri, cwd))), theme::DIM);
    head.push(&format!("+{}", drawn.added), theme::ADDED);
    head.push(&format!(" -{}", drawn.removed), theme::REMOVED);
    lines.push(head.truncated(below.width));
    for row in drawn.lines {
        let mut line = Line::plain(" ".repeat(below.indent + 2));
        line.extend(&row);
        lines.push(line);
    }
}
