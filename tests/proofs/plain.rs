//! Editors with no extension and little of the standard: chat documents, questions in the text, and
//! pages. The kit fails a test in which a plain client is asked something of ours.

use kit::{Client, Profile, Project, Server, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

const PLAIN: [Profile; 3] = [Profile::HELIX, Profile::KATE, Profile::EGLOT];

struct Scene {
    project: Project,
    uri: String,
    _model: TestServer,
    _server: Server,
    client: Client,
}

async fn scene(profile: Profile, file: &str, text: &str, script: Scenario) -> Scene {
    let project = Project::new("//- /a.rs\nfn one() {}\n");
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(profile).await;
    let uri = project.uri(file);
    client.open(&uri, text);
    Scene { project, uri, _model: model, _server: server, client }
}

impl Scene {
    fn text(&self) -> &str {
        self.client.editor.text(&self.uri)
    }

    async fn becomes(&mut self, text: &str) {
        while self.text() != text {
            self.client.wait_for_anything(&format!("{text:?} for {:?}", self.text())).await;
        }
    }

    async fn actions(&mut self) -> Vec<Value> {
        let place = json!({ "line": 0, "character": 0 });
        let params = json!({
            "textDocument": { "uri": self.uri },
            "range": { "start": place, "end": place },
            "context": { "diagnostics": [] },
        });
        let actions = self.client.call("textDocument/codeAction", params).await.unwrap();
        actions.as_array().unwrap().clone()
    }

    async fn choose(&mut self, title: &str) {
        let actions = self.actions().await;
        let action = actions.iter().find(|action| action["title"] == title);
        let command = action.unwrap_or_else(|| panic!("{title} in {actions:?}"))["command"].clone();
        self.client
            .command(command["command"].as_str().unwrap(), command["arguments"].clone())
            .await;
    }

    /// The questions that are shown in the document, once there are so many.
    async fn cards(&mut self, count: usize) -> Vec<Value> {
        loop {
            let shown = self.client.notification("textDocument/publishDiagnostics").await;
            let shown = shown["diagnostics"].as_array().unwrap().clone();
            if shown.len() == count {
                return shown;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_document_is_asked_when_it_is_saved() {
    for profile in PLAIN {
        let script = Scenario::new()
            .when("first")
            .text("> The ☃ answer.")
            .answer()
            .when("second")
            .text("Another.");
        let mut scene = scene(profile, "talk.bowline.md", "# Talk\n\n> first\n", script).await;
        let uri = scene.uri.clone();
        scene.client.save(&uri);
        // Saved again before the answer is there: it is the same prompt. What is typed stays.
        scene.client.save(&uri);
        scene.client.type_after(&uri, "# Talk", " about 𝄞");
        scene.becomes("# Talk about 𝄞\n\n> first\n\n> The ☃ answer.\n\n---\n\n").await;
        // The answer ends with a quotation, and is no prompt.
        scene.client.save(&uri);
        scene.client.type_after(&uri, "---\n", "\n> second\n");
        scene.client.save(&uri);
        scene.becomes(
            "# Talk about 𝄞\n\n> first\n\n> The ☃ answer.\n\n---\n\n> second\n\nAnother.\n\n---\n\n\n",
        )
        .await;
        assert_eq!(scene.client.notifications("window/showMessage").len(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_files_are_no_chats() {
    let script = Scenario::new().text("No.");
    let mut scene = scene(Profile::KATE, "notes.md", "> quoted\n", script).await;
    let uri = scene.uri.clone();
    scene.client.save(&uri);
    let params =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 3 } });
    let list = scene.client.call("textDocument/completion", params).await.unwrap();
    assert_eq!(list["items"], json!([]));
    assert_eq!(scene.text(), "> quoted\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_boxes_a_question_is_in_the_text() {
    for profile in [Profile::HELIX, Profile::KATE] {
        let edit = |new: &str| json!({ "file_path": "{{cwd}}/a.rs", "content": new });
        let script = Scenario::new()
            .tool("Read", json!({ "file_path": "{{cwd}}/a.rs" }))
            .answer()
            .tool("Write", edit("fn one() {}\nfn two() {}\n"))
            .answer()
            .tool("Write", edit("nothing\n"))
            .answer()
            .text("Well.");
        let mut scene = scene(profile, "a.rs", "fn one() {}\n", script).await;
        scene.client.forgets.push("window/showMessageRequest");
        scene.client.command("bowline.ask", json!(["go"])).await;
        let shown = scene.cards(1).await;
        assert_eq!(shown[0]["severity"], 3);
        assert!(shown[0]["message"].as_str().unwrap().contains("a.rs?"), "{shown:?}");
        let title = titles(&scene.actions().await, "Allow once: ");
        scene.choose(&title).await;
        scene.becomes("fn one() {}\nfn two() {}\n").await;
        scene.cards(1).await;
        let title = titles(&scene.actions().await, "Deny: ");
        scene.choose(&title).await;
        scene.cards(0).await;
        let message = scene.client.notification("window/showMessage").await;
        assert_eq!(message["message"], "Well.");
        assert_eq!(scene.text(), "fn one() {}\nfn two() {}\n");
        assert_eq!(scene.project.read("a.rs"), "fn one() {}\n");
    }
}

fn titles(actions: &[Value], start: &str) -> String {
    let titles = actions.iter().filter_map(|action| action["title"].as_str());
    let mut fitting = titles.filter(|title| title.starts_with(start));
    fitting.next().unwrap_or_else(|| panic!("{start} in {actions:?}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_of_the_model_are_boxes() {
    let question = json!({ "questions": [{
        "question": "Which?", "header": "Which", "multiSelect": false,
        "options": [{ "label": "Left", "description": "that way" }, { "label": "Right", "description": "" }],
    }]});
    let script = Scenario::new()
        .tool("AskUserQuestion", question)
        .answer()
        .when("Right")
        .text("Right it is.");
    let mut scene = scene(Profile::EGLOT, "a.rs", "fn one() {}\n", script).await;
    scene.client.command("bowline.ask", json!(["go"])).await;
    let (asked, shown) = scene.client.message_box().await;
    assert_eq!(shown["message"], "Which?\nLeft: that way");
    assert_eq!(shown["actions"], json!([{ "title": "Left" }, { "title": "Right" }]));
    scene.client.answer(asked, json!({ "title": "Right" }));
    let message = scene.client.notification("window/showMessage").await;
    assert_eq!(message["message"], "Right it is.");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_a_page_where_those_are_known() {
    let script = Scenario::new().text("fn uno() {}");
    let profile = Profile { pages: true, ..Profile::HELIX };
    let mut scene = scene(profile, "a.rs", "fn one() {}\n", script).await;
    let range = scene.client.editor.range(&scene.uri, "fn one() {}");
    let edit = json!({ "uri": scene.uri, "range": range, "instruction": "in Spanish" });
    scene.client.command("bowline.edit", json!([edit])).await;
    scene.becomes("fn uno() {}\n").await;
    scene.client.held.push("window/showDocument");
    while scene.actions().await.iter().all(|it| it["title"] != "Show the changes of this file") {}
    scene.choose("Show the changes of this file").await;
    let (asked, shown) = scene.client.expect::<Value>("window/showDocument").await;
    scene.client.answer(asked, json!({ "success": true }));
    assert_eq!(shown["uri"], "bowline:/a.rs.diff");
    let params = json!({ "uri": shown["uri"] });
    let page = scene.client.call("workspace/textDocumentContent", params).await.unwrap();
    let text = page["text"].as_str().unwrap();
    assert!(text.contains("-fn one() {}\n+fn uno() {}"), "{text}");
    // Rejected, and that taken back.
    scene.choose("Reject this change").await;
    scene.becomes("fn one() {}\n").await;
    while scene.actions().await.iter().all(|it| it["command"]["command"] != "bowline.undo") {}
    scene.client.command("bowline.undo", json!([])).await;
    scene.becomes("fn uno() {}\n").await;
}
