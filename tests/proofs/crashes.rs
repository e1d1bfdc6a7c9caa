//! `kill -9` at each kind of announcement and at random points: nothing that a client received is
//! missing after the restart, the model is told of it, and every change can be rejected.
//!
//! A few dozen kills by default; `CRASH_KILLS=2000` for the long run.

mod check;
mod life;
mod seen;
mod tally;

use std::sync::Arc;

use kit::{Bowline, Client, Dice, Profile, Project, Serving, model};
use model::{Scenario, TestServer};
use protocol::snapshot::{Snapshot, SnapshotBlock};
use protocol::tool::{ToolCallState, ToolStatus};
use serde_json::json;

use life::Story;
use tally::Tally;

const KILLS: usize = 48;
/// Projects side by side: a server that starts waits mostly for the disk.
const LANES: usize = 4;
/// So often one session is killed before its changes are taken back.
const KILLS_OF_A_SESSION: usize = 8;

#[expect(clippy::disallowed_methods, reason = "how often is up to who runs it")]
fn kills() -> usize {
    let wanted = std::env::var("CRASH_KILLS").ok();
    wanted.and_then(|count| count.parse().ok()).unwrap_or(KILLS)
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_loses_nothing_that_a_client_received() {
    let tally = Arc::new(Tally::default());
    let each = kills().div_ceil(LANES);
    let lanes = (0..LANES).map(|lane| tokio::spawn(one_lane(lane as u64, each, tally.clone())));
    for lane in lanes.collect::<Vec<_>>() {
        lane.await.unwrap();
    }
    eprintln!("{tally}");
    assert!(tally.is_clean(), "{tally}");
}

async fn one_lane(lane: u64, kills: usize, tally: Arc<Tally>) {
    let mut dice = Dice::new(0xC4A5 + lane);
    let mut left = kills;
    while left > 0 {
        let count = left.min(KILLS_OF_A_SESSION);
        let project = Project::new(life::FIXTURE);
        let mut story = Story::new(&project, &tally);
        for _ in 0..count {
            story.run_and_kill(&mut dice).await;
        }
        story.take_everything_back(dice.below(2) == 0).await;
        left -= count;
    }
}

fn calls(snapshot: &Snapshot) -> Vec<&ToolCallState> {
    let blocks = snapshot.messages.iter().flat_map(|message| &message.blocks);
    let calls = blocks.filter_map(|block| match block {
        SnapshotBlock::ToolCall(call) => Some(&call.call),
        _ => None,
    });
    calls.collect()
}

async fn serve(project: &Project, script: &TestServer) -> Serving {
    let mut serving = Bowline::new(project).model(script).serve(Profile::NEOVIM);
    serving.client.initialize().await;
    serving
}

/// A prompt whose answer never ends, killed when an event says that it has come so far.
async fn kill_at(project: &Project, script: Scenario, event: &str, says: &str) -> String {
    project.user_settings(&json!({ "permissions": { "allow": ["Write", "Bash(sleep:*)"] } }));
    let script = model(script.text("And then").hang()).await;
    let mut serving = serve(project, &script).await;
    let client = &mut serving.client;
    let session = client.session().await;
    client.prompt(&session, "go").await;
    let is_it =
        |it: &protocol::Event| it.body.name() == event && format!("{:?}", it.body).contains(says);
    client.next_event(event, is_it).await;
    serving.kill().await;
    session
}

/// What the model is told with the next prompt.
async fn next_request(client: &mut Client, script: &TestServer, session: &str) -> String {
    client.ask(session, "go on").await;
    script.requests().last().unwrap().body["messages"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_ended_while_the_answer_streamed_survives_a_kill() {
    let project = Project::new("//- /a.txt\ntext\n");
    let write = json!({ "file_path": "{{cwd}}/made.txt", "content": "made\n" });
    let script = Scenario::new().text("I write.").tool("Write", write);
    let session = kill_at(&project, script, "tool.ended", "").await;
    assert_eq!(project.read("made.txt"), "made\n");

    let script = model(Scenario::new().forever().text("I see.")).await;
    let mut serving = serve(&project, &script).await;
    let client = &mut serving.client;
    let snapshot = client.attach(&session, None).await.snapshot.unwrap();
    let calls = calls(&snapshot);
    assert_eq!(calls.len(), 1, "{snapshot:?}");
    assert_eq!(calls[0].status, ToolStatus::Completed);
    let told = next_request(client, &script, &session).await;
    assert!(told.contains("I write.") && told.contains("Created "), "{told}");
    check::reject(client, &session, |_, _| ()).await;
    assert!(!project.exists("made.txt"), "what the agent made goes as it came");
    serving.client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_a_kill_cut_off_is_shown_and_told_as_interrupted() {
    let project = Project::new("//- /a.txt\ntext\n");
    let script = Scenario::new().tool("Bash", json!({ "command": "sleep 60" }));
    let session = kill_at(&project, script, "tool.updated", "status: Running").await;

    let script = model(Scenario::new().forever().text("I see.")).await;
    let mut serving = serve(&project, &script).await;
    let client = &mut serving.client;
    let snapshot = client.attach(&session, None).await.snapshot.unwrap();
    let calls = calls(&snapshot);
    assert_eq!(calls.len(), 1, "{snapshot:?}");
    assert_eq!(calls[0].status, ToolStatus::Failed);
    let text = seen::text_of(&calls[0].content);
    assert!(text.starts_with("Interrupted: the process ended"), "{text}");
    let told = next_request(client, &script, &session).await;
    assert!(told.contains("sleep 60") && told.contains("Interrupted: the process ended"), "{told}");
    serving.client.leave().await;
}
