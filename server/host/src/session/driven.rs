//! What a program that drives the session may want beyond the protocol of editors: the SDK door asks
//! for it on behalf of its host.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::Settings;
use mcp::Hub;
use policy::{Subject, Verdict};
use protocol::event::Severity;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tools::{CallStatus, Permissions, Progress};

use super::{Direct, Equipment, HookRow, PromptOffer, Session, setup};

pub enum Driven {
    /// The connections to MCP servers.
    Servers(oneshot::Sender<Arc<Hub>>),
    /// The settings as the files have them now.
    Settings(oneshot::Sender<Box<Settings>>),
    Hooks(oneshot::Sender<Vec<HookRow>>),
    /// What the session has to work with.
    Equipment(oneshot::Sender<Box<Equipment>>),
    /// The folders it works in.
    Roots(oneshot::Sender<Vec<PathBuf>>),
    /// Everything that people write is read again, with more plugins.
    Reload {
        plugins: Vec<extend::GivenPlugin>,
        /// Not while a turn runs or waits.
        unless_busy: bool,
        reply: oneshot::Sender<Result<Box<Equipment>, String>>,
    },
    /// Settings as the command line gives them are changed; null takes a key out.
    Flags {
        settings: Map<String, Value>,
        reply: oneshot::Sender<Result<(), String>>,
    },
    /// One more folder below those the session works in.
    AddRoot {
        folder: String,
        reply: oneshot::Sender<Result<(), String>>,
    },
    /// What a client brings along for a session that goes on.
    Given {
        roots: Vec<PathBuf>,
        servers: Option<BTreeMap<String, Value>>,
    },
    /// The real path of a file that may be read without a question.
    MayRead {
        path: PathBuf,
        reply: oneshot::Sender<Result<PathBuf, String>>,
    },
    /// The model has seen this file as it is.
    Seen {
        path: PathBuf,
        reply: oneshot::Sender<Result<(), String>>,
    },
    /// Why a rule forbids a tool of an MCP server, if one does.
    Forbids {
        tool: String,
        reply: oneshot::Sender<Option<String>>,
    },
    /// The skills that can be had as prompts.
    Prompts(oneshot::Sender<Vec<PromptOffer>>),
    /// The text of one of them.
    Prompt {
        name: String,
        arguments: BTreeMap<String, String>,
        reply: oneshot::Sender<Result<String, String>>,
    },
    /// Commands that are waited for are left to run, or the one of this call.
    Background {
        call: Option<String>,
    },
}

impl Session {
    pub(super) async fn on_driven(&mut self, driven: Driven) {
        match driven {
            Driven::Servers(reply) => drop(reply.send(self.servers.hub.clone())),
            Driven::Settings(reply) => self.settings_now(reply),
            Driven::Equipment(reply) => drop(reply.send(Box::new(self.whole_equipment()))),
            Driven::Roots(reply) => drop(reply.send(self.state.permissions().roots)),
            Driven::Hooks(reply) => drop(reply.send(self.hooks.rows())),
            Driven::Reload { unless_busy: true, reply, .. } if self.running.is_some() => {
                let busy = "The session is busy; ask again when it is idle.";
                let _ = reply.send(Err(busy.to_owned()));
            }
            Driven::Reload { plugins, reply, .. } => {
                self.limits.given.add_plugins(plugins);
                self.read_settings_again().await;
                let _ = reply.send(Ok(Box::new(self.whole_equipment())));
            }
            Driven::Flags { settings, reply } => {
                let changed = self.limits.given.change_settings(settings);
                if changed.is_ok() {
                    self.read_settings_again().await;
                }
                let _ = reply.send(changed);
            }
            Driven::AddRoot { folder, reply } => {
                drop(reply.send(self.register_root(&folder).await));
            }
            Driven::Given { roots, servers } => self.on_given(roots, servers).await,
            Driven::MayRead { path, reply } => drop(reply.send(self.may_read(&path))),
            Driven::Seen { path, reply } => self.seen(&path, reply),
            Driven::Forbids { tool, reply } => drop(reply.send(self.forbids(&tool))),
            Driven::Prompts(reply) => drop(reply.send(self.offered_prompts().await)),
            Driven::Prompt { name, arguments, reply } => {
                self.offered_prompt(&name, &arguments, reply).await;
            }
            Driven::Background { call } => self.state.leave_commands(call),
        }
    }

    /// Read beside the session, which waits for no disk.
    fn settings_now(&self, reply: oneshot::Sender<Box<Settings>>) {
        let (host, cwd) = (self.host.clone(), self.state.cwd().to_owned());
        let limits = self.limits.clone();
        tokio::task::spawn_blocking(move || {
            let _ = reply.send(Box::new(setup::find(&host, &cwd, &limits).settings));
        });
    }

    async fn on_given(&mut self, roots: Vec<PathBuf>, servers: Option<BTreeMap<String, Value>>) {
        if let Some(servers) = servers {
            self.give_servers(servers);
        }
        for root in roots {
            match setup::working_directory(&root) {
                Ok(real) if self.state.permissions().roots.contains(&real) => {}
                Ok(real) => self.add_root(real, "session").await,
                Err(problem) => self.notice(Severity::Warning, problem),
            }
        }
    }

    /// One more folder to work in; it may bring skills of its own.
    pub(super) async fn add_root(&mut self, real: PathBuf, why: &'static str) {
        self.given_roots.push(real.clone());
        self.facts.send_modify(|facts| facts.roots.push(real.clone()));
        self.state.update_permissions(|permissions| permissions.roots.push(real.clone()));
        self.fire_directory(&real, why);
        self.read_skills_again().await;
        self.tell_servers_of_roots();
    }

    /// Only what lies below a folder that the session began with: a host must not lead it elsewhere.
    async fn register_root(&mut self, folder: &str) -> Result<(), String> {
        let named = self.state.cwd().join(folder);
        let real = setup::working_directory(&named)?;
        let permissions = self.state.permissions();
        if permissions.roots.contains(&real) {
            return Err(format!("{} is a working folder already.", real.display()));
        }
        if !permissions.roots.iter().any(|root| real.starts_with(root)) {
            let message = "a folder must lie below the working folder, or one of --add-dir";
            return Err(format!("{} cannot be added: {message}.", real.display()));
        }
        self.add_root(real, "register_repo_root").await;
        Ok(())
    }

    fn may_read(&self, path: &Path) -> Result<PathBuf, String> {
        let path = self.state.cwd().join(path);
        let resolved = workspace::real_path(&path).map_err(|error| error.to_string())?;
        let permissions = self.state.permissions();
        let subjects = [Subject::Read { path: path.clone(), resolved: resolved.clone() }];
        let decision = decide(&permissions, "Read", &subjects);
        match decision.verdict {
            Verdict::Allow => Ok(resolved),
            Verdict::Ask | Verdict::Deny => {
                Err(format!("{} may not be read: {}", path.display(), decision.reason))
            }
        }
    }

    /// It is read once more, by the ordinary way, and nobody is shown it.
    fn seen(&mut self, path: &Path, reply: oneshot::Sender<Result<(), String>>) {
        let (done, report) = oneshot::channel();
        self.on_direct(Direct {
            name: "Read".to_owned(),
            input: json!({ "file_path": path }),
            cancel: CancellationToken::new(),
            progress: Progress::new(|_| ()),
            reply: done,
        });
        tokio::spawn(async move {
            let seen = match report.await.map(|report| report.status) {
                Ok(CallStatus::Completed) => Ok(()),
                _ => Err("The file could not be read.".to_owned()),
            };
            let _ = reply.send(seen);
        });
    }

    fn forbids(&self, name: &str) -> Option<String> {
        let (server, tool) = mcp::split_tool_name(name)?;
        let (server, tool) = (server.to_owned(), tool.to_owned());
        let subjects = [Subject::Mcp { server, tool, only_a_person: None }];
        let permissions = self.state.permissions();
        let decision = decide(&permissions, name, &subjects);
        (decision.verdict == Verdict::Deny).then_some(decision.reason)
    }

    /// With the styles there are, which are looked for only now.
    pub(super) fn whole_equipment(&self) -> Equipment {
        let styles = self.briefing.styles().list;
        let styles = styles.into_iter().map(|style| style.name).collect();
        Equipment { styles, ..self.equipment() }
    }
}

fn decide(permissions: &Permissions, tool: &str, subjects: &[Subject]) -> policy::Decision {
    let context = policy::Context {
        mode: permissions.mode,
        rules: &permissions.rules,
        roots: &permissions.roots,
        home: permissions.home.as_deref(),
    };
    policy::decide(&policy::Request { tool, subjects, params: &[] }, &context)
}
