//! Session memory: a quick model keeps notes beside the journal, and when the window is full they take
//! the place of a summary.

use super::*;

const NOTES: &str = "Write the notes anew";

fn noting() -> Project {
    let project = Project::new("");
    let helpers = json!({ "title": false, "toolSummaries": false, "magicDocs": false });
    let settings = json!({
        "autoCompactWindow": 20_000, "fastModel": "claude-haiku-4-5", "helpers": helpers,
    });
    project.user_settings(&settings);
    let line = format!("{}\n", "plank ".repeat(40));
    project.write("hull.txt", line.repeat(90));
    project
}

fn read(project: &Project) -> Value {
    json!({ "file_path": project.path("hull.txt").display().to_string() })
}

fn notes(script: Scenario, text: &str) -> Scenario {
    script.answer().when(NOTES).text(&format!("<notes># Now\n{text}</notes>")).usage(filled(900))
}

/// What the notes cost is told, and what was asked of the session after that finds them written down.
async fn noted(stage: &mut Stage) {
    let cost = |event: &protocol::Event| matches!(event.body, EventBody::UsageUpdated(_));
    stage.client.next_event("the cost of the notes", cost).await;
    let session_id = stage.session.clone();
    stage.client.request::<SessionCost>(SessionRef { session_id }).await;
    let journal = stage.project.journal();
    assert!(journal.iter().any(|record| record["type"] == "noted"), "{journal:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_are_kept_and_take_the_place_of_a_summary() {
    let project = noting();
    let script = Scenario::new().when("read the hull").tool("Read", read(&project));
    let script = script.answer().when("plank").text("It is long.").usage(filled(4_000));
    let script = notes(script, "The hull is 3600 planks; the user calls her Juno.");
    let script = script.answer().when("and then?").text("Then we caulk.").usage(filled(19_000));
    let script = script.answer().when("last words").text("on").usage(filled(3_000));
    let script = script.answer().when("still there?").text("yes");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "read the hull").await;
    noted(&mut stage).await;
    let asked = stage.model.requests().last().unwrap().body.clone();
    assert_eq!(asked["model"], "claude-haiku-4-5", "the quick model keeps them");
    let shown = asked["messages"].to_string();
    assert!(shown.contains("USER: read the hull") && shown.contains("CALL Read"), "{shown}");
    let files = files::all(&stage.project.bowline_home().join("sessions"));
    let file = files.iter().find(|file| file.ends_with("memory.md")).unwrap();
    assert!(files::read(file).contains("the user calls her Juno"));
    assert_eq!(files::mode(file) & 0o777, 0o600);
    let helped = |record: &Value| record["type"] == "helped" && record["what"] == "memory";
    assert!(stage.project.journal().iter().any(helped), "the cost is counted");

    stage.client.ask(&stage.session, "and then?").await;
    let turned = stage.client.ask(&stage.session, "last words").await;
    assert_eq!(turned.text(), "on");
    let ended = summed_up(&turned);
    assert_eq!(ended.len(), 1, "{:?}", turned.types());
    assert!(ended[0].summary.as_deref().unwrap().contains("Juno"), "{ended:?}");
    let summarised = |request: &model::Captured| request.body.to_string().contains(ASKED);
    assert!(!stage.model.requests().iter().any(summarised), "no summary was asked for");
    let live = messages(&stage.model, stage.model.requests().len() - 1);
    let text = serde_json::to_string(&live).unwrap();
    for stays in ["calls her Juno", "Then we caulk.", "and then?", "last words"] {
        assert!(text.contains(stays), "{stays}: {text}");
    }
    assert!(!text.contains("read the hull"), "what the notes cover is gone: {text}");

    let Stage { client, session, server, model, project } = stage;
    client.leave().await;
    drop(server);
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    client.ask(&session, "still there?").await;
    let resumed = messages(&model, model.requests().len() - 1);
    let words = |message: &Value| message["content"][0]["text"].clone();
    for at in 0..live.len() {
        assert_eq!(words(&resumed[at]), words(&live[at]), "the same after a restart");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_that_cannot_be_had_cost_a_summary_and_nothing_else() {
    let project = noting();
    let script = Scenario::new().when("read the hull").tool("Read", read(&project));
    let script = script.answer().when("plank").text("It is long.").usage(filled(19_000));
    let script = script.answer().when(NOTES).text("no notes today").forever();
    let script = summary(script, "The hull is long.").answer().when("on?").text("on");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "read the hull").await;
    let turned = stage.client.ask(&stage.session, "on?").await;
    assert_eq!(turned.text(), "on");
    assert_eq!(summed_up(&turned)[0].summary.as_deref(), Some("The hull is long."));
}
