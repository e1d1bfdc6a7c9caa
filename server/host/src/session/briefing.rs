//! What the model knows before the first word: who it is, what the user and the project want every
//! session to know, in which style to answer, and where it is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::prompt::{self, Environment, Instruction, Parts, Style};
use extend::{Memory, MemoryFile, MemoryQuery, MemoryScope, Prompting, Reach, StyleQuery, Styles};
use policy::{Mode, Subject, Verdict, Why};
use protocol::event::Severity;
use tools::Permissions;

use super::Session;
use super::auto_memory::{AutoMemory, OwnNotes};
use crate::context::HostContext;

/// Read from disk when the session starts, and again when a file has changed.
pub(super) struct Briefing {
    host: Arc<HostContext>,
    cwd: PathBuf,
    trusted: bool,
    prompting: Prompting,
    style: Option<Style>,
    memory: Memory,
    /// What git said when the session began; it stays as it was, so that the prompt does.
    pub(super) git: Option<String>,
    /// The agent that this session is, or is led by.
    pub(super) agent: Option<AgentPrompt>,
    /// What the model noted for itself, as it was when the session began, for the same reason.
    pub(super) auto_memory: Option<AutoMemory>,
    /// An agent has notes of its own, or none.
    pub(super) own_notes: Option<OwnNotes>,
    /// The skills there were, a line for each.
    pub(super) skills: String,
    pub(super) wish: PromptWish,
}

/// What whoever started us wants the model to know, in place of our own words or beside them.
#[derive(Clone, Debug, Default)]
pub struct PromptWish {
    /// In place of ours, block by block. An empty one is a wish, too: no words at all.
    pub system: Option<Vec<String>>,
    /// After ours, or after those in their place.
    pub append: Option<String>,
    /// Nothing about this folder and machine, so that one prompt serves many.
    pub without_surroundings: bool,
}

/// The words of an agent, in place of our own.
pub(super) struct AgentPrompt {
    pub(super) text: String,
    /// It does without what the user and the project want every session to know.
    pub(super) omit_instructions: bool,
}

impl Briefing {
    /// May wait for the disk.
    pub(super) fn load(
        host: &Arc<HostContext>,
        cwd: &Path,
        trusted: bool,
        prompting: &Prompting,
        permissions: &Permissions,
    ) -> Briefing {
        let mut briefing = Briefing {
            host: host.clone(),
            cwd: cwd.to_owned(),
            trusted,
            prompting: prompting.clone(),
            style: None,
            memory: Memory::default(),
            git: None,
            agent: None,
            auto_memory: AutoMemory::load(host, cwd, trusted, prompting, permissions),
            own_notes: None,
            skills: String::new(),
            wish: PromptWish::default(),
        };
        briefing.take_style();
        let mut memory = briefing.with_query(permissions, Memory::load);
        memory.problems.append(&mut briefing.memory.problems);
        briefing.memory = memory;
        briefing
    }

    fn with_query<T>(
        &self,
        permissions: &Permissions,
        look: impl FnOnce(&MemoryQuery<'_>) -> T,
    ) -> T {
        look(&MemoryQuery {
            locations: &self.host.locations,
            cwd: &self.cwd,
            trusted: self.trusted,
            excludes: &self.prompting.memory_excludes,
            may_read: &|path, reach| may_read(permissions, path, reach),
        })
    }

    /// What could not be used, and why.
    pub(super) fn problems(&self) -> &[String] {
        &self.memory.problems
    }

    pub(super) fn prompting(&self) -> &Prompting {
        &self.prompting
    }

    /// Where the model may keep notes.
    pub(super) fn notes_folder(&self) -> Option<PathBuf> {
        self.auto_memory.as_ref().map(|memory| memory.folder.clone())
    }

    /// The conversation begins anew, so the notes are read anew with the rest.
    pub(super) fn forget_notes(&mut self) {
        self.auto_memory = None;
    }

    fn is_stale(&self) -> bool {
        self.memory.is_stale()
    }

    pub(super) fn style_name(&self) -> Option<&str> {
        self.style.as_ref().map(|style| style.name.as_str())
    }

    /// All there are, but for the default one. May wait for the disk.
    pub(super) fn styles(&self) -> Styles {
        Styles::load(&StyleQuery {
            locations: &self.host.locations,
            cwd: &self.cwd,
            trusted: self.trusted,
            plugins: &self.prompting.plugin_styles,
        })
    }

    /// The style that the settings name, or that a plugin wants in its place.
    fn take_style(&mut self) {
        let styles = self.styles();
        let wanted = styles.forced.as_ref().or(self.prompting.output_style.as_ref());
        if let Some(name) = wanted.filter(|name| !is_default(name)) {
            self.style = styles.find(name).cloned();
            if self.style.is_none() {
                let text = format!("outputStyle: {}", no_style(&styles, name));
                self.memory.problems.push(text);
            }
        }
        self.memory.problems.extend(styles.problems);
    }

    /// The error is a sentence that names the styles there are.
    pub(super) fn choose_style(&mut self, name: &str) -> Result<(), String> {
        self.style = match is_default(name) {
            true => None,
            false => {
                let styles = self.styles();
                let found = styles.find(name).cloned();
                Some(found.ok_or_else(|| no_style(&styles, name))?)
            }
        };
        self.prompting.output_style = Some(name.to_owned());
        Ok(())
    }

    pub(super) fn instructions(&self) -> Vec<Instruction> {
        self.memory_files().map(|file| instruction(&file)).collect()
    }

    /// What holds from the beginning, in the order in which the model reads it.
    pub(super) fn memory_files(&self) -> impl Iterator<Item = MemoryFile> {
        let managed = self.prompting.managed_memory.as_ref().map(|text| MemoryFile {
            path: "claudeMd".into(),
            scope: MemoryScope::Managed,
            imported_by: None,
            text: text.clone(),
        });
        managed.into_iter().chain(self.memory.files().iter().cloned())
    }

    /// The system prompt as JSON: the same bytes until something in it changes.
    pub(super) fn system(&self, model: &str) -> Arc<str> {
        let shell = self.host.var("SHELL").map(|shell| shell.to_string_lossy().into_owned());
        let environment = Environment {
            cwd: self.cwd.display().to_string(),
            platform: std::env::consts::OS.to_owned(),
            shell: shell.unwrap_or_else(|| "/bin/sh".to_owned()),
            date: self.host.clock.now().format("%Y-%m-%d").to_string(),
            is_git: self.cwd.ancestors().any(|folder| folder.join(".git").exists()),
            git: self.git.clone(),
            model: model.to_owned(),
        };
        let agent = self.agent.as_ref();
        let instructions = match agent.is_some_and(|agent| agent.omit_instructions) {
            true => Vec::new(),
            false => self.instructions(),
        };
        let given = self.wish.system.as_ref().map(|blocks| blocks.join("\n\n"));
        prompt::blocks(&prompt::system(&Parts {
            environment: Some(&environment).filter(|_| !self.wish.without_surroundings),
            agent: given.as_deref().or(agent.map(|agent| agent.text.as_str())),
            append: self.wish.append.as_deref(),
            style: self.style.as_ref(),
            language: self.prompting.language.as_deref(),
            instructions: &instructions,
            notes: self.auto_memory.as_ref().map(|memory| &memory.notes),
            skills: &self.skills,
        }))
    }
}

fn no_style(styles: &Styles, name: &str) -> String {
    let names: Vec<&str> = styles.list.iter().map(|style| style.name.as_str()).collect();
    format!("There is no output style {name:?}; there are default, {}.", names.join(", "))
}

fn is_default(style: &str) -> bool {
    style.trim().eq_ignore_ascii_case("default")
}

fn instruction(file: &MemoryFile) -> Instruction {
    Instruction {
        path: file.path.display().to_string(),
        whose: whose(file.scope),
        text: file.text.clone(),
    }
}

fn whose(scope: MemoryScope) -> &'static str {
    match scope {
        MemoryScope::Managed => "the administrator's",
        MemoryScope::User => "the user's, for all projects",
        MemoryScope::Project => "the project's",
        MemoryScope::Local => "the user's, for this project",
    }
}

/// The user's rules hold for what is shown unasked, too. A file from outside must be allowed.
pub(super) fn may_read(permissions: &Permissions, path: &Path, reach: Reach) -> bool {
    let Ok(resolved) = workspace::real_path(path) else { return false };
    let subjects = [Subject::Read { path: path.to_owned(), resolved }];
    let context = policy::Context {
        mode: Mode::Default,
        rules: &permissions.rules,
        roots: &permissions.roots,
        home: permissions.home.as_deref(),
    };
    let request = policy::Request { tool: "Read", subjects: &subjects, params: &[] };
    let decision = policy::decide(&request, &context);
    match decision.verdict {
        Verdict::Allow => true,
        // Its place is known to the user, who would have to be asked about a stranger's only.
        Verdict::Ask => reach == Reach::Own,
        Verdict::Deny => reach == Reach::Own && decision.kind != Why::Rule,
    }
}

impl Session {
    pub(super) fn rebuild_system(&mut self) {
        self.config.system = self.briefing.system(&self.config.model);
    }

    /// Before a turn: whether a memory file has changed. A look costs microseconds.
    pub(super) async fn look_at_memory(&mut self) {
        if self.briefing.is_stale() {
            let prompting = self.briefing.prompting.clone();
            self.brief_again(prompting).await;
            self.notice(Severity::Info, "Memory files have changed and were read again.");
        }
    }

    /// Reads everything again, as other settings or another trust want it.
    pub(super) async fn brief_again(&mut self, prompting: Prompting) {
        let (host, cwd) = (self.host.clone(), self.state.cwd().to_owned());
        let (trusted, permissions) = (self.trusted, self.state.permissions());
        let loaded = tokio::task::spawn_blocking(move || {
            Briefing::load(&host, &cwd, trusted, &prompting, &permissions)
        });
        match loaded.await {
            Ok(briefing) => {
                let before = std::mem::replace(&mut self.briefing, briefing);
                self.briefing.git = before.git;
                self.briefing.skills = before.skills;
                self.briefing.wish = before.wish;
                self.briefing.agent = before.agent;
                self.keep_known_notes(before.auto_memory, before.own_notes);
                let folder = self.briefing.notes_folder();
                self.state.update_permissions(|permissions| permissions.rules.set_notes(folder));
                let known = before.memory.problems;
                let new: Vec<String> = self.briefing.problems().to_vec();
                for problem in new.into_iter().filter(|problem| !known.contains(problem)) {
                    self.notice(Severity::Warning, problem);
                }
                self.rebuild_system();
            }
            Err(error) => tracing::error!(%error, "memory files could not be read again"),
        }
    }

    /// The notes stay as the session found them, whatever else was read again.
    fn keep_known_notes(&mut self, then: Option<AutoMemory>, own: Option<OwnNotes>) {
        let now = &mut self.briefing.auto_memory;
        match (&own, now, then) {
            (Some(own), now, None) => {
                let permissions = self.state.permissions();
                let folder = own.folder.as_deref();
                *now = folder.and_then(|at| AutoMemory::at(&self.host, at, &permissions));
            }
            (Some(_), now, then) => *now = then,
            (None, Some(now), Some(then)) => *now = then,
            (None, ..) => {}
        }
        self.briefing.own_notes = own;
    }

    /// A call is about these files: what the folders around them want to be known comes along with
    /// its results.
    pub(super) async fn touch_memory(&mut self, paths: &[PathBuf]) {
        let permissions = self.state.permissions();
        let mut found = Vec::new();
        for path in paths {
            let Ok(real) = workspace::real_path(path) else { continue };
            // Taken out, because the question borrows the rest.
            let mut memory = std::mem::take(&mut self.briefing.memory);
            found
                .extend(self.briefing.with_query(&permissions, |query| memory.touch(&real, query)));
            self.briefing.memory = memory;
        }
        if found.is_empty() {
            return;
        }
        self.fire_instructions(&found, "nested_traversal");
        let texts = found.iter().map(|file| instruction(file).describe()).collect::<Vec<_>>();
        let note = format!("These instructions hold here, too.\n\n{}", texts.join("\n\n"));
        self.on_note(note).await;
    }
}
