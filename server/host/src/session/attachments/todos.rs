//! The list of steps: a model that works on and on forgets that it has one.

use tools::{Todo, TodoStatus};

/// After so many prompts and rounds of calls without a change the list is shown again.
const ROUNDS: u32 = 10;
/// The most steps that are shown.
const MOST: usize = 30;

/// The list as it was, and for how long.
#[derive(Default)]
pub(super) struct Untouched {
    list: Vec<Todo>,
    rounds: u32,
}

impl Untouched {
    pub(super) fn note(&mut self, now: &[Todo]) -> Option<String> {
        if self.list != now {
            *self = Self { list: now.to_vec(), rounds: 0 };
        }
        if now.iter().all(|todo| todo.status == TodoStatus::Completed) {
            return None;
        }
        self.rounds += 1;
        if self.rounds <= ROUNDS {
            return None;
        }
        self.rounds = 0;
        Some(format!(
            "Your list of steps has not changed for a while. If it is out of date, bring it up to \
             date with TodoWrite; if it is of no use any more, empty it. Say nothing about this \
             note.\n{}",
            list(now)
        ))
    }
}

/// The steps, one a line.
pub(in crate::session) fn list(todos: &[Todo]) -> String {
    let line = |todo: &Todo| format!("- [{}] {}", mark(todo.status), todo.content);
    let mut lines: Vec<String> = todos.iter().take(MOST).map(line).collect();
    if todos.len() > MOST {
        lines.push(format!("… and {} more", todos.len() - MOST));
    }
    lines.join("\n")
}

fn mark(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => " ",
        TodoStatus::InProgress => "in progress",
        TodoStatus::Completed => "x",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo(content: &str, status: TodoStatus) -> Todo {
        Todo { content: content.into(), status, active_form: content.into() }
    }

    #[test]
    fn a_list_is_shown_when_it_was_left_alone_for_long() {
        let open = vec![todo("Reef", TodoStatus::InProgress), todo("Moor", TodoStatus::Pending)];
        let done = vec![todo("Reef", TodoStatus::Completed)];
        // How many notes come in so many rounds.
        let check = |lists: &[(&[Todo], u32)], expect: usize| {
            let mut untouched = Untouched::default();
            let rounds = lists.iter().flat_map(|(list, times)| (0..*times).map(move |_| list));
            let notes = rounds.filter_map(|list| untouched.note(list)).collect::<Vec<_>>();
            assert_eq!(notes.len(), expect, "{notes:?}");
        };
        check(&[(&[], 100)], 0);
        check(&[(&done, 100)], 0);
        check(&[(&open, 10)], 0);
        check(&[(&open, 11)], 1);
        check(&[(&open, 22)], 2);
        check(&[(&open, 9), (&open[..1], 9)], 0);
        check(&[(&open, 9), (&done, 9), (&open, 9)], 0);
        let mut untouched = Untouched { list: open.clone(), rounds: ROUNDS };
        let note = untouched.note(&open).unwrap();
        assert!(note.ends_with("\n- [in progress] Reef\n- [ ] Moor"), "{note}");
    }

    #[test]
    fn a_long_list_is_cut() {
        let many: Vec<Todo> = (0..32).map(|_| todo("x", TodoStatus::Completed)).collect();
        let text = list(&many);
        assert!(text.starts_with("- [x] x\n") && text.ends_with("\n… and 2 more"), "{text}");
    }
}
