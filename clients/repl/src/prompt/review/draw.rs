//! The review as rows: where one is, the change, what the last decision did, the keys.

use protocol::review::Hunk;

use super::{Field, Review};
use crate::prompt::written;
use crate::render::hunk::{counted, lines, place};
use crate::render::line::{Line, Span};
use crate::render::safe::strict;
use crate::render::wrap::{Margin, wrap};
use crate::render::{diff, path_of, theme};

/// Rows of a change that are laid out at all; beyond it the count of the rest is shown.
const LONGEST_DIFF: usize = 2000;
/// Files in the overview.
const OVERVIEW_ROWS: usize = 5;

const KEYS: [&str; 2] = [
    "a accept · r reject · c reject and say why · l only some lines · u undo",
    "A R all of this file · n p next, previous · q leave",
];

impl Review {
    /// The rows and, while something is written, the caret among them. `from` is the message that
    /// led to the change in sight.
    pub fn draw(
        &mut self,
        pending: &[Hunk],
        from: impl Fn(&Hunk) -> Option<String>,
        (width, height): (usize, usize),
    ) -> (Vec<Line>, Option<(usize, usize)>) {
        let mut rows = vec![Line::styled("─".repeat(width), theme::ACCENT)];
        let Some(hunk) = self.look(pending) else {
            rows.push(Line::styled("Nothing is left to review.", theme::DIM).truncated(width));
            return (rows, None);
        };
        rows.push(self.title(hunk, pending).truncated(width));
        rows.extend(self.overview(pending, width));
        if let Some(from) = from(hunk) {
            let line = Line::styled(format!("for: {}", strict(&from)), theme::DIM);
            rows.push(line.truncated(width));
        }
        let (mut foot, caret) = self.foot(width);
        let room = height.saturating_sub(rows.len() + foot.len() + 1).max(3);
        let body = diff::draw(&hunk.old_text, &hunk.new_text, width, LONGEST_DIFF).lines;
        self.pages.add(body, room, &mut rows);
        let caret = caret.map(|(row, column)| (rows.len() + row, column));
        rows.append(&mut foot);
        (rows, caret)
    }

    fn title(&self, hunk: &Hunk, pending: &[Hunk]) -> Line {
        Line::styled(strict(&place(hunk, &self.cwd)), theme::BOLD).with(
            format!("  {} of {} to review", self.place + 1, counted(pending.len(), "change")),
            theme::DIM,
        )
    }

    /// One row for each file, with the places of its changes; the one in sight is marked.
    fn overview(&self, pending: &[Hunk], width: usize) -> Vec<Line> {
        if pending.len() < 2 {
            return Vec::new();
        }
        let files: Vec<&[Hunk]> = pending.chunk_by(|one, next| one.uri == next.uri).collect();
        let here = |file: &&[Hunk]| file.iter().any(|hunk| Some(&hunk.id) == self.at.as_ref());
        let current = files.iter().position(here).unwrap_or(0);
        let top = (current + 1).saturating_sub(OVERVIEW_ROWS);
        let hidden = files.len().saturating_sub(OVERVIEW_ROWS);
        let mut rows: Vec<Line> = files
            .into_iter()
            .skip(top)
            .take(OVERVIEW_ROWS)
            .map(|file| self.file_row(file).truncated(width))
            .collect();
        if hidden > 0 {
            rows.push(Line::styled(format!("  … {}", counted(hidden, "more file")), theme::DIM));
        }
        rows
    }

    fn file_row(&self, file: &[Hunk]) -> Line {
        let name = file.first().map(|hunk| path_of(&hunk.uri, &self.cwd)).unwrap_or_default();
        let mut row = Line::styled(format!("  {}", strict(&name)), theme::DIM);
        for hunk in file {
            let lines = lines(hunk);
            if Some(&hunk.id) == self.at.as_ref() {
                row.push(&format!(" ❯{lines}"), theme::ACCENT.bold());
            } else {
                row.push(&format!("  {lines}"), theme::DIM);
            }
        }
        row
    }

    fn foot(&self, width: usize) -> (Vec<Line>, Option<(usize, usize)>) {
        let hint = |text: &str| wrap(&[Span::new(text, theme::DIM)], width, &Margin::default());
        let mut rows = self.outcome.clone();
        let (text, keys) = match &self.field {
            None => {
                rows.extend(KEYS.iter().flat_map(|keys| hint(keys)));
                return (rows, None);
            }
            Some(Field::Gone) => {
                rows.extend(hint(
                    "The change you wrote about is gone (enter, esc: to the next one)",
                ));
                return (rows, None);
            }
            Some(Field::Comment { text, lines: None }) => {
                (text, "Say what to do instead (enter: reject and tell the agent, esc: back)")
            }
            Some(Field::Comment { text, .. }) => {
                (text, "Say what to do instead of these lines (enter: reject, esc: back)")
            }
            Some(Field::Lines { text, problem }) => {
                if let Some(problem) = problem {
                    rows.extend(wrap(
                        &[Span::new(strict(problem), theme::WARN)],
                        width,
                        &Margin::default(),
                    ));
                }
                (text, "Lines, for example 2-3; then a accept · r reject · c reject and say why")
            }
        };
        rows.extend(hint(keys));
        let (written, (row, column)) = written(text, width);
        let caret = (rows.len() + row, column);
        rows.extend(written);
        (rows, Some(caret))
    }
}
