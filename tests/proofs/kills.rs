//! `kill -9` in the middle of turns, again and again: nothing that was acknowledged is lost, and
//! every session goes on.
//!
//! A few dozen kills by default; `BOWLINE_KILLS=500` for as many as one likes.

use std::collections::BTreeSet;

use kit::{Bowline, Client, Dice, Profile, Project, model};
use model::{Scenario, TestServer};
use protocol::prompt::Block;
use protocol::session::{
    Delivery, QueueOp, SessionPrompt, SessionPromptParams, SessionQueue, SessionQueueParams,
};
use protocol::snapshot::{Role, SnapshotBlock};
use serde_json::json;

const KILLS: usize = 40;
/// Projects side by side: a server that starts waits mostly for the disk.
const LANES: usize = 4;
/// A conversation gets longer with every kill; after so many another one begins.
const KILLS_OF_A_SESSION: usize = 25;

/// A prompt leads to a call, and its result to an answer in many pieces.
fn busy() -> Scenario {
    let call = Scenario::new().when("prompt ").forever().text("I look.").delay_ms(1);
    let call = call.tool("Read", json!({ "file_path": "{{cwd}}/file.txt" }));
    let mut answer = call.answer().forever();
    for _ in 0..5 {
        answer = answer.text("Some words of an answer. ").delay_ms(1);
    }
    answer
}

#[expect(clippy::disallowed_methods, reason = "how often is up to who runs it")]
fn kills() -> usize {
    let wanted = std::env::var("BOWLINE_KILLS").ok();
    wanted.and_then(|count| count.parse().ok()).unwrap_or(KILLS)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost() {
    let each = kills().div_ceil(LANES);
    let lanes = (0..LANES).map(|lane| tokio::spawn(one_lane(lane as u64, each)));
    for lane in lanes.collect::<Vec<_>>() {
        lane.await.unwrap();
    }
}

async fn one_lane(seed: u64, kills: usize) {
    let mut dice = Dice::new(0xB0_71 + seed);
    let project = Project::new("//- /file.txt\nsome lines\nto read\n");
    let model = model(busy()).await;
    let mut left = kills;
    while left > 0 {
        let count = left.min(KILLS_OF_A_SESSION);
        one_session(&project, &model, &mut dice, count).await;
        left -= count;
    }
}

/// One conversation, killed so often; then it goes on to its end.
async fn one_session(project: &Project, model: &TestServer, dice: &mut Dice, kills: usize) {
    let mut session: Option<String> = None;
    let mut acknowledged = BTreeSet::new();
    let mut number = 0;
    for kill in 0..=kills {
        let mut serving = Bowline::new(project).model(model).serve(Profile::VS_CODE);
        let client = &mut serving.client;
        client.initialize().await;
        let id = match &session {
            None => client.session().await,
            Some(id) => {
                let there = known(client, id).await;
                let lost: Vec<_> = acknowledged.difference(&there).collect();
                assert!(lost.is_empty(), "after kill {kill}: {lost:?} of {acknowledged:?}");
                id.clone()
            }
        };
        session = Some(id.clone());
        for at in 0..=dice.below(4) {
            number += 1;
            let text = format!("prompt {number}");
            let delivery = match (at, dice.below(2)) {
                (0, _) => Delivery::Auto,
                (_, 0) => Delivery::Queue,
                _ => Delivery::Steer,
            };
            if say(client, &id, &text, delivery).await {
                acknowledged.insert(text);
            }
        }
        if kill == kills {
            // Everything that waits is said in the end.
            while !waiting(client, &id).await.is_empty() {
                client.turn_ended(&id).await;
            }
            serving.client.leave().await;
            return;
        }
        // Any moment will do: so many events after the last word.
        for _ in 0..dice.below(8) {
            client.wait_for_anything("something to happen").await;
        }
        serving.kill().await;
    }
}

async fn say(client: &mut Client, session: &str, text: &str, delivery: Delivery) -> bool {
    let params = SessionPromptParams {
        session_id: session.to_owned(),
        content: vec![Block::text(text)],
        delivery: Some(delivery),
        client_message_id: None,
    };
    client.try_request::<SessionPrompt>(params).await.is_ok()
}

async fn waiting(client: &mut Client, session: &str) -> BTreeSet<String> {
    let params = SessionQueueParams {
        session_id: session.to_owned(),
        op: QueueOp::List,
        message_id: None,
        content: None,
        to: None,
    };
    let queue = client.request::<SessionQueue>(params).await.queue;
    let texts = queue.into_iter().flat_map(|prompt| prompt.content);
    texts
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.text),
            _ => None,
        })
        .collect()
}

/// What the session has of the user's, said or waiting.
async fn known(client: &mut Client, session: &str) -> BTreeSet<String> {
    let snapshot = client.attach(session, None).await.snapshot.unwrap();
    let said = snapshot.messages.into_iter().filter(|message| message.role == Role::User);
    let said = said.flat_map(|message| message.blocks).filter_map(|block| match block {
        SnapshotBlock::Text(text) => Some(text.text),
        _ => None,
    });
    let mut there: BTreeSet<_> = said.collect();
    there.extend(waiting(client, session).await);
    there
}
