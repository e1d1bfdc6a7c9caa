//! Review, hunk by hunk: at any time, after anybody's typing, after a restart.

use std::time::Duration;

use kit::{Client, Dice, Profile, Project, Server, Stage, model};
use model::Scenario;
use protocol::edit::ReviewAction;
use protocol::event::EventBody;
use protocol::review::{
    Hunk, HunkState, LineSpan, ReviewList, ReviewListParams, ReviewResolve, ReviewResolveParams,
    ReviewResolveResult,
};
use protocol::session::{Mode, SessionUnrewind, SessionUnrewindParams};
use serde_json::{Value, json};

pub const SPOTS: usize = 5;

/// Far enough apart that every change is a hunk of its own.
pub fn text_with(spots: [&str; SPOTS]) -> String {
    let filler = "filler\n".repeat(6);
    spots.iter().map(|spot| format!("{filler}{spot}\n")).collect::<String>() + &filler
}

pub const OLD: [&str; SPOTS] = ["spot 0 ☃", "spot 1 𝄞", "spot 2", "spot 3 é", "spot 4"];
pub const NEW: [&str; SPOTS] = ["agent 0 ☃", "agent 1 𝄞", "agent 2", "agent 3 é", "agent 4"];

pub fn five_edits() -> Scenario {
    let path = "{{cwd}}/a.txt";
    let mut script = Scenario::new().tool("Read", json!({ "file_path": path })).answer();
    for (old, new) in OLD.iter().zip(NEW) {
        let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
        script = script.tool("Edit", edit);
    }
    script.answer().text("done").answer().text("I see.")
}

pub async fn hunks(client: &mut Client, session: &str) -> Vec<Hunk> {
    let session_id = Some(session.to_owned());
    let params = ReviewListParams { session_id, ..ReviewListParams::default() };
    client.request::<ReviewList>(params).await.hunks
}

pub fn all(action: ReviewAction) -> ReviewResolveParams {
    ReviewResolveParams::new(action)
}

async fn reject(client: &mut Client, hunks: &[&Hunk], comment: &str) -> ReviewResolveResult {
    let params = ReviewResolveParams {
        hunk_ids: Some(hunks.iter().map(|hunk| hunk.id.clone()).collect()),
        comment: Some(comment.to_owned()),
        ..all(ReviewAction::Reject)
    };
    client.request::<ReviewResolve>(params).await
}

/// The user types tokens between the lines that nobody else touches, and remembers them.
fn type_tokens(client: &mut Client, uri: &str, count: usize, dice: &mut Dice) -> Vec<String> {
    let mut tokens = Vec::new();
    for number in 0..count {
        let text = client.editor.text(uri).to_owned();
        let ends: Vec<_> = text.match_indices("filler\n").map(|(at, _)| at).collect();
        let at = ends[dice.below(ends.len())];
        let token = format!("«user {number} ☃𝄞»");
        let change = client.editor.splice(uri, at..at, &token);
        client.notify("textDocument/didChange", change);
        tokens.push(token);
    }
    tokens
}

fn without(text: &str, tokens: &[String]) -> String {
    tokens.iter().fold(text.to_owned(), |text, token| {
        assert_eq!(text.matches(token.as_str()).count(), 1, "{token} in {text}");
        text.replacen(token, "", 1)
    })
}

/// The story of the issue.
async fn five_hunks_two_hundred_edits_a_restart_and_two_rejections(profile: Profile) {
    let project = Project::new(&format!("//- /a.txt\n{}", text_with(OLD)));
    let uri = project.uri("a.txt");
    let script = model(five_edits()).await;
    let server = Server::start(&project, Some(&script));
    let mut client = server.connect(profile.clone()).await;
    client.open(&uri, &text_with(OLD));
    let params = kit::session_in(Mode::AcceptEdits);
    let session = client.session_with(params).await;
    client.ask(&session, "go").await;
    assert_eq!(client.editor.text(&uri), text_with(NEW));
    let before = hunks(&mut client, &session).await;
    assert_eq!(before.len(), SPOTS, "{before:#?}");
    assert!(before.iter().all(|hunk| hunk.state == HunkState::Pending));
    assert_eq!(before[1].old_text, "spot 1 𝄞\n");
    assert_eq!(before[1].new_text, "agent 1 𝄞\n");

    let mut dice = Dice::new(7);
    let tokens = type_tokens(&mut client, &uri, 200, &mut dice);
    let typed = client.editor.text(&uri).to_owned();
    client.leave().await;

    let script = model(Scenario::new().text("I see.")).await;
    let server = Server::start(&project, Some(&script));
    let mut client = server.connect(profile).await;
    client.open(&uri, &typed);
    client.attach(&session, None).await;
    let found = hunks(&mut client, &session).await;
    let ids = |hunks: &[Hunk]| hunks.iter().map(|hunk| hunk.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&found), ids(&before));
    let result = reject(&mut client, &[&found[1], &found[3]], "Not these.").await;
    assert!(result.results.iter().all(|one| one.state == HunkState::Rejected), "{result:?}");
    let left = [NEW[0], OLD[1], NEW[2], OLD[3], NEW[4]];
    let now = client.editor.text(&uri).to_owned();
    assert_eq!(without(&now, &tokens), text_with(left));

    // The model learns of both with the next prompt.
    client.ask(&session, "And now?").await;
    let asked = script.requests().last().unwrap().body["messages"].to_string();
    assert_eq!(asked.matches("The user rejected your change").count(), 2, "{asked}");
    assert!(asked.contains("agent 1") && asked.contains("Not these."));

    // Decisions can be taken back.
    let undo_token = result.undo_token;
    client.request::<SessionUnrewind>(SessionUnrewindParams { undo_token }).await;
    assert_eq!(client.editor.text(&uri), typed);
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_of_five_hunks_are_rejected_after_typing_and_a_restart_in_vs_code() {
    five_hunks_two_hundred_edits_a_restart_and_two_rejections(Profile::VS_CODE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_of_five_hunks_are_rejected_after_typing_and_a_restart_in_neovim() {
    five_hunks_two_hundred_edits_a_restart_and_two_rejections(Profile::NEOVIM).await;
}

pub async fn staged() -> (Stage, String) {
    let fixture = format!("//- /a.txt\n{}", text_with(OLD));
    let mut stage = Stage::in_mode(&fixture, five_edits(), Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, &text_with(OLD));
    stage.client.ask(&stage.session, "go").await;
    (stage, uri)
}

#[tokio::test(flavor = "multi_thread")]
async fn hunks_are_announced_and_resolved_in_the_session() {
    let (mut stage, _) = staged().await;
    let added = stage.client.log.iter().filter(|event| event.body.name() == "hunk.added").count();
    assert_eq!(added, SPOTS);
    let params =
        ReviewResolveParams { uri: Some(stage.project.uri("a.txt")), ..all(ReviewAction::Accept) };
    let result = stage.client.request::<ReviewResolve>(params).await;
    assert_eq!(result.results.len(), SPOTS);
    for _ in 0..SPOTS {
        let event = stage
            .client
            .next_event("a resolved hunk", |event| event.body.name() == "hunk.resolved")
            .await;
        let EventBody::HunkResolved(resolved) = event.body else { unreachable!() };
        assert_eq!(resolved.hunk.state, HunkState::Accepted);
    }
    let pending = hunks(&mut stage.client, &stage.session).await;
    assert!(pending.iter().all(|hunk| hunk.state == HunkState::Accepted));
}

#[tokio::test(flavor = "multi_thread")]
async fn some_lines_of_a_hunk_are_rejected() {
    let path = "{{cwd}}/a.txt";
    let edit =
        json!({ "file_path": path, "old_string": "one\ntwo\nthree", "new_string": "1\n2\n3" });
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .tool("Edit", edit)
        .answer()
        .text("done");
    let mut stage =
        Stage::in_mode("//- /a.txt\nzero\none\ntwo\nthree\nfour\n", script, Mode::AcceptEdits)
            .await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, "zero\none\ntwo\nthree\nfour\n");
    stage.client.ask(&stage.session, "go").await;
    let all_hunks = hunks(&mut stage.client, &stage.session).await;
    assert_eq!(all_hunks.len(), 1, "{all_hunks:?}");
    let params = ReviewResolveParams {
        hunk_ids: Some(vec![all_hunks[0].id.clone()]),
        lines: Some(vec![LineSpan { start: 1, end: 2 }]),
        ..all(ReviewAction::Reject)
    };
    stage.client.request::<ReviewResolve>(params.clone()).await;
    assert_eq!(stage.client.editor.text(&uri), "zero\n1\ntwo\n3\nfour\n");
    let left = hunks(&mut stage.client, &stage.session).await;
    let states: Vec<_> = left.iter().map(|hunk| hunk.state.clone()).collect();
    assert!(states.contains(&HunkState::Pending) && states.contains(&HunkState::Rejected));

    let outside = vec![LineSpan { start: 70, end: 71 }];
    let params = ReviewResolveParams { lines: Some(outside), ..params };
    let refused = stage.client.try_request::<ReviewResolve>(params).await.unwrap_err();
    assert!(refused.message.contains("lines"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_file_is_put_right_on_the_disk() {
    let fixture = format!("//- /a.txt\n{}", text_with(OLD));
    let mut stage = Stage::in_mode(&fixture, five_edits(), Mode::AcceptEdits).await;
    stage.client.ask(&stage.session, "go").await;
    assert_eq!(stage.project.read("a.txt"), text_with(NEW));
    // Somebody else writes to it as well.
    stage.project.write("a.txt", format!("above\n{}", text_with(NEW)));
    let found = hunks(&mut stage.client, &stage.session).await;
    assert_eq!(found[0].range.start.line, 7);
    reject(&mut stage.client, &[&found[0], &found[4]], "no").await;
    let left = [OLD[0], NEW[1], NEW[2], NEW[3], OLD[4]];
    assert_eq!(stage.project.read("a.txt"), format!("above\n{}", text_with(left)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_users_own_undo_is_no_text_of_the_users() {
    let (mut stage, uri) = staged().await;
    // Ctrl-Z in the editor takes the last edit of the agent back, and Ctrl-Y brings it again.
    stage.client.replace(&uri, NEW[4], OLD[4]);
    let found = hunks(&mut stage.client, &stage.session).await;
    assert_eq!(found[4].state, HunkState::Rejected, "{:?}", found[4]);
    stage.client.replace(&uri, OLD[4], NEW[4]);
    let found = hunks(&mut stage.client, &stage.session).await;
    assert_eq!(found[4].state, HunkState::Pending, "{:?}", found[4]);
    reject(&mut stage.client, &[&found[4]], "no").await;
    let left = [NEW[0], NEW[1], NEW[2], NEW[3], OLD[4]];
    assert_eq!(stage.client.editor.text(&uri), text_with(left));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_questions_get_clear_answers() {
    let (mut stage, _) = staged().await;
    let none = stage.client.try_request::<ReviewResolve>(all(ReviewAction::Accept)).await;
    assert!(none.unwrap_err().message.contains("exactly one"));
    let params = ReviewResolveParams {
        hunk_ids: Some(vec!["nonsense".to_owned()]),
        ..all(ReviewAction::Reject)
    };
    let result = stage.client.request::<ReviewResolve>(params).await;
    assert_eq!(result.results[0].reason.as_deref(), Some("There is no such change."));
    let token: Value = json!({ "undoToken": "nonsense" });
    let refused = stage.client.call("agent/session/unrewind", token).await.unwrap_err();
    assert!(refused.message.contains("nothing to take back"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_settles_the_hunks_it_contains() {
    let project = Project::new(&format!("//- /a.txt\n{}", text_with(OLD)));
    project.git(&["init", "-q"]);
    project.git(&["add", "a.txt"]);
    project.git(&["commit", "-qm", "first"]);
    let mut stage = Stage::set(project, five_edits(), Mode::AcceptEdits).await;
    // Git is not asked about a folder that nobody trusts.
    let cwd = stage.project.root().display().to_string();
    stage.client.trust(&cwd).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, &text_with(OLD));
    stage.client.ask(&stage.session, "go").await;
    hunks(&mut stage.client, &stage.session).await;
    // The user commits all of it but the third change.
    stage.project.write("a.txt", text_with([NEW[0], NEW[1], OLD[2], NEW[3], NEW[4]]));
    stage.project.git(&["commit", "-qam", "second"]);
    let mut settled = 0;
    for _ in 0..200 {
        let found = hunks(&mut stage.client, &stage.session).await;
        settled = found.iter().filter(|hunk| hunk.state == HunkState::Accepted).count();
        if settled > 0 {
            assert_eq!(found[2].state, HunkState::Pending, "{found:#?}");
            break;
        }
        // Git is asked in the meantime, in a sandbox where there is one.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(settled, SPOTS - 1);
}
