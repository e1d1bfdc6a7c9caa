//! `initialize`: what the client can do, and what it is told about us. Answered from memory.

use std::sync::Arc;

use protocol::negotiation::{ClientCapabilities as OurCapabilities, EditorCapabilities};
use serde_json::json;
use text::PositionEncoding;

use crate::core::{Event, Profile, Reply, RpcError};
use crate::doors::acp::front::OWN;
use crate::doors::acp::methods::authenticate;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{
    AgentAuthCapabilities, AgentCapabilities, ClientCapabilities, Implementation,
    InitializeRequest, InitializeResponse, LogoutCapabilities, McpCapabilities, Meta,
    PromptCapabilities, ProtocolVersion, SessionAdditionalDirectoriesCapabilities,
    SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities,
    SessionListCapabilities, SessionResumeCapabilities,
};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: InitializeRequest,
    reply: Reply,
) {
    let capabilities = params.client_capabilities;
    if !peer.introduce(capabilities.clone()) {
        let message = "`initialize` was said already.";
        return reply.err(RpcError::new(RpcError::INVALID_REQUEST, message));
    }
    peer.door.set_profile(profile(&capabilities));
    peer.core.send(Event::DoorOpened(peer.door.clone())).await;
    // There is only one version we speak; a client that does not goes away by itself.
    let answer = InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(ours())
        .auth_methods(authenticate::offered(&capabilities))
        .agent_info(Implementation::new("bowline", peer.host.version).title("Bowline".to_owned()))
        .meta(meta(json!({ "steering": { "supported": true } })));
    reply.ok(&answer);
}

fn ours() -> AgentCapabilities {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .delete(SessionDeleteCapabilities::new())
        .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
        .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
        .session_capabilities(sessions)
        .auth(AgentAuthCapabilities::new().logout(LogoutCapabilities::new()))
        .meta(meta(json!({ "bowline": { "methods": format!("{OWN}*") } })))
}

fn meta(value: serde_json::Value) -> Meta {
    value.as_object().cloned().unwrap_or_default()
}

/// The client as the core sees it: an editor that can be asked, and whose texts are asked for.
fn profile(capabilities: &ClientCapabilities) -> Profile {
    // A client that only writes has no texts that could be looked at: the disk is what counts.
    let texts = capabilities.fs.read_text_file;
    let ask =
        capabilities.elicitation.as_ref().is_some_and(|elicitation| elicitation.form.is_some());
    let editor = EditorCapabilities {
        apply: Some(texts),
        text: Some(texts),
        ..EditorCapabilities::default()
    };
    let agent = OurCapabilities {
        version: protocol::VERSION,
        permission: Some(true),
        ask: Some(ask),
        terminal: Some(capabilities.terminal),
        editor: Some(editor),
        ..OurCapabilities::default()
    };
    Profile {
        agent,
        encoding: PositionEncoding::Utf8,
        versioned_edits: true,
        texts_on_demand: texts,
        ..Profile::default()
    }
}
