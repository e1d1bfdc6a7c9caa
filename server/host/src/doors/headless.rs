//! The headless door: one prompt in, one answer out, and an exit code.

mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use protocol::EventBody;
use protocol::prompt::Block;
use protocol::session::{
    Delivery, SessionAttach, SessionAttachParams, SessionCancel, SessionCancelParams, SessionCost,
    SessionFork, SessionForkParams, SessionList, SessionListParams, SessionNew, SessionNewParams,
    SessionPrompt, SessionPromptParams, SessionRef,
};
use tokio::sync::oneshot;

use crate::core::{CoreHandle, Door, Event, Outgoing, RpcError, request};
use crate::session::AnswerSchema;
use crate::terminal::Signals;

pub use report::{OutputFormat, Report};
pub(in crate::doors) use report::{model_usage, summed_up};

/// What to do.
pub struct Job {
    pub prompt: String,
    pub cwd: PathBuf,
    /// The id of a new session.
    pub session_id: Option<String>,
    /// Nothing is stored.
    pub ephemeral: bool,
    pub resume: Resume,
    /// Go on in a copy of that conversation.
    pub fork: Option<ForkAt>,
    /// What the answer must look like.
    pub schema: Option<AnswerSchema>,
    /// How long agents in the background are waited for once nothing else goes on.
    pub patience: Duration,
}

/// Where the copy ends.
pub enum ForkAt {
    End,
    Message(String),
}

/// Which conversation the prompt belongs to.
pub enum Resume {
    New,
    /// The newest one of the folder.
    Latest,
    Id(String),
}

/// Runs the job to its end. `note` gets what a person should know but a script should not read.
pub async fn run(
    core: &CoreHandle,
    job: Job,
    signals: &mut Signals,
    note: impl Fn(&str),
) -> Result<Report, RpcError> {
    let door = Door::new();
    core.send(Event::DoorOpened(door.clone())).await;
    let new = SessionNewParams {
        cwd: job.cwd.display().to_string(),
        ephemeral: Some(job.ephemeral),
        session_id: job.session_id,
        ..SessionNewParams::default()
    };
    let session_id = open(core, &door, job.resume, job.fork, new).await?;
    let content = vec![Block::text(job.prompt)];
    // At once: a script waits for the answer to its own prompt, not for what was left in a queue.
    let (delivery, client_message_id) = (Some(Delivery::Steer), None);
    let params = SessionPromptParams {
        session_id: session_id.clone(),
        content,
        delivery,
        client_message_id,
    };
    request::<SessionPrompt>(core, &door, &params).await?;
    let mut report = Report::new(session_id.clone(), job.schema);
    loop {
        let batch = tokio::select! {
            batch = door.outbox.take() => batch,
            () = tokio::time::sleep(job.patience), if report.only_waits() => {
                note("Agents are still at work in the background; they are stopped now.");
                break;
            }
            interrupt = signals.next() => {
                report.interrupted(interrupt);
                stop(core, &door, &session_id).await;
                continue;
            }
        };
        for message in batch {
            if let Outgoing::Event(event) = message {
                match &event.body {
                    EventBody::Notice(notice) => note(&notice.text),
                    EventBody::Retry(retry) => note(&report::retry(retry)),
                    _ => {}
                }
                report.on(&event.body);
            }
        }
        if report.is_complete() {
            break;
        }
    }
    let params = SessionRef { session_id };
    report.spent(request::<SessionCost>(core, &door, &params).await.ok());
    close(core, &door).await;
    Ok(report)
}

async fn open(
    core: &CoreHandle,
    door: &Arc<Door>,
    resume: Resume,
    fork: Option<ForkAt>,
    new: SessionNewParams,
) -> Result<String, RpcError> {
    let cwd = new.cwd.clone();
    let session_id = match resume {
        Resume::New => {
            return request::<SessionNew>(core, door, &new).await.map(|made| made.session_id);
        }
        Resume::Id(id) => id,
        Resume::Latest => {
            let params =
                SessionListParams { cwd: Some(cwd.clone()), ..SessionListParams::default() };
            let listed = request::<SessionList>(core, door, &params).await?;
            let latest = listed.sessions.into_iter().next().ok_or_else(|| {
                RpcError::failed(
                    "There is no session in this folder to continue; leave out --continue.",
                )
            })?;
            latest.session_id
        }
    };
    let session_id = match fork {
        Some(fork) => {
            let at_message = match fork {
                ForkAt::End => None,
                ForkAt::Message(message) => Some(message),
            };
            let params = SessionForkParams { session_id, at_message };
            request::<SessionFork>(core, door, &params).await?.session_id
        }
        None => session_id,
    };
    let params = SessionAttachParams { session_id, since: None, cwd: Some(cwd) };
    let attached = request::<SessionAttach>(core, door, &params).await?;
    Ok(attached.session_id)
}

async fn stop(core: &CoreHandle, door: &Arc<Door>, session_id: &str) {
    let session_id = session_id.to_owned();
    let (turn_id, tool_call_id, task_id) = (None, None, None);
    let params = SessionCancelParams { session_id, turn_id, tool_call_id, task_id };
    // The end of the turn arrives as an event; an error here means that it has ended already.
    let _ = request::<SessionCancel>(core, door, &params).await;
}

async fn close(core: &CoreHandle, door: &Arc<Door>) {
    let (done, closed) = oneshot::channel();
    core.send(Event::Shutdown(done)).await;
    let _ = closed.await;
    door.close();
}
