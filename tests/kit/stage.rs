//! Everything that most proofs begin with: a project, a scripted model, a server, VS Code and a
//! session.

use model::{Scenario, TestServer};
use protocol::session::{Mode, SessionNewParams};
use serde_json::Value;

use crate::client::Client;
use crate::profile::Profile;
use crate::project::Project;
use crate::server::{Server, model};

pub struct Stage {
    pub client: Client,
    pub session: String,
    pub server: Server,
    pub model: TestServer,
    pub project: Project,
}

impl Stage {
    pub async fn new(fixture: &str, script: Scenario) -> Self {
        Self::set(Project::new(fixture), script, Mode::Default).await
    }

    pub async fn in_mode(fixture: &str, script: Scenario, mode: Mode) -> Self {
        Self::set(Project::new(fixture), script, mode).await
    }

    /// For a project with something more than files.
    pub async fn set(project: Project, script: Scenario, mode: Mode) -> Self {
        if mode == Mode::BypassPermissions {
            project.agree_to_bypass();
        }
        let model = model(script).await;
        let server = Server::start(&project, Some(&model));
        let mut client = server.connect(Profile::VS_CODE).await;
        let session = client.session_with(session_in(mode)).await;
        Self { client, session, server, model, project }
    }

    /// The results that the model was given with its last request, in order.
    pub fn last_results(&self) -> Vec<(String, bool)> {
        let requests = self.model.requests();
        let messages = requests.last().unwrap().body["messages"].as_array().unwrap().clone();
        let blocks = messages.last().unwrap()["content"].as_array().unwrap().clone();
        let results = blocks.iter().filter(|block| block["type"] == "tool_result");
        results.map(|block| (text_of(&block["content"]), block["is_error"] == true)).collect()
    }
}

/// A session in a mode of its own.
pub fn session_in(mode: Mode) -> SessionNewParams {
    SessionNewParams { mode: Some(mode), ..SessionNewParams::default() }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => match part.get("text").or_else(|| part.get("content")) {
            Some(inner) => text_of(inner),
            None => String::new(),
        },
        _ => String::new(),
    }
}
