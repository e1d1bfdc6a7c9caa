//! A note of the user's for every later session, added to a memory file: in the editor when the file
//! is open there, on disk otherwise.

use std::path::PathBuf;
use std::sync::Arc;

use extend::{Locations, NoteScope, memory};
use protocol::memory::{MemoryAddParams, MemoryAddResult, MemoryScope};
use tools::{EditError, EditRequest};
use workspace::{FileText, ReadError, View};

use super::Session;
use super::world::SessionWorld;
use crate::core::{Reply, RpcError};

/// A longer note is a document of its own.
const LONGEST: usize = 10_000;

impl Session {
    pub(super) fn on_remember(&mut self, params: &MemoryAddParams, reply: Reply) {
        let invalid = |message: String| RpcError::new(RpcError::INVALID_PARAMS, message);
        let scope = match &params.scope {
            MemoryScope::User => NoteScope::User,
            MemoryScope::Project => NoteScope::Project,
            MemoryScope::Local => NoteScope::Local,
            other => {
                let message = format!("There is no memory {other}; say user, project or local.");
                return reply.err(invalid(message));
            }
        };
        let note = params.text.trim().to_owned();
        if note.is_empty() || note.len() > LONGEST {
            let message = format!("A note has between one and {LONGEST} bytes.");
            return reply.err(invalid(message));
        }
        let id = self.next_id("memory");
        let world = Arc::new(self.world(String::new(), id).by_the_user());
        let (locations, cwd) = (self.host.locations.clone(), self.state.cwd().to_owned());
        tokio::spawn(async move {
            match remember(&world, locations, cwd, scope, note).await {
                Ok(path) => reply.ok(&MemoryAddResult { path: path.display().to_string() }),
                Err(error) => reply.err(RpcError::failed(error.to_string())),
            }
        });
    }
}

async fn remember(
    world: &SessionWorld,
    locations: Locations,
    cwd: PathBuf,
    scope: NoteScope,
    note: String,
) -> Result<PathBuf, EditError> {
    let snapshot = tools::World::snapshot(world).await;
    let look = move || -> Result<_, EditError> {
        let disk = |error: &dyn std::fmt::Display| EditError::Disk(error.to_string());
        if scope == NoteScope::User {
            extend::home::create(&locations.bowline_home).map_err(|error| disk(&error))?;
        }
        let named = memory::note_file(&locations, &cwd, scope);
        let path = workspace::locate(&named).map_err(|error| disk(&error))?.path;
        let base = match View::new(snapshot).read(&path) {
            Ok(file) => Some(file),
            Err(ReadError::NotFound { .. }) => None,
            Err(error) => return Err(disk(&error)),
        };
        Ok((path, base))
    };
    let looked = tokio::task::spawn_blocking(look).await;
    let (path, base) = looked.map_err(|error| EditError::Disk(error.to_string()))??;
    let before = base.as_ref().map(|file: &FileText| file.text.to_string()).unwrap_or_default();
    let edit = text::diff(&before, &memory::with_note(&before, &note));
    let (label, call_id) = ("Bowline: Remember a note".to_owned(), world.call.clone());
    let request = EditRequest { path: path.clone(), base, edit, label, call_id };
    tools::World::edit(world, request).await?;
    Ok(path)
}
