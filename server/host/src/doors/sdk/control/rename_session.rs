//! `rename_session`: a title for the session.

use protocol::session::{SessionRename, SessionRenameParams};
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let title = text(request, "title")?.to_owned();
    let params = SessionRenameParams { session_id: shared.session().to_owned(), title };
    shared.ask::<SessionRename>(&params).await.map_err(|error| error.message)?;
    Ok(json!({}))
}
