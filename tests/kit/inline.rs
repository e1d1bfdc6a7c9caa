//! Inline edits, as an editor asks for them and sees them end.

use protocol::edit::{EditInline, EditInlineParams, EditStarted};
use protocol::event::{EventBody, ToolEnded};
use protocol::lsp::VersionedDocument;
use protocol::tool::{ContentPart, ToolStatus};

use crate::client::{Client, RpcError};

/// How an inline edit ended.
#[derive(Debug, PartialEq)]
pub struct Edited {
    pub status: ToolStatus,
    pub text: String,
    pub changed: bool,
}

impl From<ToolEnded> for Edited {
    fn from(ended: ToolEnded) -> Self {
        let text = ended.content.into_iter().map(|part| match part {
            ContentPart::Text(part) => part.text,
            other => panic!("{other:?}"),
        });
        Self { status: ended.status, text: text.collect(), changed: ended.diff.is_some() }
    }
}

impl Client {
    /// Selects a piece of an open document and says what to do with it.
    pub async fn edit(&mut self, session: &str, uri: &str, piece: &str, wish: &str) -> EditStarted {
        let started = self.try_edit(Some(session), uri, piece, wish).await;
        started.unwrap_or_else(|error| panic!("{error:?}"))
    }

    pub async fn try_edit(
        &mut self,
        session: Option<&str>,
        uri: &str,
        piece: &str,
        wish: &str,
    ) -> Result<EditStarted, RpcError> {
        let range = serde_json::from_value(self.editor.range(uri, piece)).unwrap();
        let version = Some(self.editor.version(uri));
        self.try_request::<EditInline>(EditInlineParams {
            text_document: VersionedDocument { uri: uri.to_owned(), version },
            range,
            instruction: wish.to_owned(),
            session_id: session.map(str::to_owned),
        })
        .await
    }

    pub async fn edit_ended(&mut self, started: &EditStarted) -> Edited {
        let is_end = |event: &protocol::Event| matches!(&event.body, EventBody::ToolEnded(ended) if ended.tool_call_id == started.edit_id);
        let event = self.next_event("the end of the edit", is_end).await;
        let EventBody::ToolEnded(ended) = event.body else { unreachable!() };
        ended.into()
    }

    /// The new text of an inline edit as it was shown so far.
    pub fn preview(&self, started: &EditStarted) -> String {
        let deltas = self.notifications("agent/edit/delta").into_iter();
        let own = deltas.filter(|delta| delta["editId"] == started.edit_id.as_str());
        own.map(|delta| delta["text"].as_str().unwrap()).collect()
    }

    /// Waits until something of the new text is shown.
    pub async fn previewing(&mut self, started: &EditStarted) {
        while self.preview(started).is_empty() {
            self.wait_for_anything("the first words of the edit").await;
        }
    }
}
