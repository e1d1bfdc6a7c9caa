//! Changes of the agent on top of changes of the agent: who rejects the whole is not asked again
//! about what lay below.

use kit::{Client, Stage};
use model::Scenario;
use protocol::edit::ReviewAction;
use protocol::review::{Hunk, HunkState, ReviewResolve, ReviewResolveParams};
use protocol::session::Mode;
use serde_json::json;

use super::review::{all, hunks};

const BEFORE: &str = "one\ntwo\n";

/// New text first, then other text exactly in its place.
fn stacked(turns: bool) -> Scenario {
    let path = "{{cwd}}/a.txt";
    let edit =
        |old: &str, new: &str| json!({ "file_path": path, "old_string": old, "new_string": new });
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .tool("Edit", edit("two", "lowtwo"))
        .answer();
    let script = if turns { script.text("done").answer() } else { script };
    script.tool("Edit", edit("lowtwo", "UPtwo")).answer().text("done")
}

async fn stage(turns: bool) -> (Stage, String) {
    let fixture = format!("//- /a.txt\n{BEFORE}");
    let mut stage = Stage::in_mode(&fixture, stacked(turns), Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, BEFORE);
    stage.client.ask(&stage.session, "go").await;
    (stage, uri)
}

fn states(hunks: &[Hunk]) -> Vec<&HunkState> {
    hunks.iter().map(|hunk| &hunk.state).collect()
}

async fn resolve(client: &mut Client, params: ReviewResolveParams) {
    let result = client.request::<ReviewResolve>(params).await;
    assert!(result.results.iter().all(|one| one.reason.is_none()), "{result:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reject_of_a_file_takes_replaced_hunks_along() {
    let (mut stage, uri) = stage(false).await;
    assert_eq!(stage.client.editor.text(&uri), "one\nUPtwo\n");
    let params = ReviewResolveParams { uri: Some(uri.clone()), ..all(ReviewAction::Reject) };
    let result = stage.client.request::<ReviewResolve>(params).await;
    assert_eq!(stage.client.editor.text(&uri), BEFORE);
    let found = hunks(&mut stage.client, &stage.session).await;
    assert_eq!(states(&found), [&HunkState::Rejected, &HunkState::Rejected]);

    // The decision is taken back as one.
    let params = protocol::session::SessionUnrewindParams { undo_token: result.undo_token };
    stage.client.request::<protocol::session::SessionUnrewind>(params).await;
    assert_eq!(stage.client.editor.text(&uri), "one\nUPtwo\n");
    let found = hunks(&mut stage.client, &stage.session).await;
    assert!(states(&found).contains(&&HunkState::Superseded), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reject_of_a_turn_a_session_and_a_call_takes_only_their_own_hunks() {
    for whole in ["turn", "session", "call"] {
        let (mut stage, uri) = stage(true).await;
        stage.client.ask(&stage.session, "once more").await;
        let found = hunks(&mut stage.client, &stage.session).await;
        let upper = found.iter().find(|hunk| hunk.state == HunkState::Pending).unwrap();
        let mut params = all(ReviewAction::Reject);
        match whole {
            "turn" => params.turn_id = Some(upper.turn_id.clone()),
            "session" => params.session_id = Some(stage.session.clone()),
            _ => {
                params.session_id = Some(stage.session.clone());
                params.tool_call_id = Some(upper.tool_call_id.clone());
            }
        }
        resolve(&mut stage.client, params).await;
        // What another turn wrote, or another call, is still to be decided about.
        let left = if whole == "session" { BEFORE } else { "one\nlowtwo\n" };
        assert_eq!(stage.client.editor.text(&uri), left, "{whole}");
        let found = hunks(&mut stage.client, &stage.session).await;
        let pending = found.iter().filter(|hunk| hunk.state == HunkState::Pending).count();
        assert_eq!(pending, usize::from(whole != "session"), "{whole}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reject_of_a_file_brings_an_accepted_hunk_back_as_accepted() {
    let (mut stage, uri) = stage(true).await;
    let params = ReviewResolveParams { uri: Some(uri.clone()), ..all(ReviewAction::Accept) };
    resolve(&mut stage.client, params).await;
    stage.client.ask(&stage.session, "once more").await;
    assert_eq!(stage.client.editor.text(&uri), "one\nUPtwo\n");
    let params = ReviewResolveParams { uri: Some(uri.clone()), ..all(ReviewAction::Reject) };
    resolve(&mut stage.client, params).await;
    assert_eq!(stage.client.editor.text(&uri), "one\nlowtwo\n");
    let found = hunks(&mut stage.client, &stage.session).await;
    assert_eq!(found.iter().filter(|hunk| hunk.state == HunkState::Pending).count(), 0);
    assert_eq!(found.iter().filter(|hunk| hunk.state == HunkState::Accepted).count(), 1);
}
