//! Tool calls as the client shows them. An update replaces the content, so what a command has
//! printed is kept here, up to its last few kilobytes.

use std::collections::HashMap;

use protocol::EventBody;
use protocol::event::{ToolEnded, ToolStarted, ToolUpdated};
use protocol::lsp::Location;
use protocol::tool::{ToolCallState, ToolKind as OurKind, ToolStatus};
use serde_json::json;

use crate::doors::acp::content;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{
    Meta, SessionUpdate, Terminal, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};

/// So much of what a running command printed is shown.
const SHOWN: usize = 8 * 1024;

/// What running calls have printed.
#[derive(Default)]
pub(super) struct Outputs(HashMap<String, String>);

impl Outputs {
    pub(super) fn updates(&mut self, peer: &Peer, body: &EventBody) -> Option<SessionUpdate> {
        match body {
            EventBody::ToolStarted(call) => Some(SessionUpdate::ToolCall(started(call))),
            EventBody::ToolUpdated(update) => {
                Some(SessionUpdate::ToolCallUpdate(self.updated(peer, update)))
            }
            EventBody::ToolEnded(call) => {
                self.0.remove(&call.tool_call_id);
                let terminal = peer.terminals().remove(&call.tool_call_id);
                let mut update = ended(call);
                // What ran in a terminal is seen there, also when it is over.
                if let Some(terminal) = terminal {
                    update.fields.content =
                        Some(vec![ToolCallContent::Terminal(Terminal::new(terminal))]);
                }
                Some(SessionUpdate::ToolCallUpdate(update))
            }
            _ => None,
        }
    }

    fn updated(&mut self, peer: &Peer, update: &ToolUpdated) -> ToolCallUpdate {
        let mut fields = ToolCallUpdateFields::new().status(status(&update.status));
        fields.title.clone_from(&update.title);
        fields.raw_input.clone_from(&update.input);
        fields.locations =
            update.locations.as_ref().map(|places| places.iter().map(location).collect());
        let output = update.progress.as_ref().and_then(|progress| progress.output.as_ref());
        let in_terminal = || peer.terminals().contains_key(&update.tool_call_id);
        if let Some(output) = output.filter(|_| !in_terminal()) {
            let printed = self.0.entry(update.tool_call_id.clone()).or_default();
            printed.push_str(output);
            let start = printed.ceil_char_boundary(printed.len().saturating_sub(SHOWN));
            printed.drain(..start);
            fields.content = Some(vec![content::text(content::fenced(printed)).into()]);
        }
        ToolCallUpdate::new(update.tool_call_id.clone(), fields)
    }
}

fn started(call: &ToolStarted) -> ToolCall {
    ToolCall::new(call.tool_call_id.clone(), &call.title)
        .name(call.name.clone())
        .kind(kind(&call.kind))
        .status(ToolCallStatus::Pending)
        .raw_input(call.input.clone())
        .meta(call.parent_tool_call_id.as_deref().map(parent))
}

fn ended(call: &ToolEnded) -> ToolCallUpdate {
    let mut fields = ToolCallUpdateFields::new().status(status(&call.status));
    fields.content = Some(content::parts(&call.content, call.diff.as_ref()));
    ToolCallUpdate::new(call.tool_call_id.clone(), fields)
}

/// A call with all that is known of it, as a transcript has it.
pub(in crate::doors::acp) fn tool_call(call: &ToolCallState) -> ToolCall {
    let places = call.locations.iter().flatten().map(location);
    ToolCall::new(call.tool_call_id.clone(), &call.title)
        .name(call.name.clone())
        .kind(kind(&call.kind))
        .status(status(&call.status))
        .content(content::parts(&call.content, call.diff.as_ref()))
        .locations(places.collect())
        .raw_input(call.input.clone())
        .meta(call.parent_tool_call_id.as_deref().map(parent))
}

/// The protocol has no place for the call that started an agent.
fn parent(call: &str) -> Meta {
    let meta = json!({ "bowline": { "parentToolCallId": call } });
    meta.as_object().cloned().unwrap_or_default()
}

pub(in crate::doors::acp) fn kind(kind: &OurKind) -> ToolKind {
    match kind {
        OurKind::Read => ToolKind::Read,
        OurKind::Edit => ToolKind::Edit,
        OurKind::Execute => ToolKind::Execute,
        OurKind::Search => ToolKind::Search,
        OurKind::Fetch => ToolKind::Fetch,
        OurKind::Think => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

fn status(status: &ToolStatus) -> ToolCallStatus {
    match status {
        ToolStatus::Running => ToolCallStatus::InProgress,
        ToolStatus::Completed => ToolCallStatus::Completed,
        ToolStatus::Failed | ToolStatus::Denied | ToolStatus::Cancelled => ToolCallStatus::Failed,
        _ => ToolCallStatus::Pending,
    }
}

/// Lines are counted from one there.
fn location(place: &Location) -> ToolCallLocation {
    let line = place.range.map(|range| range.start.line.saturating_add(1));
    ToolCallLocation::new(content::path(&place.uri)).line(line)
}
