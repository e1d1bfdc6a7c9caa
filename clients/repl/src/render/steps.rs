//! The list of steps above the input: what is being done is always in sight, what is done gives way.

use protocol::snapshot::{Todo, TodoStatus};

use super::line::Line;
use super::safe::strict;
use super::theme;

#[derive(Debug, Default)]
pub(crate) struct StepList<'a> {
    pub items: &'a [Todo],
    pub hidden: bool,
    /// The key that shows and hides it.
    pub key: Option<String>,
}

impl StepList<'_> {
    pub fn draw(&self, width: usize, room: usize) -> Vec<Line> {
        if self.items.is_empty() {
            return Vec::new();
        }
        let done = self.items.iter().filter(|item| item.status == TodoStatus::Completed).count();
        let active = self.items.iter().position(|item| item.status == TodoStatus::InProgress);
        let key = self.key.as_ref().map(|key| {
            format!(" ({key} {})", if self.hidden { "shows them" } else { "hides them" })
        });
        let mut head = Line::styled("Steps ", theme::BOLD)
            .with(format!("{done}/{}", self.items.len()), theme::DIM);
        if let (true, Some(item)) = (self.hidden, active.and_then(|at| self.items.get(at))) {
            head.push(&format!(" · {}", strict(words(item))), theme::PLAIN);
        }
        head.push(&key.unwrap_or_default(), theme::DIM);
        let mut lines = vec![head.truncated(width)];
        if self.hidden {
            return lines;
        }
        let room = room.max(2);
        // The one that is being done, with as much before it as there is room for.
        let focus = active.unwrap_or_else(|| done.min(self.items.len().saturating_sub(1)));
        let top = match self.items.len() > room {
            true => focus.saturating_sub(1).min(self.items.len() - room),
            false => 0,
        };
        for item in self.items.iter().skip(top).take(room) {
            lines.push(row(item).truncated(width));
        }
        let below = self.items.len().saturating_sub(top + room);
        if below + top > 0 {
            let text = format!("  … {top} before, {below} after");
            lines.push(Line::styled(text, theme::DIM).truncated(width));
        }
        lines
    }
}

fn words(item: &Todo) -> &str {
    match (&item.status, &item.active_form) {
        (TodoStatus::InProgress, Some(active)) => active,
        _ => &item.content,
    }
}

fn row(item: &Todo) -> Line {
    let (mark, colour, style) = match item.status {
        TodoStatus::Completed => ("☑ ", theme::GOOD, theme::DIM.strikethrough()),
        TodoStatus::InProgress => ("▶ ", theme::ACCENT, theme::BOLD),
        _ => ("☐ ", theme::ACCENT, theme::PLAIN),
    };
    Line::plain("  ").with(mark, colour).with(strict(words(item)), style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::line::plain_text;

    fn steps(count: usize, active: usize) -> Vec<Todo> {
        let status = |at: usize| match at.cmp(&active) {
            std::cmp::Ordering::Less => TodoStatus::Completed,
            std::cmp::Ordering::Equal => TodoStatus::InProgress,
            std::cmp::Ordering::Greater => TodoStatus::Pending,
        };
        let step =
            |at| Todo { content: format!("step {at}"), active_form: None, status: status(at) };
        (0..count).map(step).collect()
    }

    #[test]
    fn what_is_being_done_stays_in_sight() {
        let items = steps(9, 6);
        let list = StepList { items: &items, hidden: false, key: Some("ctrl+t".into()) };
        expect_test::expect![[r#"
            Steps 6/9 (ctrl+t hides them)
              ☑ step 5
              ▶ step 6
              ☐ step 7
              … 5 before, 1 after
        "#]]
        .assert_eq(&plain_text(&list.draw(40, 3)));
        let list = StepList { hidden: true, ..list };
        assert_eq!(plain_text(&list.draw(40, 3)), "Steps 6/9 · step 6 (ctrl+t shows them)\n");
        assert!(StepList::default().draw(40, 3).is_empty());
    }
}
