//! What language servers know about the session's files: the editor's where it lets us ask them,
//! our own where it has none.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use extend::{LanguageServerSetting, Settings};
use language::{Answer, Files, Finding, Query, ServerConfig, Servers};
use protocol::Request as _;
use protocol::editor::{EditorLanguageServer, LanguageServerParams};
use serde_json::Value;
use text::{Bias, Text};
use tokio::sync::oneshot;
use tools::{EditedFile, Findings, SessionState, Verified};
use workspace::syntax::Trees;
use workspace::{Document, DocumentUri, Snapshot, View};

use super::shelter::Shelter;
use crate::core::{CoreHandle, Door, Event, compare_findings};

/// How long an edit waits for our own servers to look at it.
const LOOKED_AT_WITHIN: Duration = Duration::from_secs(3);
/// How long the editor's servers may think about a question.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// Findings of so many files are remembered to tell new ones from old.
const REMEMBERED: usize = 200;

pub(super) struct Languages {
    /// What the servers were made from.
    settings: Vec<LanguageServerSetting>,
    servers: Servers,
    /// For inline edits, which look at the same text again and again.
    pub(super) trees: Trees,
    /// What our own servers said last about a file.
    last: Mutex<HashMap<PathBuf, Vec<Finding>>>,
}

/// The truth of text at one moment.
struct Texts(View);

impl Files for Texts {
    fn text(&self, path: &Path) -> Option<Text> {
        self.0.follow(path).ok().map(|file| file.text)
    }

    fn unsaved(&self) -> Vec<(PathBuf, Text)> {
        let dirty = self.0.snapshot().iter().filter(|document| document.dirty);
        let named = dirty
            .filter_map(|document| Some((document.real_path()?.to_owned(), document.text.clone())));
        named.collect()
    }
}

impl Languages {
    /// Nothing starts before it is needed.
    pub(super) fn new(state: &SessionState, settings: &Settings, shelter: &Arc<Shelter>) -> Self {
        // A server runs what the folder says, so none starts in one that waits for trust.
        let named = settings.language_servers.iter().filter(|_| !settings.project_ignored);
        let configs = named.map(config).collect();
        let shelter = shelter.clone();
        let walls = Arc::new(move || shelter.of_helper(exec::Disk::Entries));
        let servers = Servers::new(state.cwd().to_owned(), configs, state.env().to_vec(), walls);
        let settings = settings.language_servers.clone();
        Self { settings, servers, trees: Trees::default(), last: Mutex::default() }
    }

    /// Whether the servers are still those that the settings name.
    pub(super) fn are_those_of(&self, settings: &Settings) -> bool {
        self.settings == settings.language_servers
    }

    /// What is newly wrong in a file that was just edited.
    pub(super) async fn findings(
        &self,
        core: &CoreHandle,
        session: &str,
        edited: EditedFile,
    ) -> Findings {
        if let Some(version) = edited.version
            && let Some(uri) = open_as(&look(core).await, &edited.path).await
        {
            let (reply, answer) = oneshot::channel();
            let session = session.to_owned();
            core.send(Event::Findings { uri, version, session, reply }).await;
            let found = answer.await.unwrap_or_default();
            if found.state != Verified::NoSource {
                return found;
            }
        }
        self.own_findings(edited).await
    }

    async fn own_findings(&self, edited: EditedFile) -> Findings {
        let EditedFile { path, before, after, .. } = edited;
        if !self.servers.serves(&path) {
            return Findings::default();
        }
        let known = self.last().get(&path).cloned();
        let (old, sure) = match known {
            Some(known) => (known, true),
            None => self.servers.diagnostics(&path, &before, LOOKED_AT_WITHIN).await,
        };
        let (now, verified) = self.servers.diagnostics(&path, &after, LOOKED_AT_WITHIN).await;
        if !verified {
            return Findings { state: Verified::Unverified, ..Findings::default() };
        }
        let mut last = self.last();
        if last.len() >= REMEMBERED {
            last.clear();
        }
        last.insert(path, now.clone());
        let mut found = compare_findings(&old, now);
        if !sure {
            // A server that is still warming up did not know the old problems: only what stands
            // where something changed can be called new.
            let changed = changed_lines(&before, &after);
            found.new.retain(|finding| {
                changed.iter().any(|lines| lines.contains(&(finding.start.0 as usize)))
            });
        }
        found
    }

    fn last(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Vec<Finding>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the editor's servers, and our own where there are none.
    pub(super) async fn ask(&self, core: &CoreHandle, query: Query) -> Result<Answer, String> {
        let snapshot = look(core).await;
        let texts = Arc::new(Texts(View::new(snapshot.clone())));
        match ask_editor(core, &snapshot, &query, texts.clone()).await {
            Some(answer) => answer,
            None => match self.servers.ask(&query, texts).await {
                Err(error) => glimpsed(core, &snapshot, &query).await.ok_or(error),
                answered => answered,
            },
        }
    }
}

/// What the editor showed of others' findings in passing, where nobody can be asked.
async fn glimpsed(core: &CoreHandle, snapshot: &Snapshot, query: &Query) -> Option<Answer> {
    let Query::Diagnostics { path } = query else { return None };
    let uri = open_as(snapshot, path).await?;
    let version = snapshot.by_uri(&uri)?.version;
    let (reply, answer) = oneshot::channel();
    core.go_on(move |state| {
        let _ = reply.send(state.diagnostics.glimpsed(&uri, version));
    })
    .await;
    let findings = answer.await.ok().flatten()?;
    Some(Answer::Diagnostics { findings, verified: false })
}

/// `None` when no editor can be asked about this file.
async fn ask_editor(
    core: &CoreHandle,
    snapshot: &Snapshot,
    query: &Query,
    texts: Arc<Texts>,
) -> Option<Result<Answer, String>> {
    let uri = open_as(snapshot, query.path()).await;
    if let (Some(uri), Query::Diagnostics { .. }) = (&uri, query) {
        let (reply, answer) = oneshot::channel();
        core.send(Event::KnownFindings { uri: uri.clone(), reply }).await;
        if let Some((findings, verified)) = answer.await.ok().flatten() {
            return Some(Ok(Answer::Diagnostics { findings, verified }));
        }
    }
    let (reply, answer) = oneshot::channel();
    core.send(Event::Owner { uri: uri.clone(), reply }).await;
    let door: Arc<Door> = answer.await.ok().flatten().filter(|door| can_be_asked(door))?;
    let encoding = door.encoding();
    let (asked, path, read) = (query.clone(), query.path().to_owned(), texts.clone());
    let request = tokio::task::spawn_blocking(move || {
        let text = read.text(&path).unwrap_or_default();
        language::lsp::request(&asked, &text, encoding)
    });
    let (method, params) = match request.await.ok()? {
        Ok(request) => request,
        Err(problem) => return Some(Err(problem)),
    };
    let uri = uri.or_else(|| DocumentUri::from_path(query.path()))?;
    let (method, uri) = (method.to_owned(), uri.as_str().to_owned());
    let asked =
        door.ask(EditorLanguageServer::METHOD, &LanguageServerParams { method, params, uri });
    let value: Value = match asked.answer(ANSWER_WITHIN).await {
        Ok(value) => value,
        Err(error) => {
            tracing::debug!(%error, "the editor's language servers gave no answer");
            return None;
        }
    };
    let query = query.clone();
    let read = move || language::lsp::answer(&query, value, encoding, &*texts);
    tokio::task::spawn_blocking(read).await.ok()
}

fn can_be_asked(door: &Door) -> bool {
    let announced = door.profile().agent.editor.and_then(|editor| editor.language_server);
    announced == Some(true) && !door.is_unknown(EditorLanguageServer::METHOD)
}

async fn look(core: &CoreHandle) -> Snapshot {
    let (reply, answer) = oneshot::channel();
    core.send(Event::Snapshot(reply)).await;
    answer.await.unwrap_or_default()
}

/// The lines of the new text that an edit changed, counted from one.
fn changed_lines(before: &Text, after: &Text) -> Vec<RangeInclusive<usize>> {
    let edit = text::diff(&before.to_string(), &after.to_string());
    let lines = edit.splices().iter().map(|splice| {
        let start = edit.map_offset(splice.range.start, Bias::Before);
        let end = start + splice.text.len();
        after.byte_to_line(start) + 1..=after.byte_to_line(end) + 1
    });
    lines.collect()
}

/// The editor's name of a file it has open. Asks the disk, which may wait.
async fn open_as(snapshot: &Snapshot, path: &Path) -> Option<DocumentUri> {
    let (snapshot, path) = (snapshot.clone(), path.to_owned());
    let find = move || snapshot.get(&path).map(|document: &Document| document.uri.clone());
    tokio::task::spawn_blocking(find).await.ok().flatten()
}

fn config(setting: &LanguageServerSetting) -> ServerConfig {
    ServerConfig {
        name: setting.name.clone(),
        command: setting.command.clone(),
        args: setting.args.clone(),
        env: setting.env.clone(),
        extensions: setting.extensions.clone(),
        initialization_options: setting.initialization_options.clone(),
        settings: setting.settings.clone(),
        startup_timeout: setting.startup_timeout.unwrap_or(ServerConfig::STARTUP_TIMEOUT),
        diagnostics: setting.diagnostics,
    }
}
