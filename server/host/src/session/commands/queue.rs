//! `/queue [remove N]`: the prompts that wait for the turn to end.

use futures::FutureExt as _;
use protocol::session::{QueueOp, QueuedPrompt, SessionQueue, SessionQueueParams};

use super::asks::{Asker, Asking};
use crate::session::{Session, blocks};

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let asker = Asker::of(session)?;
    let (word, number) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let remove = match (word, number.trim().parse::<usize>()) {
        ("", _) => None,
        ("remove", Ok(number)) => Some(number),
        ("remove", Err(_)) => return Err("Which one? Say /queue remove N.".to_owned()),
        _ => return Err(format!("`/queue {word}` is unknown; say remove N.")),
    };
    Ok(async move {
        let op = |op: QueueOp, message_id: Option<String>| SessionQueueParams {
            session_id: asker.session.clone(),
            op,
            message_id,
            content: None,
            to: None,
        };
        let mut queue = asker.ask::<SessionQueue>(&op(QueueOp::List, None)).await?.queue;
        if let Some(number) = remove {
            let wanted = number.checked_sub(1).and_then(|at| queue.get(at));
            let id = wanted.map(|prompt| prompt.message_id.clone());
            let id = id.ok_or_else(|| format!("There is no prompt {number} in the queue."))?;
            queue = asker.ask::<SessionQueue>(&op(QueueOp::Remove, Some(id))).await?.queue;
        }
        Ok(list(&queue))
    }
    .boxed())
}

fn list(queue: &[QueuedPrompt]) -> String {
    let line = |(at, prompt): (usize, &QueuedPrompt)| {
        let words = blocks::plain_text(&prompt.content);
        format!("{:>3}  {}", at + 1, words.lines().next().unwrap_or_default())
    };
    match queue.is_empty() {
        true => "Nothing waits.".to_owned(),
        false => queue.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"),
    }
}
