//! The world, as a session's tools see it: through the main loop when the editor has a file open,
//! on disk otherwise.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use language::{Answer, Query};
use text::{Encoding, Format, Newline, Text};
use tokio::sync::oneshot;
use tools::{EditError, EditRequest, Edited, EditedFile, Findings, Rewritten, Unsaved, World};
use workspace::{Expected, Origin, Snapshot, WriteOptions};

use crate::core::{CoreHandle, Event, OpenEdit};

pub(super) struct SessionWorld {
    core: CoreHandle,
}

impl SessionWorld {
    pub(super) fn new(core: CoreHandle) -> Self {
        Self { core }
    }

    async fn look(&self) -> Snapshot {
        let (reply, answer) = oneshot::channel();
        self.core.send(Event::Snapshot(reply)).await;
        answer.await.unwrap_or_default()
    }

    async fn change(&self, request: EditRequest) -> Result<Edited, EditError> {
        let snapshot = self.look().await;
        let path = request.path.clone();
        // Finding a document through a link asks the disk, which may wait.
        let document = blocking(move || snapshot.get(&path).cloned()).await?;
        let Some(document) = document else { return write(request).await };
        let base = request.base.as_ref().map(|base| base.text.clone()).unwrap_or_default();
        let base_version = match request.base.as_ref().map(|base| &base.origin) {
            Some(Origin::Buffer { version, .. }) => *version,
            // Read from disk and opened since: the edit holds only if the text is the same.
            _ if document.text == base => document.version,
            _ => {
                let path = request.path.display().to_string();
                return Err(EditError::Conflict { path, excerpt: None });
            }
        };
        let (reply, answer) = oneshot::channel();
        let edit = OpenEdit {
            uri: document.uri.clone(),
            base_version,
            base,
            edit: request.edit.clone(),
            label: request.label.clone(),
            call_id: request.call_id.clone(),
            reply,
        };
        self.core.send(Event::Edit(Box::new(edit))).await;
        match answer.await.map_err(|_| EditError::Gone)? {
            Some(edited) => edited,
            // Closed in the meantime: now the disk is the truth.
            None => write(request).await,
        }
    }
}

impl World for SessionWorld {
    fn snapshot(&self) -> BoxFuture<'_, Snapshot> {
        self.look().boxed()
    }

    fn edit(&self, request: EditRequest) -> BoxFuture<'_, Result<Edited, EditError>> {
        self.change(request).boxed()
    }

    fn before_command(&self) -> BoxFuture<'_, Unsaved> {
        std::future::ready(Unsaved::default()).boxed()
    }

    fn after_command(&self, _: Vec<Rewritten>) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }

    fn findings(&self, _: EditedFile) -> BoxFuture<'_, Findings> {
        std::future::ready(Findings::default()).boxed()
    }

    fn ask_language_server(&self, _: Query) -> BoxFuture<'_, Result<Answer, String>> {
        std::future::ready(Err("There is no language server for this file.".to_owned())).boxed()
    }
}

const NEW_FILE: Format = Format { encoding: Encoding::Utf8, newline: Newline::Lf };

/// A file that is not open: written whole, in its own encoding, or not at all.
async fn write(request: EditRequest) -> Result<Edited, EditError> {
    blocking(move || {
        let (base, format, expected) = match request.base {
            Some(base) => {
                let expected = Expected::Text(base.fingerprint());
                (base.text, base.format, expected)
            }
            None => (Text::default(), NEW_FILE, Expected::Absent),
        };
        let disk = |error: &dyn std::fmt::Display| EditError::Disk(error.to_string());
        let text = request.edit.apply(&base).map_err(|error| disk(&error))?;
        let options = WriteOptions { expected: Some(expected), create_parents: true };
        workspace::write_text(&request.path, &text.to_string(), &format, &options)
            .map_err(|error| disk(&error))?;
        Ok(Edited { text, version: None, deviation: None })
    })
    .await?
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EditError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| EditError::Disk(error.to_string()))
}
