//! What editors do that they do not announce, by the names they give themselves, or by what only they
//! announce.

use super::types::{CodeActionClientCapabilities, InitializeParams};

/// The differences that matter here; an editor that is not in the table has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quirks {
    /// Takes version 0 for none, and applies such an edit to whatever the text is by then. Its
    /// documents start at 0 and jump to 3 or more, so 1 asks for the same and is checked.
    pub(super) zero_is_unchecked: bool,
    /// A question has so many lines of room: it is put into the echo area or a line of the screen,
    /// where a long change pushes the answers out of sight. The rest is shown as a document.
    pub(super) message_lines: Option<usize>,
    /// Carries out `workspace/applyEdit` without a word about it, but only within two seconds after a
    /// code action. So that is how an edit is allowed there.
    pub(super) edits_after_actions: bool,
    /// Tells of a save first and of what was typed before it later, so it is asked for the text that
    /// it saved.
    pub(super) saves_first: bool,
}

impl Quirks {
    const NONE: Self = Self {
        zero_is_unchecked: false,
        message_lines: None,
        edits_after_actions: false,
        saves_first: false,
    };
}

const TABLE: [(&str, Quirks); 4] = [
    ("Neovim", Quirks { zero_is_unchecked: true, ..Quirks::NONE }),
    ("Eglot", Quirks { message_lines: Some(12), ..Quirks::NONE }),
    ("helix", Quirks { message_lines: Some(12), ..Quirks::NONE }),
    (KATE, Quirks { edits_after_actions: true, saves_first: true, ..Quirks::NONE }),
];

const KATE: &str = "Kate";

pub(super) fn of(params: &InitializeParams) -> Quirks {
    let name = params.client_info.as_ref().map(|info| info.name.as_str());
    named(name.unwrap_or(if looks_like_kate(params) { KATE } else { "" }))
}

fn named(name: &str) -> Quirks {
    let known = TABLE.iter().find(|(editor, _)| editor.eq_ignore_ascii_case(name));
    known.map(|(_, quirks)| *quirks).unwrap_or_default()
}

/// Kate does not say its name. It says nothing about workspaces either, and names these kinds of code
/// actions.
fn looks_like_kate(params: &InitializeParams) -> bool {
    let capabilities = &params.capabilities;
    let actions = capabilities.text_document.as_ref().and_then(|text| text.code_action.as_ref());
    capabilities.workspace.is_none()
        && actions.is_some_and(|actions| kinds(actions) == ["quickfix", "refactor", "source"])
}

fn kinds(actions: &CodeActionClientCapabilities) -> Vec<&str> {
    let literals = actions.code_action_literal_support.as_ref();
    let kinds = literals.map(|literals| &literals.code_action_kind.value_set);
    kinds.into_iter().flatten().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(value: serde_json::Value) -> Quirks {
        of(&serde_json::from_value(value).expect("initialize"))
    }

    #[test]
    fn editors_are_known_by_name() {
        assert!(named("Neovim").zero_is_unchecked);
        assert_eq!(named("Helix").message_lines, Some(12));
        assert_eq!(named("somebody"), Quirks::default());
        assert_eq!(named(""), Quirks::default());
    }

    #[test]
    fn kate_is_known_by_what_it_announces() {
        let kinds = serde_json::json!({ "codeActionLiteralSupport": {
            "codeActionKind": { "valueSet": ["quickfix", "refactor", "source"] },
        }});
        let text = serde_json::json!({ "codeAction": kinds });
        let kate = serde_json::json!({ "processId": 1, "capabilities": { "textDocument": text } });
        assert!(announced(kate.clone()).edits_after_actions);
        assert!(announced(kate.clone()).saves_first);
        let mut other = kate.clone();
        other["clientInfo"] = serde_json::json!({ "name": "other" });
        assert_eq!(announced(other), Quirks::default());
        let mut other = kate;
        other["capabilities"]["workspace"] = serde_json::json!({});
        assert_eq!(announced(other), Quirks::default());
    }
}
