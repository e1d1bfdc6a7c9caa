//! Tool calls and todo lists as rows: one line for what is done, a few for what came out.

mod whole;

use anstyle::Style;
use protocol::snapshot::{Todo, TodoStatus};
use protocol::tool::{ContentPart, FileDiff, ToolCallState, ToolKind, ToolProgress, ToolStatus};

use super::line::{Line, Span};
use super::safe::{output, safe, strict};
use super::wrap::{Margin, wrap, wrap_exact};
use super::{diff, media, path_of, theme};

/// Rows of a command's output that stay in the transcript.
const OUTPUT_ROWS: usize = 6;
/// Rows of a diff that stay in the transcript.
const DIFF_ROWS: usize = 40;
/// Rows of a failure's text.
const ERROR_ROWS: usize = 6;
/// Rows of a title: a long command is not a novel.
const TITLE_ROWS: usize = 3;
/// Output kept of a running command.
const TAIL_BYTES: usize = 8 * 1024;

/// A call with everything known about it so far.
#[derive(Debug, Clone)]
pub(crate) struct ToolView {
    pub call: ToolCallState,
    /// The end of what a running command has printed.
    tail: String,
    progress: Option<String>,
    /// That it runs was said.
    pub announced: bool,
}

impl ToolView {
    pub fn new(call: ToolCallState) -> Self {
        Self { call, tail: String::new(), progress: None, announced: false }
    }

    pub fn is_over(&self) -> bool {
        use ToolStatus::{Cancelled, Completed, Denied, Failed};
        matches!(self.call.status, Completed | Failed | Denied | Cancelled)
    }

    pub fn progress(&mut self, progress: ToolProgress) {
        if let Some(new) = progress.output {
            self.tail.push_str(&new);
            if self.tail.len() > 2 * TAIL_BYTES {
                let cut = self.tail.ceil_char_boundary(self.tail.len() - TAIL_BYTES);
                self.tail.drain(..cut);
            }
        }
        let amount = match (progress.done, progress.total) {
            (Some(done), Some(total)) => Some(format!("{done}/{total}")),
            _ => None,
        };
        if let Some(message) = progress.message.or(amount) {
            self.progress = Some(message);
        }
    }

    /// The rows of the call as it stands.
    pub fn draw(&self, cwd: &str, width: usize) -> Vec<Line> {
        let depth = if self.call.parent_tool_call_id.is_some() { 2 } else { 0 };
        let mut lines = self.title(depth, width);
        let below = Below { indent: depth + 2, width };
        match self.call.status {
            ToolStatus::Completed => {
                self.draw_result(cwd, &below, &mut lines);
                self.draw_reminders(&below, &mut lines);
            }
            ToolStatus::Failed => {
                let text = self.text();
                below.note(&text, theme::BAD, ERROR_ROWS, &mut lines);
                self.draw_reminders(&below, &mut lines);
            }
            ToolStatus::Denied => {
                // The advice that comes with it is for the model.
                let text = self.text();
                let told = |line: &&str| !line.starts_with("Do not ");
                let reason = text.lines().filter(told).collect::<Vec<_>>().join("\n");
                let reason = if reason.is_empty() { "denied" } else { &reason };
                below.note(reason, theme::WARN, ERROR_ROWS, &mut lines);
            }
            ToolStatus::Cancelled => {
                below.output(&self.tail, &mut lines);
                below.note("stopped", theme::DIM, 1, &mut lines);
            }
            ToolStatus::Waiting => below.note("waits for your answer", theme::WARN, 1, &mut lines),
            _ => {
                if let Some(progress) = &self.progress {
                    below.note(progress, theme::DIM, 1, &mut lines);
                }
                below.output(&self.tail, &mut lines);
            }
        }
        lines
    }

    fn marker(&self) -> Style {
        match self.call.status {
            ToolStatus::Completed => theme::GOOD,
            ToolStatus::Failed => theme::BAD,
            ToolStatus::Denied | ToolStatus::Waiting => theme::WARN,
            ToolStatus::Cancelled | ToolStatus::Pending => theme::DIM,
            _ => theme::ACCENT,
        }
    }

    fn title(&self, depth: usize, width: usize) -> Vec<Line> {
        let marker = self.marker();
        let indent = " ".repeat(depth);
        let first = Line::plain(indent.as_str()).with("● ", marker);
        let margin = Margin::new(first, Line::plain(format!("{indent}  ")));
        let title = strict(&self.call.title);
        // Titles start with the tool's name; it is the word the eye looks for.
        let (name, rest) = title.split_once(' ').unwrap_or((&title, ""));
        let mut spans = vec![Span::new(name, theme::BOLD)];
        if !rest.is_empty() {
            spans.push(Span::new(format!(" {rest}"), theme::PLAIN));
        }
        let mut lines = wrap(&spans, width, &margin);
        if lines.len() > TITLE_ROWS {
            let hidden = lines.len() - TITLE_ROWS;
            lines.truncate(TITLE_ROWS);
            lines.push(Line::styled(format!("{indent}  … {hidden} more lines"), theme::DIM));
        }
        lines
    }

    fn draw_result(&self, cwd: &str, below: &Below, lines: &mut Vec<Line>) {
        let mut shown = false;
        if let Some(change) = &self.call.diff {
            below.change(change, cwd, lines);
            shown = true;
        }
        for part in &self.call.content {
            match part {
                ContentPart::Diff(part) if self.call.diff.is_none() => {
                    let change = FileDiff {
                        uri: part.uri.clone(),
                        version: part.version,
                        old_text: part.old_text.clone(),
                        new_text: part.new_text.clone(),
                    };
                    below.change(&change, cwd, lines);
                }
                ContentPart::Output(part) if reminder(&part.text).is_none() => {
                    below.output(&part.text, lines);
                    if let Some(code) = part.exit_code.filter(|code| *code != 0) {
                        below.note(&format!("exit code {code}"), theme::BAD, 1, lines);
                    } else if part.text.trim().is_empty() {
                        below.note("no output", theme::DIM, 1, lines);
                    }
                }
                ContentPart::Link(part) => below.note(&part.uri, theme::DIM, 1, lines),
                ContentPart::Image(part) => {
                    let edges = (part.width, part.height);
                    let text = media::picture(&part.mime_type, edges, part.size);
                    below.note(&text, theme::DIM, 1, lines);
                }
                _ => continue,
            }
            shown = true;
        }
        if !shown {
            self.draw_text_result(below, lines);
        }
    }

    fn draw_text_result(&self, below: &Below, lines: &mut Vec<Line>) {
        let text = self.text();
        let count = text.lines().count();
        match self.call.kind {
            _ if text.trim().is_empty() => {}
            ToolKind::Execute => below.output(&text, lines),
            ToolKind::Read | ToolKind::Search | ToolKind::Fetch if count > 1 => {
                below.note(&format!("{count} lines"), theme::DIM, 1, lines);
            }
            // Of a call from an earlier day there is no diff any more; the first words say enough.
            ToolKind::Edit => {
                let first = text.lines().next().unwrap_or("");
                let sentence = first.rsplit_once('.').map_or(first, |(sentence, _)| sentence);
                below.note(sentence, theme::DIM, 1, lines);
            }
            _ => below.note(&text, theme::DIM, 1, lines),
        }
    }

    /// What a command met beside its output, such as the walls of its sandbox. The advice that
    /// follows the first sentence is for the model.
    fn draw_reminders(&self, below: &Below, lines: &mut Vec<Line>) {
        if self.call.kind == ToolKind::Execute {
            for note in self.texts().filter_map(reminder) {
                let sentence = note.split_inclusive(". ").next().unwrap_or(note);
                below.note(sentence, theme::WARN, ERROR_ROWS, lines);
            }
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.call.content.iter().filter_map(|part| match part {
            ContentPart::Text(part) => Some(part.text.as_str()),
            ContentPart::Output(part) => Some(part.text.as_str()),
            _ => None,
        })
    }

    /// What came out, without what is only for the model.
    fn text(&self) -> String {
        let texts = self.texts().filter(|text| reminder(text).is_none());
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// The server's word to the model beside a result.
fn reminder(text: &str) -> Option<&str> {
    text.strip_prefix("<system-reminder>")?.strip_suffix("</system-reminder>")
}

/// The rows below a title.
struct Below {
    indent: usize,
    width: usize,
}

impl Below {
    fn margin(&self) -> Margin {
        let spaces = " ".repeat(self.indent);
        Margin::new(
            Line::plain(spaces.as_str()).with("⎿ ", theme::DIM),
            Line::plain(format!("{spaces}  ")),
        )
    }

    fn note(&self, text: &str, style: Style, rows: usize, lines: &mut Vec<Line>) {
        let text = safe(text.trim());
        let total = text.lines().count();
        if total == 0 {
            return;
        }
        let kept: Vec<&str> = text.lines().take(rows).collect();
        let spans = [Span::new(kept.join("\n"), style)];
        let mut drawn = wrap(&spans, self.width, &self.margin());
        if drawn.len() > rows.max(2) {
            drawn.truncate(rows.max(2));
            drawn.push(self.more("the rest is not shown"));
        } else if total > rows && rows > 1 {
            drawn.push(self.more(&format!("{} more lines", total - rows)));
        }
        lines.extend(drawn);
    }

    /// The end of a command's output: that is where the errors are.
    fn output(&self, text: &str, lines: &mut Vec<Line>) {
        let text = output(text);
        let all: Vec<&str> = text.trim_end().lines().collect();
        let hidden = all.len().saturating_sub(OUTPUT_ROWS);
        let mut margin = self.margin();
        if hidden > 0 {
            let mut line = margin.first.clone();
            line.push(&format!("… {hidden} lines before"), theme::DIM);
            lines.push(line);
            margin.first = margin.rest.clone();
        }
        for row in &all[hidden..] {
            let line = Line::styled(*row, theme::DIM);
            // One endless line must not flood the screen.
            let mut rows = wrap_exact(&line, self.width, &margin);
            rows.truncate(OUTPUT_ROWS);
            lines.extend(rows);
            margin.first = margin.rest.clone();
        }
    }

    fn change(&self, change: &FileDiff, cwd: &str, lines: &mut Vec<Line>) {
        let old = change.old_text.as_deref().unwrap_or("");
        let new = change.new_text.as_deref().unwrap_or("");
        let width = self.width.saturating_sub(self.indent + 2);
        let drawn = diff::draw(old, new, width, DIFF_ROWS);
        let path = strict(&path_of(&change.uri, cwd)).into_owned();
        let what = match (&change.old_text, &change.new_text) {
            (None, _) => "new file ",
            (_, None) => "deleted ",
            _ => "",
        };
        let mut head = self.margin().first;
        head.push(&format!("{what}{path} "), theme::DIM);
        head.push(&format!("+{}", drawn.added), theme::ADDED);
        head.push(&format!(" -{}", drawn.removed), theme::REMOVED);
        lines.push(head.truncated(self.width));
        let indent = Line::plain(" ".repeat(self.indent + 2));
        for row in drawn.lines {
            let mut line = indent.clone();
            line.extend(&row);
            lines.push(line);
        }
    }

    fn more(&self, text: &str) -> Line {
        Line::styled(format!("{}  … {text}", " ".repeat(self.indent)), theme::DIM)
    }
}

/// The todo list as a checklist.
pub(crate) fn todos(items: &[Todo], width: usize) -> Vec<Line> {
    let mut lines = vec![Line::styled("Todos", theme::BOLD)];
    for item in items {
        let (mark, style) = match item.status {
            TodoStatus::Completed => ("☑ ", theme::DIM.strikethrough()),
            TodoStatus::InProgress => ("▶ ", theme::BOLD),
            _ => ("☐ ", theme::PLAIN),
        };
        let mark_style =
            if item.status == TodoStatus::Completed { theme::GOOD } else { theme::ACCENT };
        let text = match (&item.status, &item.active_form) {
            (TodoStatus::InProgress, Some(active)) => active,
            _ => &item.content,
        };
        let margin = Margin::new(Line::plain("  ").with(mark, mark_style), Line::plain("    "));
        lines.extend(wrap(&[Span::new(safe(text), style)], width, &margin));
    }
    lines
}

#[cfg(test)]
mod tests;
