//! What runs in the background: asked for, shown, stopped.

use protocol::event::Severity;
use protocol::tasks::{Task, TaskOp, TaskStatus, Tasks, TasksParams, TasksResult};

use super::{App, Waiting};
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::render::{duration, theme};

/// The last lines of an output that are shown; the file has the rest.
const SHOWN: usize = 200;

/// What is wanted of tasks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TaskWish {
    List,
    Stop(String),
    Output(String),
}

impl App {
    pub fn ask_tasks(&mut self, wish: TaskWish) {
        let Some(session) = &self.session else {
            return self.notice(Severity::Warning, "There is no session yet.");
        };
        let (op, task_id) = match &wish {
            TaskWish::List => (TaskOp::List, None),
            TaskWish::Stop(id) => (TaskOp::Stop, Some(id.clone())),
            TaskWish::Output(id) => (TaskOp::Output, Some(id.clone())),
        };
        let session_id = Some(session.id.clone());
        let params = TasksParams { session_id, op, task_id, offset: None };
        self.outbox.request::<Tasks>(&params, Waiting::Tasks(wish));
    }

    pub(super) fn tasks_answered(&mut self, wish: TaskWish, result: &str) {
        let Ok(result) = serde_json::from_str::<TasksResult>(result) else { return };
        match wish {
            TaskWish::List => {
                let tasks = result.tasks.unwrap_or_default();
                if tasks.is_empty() {
                    return self.notice(Severity::Info, "Nothing runs in the background.");
                }
                let now = (self.start.clock)();
                self.transcript.rows(tasks.iter().map(|task| row(task, now)).collect());
            }
            TaskWish::Stop(id) => self.notice(Severity::Info, &format!("Stopped: {id}.")),
            TaskWish::Output(_) => {
                let text = result.output.map(|output| output.text).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                let shown = &lines[lines.len().saturating_sub(SHOWN)..];
                let row = |line: &&str| Line::styled(strict(line).into_owned(), theme::PLAIN);
                match shown.is_empty() {
                    true => self.notice(Severity::Info, "It has not printed anything."),
                    false => self.transcript.rows(shown.iter().map(row).collect()),
                }
            }
        }
    }
}

fn row(task: &Task, now: u64) -> Line {
    let until = task.ended_at.unwrap_or(now);
    let took = duration(until.saturating_sub(task.started_at) / 1000);
    let state = match (&task.status, task.exit_code) {
        (TaskStatus::Failed, Some(code)) => format!("failed ({code})"),
        (status, _) => status.to_string(),
    };
    let title = strict(&task.title).into_owned();
    Line::styled(format!("{:<10}", task.task_id), theme::DIM)
        .with(format!("{state:<12}"), theme::PLAIN)
        .with(format!("{took:>8}  "), theme::DIM)
        .with(title, theme::PLAIN)
}
