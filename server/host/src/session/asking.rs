//! Questions, forms and pages: put to every client that can show them, answered by the first, also by
//! one that joined later.

mod plain;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use protocol::ask::{Ask, AskAction, AskParams, AskRespondParams, AskResult, Choice, Question};
use protocol::permission::{RequestResolved, RequestResolvedParams, ResolvedBy};
use protocol::session::SessionStatus;
use protocol::snapshot::Pending;
use protocol::tool::ToolStatus;
use protocol::{Notification as _, Request as _};
use serde_json::Value;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tools::{UserAnswer, UserQuestion};

use super::ask::request_id;
use super::{Msg, Session};
use crate::core::{Door, DoorId, Reply, RpcError};

/// Long enough for lunch; nobody is asked for ever.
const ANSWER_WITHIN: Duration = Duration::from_secs(60 * 60);
const NOBODY: &str = "Nobody is here who could answer questions. Decide it yourself, say what you \
                      decided and why, or end and ask in your answer.";

/// What stands: whoever joins is told of it, and may answer.
pub(super) struct Standing {
    params: AskParams,
    answer: oneshot::Sender<AskResult>,
    /// Those who were asked and have not answered; dropping the task withdraws the question.
    asked: Vec<(DoorId, AbortHandle)>,
}

/// What happens to a question, a form or a page.
pub enum AskNews {
    Put {
        params: Box<AskParams>,
        answer: oneshot::Sender<AskResult>,
    },
    /// A door answered, or cannot.
    Answered {
        request_id: String,
        door: DoorId,
        result: Result<AskResult, RpcError>,
    },
    /// Nobody wants to know any more. Means nothing for what was answered.
    Withdrawn {
        request_id: String,
    },
}

impl Session {
    /// A call is about to ask.
    pub(super) fn on_questions(&mut self, call: &str) {
        if self.doors.iter().any(can_choose) {
            self.tool_updated(call, ToolStatus::Waiting, |_| ());
            self.set_status(SessionStatus::Waiting);
        }
    }

    pub(super) fn on_answered(&mut self, call: &str) {
        self.tool_updated(call, ToolStatus::Running, |_| ());
        self.after_ask();
    }

    pub(super) fn on_asking(&mut self, news: AskNews) {
        match news {
            AskNews::Put { params, answer } => self.put_to_doors(*params, answer),
            AskNews::Answered { request_id, door, result } => {
                self.on_door_answered(&request_id, door, result);
            }
            AskNews::Withdrawn { request_id } => {
                if let Some(standing) = self.questions.remove(&request_id) {
                    self.close_question(&standing, ResolvedBy::Cancelled, None);
                }
            }
        }
    }

    /// Where nobody can be asked, whoever asks learns it at once.
    fn put_to_doors(&mut self, params: AskParams, answer: oneshot::Sender<AskResult>) {
        let doors = self.doors.iter().filter(|door| can_show(door, &params));
        let asked: Vec<_> = doors.map(|door| (door.id, self.put_to(door, &params))).collect();
        if !asked.is_empty() {
            let id = params.request_id.clone();
            self.questions.insert(id, Standing { params, answer, asked });
        }
    }

    fn put_to(&self, door: &Arc<Door>, params: &AskParams) -> AbortHandle {
        let (own, door, params) = (self.own.clone(), door.clone(), params.clone());
        let task = tokio::spawn(async move {
            let result = show(&door, &params).await;
            let (request_id, door) = (params.request_id, door.id);
            let _ = own.send(Msg::Asking(AskNews::Answered { request_id, door, result })).await;
        });
        task.abort_handle()
    }

    /// An error counts only when nobody else is left who could answer: who has joined since was told
    /// what is asked.
    fn on_door_answered(
        &mut self,
        request_id: &str,
        door: DoorId,
        result: Result<AskResult, RpcError>,
    ) {
        let Some(standing) = self.questions.get_mut(request_id) else { return };
        standing.asked.retain(|(asked, _)| *asked != door);
        match result {
            Ok(result) => self.answer_question(request_id, result, Some(door)),
            Err(error) => {
                tracing::debug!(%error, "a client could not show a question");
                let other =
                    |other: &Arc<Door>| other.id != door && can_show(other, &standing.params);
                if standing.asked.is_empty() && !self.doors.iter().any(other) {
                    self.questions.remove(request_id);
                }
            }
        }
    }

    pub(super) fn on_ask_respond(&mut self, params: AskRespondParams, reply: Reply) {
        let AskRespondParams { request_id, action, content } = params;
        if !self.questions.contains_key(&request_id) {
            return reply.err(RpcError::failed(format!("{request_id} was answered already.")));
        }
        self.answer_question(&request_id, AskResult { action, content }, None);
        reply.ok(&protocol::Empty {});
    }

    fn answer_question(&mut self, request_id: &str, result: AskResult, by: Option<DoorId>) {
        let Some(standing) = self.questions.remove(request_id) else { return };
        self.close_question(&standing, ResolvedBy::Client, by);
        let _ = standing.answer.send(result);
    }

    fn close_question(&self, standing: &Standing, by: ResolvedBy, answered: Option<DoorId>) {
        for (_, task) in &standing.asked {
            task.abort();
        }
        let request_id = standing.params.request_id.clone();
        let params = RequestResolvedParams { request_id, by };
        for door in self.doors.iter().filter(|door| Some(door.id) != answered && speaks_ours(door))
        {
            door.notify(RequestResolved::METHOD, &params);
        }
    }

    pub(super) fn forget_door_in_questions(&mut self, door: DoorId) {
        let doors = &self.doors;
        self.questions.retain(|_, standing| {
            for (_, task) in standing.asked.extract_if(.., |(asked, _)| *asked == door) {
                task.abort();
            }
            !standing.asked.is_empty()
                || doors.iter().any(|other| can_show(other, &standing.params))
        });
    }

    pub(super) fn pending_questions(&self) -> impl Iterator<Item = Pending> {
        self.questions.values().map(|standing| {
            let request = standing.params.clone();
            Pending::Ask(protocol::snapshot::PendingAsk { request })
        })
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

fn can_show(door: &Arc<Door>, params: &AskParams) -> bool {
    speaks_ours(door) || (params.questions.is_some() && shows_boxes(door))
}

fn speaks_ours(door: &Door) -> bool {
    door.profile().agent.ask == Some(true) && !door.is_unknown(Ask::METHOD)
}

/// An editor of a person, without our extension.
fn shows_boxes(door: &Door) -> bool {
    let profile = door.profile();
    profile.cards && profile.message_request && !door.is_unknown(plain::MESSAGE_REQUEST)
}

async fn show(door: &Arc<Door>, params: &AskParams) -> Result<AskResult, RpcError> {
    if speaks_ours(door) {
        return door.ask(Ask::METHOD, params).answer(ANSWER_WITHIN).await;
    }
    plain::ask(door, params, ANSWER_WITHIN).await
}

/// Dropping this withdraws the questions.
pub(super) async fn ask(
    own: &mpsc::Sender<Msg>,
    session: &str,
    call: &str,
    questions: &[UserQuestion],
) -> Result<UserAnswer, String> {
    let answer = put(own, params(session, call, questions)).await;
    answer.map(|result| read(result, questions)).ok_or_else(|| NOBODY.to_owned())
}

/// Puts something to every client that can show it; the first answer counts. Dropping this withdraws
/// it.
pub(super) async fn put(own: &mpsc::Sender<Msg>, params: AskParams) -> Option<AskResult> {
    let _withdrawn = Withdraws { own: own.clone(), request_id: params.request_id.clone() };
    let (answer, given) = oneshot::channel();
    let _ = own.send(Msg::Asking(AskNews::Put { params: Box::new(params), answer })).await;
    tokio::time::timeout(ANSWER_WITHIN, given).await.ok()?.ok()
}

/// Whoever asked is gone, or has the answer.
struct Withdraws {
    own: mpsc::Sender<Msg>,
    request_id: String,
}

impl Drop for Withdraws {
    fn drop(&mut self) {
        let request_id = std::mem::take(&mut self.request_id);
        let news = Msg::Asking(AskNews::Withdrawn { request_id });
        // A session that is busy is told as soon as there is room.
        if let Err(TrySendError::Full(news)) = self.own.try_send(news)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let own = self.own.clone();
            runtime.spawn(async move { own.send(news).await });
        }
    }
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
