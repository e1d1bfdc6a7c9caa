//! What a client can do, and what it is told about us: the two halves of `initialize`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use protocol::negotiation::{ClientCapabilities, ModelInfo, ServerCapabilities};
use protocol::session::Effort;
use serde_json::Value;
use serde_json::value::RawValue;
use text::PositionEncoding;
use workspace::DocumentUri;

use super::quirks;
use super::types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, ExecuteCommandOptions, HoverProviderCapability, InitializeParams,
    InitializeResult, PositionEncodingKind, SaveOptions, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkspaceEditClientCapabilities,
};
use crate::context::HostContext;
use crate::core::{ACTION_KINDS, COMMANDS, FEATURES, Profile};
use crate::offered;

pub(super) fn of(params: &InitializeParams) -> Profile {
    let capabilities = &params.capabilities;
    let experimental = capabilities.experimental.as_ref().and_then(|value| value.get("agent"));
    let options = params.initialization_options.as_ref().and_then(|value| value.get("agent"));
    let agent = experimental.or(options).map(agent_capabilities).unwrap_or_default();
    let workspace = capabilities.workspace.as_ref();
    let window = capabilities.window.as_ref();
    let quirks = quirks::of(params);
    let actions = capabilities.text_document.as_ref().and_then(|text| text.code_action.as_ref());
    Profile {
        verbatim: false,
        encoding: encoding(params),
        apply_edit: quirks.edits_after_actions
            || workspace.and_then(|workspace| workspace.apply_edit).unwrap_or(false),
        saves_first: quirks.saves_first,
        versioned_edits: workspace
            .and_then(|workspace| workspace.workspace_edit.as_ref())
            .is_some_and(takes_document_changes),
        zero_is_unchecked: quirks.zero_is_unchecked,
        work_done_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
        // Older than the capability that announces it, so every editor with a window has it; a
        // client of ours says whether it is one.
        message_request: agent.version == 0
            || window.is_some_and(|window| window.show_message.is_some()),
        edits_after_actions: quirks.edits_after_actions,
        message_lines: quirks.message_lines,
        cards: agent.version == 0,
        show_document: window
            .and_then(|window| window.show_document.as_ref())
            .is_some_and(|show| show.support),
        action_literals: actions
            .is_some_and(|actions| actions.code_action_literal_support.is_some()),
        lens_refresh: workspace
            .and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support)
            .unwrap_or(false),
        texts_on_demand: false,
        folders: folders(params),
        agent,
    }
}

/// Whether a client asks servers for virtual documents (LSP 3.18), which the types of the standard that
/// we use do not know yet.
pub(super) fn takes_virtual_documents(initialize: Option<&RawValue>) -> bool {
    let params = initialize.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
    let offered = params.as_ref().and_then(|params| {
        params.pointer("/capabilities/workspace/textDocumentContent/dynamicRegistration")
    });
    offered == Some(&Value::Bool(true))
}

/// What the editor has open; a session needs a folder to work in.
fn folders(params: &InitializeParams) -> Arc<[PathBuf]> {
    let named = params.workspace_folders.as_deref().unwrap_or_default();
    let mut folders: Vec<_> = named.iter().map(|folder| folder.uri.as_str().to_owned()).collect();
    if folders.is_empty() {
        #[expect(deprecated, reason = "editors still send it, and some send nothing else")]
        folders.extend(params.root_uri.as_ref().map(|uri| uri.as_str().to_owned()));
    }
    folders.iter().filter_map(|uri| DocumentUri::new(uri).to_path()).collect()
}

/// Neovim takes them without a word about it, but says that it creates and renames files, and that
/// can be asked for in document changes only.
fn takes_document_changes(edit: &WorkspaceEditClientCapabilities) -> bool {
    let operations = edit.resource_operations.as_deref().unwrap_or_default();
    edit.document_changes.unwrap_or(!operations.is_empty())
}

/// A client that announces nonsense is a plain one.
fn agent_capabilities(value: &Value) -> ClientCapabilities {
    serde_json::from_value(value.clone()).unwrap_or_default()
}

fn encoding(params: &InitializeParams) -> PositionEncoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref());
    let offers = |kind: PositionEncodingKind| offered.is_some_and(|kinds| kinds.contains(&kind));
    if offers(PositionEncodingKind::UTF8) {
        PositionEncoding::Utf8
    } else if offers(PositionEncodingKind::UTF32) {
        PositionEncoding::Utf32
    } else {
        PositionEncoding::Utf16
    }
}

/// Built from what is in memory: no disk, no process, no network before this is answered.
pub(super) fn answer(host: &HostContext, profile: &Profile) -> InitializeResult {
    let mut result = InitializeResult {
        server_info: Some(ServerInfo {
            name: "bowline".to_owned(),
            version: Some(host.version.to_owned()),
        }),
        ..InitializeResult::default()
    };
    let capabilities = &mut result.capabilities;
    capabilities.position_encoding = Some(match profile.encoding {
        PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
        PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
    });
    capabilities.text_document_sync =
        Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                include_text: Some(profile.saves_first),
            })),
            ..TextDocumentSyncOptions::default()
        }));
    capabilities.execute_command_provider = Some(ExecuteCommandOptions {
        commands: COMMANDS.iter().map(|name| (*name).to_owned()).collect(),
        ..ExecuteCommandOptions::default()
    });
    capabilities.code_action_provider =
        Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(ACTION_KINDS.map(CodeActionKind::from).to_vec()),
            ..CodeActionOptions::default()
        }));
    capabilities.code_lens_provider = Some(CodeLensOptions { resolve_provider: Some(false) });
    if profile.agent.version == 0 {
        // A client of ours has better places for both.
        capabilities.completion_provider = Some(CompletionOptions {
            trigger_characters: Some(vec!["/".to_owned(), "@".to_owned()]),
            ..CompletionOptions::default()
        });
        capabilities.hover_provider = Some(HoverProviderCapability::Simple(true));
    }
    capabilities.experimental =
        Some(serde_json::json!({ "agent": agent(host, profile.folders.first()) }));
    result
}

fn agent(host: &HostContext, folder: Option<&PathBuf>) -> ServerCapabilities {
    let features = FEATURES.iter().map(|name| ((*name).to_owned(), true));
    ServerCapabilities {
        version: protocol::VERSION,
        features: features.collect::<BTreeMap<_, _>>(),
        state_dir: host.locations.bowline_home.display().to_string(),
        models: models(host, folder),
    }
}

fn models(host: &HostContext, folder: Option<&PathBuf>) -> Vec<ModelInfo> {
    let Some((provider, chosen)) = offered::models(host, folder.map(PathBuf::as_path)) else {
        return Vec::new();
    };
    let choices = provider.models().into_iter().map(|choice| ModelInfo {
        is_default: Some(choice.id == chosen),
        provider: provider.name().to_owned(),
        description: None,
        context_window: Some(choice.window),
        efforts: efforts(&choice.id),
        thinking: None,
        name: choice.name,
        id: choice.id,
    });
    choices.collect()
}

/// What can be chosen for a model that we know; others say nothing about it.
fn efforts(id: &str) -> Option<Vec<Effort>> {
    let takes = agent::models::find(id).is_some_and(|model| model.effort);
    takes.then(|| vec![Effort::Low, Effort::Medium, Effort::High, Effort::XHigh, Effort::Max])
}
