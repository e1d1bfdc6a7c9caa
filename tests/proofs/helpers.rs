//! Helpers after a turn, through the door: each says its word once, costs what it costs, and never
//! stands in the way.

use kit::{Client, Profile, Project, Server, files, model, model_with, session_in, within};
use model::{Scenario, TestServer};
use protocol::event::EventBody;
use protocol::session::{Mode, SessionDetach, SessionRef};
use serde_json::json;

const EDITOR: Profile = Profile { helpers: true, ..Profile::VS_CODE };

const TITLE: &str = "Give this conversation a title";

struct Desk {
    client: Client,
    session: String,
    server: Server,
    model: TestServer,
    project: Project,
}

/// A server whose model for small questions is known.
async fn desk(fixture: &str, settings: serde_json::Value, script: Scenario, mode: Mode) -> Desk {
    let project = Project::new(fixture);
    let mut all = json!({ "fastModel": "haiku" });
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    project.user_settings(&all);
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(EDITOR).await;
    let session = client.session_with(session_in(mode)).await;
    Desk { client, session, server, model, project }
}

fn only(helper: &str) -> serde_json::Value {
    let on = |name: &str| name == helper;
    json!({
        "promptSuggestionEnabled": on("suggestion"),
        "helpers": {
            "title": on("title"),
            "toolSummaries": on("toolSummaries"),
            "magicDocs": on("magicDocs"),
            "awaySummary": on("awaySummary"),
        },
    })
}

/// Waits until the model was asked so many things that speak of `words`.
async fn asked(model: &TestServer, words: &str, count: usize) {
    let counted = async {
        while about(model, words) < count {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    within(words, counted).await;
}

fn about(model: &TestServer, words: &str) -> usize {
    let requests = model.requests().into_iter();
    requests.filter(|request| request.body.to_string().contains(words)).count()
}

fn helped(project: &Project, what: &str) -> usize {
    let records = project.journal().into_iter();
    records.filter(|record| record["type"] == "helped" && record["what"] == what).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_gets_a_title_that_lasts_unless_the_user_gave_one() {
    let script =
        Scenario::new().text("Done.").answer().when(TITLE).text("\"Splicing the main brace.\"");
    let mut desk = desk("", only("title"), script, Mode::Default).await;
    desk.client.ask(&desk.session, "splice the main brace").await;
    let titled = desk.client.next_event("a title", |event| match &event.body {
        EventBody::SessionUpdated(updated) => updated.title.is_some(),
        _ => false,
    });
    let EventBody::SessionUpdated(updated) = titled.await.body else { unreachable!() };
    assert_eq!(updated.title.as_deref(), Some("Splicing the main brace"));
    let asked = desk.model.requests().pop().unwrap().body;
    assert_eq!(asked["model"], "claude-haiku-5-5");
    assert!(asked["messages"].to_string().contains("splice the main brace"), "{asked}");
    assert_eq!(helped(&desk.project, "title"), 1);
    desk.client.leave().await;
    let listed = files::read(&desk.project.journals()[0]);
    assert!(listed.contains("Splicing the main brace"), "{listed}");
    drop(desk.server);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suggestion_follows_a_turn_and_ends_with_the_next_prompt() {
    let script = Scenario::new()
        .text("The fix is in.")
        .answer()
        .when("What will the user say next")
        .hang()
        .answer()
        .when("go on")
        .text("Went on.")
        .answer()
        .when("What will the user say next")
        .text("run the tests");
    let mut desk = desk("", only("suggestion"), script, Mode::Default).await;
    desk.client.ask(&desk.session, "fix it").await;
    // The helper hangs; the next prompt does not wait for it.
    asked(&desk.model, "What will the user say next", 1).await;
    desk.client.ask(&desk.session, "go on").await;
    let suggested = desk
        .client
        .next_event("a suggestion", |event| matches!(event.body, EventBody::Suggestion(_)));
    let EventBody::Suggestion(suggestion) = suggested.await.body else { unreachable!() };
    assert_eq!(suggestion.text, "run the tests");
    assert_eq!(desk.model.requests().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_summed_up_for_a_client_that_asks() {
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .when("Say what these calls did")
        .text("Read the letter")
        .answer()
        .text("It says a.");
    let mut desk = desk("//- /a.txt\na\n", only("toolSummaries"), script, Mode::Default).await;
    desk.client.prompt(&desk.session, "look").await;
    let summed = desk
        .client
        .next_event("a summary", |event| matches!(event.body, EventBody::ToolsSummarized(_)));
    let EventBody::ToolsSummarized(summary) = summed.await.body else { unreachable!() };
    assert_eq!((summary.text.as_str(), summary.tool_call_ids.len()), ("Read the letter", 1));
}

const PAGE: &str = "# MAGIC DOC: Hulls\n_Only what lasts._\n\nHulls are red.\n";

fn page_script() -> Scenario {
    Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/HULLS.md" }))
        .answer()
        .text("Hulls are blue now.")
        .answer()
        .when("Bring the page up to date")
        .text("<document>\n# MAGIC DOC: Hulls\n_Only what lasts._\n\nHulls are blue.\n</document>")
        .answer()
        .when("again")
        .text("Yes.")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_read_is_kept_up_to_date_like_any_edit() {
    let fixture = format!("//- /HULLS.md\n{PAGE}");
    let mut desk = desk(&fixture, only("magicDocs"), page_script(), Mode::AcceptEdits).await;
    let uri = desk.project.uri("HULLS.md");
    desk.client.ask(&desk.session, "paint them").await;
    let (mut hunk, mut completed) = (false, false);
    while !(hunk && completed) {
        match desk.client.next_event("the change of the page", |_| true).await.body {
            EventBody::HunkAdded(added) => hunk |= added.hunk.uri == uri,
            EventBody::ToolEnded(ended) => {
                assert_eq!(ended.status.as_str(), "completed", "{ended:?}");
                completed = true;
            }
            _ => {}
        }
    }
    let expect = PAGE.replace("red", "blue");
    assert_eq!(desk.project.read("HULLS.md"), expect);
    let records = desk.project.journal();
    let allowed = records.iter().any(|record| {
        record["type"] == "permission" && record["tool"] == "Write" && record["allowed"] == true
    });
    assert!(allowed, "its permission is in the journal");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_would_be_asked_about_is_left_alone_and_costs_nothing() {
    let fixture = format!("//- /HULLS.md\n{PAGE}");
    let mut desk = desk(&fixture, only("magicDocs"), page_script(), Mode::Default).await;
    desk.client.ask(&desk.session, "paint them").await;
    desk.client.ask(&desk.session, "again").await;
    desk.client.leave().await;
    assert_eq!(desk.project.read("HULLS.md"), PAGE);
    assert_eq!(desk.model.requests().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_is_told_what_happened_meanwhile() {
    let script = Scenario::new()
        .text("All hulls are tarred.")
        .answer()
        .when("What did I miss")
        .text("The hulls are tarred.\nNothing waits for you.");
    let mut desk = desk("", only("awaySummary"), script, Mode::Default).await;
    let gone = SessionRef { session_id: desk.session.clone() };
    desk.client.request::<SessionDetach>(gone).await;
    desk.client.prompt(&desk.session, "tar the hulls").await;
    let is_end = |record: &serde_json::Value| record["type"] == "turn_ended";
    let ended = async {
        while !desk.project.journal().iter().any(is_end) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    within("the end of a turn that nobody watches", ended).await;
    desk.client.attach(&desk.session, None).await;
    let told = desk
        .client
        .next_event("what was missed", |event| matches!(event.body, EventBody::AwaySummarized(_)));
    let EventBody::AwaySummarized(told) = told.await.body else { unreachable!() };
    assert_eq!(told.text, "The hulls are tarred. Nothing waits for you.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_helper_that_fails_three_times_is_not_asked_again() {
    let script = Scenario::new()
        .when(TITLE)
        .forever()
        .error(400, "invalid_request_error", "no")
        .answer()
        .forever()
        .text("Done.");
    let mut desk = desk("", only("title"), script, Mode::Default).await;
    while about(&desk.model, TITLE) < 3 {
        desk.client.ask(&desk.session, "prompt").await;
    }
    for _ in 0..3 {
        desk.client.ask(&desk.session, "prompt").await;
    }
    desk.client.leave().await;
    assert_eq!(about(&desk.model, TITLE), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_for_it_nothing_is_asked() {
    let script = Scenario::new().forever().text("Done.");
    let (project, model) = (Project::new(""), model(script).await);
    let server = Server::start_with(&project, model_with(&model), host::session::Limits::default());
    let mut client = server.connect(EDITOR).await;
    let session = client.session_with(session_in(Mode::Default)).await;
    client.ask(&session, "one").await;
    client.ask(&session, "two").await;
    client.leave().await;
    assert_eq!(model.requests().len(), 2);
}
