//! `fs/read_text_file` and `fs/write_text_file`: the client's own text of a file, unsaved or not.

use std::path::Path;
use std::time::Duration;

use crate::core::RpcError;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{
    ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse,
};

const READ_WITHIN: Duration = Duration::from_secs(8);
/// A client may format what it saves.
const WRITE_WITHIN: Duration = Duration::from_secs(15);

pub(in crate::doors::acp) async fn read_file(peer: &Peer, path: &Path) -> Result<String, RpcError> {
    let params = ReadTextFileRequest::new(session(peer, path)?, path);
    let asked = peer.door.ask("fs/read_text_file", &params);
    Ok(asked.answer::<ReadTextFileResponse>(READ_WITHIN).await?.content)
}

pub(in crate::doors::acp) async fn write_file(
    peer: &Peer,
    path: &Path,
    text: &str,
) -> Result<(), RpcError> {
    let params = WriteTextFileRequest::new(session(peer, path)?, path, text);
    let asked = peer.door.ask("fs/write_text_file", &params);
    // Some answer with nothing at all.
    asked.answer::<Option<WriteTextFileResponse>>(WRITE_WITHIN).await.map(drop)
}

fn session(peer: &Peer, path: &Path) -> Result<String, RpcError> {
    let session = peer.session_around(path);
    session.ok_or_else(|| RpcError::failed("The client has no session to read files in."))
}
