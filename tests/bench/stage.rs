//! What every row needs: a runtime for the model server, folders of its own, and the sizes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use model::{Brain, Scenario, TestServer};
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub struct Stage {
    pub sizes: Sizes,
    runtime: Runtime,
    folder: TempDir,
    path: Option<std::ffi::OsString>,
}

/// How much work a row makes. Titles of rows speak of the full sizes.
pub struct Sizes {
    pub short_turns: usize,
    pub long_turns: usize,
    pub parallel_calls: usize,
    pub deltas: usize,
    pub document_bytes: usize,
    pub keystrokes: usize,
    pub hunks: usize,
    pub searched_files: usize,
    pub journal_bytes: usize,
    pub soak_turns: usize,
    pub idle_seconds: f64,
}

impl Sizes {
    pub fn full() -> Self {
        Self {
            short_turns: 20,
            long_turns: 200,
            parallel_calls: 10,
            deltas: 100_000,
            document_bytes: 5_000_000,
            keystrokes: 2_000,
            hunks: 1_000,
            searched_files: 50_000,
            journal_bytes: 100_000_000,
            soak_turns: 1_000,
            idle_seconds: 2.0,
        }
    }

    /// Enough to see that every row works.
    pub fn smoke() -> Self {
        Self {
            short_turns: 3,
            long_turns: 6,
            parallel_calls: 3,
            deltas: 200,
            document_bytes: 20_000,
            keystrokes: 20,
            hunks: 10,
            searched_files: 50,
            journal_bytes: 4_000_000,
            soak_turns: 6,
            idle_seconds: 0.05,
        }
    }
}

impl Stage {
    pub fn new(sizes: Sizes) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .context("the runtime of the model server")?;
        let folder = tempfile::Builder::new().prefix("bowline-bench-").tempdir()?;
        let stage = Self { sizes, runtime, folder, path: std::env::var_os("PATH") };
        for folder in [stage.project(), stage.home()] {
            std::fs::create_dir_all(folder)?;
        }
        let lines: String = (1..=400).map(|line| format!("line {line} of the file\n")).collect();
        std::fs::write(stage.project().join("file.txt"), lines)?;
        Ok(stage)
    }

    /// The folder the contenders work in.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub fn bowline_home(&self) -> PathBuf {
        self.home().join(".bowline")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A big tree, made when the first row wants it.
    pub fn tree(&self) -> anyhow::Result<PathBuf> {
        let tree = self.folder.path().join("tree");
        if !tree.exists() {
            plant(&tree, self.sizes.searched_files)?;
        }
        Ok(tree)
    }

    pub fn server(&self, scenario: Scenario) -> anyhow::Result<TestServer> {
        let spawned = self.runtime.block_on(TestServer::spawn(Brain::Scenario(scenario)));
        spawned.context("the model server")
    }

    /// A program in the project, with nothing of the caller's environment but the search path.
    pub fn command(&self, program: &Path, arguments: &[String], model: Option<&str>) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.project()).env_clear().stdin(Stdio::null());
        let path = self.path.as_deref().unwrap_or_default();
        command.env("PATH", path).env("HOME", self.home());
        command.env("BOWLINE_HOME", self.bowline_home()).env("SHELL", "/bin/sh");
        if let Some(url) = model {
            command.env("ANTHROPIC_BASE_URL", url).env("ANTHROPIC_API_KEY", "bench");
        }
        command
    }

    pub fn on_path(&self, name: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(self.path.as_ref()?);
        folders.map(|folder| folder.join(name)).find(|program| program.is_file())
    }
}

/// Files like those of a project: short lines, few of which match, in folders of a hundred.
fn plant(tree: &Path, files: usize) -> anyhow::Result<()> {
    let lines: String =
        (0..40).map(|line| format!("    let value_{line} = compute(input, {line});\n")).collect();
    for number in 0..files {
        let folder = tree.join(format!("{:02}/{:02}", number / 10_000, number / 100 % 100));
        if number % 100 == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        let needle = if number % 1000 == 7 { "// the needle is here\n" } else { "" };
        let text = format!("fn file_{number}() {{\n{lines}{needle}}}\n");
        std::fs::write(folder.join(format!("file_{number}.rs")), text)?;
    }
    Ok(())
}
