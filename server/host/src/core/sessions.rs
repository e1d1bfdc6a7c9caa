//! Which session a client means when it names none.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::session::SessionNewParams;

use super::door::{Door, DoorId};
use super::requests::session_new;
use super::rpc::{Reply, RpcError};
use super::state::State;
use crate::session::{Msg, Origin, SessionHandle};

impl State {
    /// The client's own session: for a file, the one whose folder is nearest around it; else the
    /// newest.
    pub fn session_of(&self, door: DoorId, path: Option<&Path>) -> Option<String> {
        let fitting = self.sessions_of(door).filter_map(|(id, session)| match path {
            Some(path) => Some((session.folder_around(path)?.components().count(), id)),
            None => Some((0, id)),
        });
        // Ids begin with the time they were made at.
        fitting.max().map(|(_, id)| id.clone())
    }

    pub fn sessions_of(&self, door: DoorId) -> impl Iterator<Item = (&String, &SessionHandle)> {
        self.sessions.iter().filter(move |(_, session)| session.serves(door))
    }

    /// Passes a message on to the client's own session, made for it if it has none.
    pub fn tell_own_session(
        &mut self,
        door: &Arc<Door>,
        path: Option<&Path>,
        reply: Reply,
        msg: impl FnOnce(&str, Reply) -> Msg,
    ) {
        match self.own_session(door, path) {
            Ok(session) => self.to_session(&session, reply, |reply| msg(&session, reply)),
            Err(error) => reply.err(error),
        }
    }

    /// The client's own session, begun if there is none.
    pub fn own_session(
        &mut self,
        door: &Arc<Door>,
        path: Option<&Path>,
    ) -> Result<String, RpcError> {
        if let Some(session) = self.session_of(door.id, path) {
            return Ok(session);
        }
        let origin = self.plan_session(door, path)?;
        let id = session_new::new_id();
        session_new::begin(self, door, id.clone(), origin, Reply::new(|_| ()));
        Ok(id)
    }

    /// A new session in the folder of a file.
    pub fn plan_session(&self, door: &Door, path: Option<&Path>) -> Result<Origin, RpcError> {
        let folder = folder(door, path).ok_or_else(|| {
            RpcError::failed("Open a folder first: a session needs one to work in.")
        })?;
        let cwd = folder.display().to_string();
        session_new::origin(self, SessionNewParams { cwd, ..SessionNewParams::default() })
    }
}

/// The folder the editor has open around a file, or the file's own.
fn folder(door: &Door, path: Option<&Path>) -> Option<PathBuf> {
    let folders = door.profile().folders;
    let Some(path) = path else { return folders.first().cloned() };
    let around = folders.iter().filter(|folder| path.starts_with(folder));
    let nearest = around.max_by_key(|folder| folder.components().count());
    nearest.cloned().or_else(|| path.parent().map(Path::to_owned))
}
