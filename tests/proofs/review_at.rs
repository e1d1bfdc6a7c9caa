//! The hunk at the caret is found by the server, in the text that the client saw.

use kit::Stage;
use protocol::edit::ReviewAction;
use protocol::lsp::Position;
use protocol::review::{
    DocumentPosition, HunkState, ReviewDiff, ReviewDiffParams, ReviewResolve, ReviewResolveParams,
};

use super::review::{NEW, OLD, SPOTS, all, hunks, staged, text_with};

fn line_of(stage: &Stage, uri: &str, piece: &str) -> u32 {
    let text = stage.client.editor.text(uri);
    let at = text.find(piece).unwrap();
    u32::try_from(text[..at].matches('\n').count()).unwrap()
}

fn reject_at(uri: &str, version: Option<i32>, line: u32, character: u32) -> ReviewResolveParams {
    let position = Position { line, character };
    let at = DocumentPosition { uri: uri.to_owned(), version, position };
    ReviewResolveParams { at: Some(at), ..all(ReviewAction::Reject) }
}

#[tokio::test(flavor = "multi_thread")]
async fn reject_at_a_position_takes_the_hunk_that_is_there_now() {
    let (mut stage, uri) = staged().await;
    for line in 0..4 {
        let change = stage.client.editor.splice(&uri, 0..0, &format!("typed {line}\n"));
        stage.client.notify("textDocument/didChange", change);
    }
    let line = line_of(&stage, &uri, NEW[2]);
    let params = reject_at(&uri, Some(stage.client.editor.version(&uri)), line, 3);
    let result = stage.client.request::<ReviewResolve>(params).await;
    assert_eq!(result.results.len(), 1, "{result:?}");
    let left = text_with([NEW[0], NEW[1], OLD[2], NEW[3], NEW[4]]);
    let now = stage.client.editor.text(&uri);
    assert_eq!(now, format!("typed 3\ntyped 2\ntyped 1\ntyped 0\n{left}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn position_of_an_earlier_version_is_moved_through_the_changes_since() {
    let (mut stage, uri) = staged().await;
    let version = stage.client.editor.version(&uri);
    let line = line_of(&stage, &uri, NEW[2]);
    // Twice the distance from one hunk to the next: the same line belongs to another hunk by now.
    let change = stage.client.editor.splice(&uri, 0..0, &"typed\n".repeat(14));
    stage.client.notify("textDocument/didChange", change);
    let params = reject_at(&uri, Some(version), line, 0);
    stage.client.request::<ReviewResolve>(params).await;
    let left = text_with([NEW[0], NEW[1], OLD[2], NEW[3], NEW[4]]);
    assert_eq!(stage.client.editor.text(&uri), "typed\n".repeat(14) + &left);
}

#[tokio::test(flavor = "multi_thread")]
async fn position_that_is_not_known_for_sure_changes_nothing() {
    let (mut stage, uri) = staged().await;
    let version = stage.client.editor.version(&uri);
    let line = line_of(&stage, &uri, NEW[2]);
    let other = stage.project.uri("b.txt");
    for (params, why) in [
        (reject_at(&uri, Some(version + 1), line, 0), "not known here"),
        (reject_at(&uri, None, line, 0), "not known here"),
        (reject_at(&uri, Some(version), line + 2, 0), "no pending change"),
        (reject_at(&uri, Some(version), 4_000, 0), "outside of the document"),
        (reject_at(&other, Some(1), 0, 0), "no pending change"),
    ] {
        let refused = stage.client.try_request::<ReviewResolve>(params).await.unwrap_err();
        assert!(refused.message.contains(why), "{why}: {refused:?}");
    }
    assert_eq!(stage.client.editor.text(&uri), text_with(NEW));
    let found = hunks(&mut stage.client, &stage.session).await;
    assert!(found.iter().all(|hunk| hunk.state == HunkState::Pending));
}

#[tokio::test(flavor = "multi_thread")]
async fn hunk_at_a_position_of_a_closed_file_is_found_on_the_disk() {
    let (mut stage, uri) = staged().await;
    stage.client.save(&uri);
    stage.client.close_document(&uri);
    let found = hunks(&mut stage.client, &stage.session).await;
    let line = found[3].range.start.line;
    let refused = reject_at(&uri, Some(7), line, 0);
    let refused = stage.client.try_request::<ReviewResolve>(refused).await.unwrap_err();
    assert!(refused.message.contains("not open"), "{refused:?}");
    stage.client.request::<ReviewResolve>(reject_at(&uri, None, line, 0)).await;
    let left = text_with([NEW[0], NEW[1], NEW[2], OLD[3], NEW[4]]);
    assert_eq!(stage.project.read("a.txt"), left);
}

#[tokio::test(flavor = "multi_thread")]
async fn review_diff_shows_the_file_without_what_is_pending_after_decisions_and_typing() {
    let (mut stage, uri) = staged().await;
    let found = hunks(&mut stage.client, &stage.session).await;
    let decide = |at: usize, action| ReviewResolveParams {
        hunk_ids: Some(vec![found[at].id.clone()]),
        ..all(action)
    };
    stage.client.request::<ReviewResolve>(decide(1, ReviewAction::Reject)).await;
    stage.client.request::<ReviewResolve>(decide(3, ReviewAction::Accept)).await;
    stage.client.replace(&uri, "filler\n", "typed\nfiller\n");
    let params = ReviewDiffParams { uri: uri.clone() };
    let diff = stage.client.request::<ReviewDiff>(params.clone()).await.diff.unwrap();
    let typed = |spots: [&str; SPOTS]| text_with(spots).replacen("filler\n", "typed\nfiller\n", 1);
    let now = typed([NEW[0], OLD[1], NEW[2], NEW[3], NEW[4]]);
    assert_eq!(stage.client.editor.text(&uri), now);
    assert_eq!(diff.new_text.as_deref(), Some(now.as_str()));
    assert_eq!(diff.old_text, Some(typed([OLD[0], OLD[1], OLD[2], NEW[3], OLD[4]])));
    assert_eq!(diff.version, Some(stage.client.editor.version(&uri)));

    let whole = ReviewResolveParams { uri: Some(uri), ..all(ReviewAction::Accept) };
    stage.client.request::<ReviewResolve>(whole).await;
    assert_eq!(stage.client.request::<ReviewDiff>(params).await.diff, None);
}
