//! `/rewind [N [both|files|conversation]]`: back to before one of the user's messages, which are
//! listed without a number.

use futures::FutureExt as _;
use protocol::session::{RewindWhat, SessionRewind, SessionRewindParams};

use super::asks::{Asker, Asking};
use crate::session::Session;

/// More than these are not listed; all of them can be named by their ids.
const SHOWN: usize = 30;
const LONGEST: usize = 70;

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let said = messages(session);
    let (which, what) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    if which.is_empty() {
        return Ok(std::future::ready(Ok(list(&said))).boxed());
    }
    let what = match what.trim() {
        "" => RewindWhat::Both,
        what @ ("both" | "files" | "conversation") => RewindWhat::from(what),
        other => return Err(format!("`{other}` cannot go back; say both, files or conversation.")),
    };
    let by_number = which.parse::<usize>().ok().and_then(|number| said.get(number.checked_sub(1)?));
    let by_id = || said.iter().find(|(id, _)| id == which);
    let (to_message, words) = by_number
        .or_else(by_id)
        .cloned()
        .ok_or_else(|| format!("There is no message {which}; /rewind lists them."))?;
    let asker = Asker::of(session)?;
    Ok(async move {
        let session_id = asker.session.clone();
        let params = SessionRewindParams { session_id, to_message, what, preview: None };
        let result = asker.ask::<SessionRewind>(&params).await?;
        let mut text = format!("Back to before: {words}");
        for file in &result.files {
            text.push_str(&format!("\n{} {}", file.change, asker.file(&file.uri)));
        }
        if !result.conflicts.is_empty() {
            let count = result.conflicts.len();
            text.push_str(&format!("\n{count} places stay, because you changed them since."));
        }
        Ok(text)
    }
    .boxed())
}

/// The user's messages, the oldest first.
fn messages(session: &Session) -> Vec<(String, String)> {
    let entries = session.conversation.entries().iter();
    let said = entries.filter(|entry| entry.role == agent::Role::User).filter_map(|entry| {
        let (id, message) = (entry.id.clone()?, entry.message().ok()?);
        let words = message.content.iter().find_map(|block| match block {
            agent::Block::Text { text, .. } if !tools::is_reminder(text) => Some(text.as_str()),
            _ => None,
        })?;
        let words: String = words.lines().next()?.chars().take(LONGEST).collect();
        Some((id, words))
    });
    said.collect()
}

fn list(said: &[(String, String)]) -> String {
    if said.is_empty() {
        return "Nothing was said yet.".to_owned();
    }
    let from = said.len().saturating_sub(SHOWN);
    let lines = said.iter().enumerate().skip(from);
    let lines: Vec<String> =
        lines.map(|(at, (_, words))| format!("{:>4}  {words}", at + 1)).collect();
    format!("{}\n/rewind N goes back to before that message.", lines.join("\n"))
}
