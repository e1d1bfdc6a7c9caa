//! Editors as data: what they announce, and in which order they do things.

use std::time::Duration;

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
            Encoding::Utf32 => "utf-32",
        }
    }
}

/// What becomes of a request that the editor does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    MethodNotFound,
    /// Seen in the field: an answer, with nothing in it.
    Null,
}

/// When the editor tells its own change, seen from its answer to an edit request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    BeforeTheAnswer,
    AfterTheAnswer(Duration),
}

#[derive(Clone, Debug)]
pub struct Profile {
    pub name: &'static str,
    /// Has our extension: speaks `agent/*`.
    pub extension: bool,
    /// Shows what helpers say: suggestions, and lines about calls.
    pub helpers: bool,
    /// Passes questions on to its own language servers.
    pub language_servers: bool,
    pub offers: &'static [Encoding],
    pub versioned_edits: bool,
    pub progress: bool,
    /// Asks for code lenses again when it is told to.
    pub lens_refresh: bool,
    /// Asks servers for the text of virtual documents, and shows documents.
    pub pages: bool,
    pub unknown: Unknown,
    pub change: Change,
    /// Announces what Kate does: no name, nothing about workspaces.
    pub as_kate: bool,
}

impl Profile {
    pub const VS_CODE: Self = Self {
        name: "vscode",
        extension: true,
        helpers: false,
        language_servers: false,
        offers: &[Encoding::Utf16],
        versioned_edits: true,
        progress: true,
        lens_refresh: true,
        pages: false,
        unknown: Unknown::MethodNotFound,
        change: Change::AfterTheAnswer(Duration::from_millis(40)),
        as_kate: false,
    };
    pub const NEOVIM: Self = Self {
        name: "neovim",
        offers: &[Encoding::Utf8, Encoding::Utf16, Encoding::Utf32],
        change: Change::AfterTheAnswer(Duration::ZERO),
        ..Self::VS_CODE
    };
    pub const HELIX: Self = Self {
        name: "helix",
        extension: false,
        lens_refresh: false,
        offers: &[Encoding::Utf8, Encoding::Utf32, Encoding::Utf16],
        change: Change::BeforeTheAnswer,
        ..Self::VS_CODE
    };
    /// An editor with little of the standard.
    pub const BARE: Self = Self {
        name: "bare",
        offers: &[],
        progress: false,
        versioned_edits: false,
        change: Change::AfterTheAnswer(Duration::ZERO),
        ..Self::HELIX
    };
    /// As Kate 25 was seen to be (tests/editors/kate).
    pub const KATE: Self = Self { name: "kate", progress: true, as_kate: true, ..Self::BARE };
    pub const EGLOT: Self = Self {
        name: "eglot",
        offers: &[Encoding::Utf32, Encoding::Utf16],
        unknown: Unknown::Null,
        change: Change::AfterTheAnswer(Duration::from_millis(200)),
        ..Self::HELIX
    };

    pub const ALL: [Self; 6] =
        [Self::VS_CODE, Self::NEOVIM, Self::HELIX, Self::BARE, Self::KATE, Self::EGLOT];

    /// The same editor with one encoding on offer.
    #[must_use]
    pub fn with_encoding(mut self, offers: &'static [Encoding]) -> Self {
        self.offers = offers;
        self
    }

    /// As UTF-8 is preferred, then UTF-32: what both sides will count in.
    pub fn encoding(&self) -> Encoding {
        let preferred = [Encoding::Utf8, Encoding::Utf32];
        let chosen = preferred.into_iter().find(|encoding| self.offers.contains(encoding));
        chosen.unwrap_or(Encoding::Utf16)
    }

    pub(crate) fn initialize(&self, root: &str) -> Value {
        if self.as_kate {
            return kate(root, self.offers);
        }
        let mut capabilities = json!({
            "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": self.versioned_edits } },
            "window": { "workDoneProgress": self.progress, "showMessage": {} },
            "textDocument": {
                "synchronization": { "didSave": true },
                "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } },
            },
        });
        if self.lens_refresh {
            capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
        }
        if self.pages {
            capabilities["workspace"]["textDocumentContent"] =
                json!({ "dynamicRegistration": true });
            capabilities["window"]["showDocument"] = json!({ "support": true });
        }
        if !self.offers.is_empty() {
            let offers: Vec<_> = self.offers.iter().map(|encoding| encoding.name()).collect();
            capabilities["general"] = json!({ "positionEncodings": offers });
        }
        if self.extension {
            capabilities["experimental"] = json!({ "agent": {
                "version": 1, "permission": true, "ask": true, "diff": true,
                "suggestion": self.helpers, "toolSummaries": self.helpers,
                "statusLine": self.helpers,
                "editor": { "apply": true, "save": true, "reveal": true, "text": true,
                            "languageServer": self.language_servers },
            }});
        }
        json!({
            "processId": std::process::id(),
            "clientInfo": { "name": self.name },
            "rootUri": format!("file://{root}"),
            "workspaceFolders": [{ "uri": format!("file://{root}"), "name": "project" }],
            "capabilities": capabilities,
        })
    }
}

fn kate(root: &str, offers: &[Encoding]) -> Value {
    let kinds = json!({ "valueSet": ["quickfix", "refactor", "source"] });
    let mut capabilities = json!({
        "textDocument": {
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": kinds } },
            "synchronization": { "didSave": true },
        },
        "window": {
            "showMessage": { "messageActionItem": { "additionalPropertiesSupport": true } },
            "workDoneProgress": true,
        },
    });
    // Kate offers none; proofs of encodings make it.
    if !offers.is_empty() {
        let offers: Vec<_> = offers.iter().map(|encoding| encoding.name()).collect();
        capabilities["general"] = json!({ "positionEncodings": offers });
    }
    json!({
        "processId": std::process::id(),
        "rootPath": root,
        "rootUri": format!("file://{root}"),
        "capabilities": capabilities,
    })
}
