//! `stop_task`: work in the background ends.

use protocol::tasks::{TaskOp, Tasks, TasksParams};
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let params = TasksParams {
        session_id: Some(shared.session().to_owned()),
        op: TaskOp::Stop,
        task_id: Some(text(request, "task_id")?.to_owned()),
        offset: None,
    };
    shared.ask::<Tasks>(&params).await.map_err(|error| error.message)?;
    Ok(json!({}))
}
