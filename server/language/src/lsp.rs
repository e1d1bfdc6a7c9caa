//! The language server protocol, as far as a [`Query`] needs it: what to send, and how to read every
//! legal shape of what comes back.
//!
//! Nothing here sends anything. The editor's servers are asked through the editor, Bowline's own
//! directly; both use these functions. What a server sends and nobody can understand is an error
//! sentence.

mod diagnostic;
mod hover;
mod place;
mod rename;
mod request;
mod symbol;
mod wire;

#[cfg(test)]
mod tests;

use serde_json::Value;
use text::{PositionEncoding, Text};

use crate::{Answer, Files, Finding, Query};
pub use diagnostic::Report;
use place::Reader;
pub use rename::prepared;
pub(crate) use request::uri;
pub use request::{prepare_rename, request};

/// What a server's answer to [`request`] says. For other files than the one that was asked about,
/// `files` says how to count columns.
///
/// Diagnostics come back as verified: an answer is about the text that the server had when it was
/// asked, and only the caller knows whether that is still so.
pub fn answer(
    query: &Query,
    value: Value,
    encoding: PositionEncoding,
    files: &dyn Files,
) -> Result<Answer, String> {
    let mut reader = Reader::new(encoding, files);
    match query {
        Query::Definition(_) | Query::References(_) => {
            place::places(value, &mut reader).map(Answer::Places)
        }
        Query::Hover(_) => hover::hover(value).map(Answer::Hover),
        Query::Symbols { path } => {
            symbol::of_document(value, path, &mut reader).map(Answer::Symbols)
        }
        Query::WorkspaceSymbols { .. } => {
            symbol::of_workspace(value, &mut reader).map(Answer::Symbols)
        }
        Query::Rename { .. } => rename::edits(value, &mut reader).map(Answer::Edits),
        Query::Diagnostics { path } => {
            let text = files.text(path).unwrap_or_default();
            match diagnostic::report(value, &text, encoding)? {
                Report::Full { findings, .. } => {
                    Ok(Answer::Diagnostics { findings, verified: true })
                }
                Report::Unchanged { .. } => Err(
                    "The language server says that nothing changed since an answer nobody has; \
                     ask again."
                        .into(),
                ),
            }
        }
    }
}

/// What a list of the protocol's diagnostics says about a text.
pub fn findings(
    items: Value,
    text: &Text,
    encoding: PositionEncoding,
) -> Result<Vec<Finding>, String> {
    diagnostic::findings(items, text, encoding)
}

/// The answer to a request for the diagnostics of one document.
pub fn report(value: Value, text: &Text, encoding: PositionEncoding) -> Result<Report, String> {
    diagnostic::report(value, text, encoding)
}

/// What the model is told when an answer makes no sense.
fn not_understood(what: &str, why: impl std::fmt::Display) -> String {
    format!("The language server sent {what} that cannot be understood ({why}); ask another way.")
}
