//! Questions with choices: put to every client that can show them, answered by the first.

mod plain;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use protocol::ask::{Ask, AskAction, AskParams, AskResult, Choice, Question};
use protocol::permission::{RequestResolved, RequestResolvedParams, ResolvedBy};
use protocol::session::SessionStatus;
use protocol::tool::ToolStatus;
use protocol::{Notification as _, Request as _};
use serde_json::Value;
use tokio::sync::oneshot;
use tools::{UserAnswer, UserQuestion};

use super::Session;
use super::ask::request_id;
use crate::core::{Door, RpcError};

/// Long enough for lunch; nobody is asked for ever.
const ANSWER_WITHIN: Duration = Duration::from_secs(60 * 60);
const NOBODY: &str = "Nobody is here who could answer questions. Decide it yourself, say what you \
                      decided and why, or end and ask in your answer.";

impl Session {
    pub(super) fn on_questions(&mut self, call: &str, reply: oneshot::Sender<Vec<Arc<Door>>>) {
        let doors: Vec<_> = self.doors.iter().filter(|door| can_choose(door)).cloned().collect();
        if !doors.is_empty() {
            self.tool_updated(call, ToolStatus::Waiting, |_| ());
            self.set_status(SessionStatus::Waiting);
        }
        drop(reply.send(doors));
    }

    pub(super) fn on_answered(&mut self, call: &str) {
        self.tool_updated(call, ToolStatus::Running, |_| ());
        self.after_ask();
    }
}

/// Can be shown anything: questions, forms and pages.
pub(super) fn can_answer(door: &Arc<Door>) -> bool {
    speaks_ours(door)
}

/// Can be asked to choose.
fn can_choose(door: &Arc<Door>) -> bool {
    speaks_ours(door) || shows_boxes(door)
}

fn speaks_ours(door: &Door) -> bool {
    door.profile().agent.ask == Some(true) && !door.is_unknown(Ask::METHOD)
}

/// An editor of a person, without our extension.
fn shows_boxes(door: &Door) -> bool {
    let profile = door.profile();
    profile.cards && profile.message_request && !door.is_unknown(plain::MESSAGE_REQUEST)
}

async fn put_to(door: &Arc<Door>, params: &AskParams) -> Result<AskResult, RpcError> {
    if speaks_ours(door) {
        return door.ask(Ask::METHOD, params).answer(ANSWER_WITHIN).await;
    }
    plain::ask(door, params, ANSWER_WITHIN).await
}

/// Dropping this withdraws the questions.
pub(super) async fn ask(
    doors: Vec<Arc<Door>>,
    session: &str,
    call: &str,
    questions: &[UserQuestion],
) -> Result<UserAnswer, String> {
    let answer = put(&doors, &params(session, call, questions)).await;
    answer.map(|result| read(result, questions)).ok_or_else(|| NOBODY.to_owned())
}

/// Puts something to all of these clients; the first answer counts, and the others are told.
pub(super) async fn put(doors: &[Arc<Door>], params: &AskParams) -> Option<AskResult> {
    let asked = doors.iter().map(|door| async { (door.id, put_to(door, params).await) });
    let mut asked: FuturesUnordered<_> = asked.collect();
    while let Some((answered, result)) = asked.next().await {
        let Ok(result) = result else { continue };
        drop(asked);
        let resolved =
            RequestResolvedParams { request_id: params.request_id.clone(), by: ResolvedBy::Client };
        for door in doors.iter().filter(|door| door.id != answered && speaks_ours(door)) {
            door.notify(RequestResolved::METHOD, &resolved);
        }
        return Some(result);
    }
    None
}

fn params(session: &str, call: &str, questions: &[UserQuestion]) -> AskParams {
    let wire = questions.iter().enumerate().map(|(at, question)| Question {
        id: key(at),
        header: Some(question.header.clone()).filter(|header| !header.is_empty()),
        text: question.question.clone(),
        options: question
            .options
            .iter()
            .map(|(label, description)| Choice {
                label: label.clone(),
                description: Some(description.clone()).filter(|text| !text.is_empty()),
            })
            .collect(),
        multi_select: Some(question.multi_select),
        free_text: Some(true),
    });
    AskParams {
        request_id: request_id(session, call),
        session_id: session.to_owned(),
        message: None,
        questions: Some(wire.collect()),
        form: None,
        url: None,
    }
}

fn key(at: usize) -> String {
    format!("q{}", at + 1)
}

fn read(result: AskResult, questions: &[UserQuestion]) -> UserAnswer {
    if result.action != AskAction::Accept {
        return UserAnswer::Declined;
    }
    let content: BTreeMap<String, Value> = result.content.unwrap_or_default();
    let words = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    let answer = |at: usize| match content.get(&key(at)) {
        Some(Value::Array(values)) => values.iter().filter_map(words).collect(),
        Some(value) => words(value).filter(|text| !text.is_empty()).into_iter().collect(),
        None => Vec::new(),
    };
    UserAnswer::Given((0..questions.len()).map(answer).collect())
}
