//! What runs in the background: a list, what each has printed, and how to stop it.

use std::collections::HashMap;

use crossterm::event::{KeyCode, KeyEvent};
use protocol::tasks::{Task, TaskKind, TaskOutput, TaskStatus};

use super::{Drawn, Scroll, ends, hints, rule};
use crate::keymap::Keymap;
use crate::prompt::is_interrupt;
use crate::render::line::Line;
use crate::render::safe::{output, strict};
use crate::render::wrap::{Margin, wrap_exact};
use crate::render::{duration, theme};

/// About as much of an output is kept; its file has the rest.
const LONGEST: usize = 1 << 20;

pub(crate) struct TasksView {
    marked: usize,
    /// The task whose output is shown.
    open: Option<String>,
    outputs: HashMap<String, Printed>,
    scroll: Scroll,
    /// The task that a question is about.
    stopping: Option<String>,
    pub told: Option<String>,
}

#[derive(Default)]
struct Printed {
    text: String,
    next: u64,
    /// An answer is on its way.
    asked: bool,
}

/// What is left to do for the owner.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    Nothing,
    Close,
    Stop(String),
}

impl TasksView {
    pub fn new() -> Self {
        Self {
            marked: 0,
            open: None,
            outputs: HashMap::new(),
            scroll: Scroll::at_end(),
            stopping: None,
            told: None,
        }
    }

    /// The task whose output should be asked for, and from where on.
    pub fn wanted(&mut self) -> Option<(String, u64)> {
        let id = self.open.clone()?;
        let printed = self.outputs.entry(id.clone()).or_default();
        (!std::mem::replace(&mut printed.asked, true)).then_some((id, printed.next))
    }

    pub fn printed(&mut self, id: &str, piece: Option<TaskOutput>) {
        let printed = self.outputs.entry(id.to_owned()).or_default();
        printed.asked = false;
        let Some(piece) = piece else { return };
        printed.text.push_str(&piece.text);
        printed.next = piece.next_offset;
        if printed.text.len() > LONGEST {
            let cut = printed.text.ceil_char_boundary(printed.text.len() - LONGEST / 2);
            printed.text.drain(..cut);
        }
    }

    pub fn on_key(&mut self, key: KeyEvent, tasks: &[Task]) -> Asked {
        self.told = None;
        if let Some(id) = self.stopping.take() {
            return match key.code {
                KeyCode::Char('y') => Asked::Stop(id),
                _ => Asked::Nothing,
            };
        }
        let at = self.marked.min(tasks.len().saturating_sub(1));
        self.marked = at;
        match key.code {
            _ if is_interrupt(key) => return Asked::Close,
            KeyCode::Char('x') => {
                let id =
                    self.open.clone().or_else(|| tasks.get(at).map(|task| task.task_id.clone()));
                let task = tasks.iter().find(|task| Some(&task.task_id) == id.as_ref());
                match task.filter(|task| task.status == TaskStatus::Running) {
                    Some(task) => self.stopping = Some(task.task_id.clone()),
                    None => self.told = Some("It does not run any more.".to_owned()),
                }
            }
            KeyCode::Esc if self.open.is_some() => self.open = None,
            KeyCode::Esc => return Asked::Close,
            KeyCode::Char('j') if self.open.is_some() => self.scroll.down(1),
            KeyCode::Char('k') if self.open.is_some() => self.scroll.up(1),
            KeyCode::PageDown => self.scroll.down(self.scroll.page()),
            KeyCode::PageUp => self.scroll.up(self.scroll.page()),
            KeyCode::Char('g') => self.scroll.go_to_start(),
            KeyCode::Char('G') => self.scroll.go_to_end(),
            KeyCode::Char('j') => self.marked = (at + 1) % tasks.len().max(1),
            KeyCode::Char('k') => self.marked = (at + tasks.len().max(1) - 1) % tasks.len().max(1),
            KeyCode::Enter if self.open.is_none() => {
                self.open = tasks.get(at).map(|task| task.task_id.clone());
                self.scroll = Scroll::at_end();
            }
            _ => {}
        }
        Asked::Nothing
    }

    pub fn draw(
        &mut self,
        tasks: &[Task],
        keymap: &Keymap,
        (width, height): (usize, usize),
        now: u64,
    ) -> Drawn {
        let room = height.saturating_sub(4).max(1);
        let open = self.open.as_ref().and_then(|id| tasks.iter().find(|task| task.task_id == *id));
        let mut lines = match open {
            Some(task) => vec![row(task, false, width, now), rule(width)],
            None => vec![head(tasks, width), rule(width)],
        };
        let body = match open {
            Some(task) => self.output_rows(&task.task_id, width),
            None => self.list_rows(tasks, (width, room), now),
        };
        match open.is_some() {
            true => {
                let range = self.scroll.fit(body.len(), room);
                lines.extend(body.into_iter().skip(range.start).take(range.len()));
            }
            false => lines.extend(body),
        }
        lines.resize(room + 2, Line::default());
        lines.push(rule(width));
        lines.push(self.foot(keymap, width));
        (lines, None)
    }

    fn list_rows(&self, tasks: &[Task], (width, room): (usize, usize), now: u64) -> Vec<Line> {
        if tasks.is_empty() {
            return vec![Line::styled("Nothing runs in the background.", theme::DIM)];
        }
        let marked = self.marked.min(tasks.len() - 1);
        let top = (marked + 1).saturating_sub(room);
        let rows = tasks.iter().enumerate().skip(top).take(room);
        rows.map(|(at, task)| row(task, at == marked, width, now)).collect()
    }

    fn output_rows(&self, id: &str, width: usize) -> Vec<Line> {
        let printed = self.outputs.get(id).map_or("", |printed| printed.text.as_str());
        if printed.trim().is_empty() {
            return vec![Line::styled("It has not printed anything.", theme::DIM)];
        }
        let row = |line: &str| wrap_exact(&Line::plain(line), width, &Margin::default());
        output(printed).trim_end().lines().flat_map(row).collect()
    }

    fn foot(&self, keymap: &Keymap, width: usize) -> Line {
        if let Some(id) = &self.stopping {
            let text = format!("Stop {id}? y stops it, any other key lets it go on.");
            return Line::styled(strict(&text), theme::BAD).truncated(width);
        }
        if let Some(told) = &self.told {
            return Line::styled(strict(told), theme::WARN).truncated(width);
        }
        let key = |name: &str| keymap.key_for(name).unwrap_or_else(|| "-".to_owned());
        let mut pairs = vec![(key("tasks:close"), "back")];
        if self.open.is_none() {
            pairs.push((key("tasks:open"), "output"));
        }
        pairs.push((key("tasks:stop"), "stop"));
        if self.open.is_some() {
            pairs.push((format!("{} {}", key("tasks:pageUp"), key("tasks:pageDown")), "scroll"));
        }
        let place = if self.open.is_some() { self.scroll.place() } else { String::new() };
        let place = Line::styled(place, theme::DIM);
        ends(hints(&pairs, width.saturating_sub(place.width() + 1)), place, width)
    }
}

fn head(tasks: &[Task], width: usize) -> Line {
    let running = tasks.iter().filter(|task| task.status == TaskStatus::Running).count();
    let count = format!("{running} running, {} ended", tasks.len() - running);
    ends(Line::styled("Background tasks", theme::BOLD), Line::styled(count, theme::DIM), width)
}

fn row(task: &Task, marked: bool, width: usize, now: u64) -> Line {
    let (sign, style) = if marked { ("❯ ", theme::ACCENT.bold()) } else { ("  ", theme::PLAIN) };
    let what = match task.kind {
        TaskKind::Shell => "$ ",
        TaskKind::Agent => "agent: ",
        TaskKind::Monitor => "watch: ",
        TaskKind::Cron => "later: ",
        _ => "",
    };
    let (state, colour) = match (&task.status, task.exit_code) {
        (TaskStatus::Running, _) => ("running".to_owned(), theme::ACCENT),
        (TaskStatus::Completed, _) => ("done".to_owned(), theme::GOOD),
        (TaskStatus::Failed, Some(code)) => (format!("failed ({code})"), theme::BAD),
        (TaskStatus::Failed, None) => ("failed".to_owned(), theme::BAD),
        (other, _) => (other.to_string(), theme::DIM),
    };
    let seconds = task.ended_at.unwrap_or(now).saturating_sub(task.started_at) / 1000;
    let title = task.title.lines().next().unwrap_or("");
    let left = Line::styled(sign, style).with(format!("{what}{}", strict(title)), style);
    let right = Line::styled(state, colour)
        .with(format!(" · {} · {}", duration(seconds), strict(&task.task_id)), theme::DIM);
    ends(left, right, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::tests::key;
    use crate::render::line::plain_text;

    fn task(id: &str, status: TaskStatus) -> Task {
        Task {
            task_id: id.into(),
            session_id: "s1".into(),
            kind: TaskKind::Shell,
            title: format!("make {id}"),
            status,
            started_at: 10_000,
            ended_at: None,
            exit_code: None,
            tool_call_id: None,
            output_file: None,
        }
    }

    fn text(view: &mut TasksView, tasks: &[Task]) -> String {
        plain_text(&view.draw(tasks, &Keymap::default(), (50, 9), 75_000).0)
    }

    #[test]
    fn listed_opened_and_stopped() {
        let tasks = [task("t2", TaskStatus::Running), task("t1", TaskStatus::Completed)];
        let mut view = TasksView::new();
        expect_test::expect![[r#"
            Background tasks                1 running, 1 ended
            ──────────────────────────────────────────────────
            ❯ $ make t2                  running · 1m 05s · t2
              $ make t1                     done · 1m 05s · t1



            ──────────────────────────────────────────────────
            escape back · enter output · x stop               
        "#]]
        .assert_eq(&text(&mut view, &tasks));
        assert_eq!(view.wanted(), None);
        view.on_key(key("enter"), &tasks);
        assert_eq!(view.wanted(), Some(("t2".into(), 0)));
        assert_eq!(view.wanted(), None, "one question at a time");
        let status = TaskStatus::Running;
        let piece =
            TaskOutput { task_id: "t2".into(), text: "one\ntwo\n".into(), next_offset: 8, status };
        view.printed("t2", Some(piece));
        assert_eq!(view.wanted(), Some(("t2".into(), 8)));
        let shown = text(&mut view, &tasks);
        assert!(shown.contains("\none\ntwo\n") && !shown.contains("make t1"), "{shown}");
        view.on_key(key("x"), &tasks);
        assert!(text(&mut view, &tasks).contains("Stop t2?"));
        assert_eq!(view.on_key(key("n"), &tasks), Asked::Nothing);
        view.on_key(key("x"), &tasks);
        assert_eq!(view.on_key(key("y"), &tasks), Asked::Stop("t2".into()));
        assert_eq!(view.on_key(key("esc"), &tasks), Asked::Nothing);
        assert_eq!(view.on_key(key("esc"), &tasks), Asked::Close);
    }

    #[test]
    fn what_ended_is_not_stopped() {
        let tasks = [task("t1", TaskStatus::Completed)];
        let mut view = TasksView::new();
        view.on_key(key("x"), &tasks);
        assert!(text(&mut view, &tasks).contains("It does not run any more."));
        assert!(text(&mut TasksView::new(), &[]).contains("Nothing runs in the background."));
    }
}
