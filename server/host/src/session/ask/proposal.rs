//! A change that is asked about, in the client's own diff view, beside the question.

use std::sync::Arc;
use std::time::Duration;

use protocol::Request as _;
use protocol::diff::{DiffShow, DiffShowParams, DiffShowResult};
use protocol::permission::{EditSubject, PermissionRequestParams, Subject};
use protocol::tool::FileDiff;

use crate::core::Door;

const SHOWN_WITHIN: Duration = Duration::from_secs(30);

/// Shows it where there is such a view. Dropping this withdraws the request: the question was answered
/// already.
pub(super) async fn show(door: &Arc<Door>, params: &PermissionRequestParams) {
    let Subject::Edit(edit) = &params.subject else { return };
    if door.profile().agent.diff != Some(true) || door.is_unknown(DiffShow::METHOD) {
        return;
    }
    let diff = DiffShowParams {
        id: params.request_id.clone(),
        session_id: params.session_id.clone(),
        title: params.title.clone(),
        files: files(edit),
        preserve_focus: true,
    };
    let shown = door.ask(DiffShow::METHOD, &diff).answer::<DiffShowResult>(SHOWN_WITHIN).await;
    if let Err(error) = shown {
        tracing::debug!(?door, %error, "a change was not shown");
    }
}

fn files(edit: &EditSubject) -> Vec<FileDiff> {
    let first = FileDiff {
        uri: edit.uri.clone(),
        version: edit.version,
        old_text: edit.old_text.clone(),
        new_text: edit.new_text.clone(),
    };
    let others = edit.others.iter().flatten().cloned();
    std::iter::once(first).chain(others).collect()
}
