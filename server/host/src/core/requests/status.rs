//! `agent/status`: how the server is doing.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::Empty;
use protocol::status::{ChildProcess, LiveSession, ModelStatus, SandboxStatus, StatusResult};

use crate::core::door::Door;
use crate::core::rpc::Reply;
use crate::core::state::State;

pub fn handle(state: &mut State, _: &Arc<Door>, _: Empty, reply: Reply) {
    let sessions = state
        .sessions
        .iter()
        .map(|(id, session)| LiveSession { session_id: id.clone(), status: session.status() });
    let sessions = sessions.collect();
    let mut queues = BTreeMap::new();
    let outgoing: usize = state.doors.values().map(|door| door.outbox.waiting()).sum();
    queues.insert("outgoing".to_owned(), outgoing as u64);
    let waiting = state.core.sender().max_capacity() - state.core.sender().capacity();
    queues.insert("events".to_owned(), waiting as u64);
    let model = match model::provider_for(&state.host.model_env, state.limits.model.as_deref()) {
        Ok((provider, id)) => {
            ModelStatus { id, provider: provider.name().to_owned(), problem: None }
        }
        Err(error) => ModelStatus {
            id: state.limits.model.clone().unwrap_or_default(),
            provider: String::new(),
            problem: Some(error.to_string()),
        },
    };
    let observed = state.host.observed.get();
    let log_file = observed.and_then(|it| it.log_file.as_ref());
    reply.ok(&StatusResult {
        version: state.host.version.to_owned(),
        uptime_ms: u64::try_from(state.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        rss_bytes: resident_bytes(),
        sessions,
        children: exec::alive().into_iter().map(|(pid, what)| ChildProcess { pid, what }).collect(),
        queues,
        model,
        sandbox: state.host.sandbox.get().map(|sandbox| SandboxStatus {
            kind: sandbox.kind().name().to_owned(),
            problem: sandbox.why_not().map(str::to_owned).or_else(|| sandbox.limits()),
        }),
        log_file: log_file.map(|file| file.display().to_string()),
        collector: observed.and_then(|it| it.collector.clone()),
    });
}

/// From the kernel's own page about us; zero where there is none.
fn resident_bytes() -> u64 {
    let pages = workspace::read_bytes(std::path::Path::new("/proc/self/statm"), 4096)
        .ok()
        .and_then(|(bytes, _)| String::from_utf8(bytes).ok())
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or_default() * rustix::param::page_size() as u64
}
