//! The live part of the screen: what streams, what is happening, the input, the foot.

use std::time::Duration;

use super::hunk::counted;
use super::line::Line;
use super::safe::{safe, strict};
use super::steps::StepList;
use super::{count, dollars, duration, sgr, theme};
use crate::editor::Editor;
use crate::editor::layout;
use crate::editor::vim::VimMode;
use crate::state::transcript::Transcript;

/// Proposals that are shown at once.
const POPUP_ROWS: usize = 8;
/// Waiting prompts that are shown.
const WAITING_ROWS: usize = 3;
/// Below this height rules and foot are left out.
const LOW: usize = 10;
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// How long a picture of the spinner stays.
pub(crate) const SPINNER_STEP: Duration = Duration::from_millis(100);

/// Everything the live part shows.
pub(crate) struct Scene<'a> {
    pub width: usize,
    pub height: usize,
    pub transcript: &'a Transcript,
    pub busy: Option<Busy<'a>>,
    /// Prompts on their way or in the queue.
    pub waiting: Vec<&'a str>,
    /// A stop left them in the queue, and nothing runs that would take them up.
    pub held: bool,
    pub editor: &'a Editor,
    /// A question or a list, in the place of the input.
    pub panel: Option<Panel>,
    pub footer: Option<Footer>,
    pub hint: Option<&'a str>,
    /// What the model means to do.
    pub steps: StepList<'a>,
    /// What the user's own command says, below the foot.
    pub status_lines: &'a [String],
    /// What may be said next, shown where nothing is written.
    pub suggestion: Option<&'a str>,
}

pub(crate) struct Busy<'a> {
    pub doing: &'a str,
    pub elapsed: Duration,
}

/// Rows with an optional caret.
pub(crate) struct Panel {
    lines: Vec<Line>,
    caret: Option<(usize, usize)>,
}

impl From<(Vec<Line>, Option<(usize, usize)>)> for Panel {
    fn from((lines, caret): (Vec<Line>, Option<(usize, usize)>)) -> Self {
        Self { lines, caret }
    }
}

pub(crate) struct Footer {
    pub model: String,
    pub effort: Option<String>,
    pub mode: String,
    /// What runs in the background.
    pub tasks: usize,
    /// Changes that nobody has looked at.
    pub to_review: usize,
    pub cost: f64,
    pub used: u64,
    pub window: u64,
}

impl Scene<'_> {
    /// The rows, never more than the terminal has, and the caret.
    pub fn draw(self) -> (Vec<Line>, Option<(usize, usize)>) {
        let (width, height) = (self.width.max(2), self.height.max(1));
        let status = self.status(width);
        let bottom = match self.panel {
            Some(panel) => panel,
            None => {
                let suggestion = self.suggestion.filter(|_| self.editor.is_at_rest());
                let foot = (self.footer.as_ref(), self.hint);
                let mut panel = input(self.editor, suggestion, foot, (width, height));
                if height >= LOW && !self.editor.popup.is_open() {
                    panel.lines.extend(self.status_lines.iter().map(|text| sgr::line(text)));
                }
                panel
            }
        };
        let room = height.saturating_sub(status.len() + bottom.lines.len());
        let mut lines = self.transcript.live(width, room.saturating_sub(1));
        if room > 0 {
            lines.push(Line::default());
        }
        lines.extend(status);
        let mut caret = bottom.caret.map(|(row, column)| (lines.len() + row, column));
        lines.extend(bottom.lines);
        if lines.len() > height {
            let cut = lines.len() - height;
            lines.drain(..cut);
            caret = caret.and_then(|(row, column)| Some((row.checked_sub(cut)?, column)));
        }
        let lines = lines.into_iter().map(|line| line.truncated(width)).collect();
        (lines, caret)
    }

    fn status(&self, width: usize) -> Vec<Line> {
        let mut lines = match self.height >= LOW && self.panel.is_none() {
            true => self.steps.draw(width, self.height / 4),
            false => Vec::new(),
        };
        for text in self.waiting.iter().take(WAITING_ROWS) {
            let first = text.lines().next().unwrap_or("");
            lines.push(Line::styled(format!("› {}", safe(first)), theme::DIM).truncated(width));
        }
        if let Some(more) = self.waiting.len().checked_sub(WAITING_ROWS).filter(|more| *more > 0) {
            lines.push(Line::styled(format!("  and {more} more waiting"), theme::DIM));
        }
        if self.held {
            let hint =
                Line::styled("  waiting after the stop: your next prompt wakes it", theme::DIM);
            lines.push(hint.truncated(width));
        }
        if let Some(busy) = &self.busy {
            lines.push(spinner(busy, width));
        }
        lines
    }
}

/// What happens, for how long, and how to stop it; the last two stay in sight on a narrow screen.
fn spinner(busy: &Busy<'_>, width: usize) -> Line {
    let step = busy.elapsed.as_millis() / SPINNER_STEP.as_millis();
    let picture = SPINNER[usize::try_from(step).unwrap_or(0) % SPINNER.len()];
    let tail = format!(" ({} · esc to interrupt)", duration(busy.elapsed.as_secs()));
    let room = width.saturating_sub(tail.chars().count() + 2).max(8);
    let first = busy.doing.lines().next().unwrap_or("");
    let doing = Line::styled(format!("{}…", strict(first)), theme::ACCENT).truncated(room);
    let mut line = Line::styled(format!("{picture} "), theme::ACCENT);
    line.extend(&doing);
    line.with(tail, theme::DIM)
}

fn input(
    editor: &Editor,
    suggestion: Option<&str>,
    (footer, hint): (Option<&Footer>, Option<&str>),
    (width, height): (usize, usize),
) -> Panel {
    let roomy = height >= LOW;
    let mut lines = Vec::new();
    let rule = || Line::styled("─".repeat(width), theme::DIM);
    if roomy {
        lines.push(rule());
    }
    let rows = (height / 3).clamp(1, 12);
    let view = layout::view(&editor.buffer, width.saturating_sub(2), rows);
    let caret = (lines.len() + view.caret_row, 2 + view.caret_column);
    // A line of the shell looks like one.
    let shell = editor.buffer.text().starts_with('!');
    for (at, row) in view.rows.iter().enumerate() {
        let sign = match at {
            0 if !view.more_above && shell => "$ ",
            0 if !view.more_above => "› ",
            0 => "↑ ",
            _ if at + 1 == view.rows.len() && view.more_below => "↓ ",
            _ => "  ",
        };
        let line = Line::styled(sign, if shell { theme::WARN } else { theme::ACCENT });
        lines.push(match suggestion {
            Some(suggestion) => line.with(strict(suggestion), theme::DIM),
            None => line.with(row, theme::PLAIN),
        });
    }
    if roomy {
        lines.push(rule());
    }
    if editor.popup.is_open() {
        popup(editor, width, &mut lines);
    } else if roomy || hint.is_some() {
        lines.push(foot(editor, footer, hint).truncated(width));
    }
    Panel { lines, caret: Some(caret) }
}

fn popup(editor: &Editor, width: usize, lines: &mut Vec<Line>) {
    let candidates = editor.popup.candidates();
    let marked = editor.popup.marked();
    let top = (marked + 1).saturating_sub(POPUP_ROWS);
    let shown = candidates.iter().enumerate().skip(top).take(POPUP_ROWS);
    let widest = shown.clone().map(|(_, one)| one.label.chars().count()).max().unwrap_or(0);
    let column = widest.min(width / 2);
    for (at, candidate) in shown {
        let (sign, style) =
            if at == marked { ("❯ ", theme::ACCENT.bold()) } else { ("  ", theme::PLAIN) };
        let label = strict(&candidate.label);
        let line = Line::styled(sign, theme::ACCENT)
            .with(format!("{label:<column$}"), style)
            .with(format!("  {}", strict(&candidate.detail)), theme::DIM);
        lines.push(line.truncated(width));
    }
}

fn foot(editor: &Editor, footer: Option<&Footer>, hint: Option<&str>) -> Line {
    if let Some((query, failed)) = editor.searching() {
        let what = if failed { "nothing older with" } else { "search back" };
        return Line::styled(format!("{what}: {}", safe(query)), theme::ACCENT);
    }
    if let Some(hint) = hint {
        return Line::styled(hint, theme::WARN);
    }
    let Some(footer) = footer else { return Line::styled("starting …", theme::DIM) };
    let mode_style = match footer.mode.as_str() {
        "default" => theme::DIM,
        "auto" => theme::ACCENT.bold(),
        "bypassPermissions" => theme::BAD.bold(),
        _ => theme::WARN,
    };
    let mut line = match editor.vim.as_ref().map(|vim| vim.mode) {
        Some(VimMode::Normal) => Line::styled("normal · ", theme::ACCENT),
        Some(VimMode::Insert) => Line::styled("insert · ", theme::DIM),
        None => Line::default(),
    };
    line = line
        .with(&*footer.model, theme::DIM)
        .with(
            footer.effort.iter().map(|effort| format!(" · {}", strict(effort))).collect::<String>(),
            theme::DIM,
        )
        .with(" · ", theme::DIM)
        .with(strict(&footer.mode), mode_style);
    if footer.to_review > 0 {
        line.push(" · ", theme::DIM);
        line.push(&format!("{} to review", counted(footer.to_review, "change")), theme::ACCENT);
    }
    if footer.tasks > 0 {
        line.push(" · ", theme::DIM);
        line.push(&counted(footer.tasks, "task"), theme::ACCENT);
    }
    line.push(&format!(" · {}", dollars(footer.cost)), theme::DIM);
    if footer.window > 0 && footer.used > 0 {
        let percent = footer.used.saturating_mul(100) / footer.window;
        line.push(&format!(" · {} tokens ({percent}%)", count(footer.used)), theme::DIM);
    }
    line
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::highlight::Highlighting;
    use super::super::line::plain_text;
    use super::*;
    use crate::editor::complete::Candidate;
    use crate::state::transcript::Look;

    fn check(editor: &Editor, busy: Option<Busy<'_>>, size: (usize, usize), expect: &Expect) {
        let mut transcript = Transcript::new(Look::Rich(Highlighting::off()), "/w".into());
        transcript.answer("m", "line one\nline two\nand three");
        let scene = Scene {
            width: size.0,
            height: size.1,
            transcript: &transcript,
            busy,
            waiting: vec!["then run the tests"],
            held: false,
            editor,
            panel: None,
            footer: Some(Footer {
                model: "Rehearsal".into(),
                effort: None,
                mode: "default".into(),
                tasks: 0,
                to_review: 0,
                cost: 0.0123,
                used: 12_345,
                window: 200_000,
            }),
            hint: None,
            steps: StepList::default(),
            suggestion: Some("commit this"),
            status_lines: &[],
        };
        let (lines, caret) = scene.draw();
        assert!(lines.len() <= size.1);
        assert!(lines.iter().all(|line| line.width() <= size.0));
        expect.assert_eq(&format!("{}caret {caret:?}\n", plain_text(&lines)));
    }

    #[test]
    fn at_forty_columns() {
        let mut editor = Editor::default();
        editor.paste("hello");
        let busy = Busy { doing: "Read src/main.rs", elapsed: Duration::from_secs(65) };
        check(
            &editor,
            Some(busy),
            (40, 12),
            &expect![[r#"
                line one line two and three

                › then run the tests
                ⠋ Read src/… (1m 05s · esc to interrupt)
                ────────────────────────────────────────
                › hello
                ────────────────────────────────────────
                Rehearsal · default · $0.0123 · 12.3k t…
                caret Some((5, 7))
            "#]],
        );
    }

    #[test]
    fn very_small() {
        check(
            &Editor::default(),
            None,
            (12, 4),
            &expect![[r#"
                three

                › then run …
                › commit th…
                caret Some((3, 2))
            "#]],
        );
    }

    #[test]
    fn with_proposals() {
        let mut editor = Editor::default();
        editor.paste("/m");
        let candidate = |label: &str, detail: &str| Candidate {
            label: label.into(),
            detail: detail.into(),
            insert: label.into(),
            range: 0..2,
        };
        editor
            .popup
            .show(vec![candidate("/model", "pick a model"), candidate("/mode", "permissions")]);
        check(
            &editor,
            None,
            (40, 12),
            &expect![[r#"
            line one line two and three

            › then run the tests
            ────────────────────────────────────────
            › /m
            ────────────────────────────────────────
            ❯ /model  pick a model
              /mode   permissions
            caret Some((4, 4))
        "#]],
        );
    }
}
