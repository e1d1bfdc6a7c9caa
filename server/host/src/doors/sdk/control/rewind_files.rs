//! `rewind_files`: the files as they were before a message. The user's own changes stay.

use protocol::session::{RewindWhat, SessionRewind, SessionRewindParams};
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let params = SessionRewindParams {
        session_id: shared.session().to_owned(),
        to_message: text(request, "user_message_id")?.to_owned(),
        what: RewindWhat::Files,
        preview: request["dry_run"].as_bool(),
    };
    let done = match shared.ask::<SessionRewind>(&params).await {
        Ok(done) => done,
        Err(error) => return Ok(json!({ "canRewind": false, "error": error.message })),
    };
    let path = |uri: &str| {
        let path = workspace::DocumentUri::new(uri).to_path();
        path.map_or_else(|| uri.to_owned(), |path| path.display().to_string())
    };
    let files: Vec<String> = done.files.iter().map(|file| path(&file.uri)).collect();
    let mut answer = json!({
        "canRewind": true,
        "filesChanged": files,
        "insertions": done.files.iter().map(|file| file.added_lines).sum::<u32>(),
        "deletions": done.files.iter().map(|file| file.removed_lines).sum::<u32>(),
    });
    if !done.conflicts.is_empty() {
        let left: Vec<_> = done
            .conflicts
            .iter()
            .map(|conflict| json!({ "path": path(&conflict.uri), "reason": conflict.reason }))
            .collect();
        answer["conflicts"] = left.into();
    }
    Ok(answer)
}
