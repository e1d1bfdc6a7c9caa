//! `/tasks [stop ID | output ID]`: what runs in the background.

use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::{App, TaskWish};

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    match understand(argument) {
        Ok(wish) => app.ask_tasks(wish),
        Err(problem) => app.notice(Severity::Warning, &problem),
    }
}

fn understand(argument: &str) -> Result<TaskWish, String> {
    let (word, id) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let id = id.trim().to_owned();
    match (word, id.is_empty()) {
        ("", _) => Ok(TaskWish::List),
        ("stop", false) => Ok(TaskWish::Stop(id)),
        ("output", false) => Ok(TaskWish::Output(id)),
        ("stop" | "output", true) => Err(format!("Which one? Say /tasks {word} ID.")),
        _ => Err(format!("`/tasks {word}` is unknown; say stop or output.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let check = |argument: &str, expect: Result<TaskWish, &str>| {
            assert_eq!(understand(argument), expect.map_err(str::to_owned), "{argument}");
        };
        check("", Ok(TaskWish::List));
        check("stop b1", Ok(TaskWish::Stop("b1".into())));
        check("output  b1", Ok(TaskWish::Output("b1".into())));
        check("stop", Err("Which one? Say /tasks stop ID."));
        check("kill b1", Err("`/tasks kill` is unknown; say stop or output."));
    }
}
