//! The product in this process: the same core and the same door as the binary has, over pipes in
//! memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::Locations;
use host::context::{Clock, HostContext};
use host::core::CoreHandle;
use host::doors::leave::Leave;
use host::session::Limits;
use model::{Brain, Scenario, TestServer};

use crate::acp::AcpClient;
use crate::client::Client;
use crate::profile::Profile;
use crate::project::Project;

/// A model that says what the script says, behind a real port.
pub async fn model(script: Scenario) -> TestServer {
    TestServer::spawn(Brain::Scenario(script)).await.unwrap()
}

/// The variables that lead to it.
pub fn model_with(model: &TestServer) -> [(&'static str, String); 2] {
    [("ANTHROPIC_BASE_URL", model.url().to_owned()), ("ANTHROPIC_API_KEY", "test".to_owned())]
}

/// One process, so to speak: it has one core and serves one client at a time.
pub struct Server {
    root: PathBuf,
    host: Arc<HostContext>,
    core: CoreHandle,
}

impl Server {
    /// Without a model there is the rehearsal model.
    pub fn start(project: &Project, model: Option<&TestServer>) -> Self {
        let env = model.map(model_with).into_iter().flatten();
        Self::start_with(project, env, Limits::default())
    }

    pub fn start_with(
        project: &Project,
        extra: impl IntoIterator<Item = (&'static str, String)>,
        limits: Limits,
    ) -> Self {
        Self::start_by(Clock::system(), project, extra, limits)
    }

    /// One that goes by another clock.
    pub fn start_by(
        clock: Clock,
        project: &Project,
        extra: impl IntoIterator<Item = (&'static str, String)>,
        limits: Limits,
    ) -> Self {
        let mut env = project.env();
        env.extend(extra.into_iter().map(|(name, value)| (name.to_owned(), value)));
        let env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let locations = Locations {
            bowline_home: project.bowline_home().to_owned(),
            home: Some(project.home().to_owned()),
            managed: project.managed(),
        };
        let mut host = HostContext::new(env, locations, clock, "test");
        // The inner helper of the sandbox is the real binary, which this process is not.
        host.sandbox_helper = Some(crate::binary::program());
        let host = Arc::new(host);
        let mut limits = limits;
        if !project.is_sandboxed() {
            let off = r#"{"sandbox": {"enabled": false}}"#;
            limits.given = extend::Given::new(Some(off), None, project.root()).unwrap();
        }
        let core = host::core::spawn(host.clone(), limits);
        Self { root: project.root().to_owned(), host, core }
    }

    /// For a door of the test's own.
    pub fn core(&self) -> &CoreHandle {
        &self.core
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A client that has said nothing yet.
    pub fn connect_silently(&self, profile: Profile) -> Client {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (their_input, their_output) = tokio::io::split(theirs);
        let serve = host::doors::lsp::serve(
            self.host.clone(),
            self.core.clone(),
            Leave::ALONE,
            their_input,
            their_output,
        );
        let served = tokio::spawn(serve);
        let (our_input, our_output) = tokio::io::split(ours);
        Client::over(&self.root, profile, our_input, our_output).serving(served)
    }

    /// A client of the Agent Client Protocol, likewise.
    pub fn connect_acp(&self) -> AcpClient {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (their_input, their_output) = tokio::io::split(theirs);
        let (host, core) = (self.host.clone(), self.core.clone());
        tokio::spawn(host::doors::acp::serve(host, core, Leave::ALONE, their_input, their_output));
        let (our_input, our_output) = tokio::io::split(ours);
        AcpClient::over(our_input, our_output)
    }

    pub async fn connect(&self, profile: Profile) -> Client {
        let mut client = self.connect_silently(profile);
        client.initialize().await;
        client
    }
}
