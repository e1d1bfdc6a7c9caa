//! The page of sessions: filters, words, the list, and below it what the marked one is about.

use protocol::session::{SessionInfo, SessionStatus};

use super::{FILTERS, Field, Filter, SessionsView};
use crate::keymap::Keymap;
use crate::render::highlight::Highlighting;
use crate::render::line::{Line, Span};
use crate::render::markdown::Markdown;
use crate::render::safe::strict;
use crate::render::width::text_width;
use crate::render::wrap::{Margin, wrap};
use crate::render::{ago, theme};
use crate::views::{Drawn, ends, hints, rule};

/// Below this height there is no preview.
const LOW: usize = 16;
/// Rows around list and preview: filters, words, two rules, the foot.
const FRAME: usize = 5;

impl SessionsView {
    pub fn draw(&mut self, keymap: &Keymap, (width, height): (usize, usize)) -> Drawn {
        let preview = if height >= LOW { height / 3 } else { 0 };
        let around = if preview > 0 { FRAME } else { FRAME - 1 };
        let room = height.saturating_sub(around + preview).max(1);
        let mut lines = vec![self.head(width)];
        let words = Line::styled("› ", theme::ACCENT).with(self.words.text(), theme::PLAIN);
        lines.push(words.truncated(width));
        lines.push(rule(width));
        self.draw_list(room, width, &mut lines);
        if preview > 0 {
            lines.push(rule(width));
            self.draw_preview(preview, width, &mut lines);
        }
        let (foot, caret) = self.foot(keymap, width);
        lines.push(foot);
        let last = lines.len() - 1;
        let column = 2 + text_width(&self.words.text()[..self.words.caret()]);
        let caret = caret.map_or((1, column), |column| (last, column));
        (lines, Some((caret.0, caret.1.min(width.saturating_sub(1)))))
    }

    fn head(&self, width: usize) -> Line {
        let mut left = Line::styled("Sessions ", theme::BOLD);
        for (filter, name) in FILTERS {
            let style = if filter == self.filter { theme::ACCENT.bold() } else { theme::DIM };
            let sign = if filter == self.filter { ["[", "]"] } else { [" ", " "] };
            left.push(&format!("{}{name}{}", sign[0], sign[1]), style);
        }
        let count = match (self.listed.len(), self.is_loaded()) {
            (_, false) => format!("{} …", self.listed.len()),
            (count, true) => format!("{} of {count}", (self.marked + 1).min(count)),
        };
        ends(left, Line::styled(count, theme::DIM), width)
    }

    fn draw_list(&mut self, room: usize, width: usize, lines: &mut Vec<Line>) {
        self.room = room;
        self.top = self.top.min(self.marked).max((self.marked + 1).saturating_sub(room));
        let end = lines.len() + room;
        for (place, at) in self.listed.iter().enumerate().skip(self.top).take(room) {
            let Some(session) = self.all.get(*at) else { continue };
            lines.push(self.row(session, place == self.marked, width));
        }
        if self.listed.is_empty() {
            let text = match (self.is_loaded(), self.filter) {
                (false, _) => "  looking …",
                (true, _) if !self.words.is_empty() => "  no session with these words",
                (true, Filter::Branch) if self.branch.is_none() => "  this folder is on no branch",
                (true, Filter::Folder) => "  no session in this folder yet",
                (true, _) => "  no session here",
            };
            lines.push(Line::styled(text, theme::DIM).truncated(width));
        }
        lines.resize(end.max(lines.len()), Line::default());
    }

    fn row(&self, session: &SessionInfo, marked: bool, width: usize) -> Line {
        let (sign, style) =
            if marked { ("❯ ", theme::ACCENT.bold()) } else { ("  ", theme::PLAIN) };
        let left = Line::styled(sign, style).with(strict(&session.title), style);
        let state = match (&session.status, session.live) {
            _ if Some(&session.session_id) == self.here.as_ref() => Some("this one"),
            (SessionStatus::Running, true) => Some("at work"),
            (SessionStatus::Waiting, true) => Some("waits for you"),
            (_, true) => Some("open"),
            _ => None,
        };
        let seconds = (self.clock)().saturating_sub(session.updated_at) / 1000;
        let mut facts: Vec<String> = state.map(str::to_owned).into_iter().collect();
        facts.push(ago(seconds));
        facts.push(match session.messages {
            1 => "1 message".to_owned(),
            count => format!("{count} messages"),
        });
        facts.extend(session.branch.as_ref().map(|branch| strict(branch).into_owned()));
        if !self.of_folder() {
            let folder = session.cwd.rsplit('/').find(|part| !part.is_empty());
            facts.push(strict(folder.unwrap_or("/")).into_owned());
        }
        // The title keeps half of the row, whatever there is to say.
        let facts =
            Line::styled(format!(" {}", facts.join(" · ")), theme::DIM).truncated(width / 2);
        ends(left, facts, width)
    }

    fn draw_preview(&mut self, room: usize, width: usize, lines: &mut Vec<Line>) {
        let end = lines.len() + room;
        let text = self.marked_session().map(|one| self.previews.get(&one.session_id));
        let rows = match text {
            None => Vec::new(),
            Some(None) => vec![Line::styled("…", theme::DIM)],
            Some(Some(None)) => vec![Line::styled("There is nothing to show of it.", theme::DIM)],
            Some(Some(Some(text))) => preview_rows(text, width),
        };
        let range = self.scroll.fit(rows.len(), room);
        lines.extend(rows.into_iter().skip(range.start).take(range.len()));
        lines.resize(end, Line::default());
    }

    fn foot(&self, keymap: &Keymap, width: usize) -> (Line, Option<usize>) {
        match &self.field {
            Field::Rename(title) => {
                let label = "new title: ";
                let column = label.len() + text_width(&title.text()[..title.caret()]);
                let line = Line::styled(label, theme::ACCENT).with(title.text(), theme::PLAIN);
                return (line.truncated(width), Some(column));
            }
            Field::Delete => {
                let title = self.marked_session().map_or("", |session| &session.title);
                let text = format!(
                    "Delete “{}” for good? y deletes, any other key keeps it.",
                    strict(title)
                );
                let rows = wrap(&[Span::new(text, theme::BAD)], usize::MAX, &Margin::default());
                return (rows.into_iter().next().unwrap_or_default().truncated(width), None);
            }
            Field::None => {}
        }
        if let Some(told) = &self.told {
            return (Line::styled(strict(told), theme::WARN).truncated(width), None);
        }
        let key = |name: &str| keymap.key_for(name).unwrap_or_else(|| "-".to_owned());
        let pairs = [
            (key("sessions:accept"), "go on"),
            (key("sessions:close"), "leave"),
            (key("sessions:filter"), "filter"),
            (key("sessions:rename"), "rename"),
            (key("sessions:fork"), "copy"),
            (key("sessions:delete"), "delete"),
            (format!("{} {}", key("sessions:previewDown"), key("sessions:previewUp")), "preview"),
        ];
        (hints(&pairs, width), None)
    }
}

fn preview_rows(text: &str, width: usize) -> Vec<Line> {
    let mut markdown = Markdown::new(Highlighting::off());
    markdown.push(text);
    markdown.finish();
    let mut rows = Vec::new();
    markdown.drain(width, &mut rows);
    rows
}
