//! What we tell a server about ourselves, and what it says it can do.

use serde_json::{Value, json};
use text::PositionEncoding;
use workspace::DocumentUri;

use super::session::Step;
use crate::{Query, ServerConfig};

/// What a server offers, as far as we use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub(super) encoding: PositionEncoding,
    pub(super) sync: Sync,
    pub(super) pull: Option<Pull>,
    definition: bool,
    references: bool,
    hover: bool,
    symbols: bool,
    workspace_symbols: bool,
    rename: bool,
    prepare_rename: bool,
}

/// How a server takes changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    /// Not at all: the document is closed and opened again.
    Reopen,
    Full,
    Incremental,
}

/// The server is asked for its findings instead of sending them by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pull {
    pub(super) identifier: Option<String>,
}

impl Capabilities {
    /// Reads the answer to `initialize`. The error is the end of a sentence about the server.
    pub(super) fn read(result: &Value) -> Result<Capabilities, String> {
        let Some(offered) = result.get("capabilities").filter(|offered| offered.is_object()) else {
            return Err("does not say what it can do".into());
        };
        let offers =
            |name: &str| offered.get(name).is_some_and(|value| value == true || value.is_object());
        let encoding = match offered.get("positionEncoding").and_then(Value::as_str) {
            None | Some("utf-16") => PositionEncoding::Utf16,
            Some("utf-8") => PositionEncoding::Utf8,
            Some("utf-32") => PositionEncoding::Utf32,
            Some(other) => {
                let other: String = other.chars().take(40).collect();
                return Err(format!("counts columns in `{}`", other.escape_debug()));
            }
        };
        let sync = offered.get("textDocumentSync");
        let change = sync.map(|sync| sync.get("change").unwrap_or(sync)).and_then(Value::as_u64);
        let pull = offered.get("diagnosticProvider").filter(|pull| pull.is_object());
        let identifier = |pull: &Value| pull.get("identifier")?.as_str().map(str::to_owned);
        Ok(Capabilities {
            encoding,
            sync: match change {
                Some(1) => Sync::Full,
                Some(2) => Sync::Incremental,
                _ => Sync::Reopen,
            },
            pull: pull.map(|pull| Pull { identifier: identifier(pull) }),
            definition: offers("definitionProvider"),
            references: offers("referencesProvider"),
            hover: offers("hoverProvider"),
            symbols: offers("documentSymbolProvider"),
            workspace_symbols: offers("workspaceSymbolProvider"),
            rename: offers("renameProvider"),
            prepare_rename: offered["renameProvider"]["prepareProvider"] == true,
        })
    }

    pub(super) fn offers(&self, step: &Step) -> bool {
        match step {
            Step::Query(Query::Definition(_)) => self.definition,
            Step::Query(Query::References(_)) => self.references,
            Step::Query(Query::Hover(_)) => self.hover,
            Step::Query(Query::Symbols { .. }) => self.symbols,
            Step::Query(Query::WorkspaceSymbols { .. }) => self.workspace_symbols,
            Step::Query(Query::Rename { .. }) => self.rename,
            // Asked for by its text, never as a question of its own.
            Step::Query(Query::Diagnostics { .. }) => false,
            Step::PrepareRename(_) => self.prepare_rename,
        }
    }

    /// A cheap question about one document that the server can answer.
    pub(super) fn barrier(&self, uri: &DocumentUri) -> Option<(&'static str, Value)> {
        let mut params = json!({ "textDocument": { "uri": uri.as_str() } });
        if self.hover {
            params["position"] = json!({ "line": 0, "character": 0 });
            return Some(("textDocument/hover", params));
        }
        self.symbols.then_some(("textDocument/documentSymbol", params))
    }
}

/// The parameters of `initialize`.
pub(super) fn initialize(config: &ServerConfig, root: &DocumentUri) -> Value {
    let mut params = json!({
        // A server that watches it ends when we are gone, however we went.
        "processId": std::process::id(),
        "clientInfo": { "name": "bowline", "version": env!("CARGO_PKG_VERSION") },
        "rootUri": root.as_str(),
        "rootPath": root.path(),
        "workspaceFolders": folders(root),
        "capabilities": capabilities(),
        "trace": "off",
    });
    if !config.initialization_options.is_null() {
        params["initializationOptions"] = config.initialization_options.clone();
    }
    params
}

/// The workspace is one folder.
pub(super) fn folders(root: &DocumentUri) -> Value {
    let name = root.path().and_then(|path| path.file_name());
    let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
    json!([{ "uri": root.as_str(), "name": name }])
}

/// Nothing is announced that we do not do: no watching of files, no edits by the server.
fn capabilities() -> Value {
    let kinds: Vec<u32> = (1..=26).collect();
    json!({
        "general": { "positionEncodings": ["utf-8", "utf-16"] },
        "window": { "workDoneProgress": true },
        "experimental": { "serverStatusNotification": true },
        "workspace": {
            "applyEdit": false,
            "configuration": true,
            "didChangeConfiguration": {},
            "workspaceFolders": true,
            "symbol": { "symbolKind": { "valueSet": kinds } },
            "diagnostics": { "refreshSupport": true },
            "workspaceEdit": { "documentChanges": true },
        },
        "textDocument": {
            "synchronization": { "didSave": false },
            "publishDiagnostics": { "versionSupport": true, "relatedInformation": false },
            "diagnostic": { "relatedDocumentSupport": false },
            "definition": { "linkSupport": true },
            "references": {},
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "documentSymbol": {
                "hierarchicalDocumentSymbolSupport": true,
                "symbolKind": { "valueSet": kinds },
            },
            "rename": { "prepareSupport": true, "prepareSupportDefaultBehavior": 1 },
        },
    })
}
