//! Pictures and PDFs: read by the model, sent along by the user, refused by a provider; and what is
//! not said twice.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use host::session::Limits;
use kit::{Bowline, Profile, Project, Server, Stage, model};
use media::{Kind, Pdf, samples};
use model::{Scenario, TestServer};
use protocol::EventBody;
use protocol::event::MessageStarted;
use protocol::prompt::{Block, FileBlock, ImageBlock};
use protocol::session::{
    Mode, SessionCompact, SessionCompactParams, SessionPrompt, SessionPromptParams, SessionRewind,
    SessionRewindParams,
};
use protocol::snapshot::SnapshotBlock;
use protocol::tool::ContentPart;
use serde_json::{Value, json};

const REFUSED: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0: Could not process image"}}"#;

/// Everything of a kind that the model was sent with a request, wherever it stood.
fn sent(model: &TestServer, request: usize, kind: &str) -> Vec<Value> {
    fn find(value: &Value, kind: &str, found: &mut Vec<Value>) {
        if value["type"] == kind {
            found.push(value.clone());
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| find(value, kind, found)),
            Value::Object(map) => map.values().for_each(|value| find(value, kind, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    find(&model.requests()[request].body["messages"], kind, &mut found);
    found
}

fn said(model: &TestServer, request: usize) -> String {
    model.requests()[request].body["messages"].to_string()
}

fn bytes_of(block: &Value) -> Vec<u8> {
    STANDARD.decode(block["source"]["data"].as_str().unwrap()).unwrap()
}

fn read(name: &str) -> Value {
    json!({ "file_path": format!("{{{{cwd}}}}/{name}") })
}

fn project(files: &[(&str, Vec<u8>)]) -> Project {
    let project = Project::new("");
    files.iter().for_each(|(name, bytes)| project.write(name, bytes));
    project
}

async fn prompt(stage: &mut Stage, content: Vec<Block>) -> Result<(), String> {
    let params = SessionPromptParams {
        session_id: stage.session.clone(),
        content,
        delivery: None,
        client_message_id: None,
    };
    match stage.client.try_request::<SessionPrompt>(params).await {
        Ok(_) => {
            stage.client.turn_ended(&stage.session).await;
            Ok(())
        }
        Err(error) => Err(error.message),
    }
}

fn image(data: Option<Vec<u8>>, uri: Option<String>) -> Block {
    let mime_type = "image/png".to_owned();
    let data = data.map(|bytes| STANDARD.encode(bytes));
    Block::Image(ImageBlock { mime_type, data, uri, width: None, height: None })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_seen_and_survives_a_restart() {
    let project = project(&[("shot", samples::png(3_000, 300))]);
    let script = Scenario::new().tool("Read", read("shot")).answer().text("stripes");
    let mut stage = Stage::set(project, script.answer().text("still"), Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "what is it?").await;
    assert_eq!(turned.text(), "stripes");
    let live = sent(&stage.model, 1, "image");
    assert_eq!(live.len(), 1);
    assert_eq!(live[0]["source"]["media_type"], "image/png");
    let fitted = media::picture::fit(&bytes_of(&live[0])).unwrap();
    assert_eq!((fitted.width, fitted.height), (2_000, 200));
    assert!(said(&stage.model, 1).contains("made smaller from 3000×300"));
    let shown = turned.events.iter().find_map(|event| match &event.body {
        EventBody::ToolEnded(ended) => ended.content.iter().find_map(|part| match part {
            ContentPart::Image(image) => Some(image.clone()),
            _ => None,
        }),
        _ => None,
    });
    let shown = shown.expect("people are told of the picture");
    assert_eq!((shown.width, shown.height), (Some(2_000), Some(200)));

    let Stage { client, session, server, model, project } = stage;
    client.leave().await;
    drop(server);
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let snapshot = client.attach(&session, None).await.snapshot.unwrap();
    let calls = snapshot.messages.iter().flat_map(|message| &message.blocks);
    let parts = calls.filter_map(|block| match block {
        SnapshotBlock::ToolCall(block) => Some(block.call.content.clone()),
        _ => None,
    });
    let parts: Vec<_> = parts.flatten().collect();
    let kept = parts.iter().find_map(|part| match part {
        ContentPart::Image(image) => Some(image),
        _ => None,
    });
    let kept = kept.expect("and later, too");
    assert_eq!((kept.width, &kept.data), (Some(2_000), &None), "a snapshot brings no bytes");
    client.ask(&session, "still there?").await;
    assert_eq!(sent(&model, 2, "image")[0]["source"], live[0]["source"], "to the byte");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_pdf_are_a_document() {
    let texts: Vec<String> = (1..=12).map(|page| format!("words of page {page}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let project = project(&[("paper.pdf", samples::pdf(&texts))]);
    let mut pages = read("paper.pdf");
    pages["pages"] = json!("5-6");
    let script = Scenario::new().tool("Read", read("paper.pdf")).answer();
    let script = script.when("has 12 pages. Say which").tool("Read", pages).answer().text("read");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    assert_eq!(stage.client.ask(&stage.session, "read it").await.text(), "read");
    let documents = sent(&stage.model, 2, "document");
    assert_eq!(documents.len(), 1);
    let pdf = Pdf::open(&bytes_of(&documents[0])).unwrap();
    assert_eq!((pdf.pages(), pdf.text(1).as_str()), (2, "words of page 5"));
    assert!(said(&stage.model, 2).contains("paper.pdf (PDF, pages 5–6 of 12, "));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_providers_get_words_and_addresses() {
    let project = project(&[
        ("paper.pdf", samples::pdf(&["the word is halyard"])),
        ("shot.png", samples::png(20, 10)),
    ]);
    let script = Scenario::new().tool("Read", read("paper.pdf")).tool("Read", read("shot.png"));
    let model = model(script.answer().text("halyard")).await;
    let env = [
        ("OPENAI_BASE_URL", format!("{}/v1", model.url())),
        ("OPENAI_API_KEY", "test".to_owned()),
        ("OPENAI_MODEL", "local".to_owned()),
    ];
    let server = Server::start_with(&project, env, Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    assert_eq!(client.ask(&session, "read both").await.text(), "halyard");
    assert!(said(&model, 1).contains("the word is halyard"), "{}", said(&model, 1));
    let pictures = sent(&model, 1, "image_url");
    let url = pictures[0]["image_url"]["url"].as_str().unwrap();
    assert!(url.starts_with("data:image/png;base64,iVBOR"), "{url}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_attaches_is_made_small_once() {
    let project = project(&[
        ("my shot.png", samples::png(20, 10)),
        ("paper.pdf", samples::pdf(&["one page"])),
        ("secret.png", samples::png(5, 5)),
        ("notes.txt", b"words".to_vec()),
    ]);
    project.user_settings(&json!({ "permissions": { "deny": ["Read(./secret.png)"] } }));
    let script = Scenario::new().forever().text("fine");
    let mut stage = Stage::set(project, script, Mode::Default).await;

    prompt(&mut stage, vec![Block::text("see"), image(Some(samples::noise(2_400, 40)), None)])
        .await
        .unwrap();
    let images = sent(&stage.model, 0, "image");
    let picture = media::picture::fit(&bytes_of(&images[0])).unwrap();
    assert_eq!((picture.width, images.len()), (2_000, 1));

    let uri = stage.project.uri("paper.pdf");
    let paper = Block::File(FileBlock { uri, version: None, range: None });
    let words = "and @\"my shot.png\", @notes.txt, @nobody.png, @secret.png.";
    prompt(&mut stage, vec![Block::text(words), paper]).await.unwrap();
    let last = stage.model.requests()[1].body["messages"].as_array().unwrap().last().cloned();
    let last = last.unwrap()["content"].clone();
    let kinds: Vec<_> =
        last.as_array().unwrap().iter().map(|block| block["type"].clone()).collect();
    assert_eq!(kinds, ["text", "text", "image", "text", "document"], "{last}");
    assert!(
        last[1]["text"].as_str().unwrap().contains("The user attached my shot.png (PNG, 20×10")
    );

    let told = |event: &protocol::Event| match &event.body {
        EventBody::MessageStarted(MessageStarted { attachments: Some(all), .. }) => Some(all.len()),
        _ => None,
    };
    let attached: Vec<_> = stage.client.log.iter().filter_map(told).collect();
    assert_eq!(attached, [1, 2]);
    let snapshot = stage.client.attach(&stage.session, None).await.snapshot.unwrap();
    let text = serde_json::to_string(&snapshot).unwrap();
    assert!(text.contains(r#""type":"attachment""#) && text.len() < 20_000, "{}", text.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_attached_is_said() {
    let project = project(&[("cut.png", samples::png(64, 64)[..70].to_vec())]);
    let script = Scenario::new().forever().text("fine");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let cut = samples::png(64, 64)[..70].to_vec();
    for (block, expect) in [
        (image(Some(cut), None), "The picture is damaged"),
        (image(Some(samples::png_that_claims(50_000, 50_000)), None), "50000×50000 pixels"),
        (image(None, Some("file:///nowhere.png".to_owned())), "cannot be attached"),
        (image(None, None), "needs its data"),
    ] {
        let problem = prompt(&mut stage, vec![block]).await.unwrap_err();
        assert!(problem.contains(expect), "{problem}");
    }
    assert!(stage.model.requests().is_empty());
    // One that is only named does not stand in the way of the prompt.
    stage.client.prompt(&stage.session, "look at @cut.png").await;
    stage.client.notice_with("cut.png was not attached").await;
    stage.client.turn_ended(&stage.session).await;
    assert!(said(&stage.model, 0).contains("cut.png is damaged"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_can_show_a_picture() {
    let project = project(&[("shot.png", samples::png(20, 10))]);
    let model = model(Scenario::new().text("stripes")).await;
    let run = Bowline::new(&project).model(&model).args(&["-p", "what is on @shot.png?"]);
    let done = run.run().await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "stripes\n"), "{done:?}");
    assert_eq!(Kind::of(&bytes_of(&sent(&model, 0, "image")[0])), Some(Kind::Png));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_provider_refuses_is_replaced_by_words() {
    let project = project(&[
        ("shot.png", samples::png(200, 100)),
        ("paper.pdf", samples::pdf(&["one page"])),
    ]);
    let both =
        |script: Scenario| script.tool("Read", read("shot.png")).tool("Read", read("paper.pdf"));
    let script = both(Scenario::new()).answer().refuse(400, REFUSED, &[]).answer().text("blind");
    let mut stage =
        Stage::set(project, both(script.answer()).answer().text("again"), Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "look at @shot.png").await;
    assert_eq!(turned.text(), "blind");
    assert_eq!(
        (sent(&stage.model, 1, "image").len(), sent(&stage.model, 1, "document").len()),
        (2, 1)
    );
    assert!(
        sent(&stage.model, 2, "image").is_empty() && sent(&stage.model, 2, "document").is_empty()
    );
    let words = said(&stage.model, 2);
    assert_eq!(words.matches("was left out here: the model's provider refused it").count(), 3);
    // What was left out does not count as shown.
    stage.client.ask(&stage.session, "once more").await;
    assert_eq!(
        (sent(&stage.model, 4, "image").len(), sent(&stage.model, 4, "document").len()),
        (1, 1)
    );
    assert!(!said(&stage.model, 4).contains("has not changed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_shown_again_only_when_it_is_not_there_any_more() {
    let long = "all work and no play\n".repeat(120);
    let project = project(&[("long.txt", long.into_bytes())]);
    let twice = || Scenario::new().tool("Read", read("long.txt")).answer();
    let mut script = twice().tool("Read", read("long.txt")).answer().text("read").answer();
    script = script.tool("Read", read("long.txt")).answer().text("after going back").answer();
    script = script.text("<summary>They read.</summary>").answer();
    script = script.tool("Read", read("long.txt")).answer().text("after summing up");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "read it twice").await;
    let again = |text: &str| text.contains("has not changed since you read it");
    let seen: Vec<_> = turned.calls().iter().map(|call| again(&call.text)).collect();
    assert_eq!(seen, [false, true]);

    let first = turned.events.iter().find_map(|event| match &event.body {
        EventBody::TurnStarted(started) => Some(started.message_id.clone()),
        _ => None,
    });
    let what = protocol::session::RewindWhat::Conversation;
    let (session_id, to_message) = (stage.session.clone(), first.unwrap());
    let params = SessionRewindParams { session_id, to_message, what, preview: None };
    stage.client.request::<SessionRewind>(params).await;
    let turned = stage.client.ask(&stage.session, "read it").await;
    assert!(!again(&turned.call().text), "what was cut off was never shown");

    let (session_id, instructions) = (stage.session.clone(), None);
    stage.client.request::<SessionCompact>(SessionCompactParams { session_id, instructions }).await;
    let is_over = |event: &protocol::Event| matches!(event.body, EventBody::CompactionEnded(_));
    stage.client.next_event("the end of the summary", is_over).await;
    let turned = stage.client.ask(&stage.session, "read it again").await;
    assert!(!again(&turned.call().text), "nor is it in the summary");
}
