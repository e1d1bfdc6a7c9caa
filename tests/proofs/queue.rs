//! Prompts that wait: changed, moved, said into a turn, and still there after the worst.

use kit::{Bowline, Client, Profile, Project, Serving, Stage, model};
use model::{Scenario, TestServer};
use protocol::EventBody;
use protocol::prompt::Block;
use protocol::session::{
    Delivery, Disposition, QueueOp, QueuedPrompt, SessionPrompt, SessionPromptParams,
    SessionPromptResult, SessionQueue, SessionQueueParams,
};
use serde_json::{Value, json};

/// The first answer never ends; the others do at once.
fn stuck() -> Scenario {
    Scenario::new().text("half an").hang().answer().forever().text("ok")
}

async fn say(
    client: &mut Client,
    session: &str,
    text: &str,
    delivery: Delivery,
) -> SessionPromptResult {
    let params = SessionPromptParams {
        session_id: session.to_owned(),
        content: vec![Block::text(text)],
        delivery: Some(delivery),
        client_message_id: Some(format!("id of {text}")),
    };
    client.request::<SessionPrompt>(params).await
}

fn texts(queue: &[QueuedPrompt]) -> Vec<String> {
    let text = |block: &Block| match block {
        Block::Text(text) => text.text.clone(),
        other => panic!("{other:?}"),
    };
    queue.iter().flat_map(|prompt| prompt.content.iter().map(text)).collect()
}

async fn change(
    client: &mut Client,
    session: &str,
    op: QueueOp,
    of: &str,
    (content, to): (Option<&str>, Option<u32>),
) -> Vec<String> {
    let params = SessionQueueParams {
        session_id: session.to_owned(),
        op,
        message_id: Some(format!("id of {of}")),
        content: content.map(|text| vec![Block::text(text)]),
        to,
    };
    texts(&client.request::<SessionQueue>(params).await.queue)
}

/// A turn whose request has reached the model: the answer that never ends is taken.
async fn begin(client: &mut Client, session: &str) -> SessionPromptResult {
    let result = say(client, session, "first", Delivery::Auto).await;
    let is_word = |event: &protocol::Event| matches!(event.body, EventBody::MessageDelta(_));
    client.next_event("the first words", is_word).await;
    result
}

/// What the user said in the last request, in order.
fn said(model: &TestServer) -> Vec<String> {
    let body = model.requests().pop().unwrap().body;
    let messages = body["messages"].as_array().unwrap().iter();
    let users = messages.filter(|message| message["role"] == "user");
    let blocks = users.flat_map(|message| match &message["content"] {
        Value::Array(blocks) => blocks.clone(),
        text => vec![json!({ "text": text })],
    });
    let texts = blocks.filter_map(|block| block["text"].as_str().map(str::to_owned));
    let ours = ["<system-reminder>", "[Request interrupted"];
    texts.filter(|text| !ours.iter().any(|mark| text.starts_with(mark))).collect()
}

async fn serving(project: &Project, model: &TestServer) -> Serving {
    let mut serving = Bowline::new(project).model(model).serve(Profile::VS_CODE);
    serving.client.initialize().await;
    serving
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_can_be_moved_and_changed() {
    let mut stage = Stage::new("", stuck()).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    begin(client, &session).await;
    for text in ["a", "b", "c"] {
        let result = say(client, &session, text, Delivery::Auto).await;
        assert_eq!(result.disposition, Disposition::Queued);
    }
    let moved = change(client, &session, QueueOp::Move, "c", (None, Some(0))).await;
    assert_eq!(moved, ["c", "a", "b"]);
    let moved = change(client, &session, QueueOp::Move, "c", (None, Some(9))).await;
    assert_eq!(moved, ["a", "b", "c"]);
    let changed = change(client, &session, QueueOp::Replace, "b", (Some("B!"), None)).await;
    assert_eq!(changed, ["a", "B!", "c"]);
    let left = change(client, &session, QueueOp::Remove, "a", (None, None)).await;
    assert_eq!(left, ["B!", "c"]);
    // A cancel leaves them; the next prompt wakes them, and is the last.
    client.cancel(&session).await;
    client.turn_ended(&session).await;
    say(client, &session, "last", Delivery::Auto).await;
    for _ in 0..3 {
        assert_eq!(client.turn_ended(&session).await.text(), "ok");
    }
    assert_eq!(said(&stage.model), ["first", "B!", "c", "last"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_kill_9() {
    let project = Project::new("");
    let model = model(stuck()).await;
    let mut server = serving(&project, &model).await;
    let session = server.client.session().await;
    let client = &mut server.client;
    let mut answers = vec![begin(client, &session).await];
    for text in ["gone", "queued", "changed"] {
        answers.push(say(client, &session, text, Delivery::Queue).await);
    }
    answers.push(say(client, &session, "steered", Delivery::Steer).await);
    assert_eq!(answers[4].disposition, Disposition::Steered);
    change(client, &session, QueueOp::Remove, "gone", (None, None)).await;
    change(client, &session, QueueOp::Replace, "changed", (Some("changed!"), None)).await;
    change(client, &session, QueueOp::Move, "changed", (None, Some(0))).await;
    server.kill().await;

    let mut server = serving(&project, &model).await;
    let client = &mut server.client;
    client.attach(&session, None).await;
    let is_queue = |event: &protocol::Event| matches!(event.body, EventBody::QueueUpdated(_));
    let shown = client.next_event("the queue", is_queue).await;
    let EventBody::QueueUpdated(updated) = shown.body else { unreachable!() };
    assert_eq!(texts(&updated.queue), ["steered", "changed!", "queued"]);
    client.notice_with("3 prompts were still waiting").await;
    // Sent again by a client that never got the answer: the same answer, and nothing twice.
    for (text, before) in ["first", "gone", "queued", "changed", "steered"].iter().zip(&answers) {
        assert_eq!(&say(client, &session, text, Delivery::Auto).await, before, "{text}");
    }
    // Nothing runs by itself.
    assert_eq!(model.requests().len(), 1);
    say(client, &session, "go on", Delivery::Auto).await;
    for _ in 0..4 {
        assert_eq!(client.turn_ended(&session).await.text(), "ok");
    }
    assert_eq!(said(&model), ["first", "steered", "changed!", "queued", "go on"]);
    server.client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_gets_the_answer_to_its_own_prompt() {
    let project = Project::new("");
    let model = model(stuck()).await;
    let mut server = serving(&project, &model).await;
    let session = server.client.session().await;
    begin(&mut server.client, &session).await;
    say(&mut server.client, &session, "waits", Delivery::Auto).await;
    server.kill().await;

    let script = Bowline::new(&project).model(&model);
    let finished = script.args(&["-p", "mine", "--resume", &session]).run().await;
    assert_eq!((finished.code, finished.stdout.trim()), (Some(0), "ok"), "{finished:?}");
    assert_eq!(said(&model), ["first", "mine"]);

    let mut server = serving(&project, &model).await;
    server.client.attach(&session, None).await;
    let listed = change(&mut server.client, &session, QueueOp::List, "", (None, None)).await;
    assert_eq!(listed, ["waits"]);
    server.client.leave().await;
}

/// Notes to the model stand before the first prompt; nobody said them.
#[tokio::test(flavor = "multi_thread")]
async fn a_title_is_what_the_user_said() {
    let mut stage = Stage::new("", Scenario::new().forever().text("ok")).await;
    stage.client.ask(&stage.session, "the real words").await;
    let (session, project) = (stage.session.clone(), stage.project);
    stage.client.leave().await;
    let journal = &project.journals()[0];
    let note = r#"{"type":"text","text":"<system-reminder>psst</system-reminder>"},{"#;
    let text =
        kit::files::read(journal).replacen(r#""content":[{"#, &format!(r#""content":[{note}"#), 1);
    kit::files::write(journal, &text);
    let server = kit::Server::start(&project, Some(&stage.model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let snapshot = client.attach(&session, None).await.snapshot.unwrap();
    assert_eq!(snapshot.title.as_deref(), Some("the real words"));
    let listed = Bowline::new(&project).args(&["sessions"]).run().await;
    assert!(listed.stdout.contains("the real words"), "{listed:?}");
}
