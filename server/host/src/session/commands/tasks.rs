//! `/tasks [stop ID | output ID]`: what runs in the background.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::tasks::{Task, TaskStatus};

use super::{Done, Outcome};
use crate::session::Session;
use crate::session::tasks::{SessionTasks, no_task};

/// The last lines of an output; its file has the rest.
const SHOWN: usize = 200;

pub(super) fn run<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        let (word, id) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
        match (word, id.trim()) {
            ("", _) => Ok(Done::Said(list(session))),
            ("stop" | "output", "") => Err(format!("Which one? Say /tasks {word} ID.")),
            // The end comes as an event: a task may need the session in order to end.
            ("stop", id) if session.tasks.wire(id).is_some() => {
                session.tasks.ask_to_stop(id);
                Ok(Done::Said(format!("{id} is being stopped.")))
            }
            ("stop", id) => Err(no_task(id)),
            ("output", id) => output(&session.tasks.clone(), id).await,
            _ => Err(format!("`/tasks {word}` is unknown; say stop or output.")),
        }
    }
    .boxed()
}

fn list(session: &Session) -> String {
    let now = session.host.clock.millis();
    let line = |task: &Task| {
        let seconds = task.ended_at.unwrap_or(now).saturating_sub(task.started_at) / 1000;
        let state = match (&task.status, task.exit_code) {
            (TaskStatus::Failed, Some(code)) => format!("failed ({code})"),
            (status, _) => status.to_string(),
        };
        format!("{:<10} {state:<12} {seconds:>6} s  {}", task.task_id, task.title)
    };
    let lines: Vec<String> = session.tasks.all().iter().map(line).collect();
    match lines.is_empty() {
        true => "Nothing runs in the background.".to_owned(),
        false => lines.join("\n"),
    }
}

async fn output(tasks: &SessionTasks, id: &str) -> Outcome {
    let text = tasks.printed(id).await?;
    let lines: Vec<&str> = text.lines().collect();
    let shown = &lines[lines.len().saturating_sub(SHOWN)..];
    let nothing = || "It has not printed anything.".to_owned();
    Ok(Done::Said(if shown.is_empty() { nothing() } else { shown.join("\n") }))
}
