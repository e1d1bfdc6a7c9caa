//! `/memory`: which memory files hold; `/memory show path` shows one, `/memory user|project|local note`
//! adds a note.

use futures::FutureExt as _;
use protocol::memory::{
    MemoryAdd, MemoryAddParams, MemoryFile, MemoryList, MemoryListParams, MemoryScope,
};

use super::asks::{Asker, Asking};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let asker = Asker::of(session)?;
    let (word, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let rest = rest.trim().to_owned();
    match (word, rest.is_empty()) {
        ("", _) => Ok(list(asker, None).boxed()),
        ("show", false) => Ok(list(asker, Some(rest)).boxed()),
        ("user" | "project" | "local", false) => {
            Ok(add(asker, MemoryScope::from(word), rest).boxed())
        }
        ("user" | "project" | "local" | "show", true) => Err(format!(
            "Say more: /memory {word} and a {}.",
            if word == "show" { "path" } else { "note" }
        )),
        _ => Err("Say /memory, /memory show PATH, or /memory user|project|local NOTE.".to_owned()),
    }
}

async fn list(asker: Asker, path: Option<String>) -> Result<String, String> {
    let params = MemoryListParams { session_id: asker.session.clone(), path };
    let files = asker.ask::<MemoryList>(&params).await?.files;
    if let Some(text) = files.iter().find_map(|file| file.text.clone()) {
        return Ok(text);
    }
    let line = |file: &MemoryFile| match &file.imported_by {
        Some(by) => format!("{:<8} {} (imported by {by})", file.scope.as_str(), file.path),
        None => format!("{:<8} {}", file.scope.as_str(), file.path),
    };
    match files.is_empty() {
        true => Ok("There are no memory files; /init writes one.".to_owned()),
        false => Ok(files.iter().map(line).collect::<Vec<_>>().join("\n")),
    }
}

async fn add(asker: Asker, scope: MemoryScope, text: String) -> Result<String, String> {
    let params = MemoryAddParams { text, scope, session_id: Some(asker.session.clone()) };
    let path = asker.ask::<MemoryAdd>(&params).await?.path;
    Ok(format!("Remembered in {path}."))
}
