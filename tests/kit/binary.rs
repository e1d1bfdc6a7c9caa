//! The real binary, as a shell or an editor starts it.

#![expect(clippy::disallowed_methods, reason = "here the product itself is the process to start")]

use std::path::PathBuf;
use std::process::Stdio;

use model::TestServer;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

use crate::client::{Client, within};
use crate::profile::Profile;
use crate::project::Project;
use crate::sdk_host::SdkHost;
use crate::server::model_with;

/// `BOWLINE_BIN`, else the one beside this test.
pub fn program() -> PathBuf {
    let built = || {
        let test = std::env::current_exe().unwrap();
        test.parent().unwrap().parent().unwrap().join("bowline")
    };
    let program = std::env::var_os("BOWLINE_BIN").map_or_else(built, PathBuf::from);
    assert!(program.is_file(), "{} is missing: cargo build -p host", program.display());
    program
}

/// A call of the binary in a project, with a clean environment.
pub struct Bowline {
    command: Command,
    root: PathBuf,
}

/// How a call ended.
#[derive(Debug)]
pub struct Finished {
    /// `None`: by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Bowline {
    pub fn new(project: &Project) -> Self {
        project.settle();
        Self::bare(project)
    }

    /// With nothing at all in the user's home.
    pub fn bare(project: &Project) -> Self {
        Self::started_by(Command::new(program()), project)
    }

    /// The same, started by another program that watches it: `strace -f …`.
    pub fn under(watcher: &[String], project: &Project) -> Self {
        let mut command = Command::new(&watcher[0]);
        command.args(&watcher[1..]).arg(program());
        Self::started_by(command, project)
    }

    fn started_by(mut command: Command, project: &Project) -> Self {
        command.env_clear().envs(project.env()).current_dir(project.root()).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { command, root: project.root().to_owned() }
    }

    #[must_use]
    pub fn model(mut self, model: &TestServer) -> Self {
        self.command.envs(model_with(model));
        self
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    #[must_use]
    pub fn args(mut self, args: &[&str]) -> Self {
        self.command.args(args);
        self
    }

    pub async fn run(self) -> Finished {
        let child = self.spawn();
        finished(child).await
    }

    pub async fn run_with_stdin(mut self, stdin: &str) -> Finished {
        self.command.stdin(Stdio::piped());
        let mut child = self.spawn();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(stdin.as_bytes()).await.unwrap();
        drop(pipe);
        finished(child).await
    }

    pub fn spawn(mut self) -> Child {
        self.command.spawn().unwrap()
    }

    /// With both pipes for the test.
    pub fn spawn_with_pipes(mut self) -> Child {
        self.command.stdin(Stdio::piped());
        self.spawn()
    }

    /// Driven by lines of JSON, as the agent SDKs do it.
    pub fn sdk_host(mut self, args: &[&str]) -> SdkHost {
        const USUAL: [&str; 5] =
            ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
        self.command.args(USUAL).args(args).stdin(Stdio::piped());
        self.command.env("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1");
        SdkHost::new(self.spawn())
    }

    /// `bowline serve`, with a client on its pipes that has said nothing yet.
    pub fn serve(self, profile: Profile) -> Serving {
        self.serve_with(&["serve"], profile)
    }

    /// The same with flags, the command itself among them.
    pub fn serve_with(mut self, args: &[&str], profile: Profile) -> Serving {
        self.command.args(args).stdin(Stdio::piped());
        let root = self.root.clone();
        let mut child = self.spawn();
        let (input, output) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let client = Client::over(&root, profile, input, output);
        Serving { client, child }
    }
}

/// A process that has nothing to do with us, to stand for an editor that dies.
pub fn bystander() -> Child {
    Command::new("sleep").arg("600").kill_on_drop(true).spawn().unwrap()
}

/// Ctrl-C.
pub fn interrupt(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).unwrap();
    kill_process(pid, Signal::INT).unwrap();
}

pub async fn finished(child: Child) -> Finished {
    let output = within("the process to end", child.wait_with_output()).await.unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A server process and its client.
pub struct Serving {
    pub client: Client,
    pub child: Child,
}

impl Serving {
    pub fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Waits for the process and gives its exit code; `None` when a signal ended it.
    pub async fn exit_code(mut self) -> Option<i32> {
        let status = within("the server process to end", self.child.wait()).await.unwrap();
        status.code()
    }

    /// As the kernel does it when there is no memory left.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
        self.client.hang_up().await;
    }
}
