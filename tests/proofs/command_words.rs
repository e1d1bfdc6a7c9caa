//! Every command at every door: what it says to words that mean nothing, and that none of them costs
//! a question to the model.

use kit::{Bowline, Project, Stage, model};
use model::Scenario;
use protocol::event::EventBody;
use protocol::prompt::Block;
use protocol::session::{SessionPrompt, SessionPromptParams};
use serde_json::Value;

/// These stand for prompts of ours.
const PROMPTS: [&str; 3] = ["init", "code-review", "loop"];

async fn advertised(stage: &mut Stage) -> Vec<protocol::session::Command> {
    let is_it = |event: &protocol::Event| matches!(event.body, EventBody::CommandsUpdated(_));
    let event = match stage.client.log.iter().find(|event| is_it(event)).cloned() {
        Some(event) => event,
        None => stage.client.next_event("the commands", is_it).await,
    };
    let EventBody::CommandsUpdated(updated) = event.body else { unreachable!() };
    updated.commands
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_answered_with_a_sentence() {
    let mut stage = Stage::new("", Scenario::new()).await;
    let commands = advertised(&mut stage).await;
    let built_in = commands.iter().filter(|it| it.source.as_deref() == Some("built-in"));
    let names: Vec<&str> = built_in.map(|it| it.name.as_str()).collect();
    assert!(names.len() > 35, "{names:?}");
    for name in names.iter().filter(|name| !PROMPTS.contains(name)) {
        let text = format!("/{name} qwrtz \u{1b}[31m \"{{");
        let params = SessionPromptParams {
            session_id: stage.session.clone(),
            content: vec![Block::text(text.clone())],
            delivery: None,
            client_message_id: None,
        };
        match stage.client.try_request::<SessionPrompt>(params).await {
            Err(error) => {
                assert!(error.message.ends_with(['.', '?', ')']), "{text}: {error:?}");
                assert!(error.message.len() > 10, "{text}: {error:?}");
            }
            Ok(_) => {
                let is_it = |event: &protocol::Event| match &event.body {
                    EventBody::CommandOutput(output) => {
                        output.command.starts_with(&format!("/{name}"))
                    }
                    _ => false,
                };
                let event = stage.client.next_event(&text, is_it).await;
                let EventBody::CommandOutput(output) = event.body else { unreachable!() };
                assert!(!output.text.trim().is_empty(), "{text}");
            }
        }
    }
    assert!(stage.model.requests().is_empty(), "nobody asked the model");
    for command in commands {
        assert!(!command.description.trim().is_empty(), "{} says what it is for", command.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_own_settings_are_kept_from_any_door() {
    let project = Project::new("//- /a\n");
    let model = model(Scenario::new()).await;
    let run =
        async |prompt: &str| Bowline::new(&project).model(&model).args(&["-p", prompt]).run().await;
    for (prompt, says) in [
        ("/theme sepia", "There is no theme \"sepia\"; there are terminal, daltonized"),
        ("/vim sideways", "/vim is on or off"),
        ("/agents stop all", "No agent is at work."),
        ("/agents dance", "say show, tell or stop"),
        ("/output-style loud", "There is no output style \"loud\"; there are default, Concise"),
    ] {
        let done = run(prompt).await;
        assert_eq!(done.code, Some(1), "{prompt}: {done:?}");
        assert!(done.stderr.contains(says), "{prompt}: {done:?}");
    }
    for prompt in ["/theme daltonized", "/vim on"] {
        let done = run(prompt).await;
        assert_eq!(done.code, Some(0), "{prompt}: {done:?}");
    }
    let file = project.bowline_home().join("settings.json");
    let settings: Value = serde_json::from_str(&kit::files::read(&file)).unwrap();
    assert_eq!(
        (&settings["theme"], &settings["editorMode"]),
        (&"daltonized".into(), &"vim".into())
    );
    assert!(model.requests().is_empty());
}
