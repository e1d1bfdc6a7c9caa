//! Code actions, code lenses and commands: everything for editors that know only the standard. The
//! kit fails a test in which a plain client is asked something of ours.

use kit::{Client, Profile, Project, Server, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

const TEXT: &str = "// one\nfn two() {}\n\nfn three() {}\n\nfn four() {}\n";

struct Scene {
    project: Project,
    uri: String,
    model: TestServer,
    _server: Server,
    client: Client,
}

async fn scene(profile: Profile, script: Scenario) -> Scene {
    let project = Project::new("//- /a.rs\n// nothing\n");
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(profile).await;
    let uri = project.uri("a.rs");
    client.open(&uri, TEXT);
    Scene { project, uri, model, _server: server, client }
}

impl Scene {
    async fn actions(&mut self, piece: &str, context: Value) -> Vec<Value> {
        let range = self.client.editor.range(&self.uri, piece);
        let params =
            json!({ "textDocument": { "uri": self.uri }, "range": range, "context": context });
        let actions = self.client.call("textDocument/codeAction", params).await.unwrap();
        actions.as_array().unwrap().clone()
    }

    async fn titles(&mut self, piece: &str, context: Value) -> Vec<String> {
        let actions = self.actions(piece, context).await;
        actions.iter().map(|action| action["title"].as_str().unwrap().to_owned()).collect()
    }

    /// Chooses a code action, as a user does, and returns what the command answers.
    async fn choose(&mut self, piece: &str, context: Value, title: &str) -> Value {
        let actions = self.actions(piece, context).await;
        let action = actions.iter().find(|action| action["title"] == title);
        let command = &action.unwrap_or_else(|| panic!("{title} in {actions:?}"))["command"];
        self.run(command).await
    }

    async fn run(&mut self, command: &Value) -> Value {
        let params = json!({ "command": command["command"], "arguments": command["arguments"] });
        self.client.call("workspace/executeCommand", params).await.unwrap()
    }

    async fn lenses(&mut self) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": self.uri } });
        let lenses = self.client.call("textDocument/codeLens", params).await.unwrap();
        lenses.as_array().unwrap().clone()
    }

    /// Waits until the buffer says this; edits arrive by themselves.
    async fn becomes(&mut self, text: &str) {
        while self.client.editor.text(&self.uri) != text {
            self.client.wait_for_anything(text).await;
        }
    }

    fn text(&self) -> &str {
        self.client.editor.text(&self.uri)
    }
}

fn nothing() -> Value {
    json!({ "diagnostics": [] })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_offered_depends_on_the_place() {
    let mut scene = scene(Profile::HELIX, Scenario::new()).await;
    let on_selection = [
        "Edit with Bowline…",
        "Document with Bowline",
        "Explain with Bowline",
        "Write tests with Bowline",
    ];
    assert_eq!(scene.titles("fn two() {}", nothing()).await, on_selection);
    assert_eq!(scene.titles("", nothing()).await, [""; 0]);
    let range = scene.client.editor.range(&scene.uri, "two");
    let diagnostic = json!({ "range": range, "message": "no", "data": { "theirs": 1 } });
    let broken = json!({ "diagnostics": [diagnostic] });
    let actions = scene.actions("", broken.clone()).await;
    assert_eq!(actions.len(), 1);
    assert_eq!(actions[0]["title"], "Fix with Bowline");
    assert_eq!(actions[0]["diagnostics"], json!([diagnostic]));
    let only = |kinds: Value| json!({ "diagnostics": [diagnostic], "only": kinds });
    assert_eq!(scene.titles("two", only(json!(["quickfix"]))).await, ["Fix with Bowline"]);
    let rewrites = scene.titles("two", only(json!(["refactor"]))).await;
    assert_eq!(rewrites, on_selection[..2]);
    assert_eq!(scene.titles("two", only(json!(["source.organizeImports"]))).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_editor_does_everything_with_code_actions() {
    let script = Scenario::new()
        .when("Document this")
        .text("/// Two.\nfn two() {}")
        .answer()
        .when("Simplify this")
        .text("fn three() { 3 }")
        .answer()
        .when("too quiet")
        .text("fn FOUR() {}");
    let mut scene = scene(Profile::HELIX, script).await;
    // Document.
    scene.choose("fn two() {}", nothing(), "Document with Bowline").await;
    scene.becomes("// one\n/// Two.\nfn two() {}\n\nfn three() {}\n\nfn four() {}\n").await;
    // Edit, with a wish from the message box.
    let returned = scene.choose("fn three() {}", nothing(), "Edit with Bowline…").await;
    assert_eq!(returned, Value::Null);
    let (asked, question) = scene.client.message_box().await;
    let wishes = question["actions"].as_array().unwrap().clone();
    assert!(wishes.len() <= 4, "{wishes:?}");
    scene.client.answer(asked, wishes[0].clone());
    scene.becomes("// one\n/// Two.\nfn two() {}\n\nfn three() { 3 }\n\nfn four() {}\n").await;
    // Fix.
    let range = scene.client.editor.range(&scene.uri, "four");
    let broken = json!({ "diagnostics": [{ "range": range, "message": "too quiet" }] });
    scene.choose("", broken, "Fix with Bowline").await;
    scene.becomes("// one\n/// Two.\nfn two() {}\n\nfn three() { 3 }\n\nfn FOUR() {}\n").await;
    // Review: one is rejected, the rest accepted.
    scene.choose("three() { 3 }", nothing(), "Reject this change").await;
    scene.becomes("// one\n/// Two.\nfn two() {}\n\nfn three() {}\n\nfn FOUR() {}\n").await;
    scene.choose("FOUR", nothing(), "Accept all in this file").await;
    let accepted = async {
        let pending = "Accept this change".to_owned();
        while scene.titles("/// Two.\nfn two", nothing()).await.contains(&pending) {}
    };
    kit::within("the acceptance", accepted).await;
    assert_eq!(scene.project.read("a.rs"), "// nothing\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn in_every_editor_an_edit_lands_beside_what_is_typed() {
    for profile in Profile::ALL {
        let script = Scenario::new().delay_ms(100).text("fn drei() { ☃ }");
        let mut scene = scene(profile, script).await;
        let range = scene.client.editor.range(&scene.uri, "fn three() {}");
        let wish = json!({ "uri": scene.uri, "range": range, "instruction": "in German" });
        scene.client.command("bowline.edit", json!([wish])).await;
        let uri = scene.uri.clone();
        scene.client.replace(&uri, "// one", "// 𝄞 one\n// more");
        scene.client.replace(&uri, "four", "fünf");
        scene.becomes("// 𝄞 one\n// more\nfn two() {}\n\nfn drei() { ☃ }\n\nfn fünf() {}\n").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_above_says_what_to_do() {
    let script = Scenario::new().when("Instruction: one").text("fn two() { 2 }");
    let mut scene = scene(Profile::HELIX, script).await;
    scene.choose("fn two() {}", nothing(), "Edit with Bowline…").await;
    scene.becomes("// one\nfn two() { 2 }\n\nfn three() {}\n\nfn four() {}\n").await;
}

/// Where nobody can be asked, what the editor showed in passing is better than nothing.
#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_of_a_code_action_are_remembered() {
    let look = json!({ "operation": "diagnostics", "file_path": "{{cwd}}/a.rs" });
    let script = Scenario::new().tool("LanguageServer", look).answer().text("I see.");
    let mut scene = scene(Profile::HELIX, script).await;
    let range = scene.client.editor.range(&scene.uri, "two");
    let broken = json!({ "diagnostics": [{ "range": range, "message": "too quiet" }] });
    scene.actions("", broken).await;
    scene.client.command("bowline.ask", json!(["what is wrong?"])).await;
    let message = scene.client.notification("window/showMessage").await;
    assert_eq!(message["message"], "I see.");
    let told = scene.model.requests().pop().unwrap().body["messages"].to_string();
    assert!(told.contains("too quiet") && told.contains("unverified"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn explaining_is_a_turn_about_the_selection() {
    let mut scene = scene(Profile::KATE, Scenario::new().text("It does nothing.")).await;
    scene.choose("fn two() {}", nothing(), "Explain with Bowline").await;
    let message = scene.client.notification("window/showMessage").await;
    assert_eq!(message["message"], "It does nothing.");
    let body = scene.model.requests().remove(0).body;
    let asked = body["messages"][0]["content"].to_string();
    assert!(asked.contains("fn two() {}") && asked.contains("Explain the selected"), "{asked}");
    assert_eq!(scene.text(), TEXT);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_return_at_once_and_can_be_stopped() {
    let script = Scenario::new().hang().answer().hang().answer().hang();
    let mut scene = scene(Profile::HELIX, script).await;
    let range = scene.client.editor.range(&scene.uri, "three");
    let selection = json!({ "uri": scene.uri, "range": range, "instruction": "shout" });
    let started = scene.client.command("bowline.edit", json!([selection])).await;
    assert!(started["editId"].is_string(), "{started}");
    scene.client.command("bowline.document", json!([selection])).await;
    scene.client.command("bowline.tests", json!([selection])).await;
    let titles = scene.titles("", nothing()).await;
    assert!(titles.contains(&"Stop Bowline".to_owned()), "{titles:?}");
    scene.client.command("bowline.cancel", json!([])).await;
    for _ in 0..3 {
        let message = scene.client.notification("window/showMessage").await;
        assert_eq!(message["message"], "Stopped.");
    }
    assert_eq!(scene.titles("", nothing()).await, [""; 0]);
    let unknown = json!({ "command": "bowline.dance", "arguments": [] });
    let error = scene.client.call("workspace/executeCommand", unknown).await.unwrap_err();
    assert_eq!(error.message, "There is no command bowline.dance.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_to_a_plain_client() {
    let project = Project::new("//- /a.rs\n// nothing\n");
    project.user_settings(&json!({ "permissions": { "deny": ["Edit(./a.rs)"] } }));
    let server = Server::start(&project, None);
    let mut client = server.connect(Profile::EGLOT).await;
    let uri = project.uri("a.rs");
    client.open(&uri, TEXT);
    let range = client.editor.range(&uri, "three");
    client.command("bowline.document", json!([{ "uri": uri, "range": range }])).await;
    loop {
        let message = client.notification("window/showMessage").await;
        if message["message"].as_str().unwrap().contains("Edit(./a.rs)") {
            break;
        }
    }
    assert_eq!(client.editor.text(&uri), TEXT);
}

#[tokio::test(flavor = "multi_thread")]
async fn lenses_accept_and_reject() {
    let script =
        Scenario::new().when("a").text("fn TWO() {}").answer().when("b").text("fn FOUR() {}");
    let mut scene = scene(Profile::VS_CODE, script).await;
    assert_eq!(scene.lenses().await, [Value::Null; 0]);
    let first = scene.client.try_edit(None, &scene.uri.clone(), "fn two() {}", "a").await.unwrap();
    scene.client.edit_ended(&first).await;
    let lenses = scene.lenses().await;
    let shown: Vec<_> = lenses
        .iter()
        .map(|lens| (lens["range"]["start"]["line"].as_u64(), lens["command"]["title"].as_str()))
        .collect();
    assert_eq!(shown, [(Some(1), Some("Accept")), (Some(1), Some("Reject"))]);
    assert!(scene.client.lens_refreshes > 0);
    let second =
        scene.client.try_edit(None, &scene.uri.clone(), "fn four() {}", "b").await.unwrap();
    scene.client.edit_ended(&second).await;
    let lenses = scene.lenses().await;
    assert_eq!(lenses.len(), 6, "{lenses:?}");
    assert_eq!(lenses[0]["command"]["title"], "Bowline: 2 changes: accept all");
    // The first one is rejected, the other accepted.
    scene.run(&lenses[3]["command"]).await;
    scene.becomes("// one\nfn two() {}\n\nfn three() {}\n\nfn FOUR() {}\n").await;
    let lenses = scene.lenses().await;
    scene.run(&lenses[0]["command"]).await;
    kit::within("the acceptance", async { while !scene.lenses().await.is_empty() {} }).await;
    assert_eq!(scene.text(), "// one\nfn two() {}\n\nfn three() {}\n\nfn FOUR() {}\n");
}
