//! Ten thousand edits of the agent while the user types, in every editor and every encoding: no
//! byte of either is lost, and where both wrote at one place the user's text stays.

use kit::{Client, Encoding, Profile, Project, Server, Typist, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

/// For each of five editors and three encodings.
const EDITS: usize = 668;
const PER_ANSWER: usize = 42;

fn mark(number: usize) -> String {
    format!("[mark {number} 𝄞 é]")
}

fn done(number: usize) -> String {
    format!("[agent {number} ☃]")
}

fn text() -> String {
    (0..EDITS).map(|number| format!("~ line {number} {}\r\n~\n", mark(number))).collect()
}

fn script() -> Scenario {
    let path = "{{cwd}}/a.txt";
    let mut script = Scenario::new().tool("Read", json!({ "file_path": path })).answer();
    for number in 0..EDITS {
        let (old, new) = (mark(number), done(number));
        let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
        script = script.tool("Edit", edit);
        if number % PER_ANSWER == PER_ANSWER - 1 {
            script = script.answer();
        }
    }
    script.answer().tool("Read", json!({ "file_path": path })).answer().text("done")
}

/// Whether each edit failed, in order, as the model was told.
fn failures(model: &TestServer) -> Vec<bool> {
    let requests = model.requests();
    let messages = requests.last().unwrap().body["messages"].as_array().unwrap().clone();
    let blocks = messages.iter().flat_map(|message| message["content"].as_array().cloned());
    let blocks: Vec<Value> = blocks.flatten().collect();
    let edits =
        blocks.iter().filter(|block| block["type"] == "tool_use" && block["name"] == "Edit");
    let failed = |call: &Value| {
        let result = blocks.iter().find(|block| block["tool_use_id"] == call["id"]).unwrap();
        result["is_error"] == true
    };
    edits.map(failed).collect()
}

async fn run(profile: Profile, seed: u64) {
    let project = Project::new("");
    project.write("a.txt", text());
    project.user_settings(&json!({ "permissions": { "defaultMode": "acceptEdits" } }));
    let model = model(script()).await;
    let server = Server::start(&project, Some(&model));
    let mut client: Client = server.connect(profile.clone()).await;
    let uri = project.uri("a.txt");
    client.open(&uri, &text());
    client.editor.typist = Some(Typist::new(seed));
    if profile.extension {
        let session = client.session().await;
        client.ask(&session, "go").await;
    } else {
        client.command("bowline.ask", json!(["go"])).await;
        while client.notification("window/showMessage").await["message"] != "done" {}
    }
    let now = client.editor.text(&uri).to_owned();
    let typist = client.editor.typist.take().unwrap();
    let mut conflicts = 0;
    for (number, failed) in failures(&model).into_iter().enumerate() {
        conflicts += usize::from(failed);
        let count = now.matches(&*done(number)).count();
        assert_eq!(count, usize::from(!failed), "edit {number} in {}", profile.name);
        if !failed {
            assert!(!now.contains(&mark(number)), "edit {number} in {}", profile.name);
        }
    }
    assert!(conflicts < EDITS / 4, "{conflicts} in {}", profile.name);
    for token in &typist.tokens {
        assert_eq!(now.matches(&**token).count(), 1, "{token} in {}", profile.name);
    }
    // Nothing else is there than what the two wrote: without it, the text is the old one.
    let rest = typist.tokens.iter().fold(now.clone(), |text, token| text.replacen(&**token, "", 1));
    let rest = (0..EDITS).fold(rest, |text, number| text.replacen(&done(number), &mark(number), 1));
    assert_eq!(rest, text(), "{}", profile.name);
    client.leave().await;
}

async fn in_all_editors(encoding: &'static [Encoding]) {
    for (seed, mut profile) in Profile::ALL.into_iter().enumerate() {
        // The order of answer and change stays; the pauses only cost time.
        if let kit::Change::AfterTheAnswer(pause) = &mut profile.change {
            *pause = std::time::Duration::ZERO;
        }
        run(profile.with_encoding(encoding), seed as u64 + 1).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_byte_is_lost_in_utf_8() {
    in_all_editors(&[Encoding::Utf8]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_byte_is_lost_in_utf_16() {
    in_all_editors(&[Encoding::Utf16]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_byte_is_lost_in_utf_32() {
    in_all_editors(&[Encoding::Utf32]).await;
}
