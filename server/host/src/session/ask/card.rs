//! A question to a client that did not answer its message box, or has none: in the text.

use std::sync::Arc;
use std::time::Duration;

use protocol::permission::{PermissionOption, PermissionRequestParams, Subject};
use workspace::DocumentUri;

use crate::core::{Card, CoreHandle, Door, RpcError, show_card};

/// A box that is not answered by then may not be on any screen.
pub(super) const UNANSWERED: Duration = Duration::from_secs(10);
/// Who has no box and does not answer the card by then is not there: denied.
const ANSWER_WITHIN: Duration = Duration::from_secs(10 * 60);

/// Shows the question in the text until this is dropped. The answer comes as one to
/// `agent/permission/respond`, which ends the whole question.
pub(super) async fn wait<T>(
    core: &CoreHandle,
    door: &Arc<Door>,
    card: Card,
    answer: impl Future<Output = Result<T, RpcError>>,
) -> Result<T, RpcError> {
    let shown = show_card(core, door, card).await;
    let answer = answer.await;
    drop(shown);
    answer
}

/// The same where there is no box to wait for.
pub(super) async fn alone<T>(
    core: &CoreHandle,
    door: &Arc<Door>,
    card: Card,
) -> Result<Option<T>, RpcError> {
    let shown = show_card(core, door, card).await;
    if shown.is_some() {
        tokio::time::sleep(ANSWER_WITHIN).await;
    }
    drop(shown);
    Err(RpcError::new(RpcError::CANCELLED, "The client cannot show a question."))
}

pub(super) fn card(
    params: &PermissionRequestParams,
    message: &str,
    offered: &[&PermissionOption],
) -> Card {
    Card {
        request_id: params.request_id.clone(),
        place: place(&params.subject),
        title: params.title.clone(),
        message: message.to_owned(),
        options: offered.iter().map(|it| (it.id.clone(), it.label.clone())).collect(),
    }
}

/// The first line that would change.
fn place(subject: &Subject) -> Option<(DocumentUri, u32)> {
    let Subject::Edit(edit) = subject else { return None };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let (old, new) = (text(&edit.old_text), text(&edit.new_text));
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    let last = old.lines().count().saturating_sub(1);
    Some((DocumentUri::new(&edit.uri), u32::try_from(same.min(last)).ok()?))
}
