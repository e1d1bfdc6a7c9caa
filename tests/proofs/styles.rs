//! Output styles: built in, the user's, the project's and those of plugins, chosen by a setting, a
//! command or the plugin itself.

use kit::{Bowline, Project, Stage, files, model};
use model::{Scenario, TestServer};
use protocol::event::EventBody;
use protocol::session::Mode;
use serde_json::json;

fn system(model: &TestServer) -> String {
    model.requests().last().unwrap().body["system"].to_string()
}

async fn said(stage: &mut Stage, text: &str) -> String {
    stage.client.prompt(&stage.session, text).await;
    let is_it = |event: &protocol::Event| matches!(event.body, EventBody::CommandOutput(_));
    match stage.client.next_event("what a command says", is_it).await.body {
        EventBody::CommandOutput(output) => output.text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_style_of_a_file_takes_the_place_of_the_usual_words() {
    let project = Project::new("//- /.claude/output-styles/verse.md\nIn verse.\n");
    let keeps =
        "---\nname: Pirate\ndescription: Arr\nkeep-coding-instructions: true\n---\nSay arr.\n";
    files::write(&project.home().join(".claude/output-styles/p.md"), keeps);
    project.trust();
    let mut stage = Stage::set(project, Scenario::new().forever().text("ok"), Mode::Default).await;
    stage.client.ask(&stage.session, "one").await;
    let usual = system(&stage.model);
    assert!(usual.contains("# How to work") && usual.contains("# Answers"));
    let listed = said(&mut stage, "/output-style pirate").await;
    assert!(listed.starts_with("Answers are written in the style Pirate."), "{listed}");
    for line in ["default", "Concise", "Proactive", "Explanatory", "Learning", "verse"] {
        assert!(listed.lines().any(|it| it.starts_with(line)), "{line}: {listed}");
    }
    stage.client.ask(&stage.session, "two").await;
    let pirate = system(&stage.model);
    assert!(pirate.contains("Say arr.") && pirate.contains("# How to work"));
    said(&mut stage, "/output-style verse").await;
    stage.client.ask(&stage.session, "three").await;
    let verse = system(&stage.model);
    assert!(verse.contains("In verse.") && !verse.contains("# How to work"));
    said(&mut stage, "/output-style default").await;
    stage.client.ask(&stage.session, "four").await;
    assert_eq!(system(&stage.model), usual, "byte for byte as before");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_brings_styles_and_may_want_one() {
    let project = Project::new("//- /a\n");
    let plugin = project.home().join("port");
    files::write(&plugin.join(".claude-plugin/plugin.json"), json!({ "name": "port" }).to_string());
    files::write(&plugin.join("output-styles/calm.md"), "Calmly.\n");
    let model = model(Scenario::new().forever().text("ok")).await;
    let folder = plugin.display().to_string();
    let run = async || {
        let args = ["-p", "go", "--plugin-dir", &folder];
        let done = Bowline::new(&project).model(&model).args(&args).run().await;
        assert_eq!(done.code, Some(0), "{done:?}");
    };
    project.user_settings(&json!({ "outputStyle": "Port:calm" }));
    run().await;
    assert!(system(&model).contains("Calmly."));
    project.user_settings(&json!({}));
    run().await;
    assert!(!system(&model).contains("Calmly."));
    let forced = "---\nforce-for-plugin: true\n---\nWith flags.\n";
    files::write(&plugin.join("output-styles/flags.md"), forced);
    run().await;
    assert!(system(&model).contains("With flags."));
}
