//! Who is measured. To add another agent, add an entry: its name, how it is started, and whether it
//! speaks what a row needs. What it cannot do is shown as `-`.

use std::path::PathBuf;

use anyhow::Context as _;

use crate::floor;
use crate::stage::Stage;

/// What stands for the prompt in a list of arguments.
const PROMPT: &str = "{prompt}";

pub struct Contender {
    pub name: &'static str,
    pub role: Role,
    pub program: PathBuf,
    version: &'static [&'static str],
    /// One prompt, one answer, against the Messages API at `ANTHROPIC_BASE_URL`, with a tool `Read`.
    headless: Option<&'static [&'static str]>,
    /// A server on stdin and stdout: LSP, and for most rows the `agent/` methods too.
    serve: Option<&'static [&'static str]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Bowline,
    /// The same requests and the same stream without an agent around them.
    Floor,
    Peer,
}

/// Other agents, measured when they are on the PATH. Those that do not speak the Messages API can
/// only be asked for their version.
const PEERS: &[(&str, Option<&[&str]>)] = &[
    ("claude", Some(&["-p", PROMPT, "--model", "claude-sonnet-4-5"])),
    ("codex", None),
    ("gemini", None),
    ("opencode", None),
];

pub fn found(stage: &Stage) -> anyhow::Result<Vec<Contender>> {
    let bowline = std::env::var_os("BOWLINE_BIN")
        .context("BOWLINE_BIN must name the program; tests/bench/run sets it.")?;
    let own = std::env::current_exe().context("the path of the bench")?;
    let mut contenders = vec![
        Contender {
            name: "bowline",
            role: Role::Bowline,
            program: PathBuf::from(bowline),
            version: &["--version"],
            headless: Some(&["-p", PROMPT]),
            serve: Some(&["serve"]),
        },
        Contender {
            name: "floor",
            role: Role::Floor,
            program: own,
            version: &[floor::COMMAND, "version"],
            headless: Some(&[floor::COMMAND, "print", PROMPT]),
            serve: Some(&[floor::COMMAND, "serve"]),
        },
    ];
    for (name, headless) in PEERS {
        contenders.extend(stage.on_path(name).map(|program| Contender {
            name,
            role: Role::Peer,
            program,
            version: &["--version"],
            headless: *headless,
            serve: None,
        }));
    }
    Ok(contenders)
}

impl Contender {
    pub fn version(&self) -> Vec<String> {
        self.version.iter().map(|argument| (*argument).to_owned()).collect()
    }

    pub fn headless(&self, prompt: &str) -> Option<Vec<String>> {
        let arguments = self.headless?.iter();
        Some(arguments.map(|argument| argument.replace(PROMPT, prompt)).collect())
    }

    pub fn serve(&self) -> Option<Vec<String>> {
        Some(self.serve?.iter().map(|argument| (*argument).to_owned()).collect())
    }
}
