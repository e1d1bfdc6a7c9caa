//! What the user and the project want every session to know reaches the model: at the start, when a
//! folder is touched, and after a change; and notes find their file.

use kit::{Bowline, Profile, Project, Server, Stage, files, model};
use model::{Scenario, TestServer};
use protocol::memory::{MemoryAdd, MemoryAddParams, MemoryScope};
use protocol::session::{ConfigChange, Mode, SessionConfig, SessionConfigParams};
use serde_json::{Value, json};

fn says(count: usize) -> Scenario {
    (0..count).fold(Scenario::new(), |script, at| {
        let script = if at == 0 { script } else { script.answer() };
        script.text("ok")
    })
}

/// The system prompt of a request, all parts in a row.
fn system(model: &TestServer, at: usize) -> String {
    let body: Value = model.requests()[at].body.clone();
    let parts = body["system"].as_array().unwrap().iter();
    parts.map(|part| part["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn project() -> Project {
    let project = Project::new("//- /a.txt\nold\n//- /src/deep/b.txt\nold\n");
    project.write("CLAUDE.md", "The boat is called Juno. See @docs/more.md.\n");
    project.write("docs/more.md", "It has two masts.\n");
    project.write("src/AGENTS.md", "Below deck, whisper.\n");
    project.write(
        ".claude/rules/text.md",
        "---\npaths: '**/*.txt'\n---\nText files end with a bell.\n",
    );
    files::write(&project.home().join(".claude/CLAUDE.md"), "The user likes short words.\n");
    project
}

#[tokio::test(flavor = "multi_thread")]
async fn instructions_are_read_in_order_and_deeper_ones_when_they_are_touched() {
    let project = project();
    project.trust();
    let path = project.path("src/deep/b.txt").display().to_string();
    let script = Scenario::new().tool("Read", json!({ "file_path": path })).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    let first = system(&stage.model, 0);
    let order = ["short words", "called Juno", "two masts", "# Where you are"];
    let places = order.map(|part| first.find(part).unwrap_or_else(|| panic!("{part}: {first}")));
    assert!(places.is_sorted(), "{places:?}");
    assert!(!first.contains("whisper") && !first.contains("bell"), "{first}");
    assert_eq!(first, system(&stage.model, 1), "the prompt stays the same for the cache");
    let second = stage.model.requests()[1].body["messages"].to_string();
    assert!(second.contains("Below deck, whisper.") && second.contains("end with a bell"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_not_trusted_instructs_nobody() {
    let project = project();
    let model = model(says(1)).await;
    let finished = Bowline::new(&project).model(&model).args(&["-p", "go"]).run().await;
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let prompt = system(&model, 0);
    assert!(prompt.contains("short words"), "the user's own count");
    assert!(!prompt.contains("Juno") && !prompt.contains("masts"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_instructions_are_reason_enough_to_ask_for_trust() {
    let project = project();
    let model = model(says(1)).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let (asked, request) = client.permission().await;
    let shown = serde_json::to_string(&request).unwrap();
    assert!(shown.contains("tells the agent what to do: CLAUDE.md"), "{shown}");
    client.allow_first(asked, &request);
    client.notice_with("read again").await;
    client.ask(&session, "go").await;
    assert!(system(&model, 0).contains("Juno"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_counts_from_the_next_prompt_on() {
    let project = project();
    project.trust();
    let mut stage = Stage::set(project, says(2), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    stage.project.write("CLAUDE.md", "The boat is called Hera, and that is final.\n");
    stage.client.ask(&stage.session, "go").await;
    let second = system(&stage.model, 1);
    assert!(second.contains("Hera") && !second.contains("Juno"), "{second}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deny_rule_keeps_a_file_out() {
    let project = project();
    project.trust();
    project.user_settings(&json!({ "permissions": { "deny": ["Read(//**/more.md)"] } }));
    let mut stage = Stage::set(project, says(1), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    let prompt = system(&stage.model, 0);
    assert!(prompt.contains("Juno") && !prompt.contains("masts"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_goes_to_the_file_and_through_the_editor_when_it_is_open() {
    let project = project();
    project.trust();
    let mut stage = Stage::set(project, says(1), Mode::Default).await;
    let add = |text: &str, scope: MemoryScope| MemoryAddParams {
        text: text.to_owned(),
        scope,
        session_id: Some(stage.session.clone()),
    };
    let params = [
        add("use tabs", MemoryScope::User),
        add("no tabs", MemoryScope::Local),
        add("mind the boom", MemoryScope::Project),
        add("  ", MemoryScope::User),
    ];
    let [user, local, open, empty] = params;
    let written = stage.client.request::<MemoryAdd>(user).await;
    assert!(files::read(written.path.as_ref()).ends_with("- use tabs\n"));
    assert!(!files::read(&stage.project.home().join(".claude/CLAUDE.md")).contains("tabs"));
    stage.client.request::<MemoryAdd>(local).await;
    assert_eq!(stage.project.read("CLAUDE.local.md"), "- no tabs\n");
    let uri = stage.project.uri("CLAUDE.md");
    stage.client.open(&uri, &stage.project.read("CLAUDE.md"));
    stage.client.type_after(&uri, "Juno", " (not saved)");
    stage.client.request::<MemoryAdd>(open).await;
    let text = stage.client.editor.text(&uri).to_owned();
    assert!(text.contains("Juno (not saved)") && text.ends_with("\n\n- mind the boom\n"), "{text}");
    assert!(!stage.project.read("CLAUDE.md").contains("boom"), "the buffer is the truth");
    assert!(stage.client.try_request::<MemoryAdd>(empty).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_style_is_chosen_by_setting_and_by_name() {
    let project = Project::new("//- /a.txt\nold\n");
    let style = "---\nname: Poet\ndescription: verse\n---\nAnswer in verse.\n";
    files::write(&project.bowline_home().join("output-styles/poet.md"), style);
    project.user_settings(&json!({ "outputStyle": "poet", "language": "Latin" }));
    let mut stage = Stage::set(project, says(2), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    let first = system(&stage.model, 0);
    assert!(first.contains("Answer in verse.") && first.contains("Latin"), "{first}");
    assert!(!first.contains("# How to work"));
    let choose = |style: &str| SessionConfigParams {
        session_id: stage.session.clone(),
        set: Some(ConfigChange { output_style: Some(style.into()), ..ConfigChange::default() }),
    };
    let (concise, unknown) = (choose("concise"), choose("Opera"));
    let error = stage.client.try_request::<SessionConfig>(unknown).await.unwrap_err();
    assert!(error.message.contains("Poet, Concise"), "{error:?}");
    let config = stage.client.request::<SessionConfig>(concise).await.config;
    assert_eq!(config.output_style.as_deref(), Some("Concise"));
    stage.client.ask(&stage.session, "go").await;
    let second = system(&stage.model, 1);
    assert!(second.contains("# Style: Concise") && second.contains("# How to work"), "{second}");
}
