//! What the pipeline wants to know, as a prompt can show it.

use std::path::{Path, PathBuf};

use protocol::permission::{
    CommandPart, CommandSubject, EditSubject, FetchSubject, McpSubject, PermissionRequestParams,
    PlanSubject,
    ReadSubject, Subject,
};
use protocol::tool::ToolCall;
use tools::{Preview, Proposal};

use super::options::{self, Keeps};
use crate::session::{blocks, events};

/// Whose question it is, and what may be offered.
pub(in crate::session) struct Asker<'a> {
    pub(in crate::session) session_id: &'a str,
    pub(in crate::session) turn_id: &'a str,
    pub(in crate::session) keeps: Keeps,
    /// The mode auto can be chosen.
    pub(in crate::session) auto: bool,
    pub(in crate::session) home: Option<&'a Path>,
}

pub(in crate::session) fn permission_request(
    asker: &Asker<'_>,
    proposal: &Proposal<'_>,
) -> PermissionRequestParams {
    let call = proposal.call;
    PermissionRequestParams {
        request_id: request_id(asker.session_id, &call.id),
        session_id: asker.session_id.to_owned(),
        turn_id: Some(asker.turn_id.to_owned()),
        tool_call: Some(ToolCall {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            kind: events::tool_kind(Some(proposal.kind)),
            input: Some(call.input.clone()),
            parent_tool_call_id: None,
        }),
        title: format!("{}?", proposal.title),
        reason: proposal.decision.reason.clone(),
        subject: subject(asker, proposal),
        options: match proposal.preview {
            Preview::Plan { .. } => options::for_plan(asker.auto),
            _ => options::for_call(&proposal.decision.suggestions, asker.keeps),
        },
        editable: Some(true),
        agent: None,
    }
}

fn subject(asker: &Asker<'_>, proposal: &Proposal<'_>) -> Subject {
    match proposal.preview {
        Preview::Command { command, cwd, sandbox } => {
            let (parts, more_parts) = parts(asker, command, cwd);
            Subject::Command(CommandSubject {
                command: command.clone(),
                cwd: cwd.display().to_string(),
                parts,
                more_parts,
                sandbox: sandbox.clone(),
            })
        }
        Preview::Edit { path, version, old, new, others } => Subject::Edit(EditSubject {
            uri: blocks::uri(path),
            version: *version,
            old_text: old.clone(),
            new_text: Some(new.clone()),
            others: (!others.is_empty()).then(|| others.iter().map(blocks::file_diff).collect()),
            target: target(proposal, path),
        }),
        Preview::Read { path } => {
            Subject::Read(ReadSubject { uri: blocks::uri(path), target: target(proposal, path) })
        }
        Preview::Fetch { url } => Subject::Fetch(FetchSubject { url: url.clone() }),
        Preview::Plan { text } => Subject::Plan(PlanSubject { text: text.clone() }),
        Preview::Server { server, tool, input } => Subject::Mcp(McpSubject {
            server: server.clone(),
            tool: tool.clone(),
            input: input.clone(),
        }),
        Preview::None => Subject::Command(CommandSubject {
            command: format!("{} {}", proposal.call.name, proposal.call.input),
            cwd: String::new(),
            parts: None,
            more_parts: None,
            sandbox: None,
        }),
    }
}

/// Where the file really is, if links lead somewhere else than its name says.
fn target(proposal: &Proposal<'_>, shown: &Path) -> Option<String> {
    let mut subjects = proposal.subjects.iter();
    let resolved = subjects.find_map(|subject| match subject {
        policy::Subject::Read { path, resolved } | policy::Subject::Edit { path, resolved, .. } => {
            (path.as_path() == shown).then_some(resolved)
        }
        _ => None,
    })?;
    (resolved.as_path() != shown).then(|| resolved.display().to_string())
}

/// More parts than this nobody reads.
const MOST_PARTS: usize = 50;

/// What a command consists of, and how much more; nothing where that is not known before it runs.
fn parts(asker: &Asker<'_>, command: &str, cwd: &Path) -> (Option<Vec<CommandPart>>, Option<u64>) {
    let shown = |paths: Vec<PathBuf>| paths.iter().map(|path| path.display().to_string()).collect();
    let all = policy::explain(command, cwd, asker.home);
    let more = all.len().checked_sub(MOST_PARTS).filter(|more| *more > 0);
    let parts = all.into_iter().take(MOST_PARTS).map(|part| CommandPart {
        words: part.words,
        reads: shown(part.reads),
        writes: shown(part.writes),
    });
    let parts = Some(parts.collect::<Vec<_>>()).filter(|parts| !parts.is_empty());
    (parts, more.map(|more| more as u64))
}

/// Names its session, so that an answer from elsewhere finds the way.
pub(in crate::session) fn request_id(session_id: &str, what: &str) -> String {
    format!("ask:{session_id}:{what}")
}
