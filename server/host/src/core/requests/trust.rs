//! `agent/trust` and `agent/trust/state`: the user's decision about a folder, and what it is about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::{Decision, Given, TrustStore};
use protocol::Empty;
use protocol::trust::{TrustDecision, TrustItem, TrustParams, TrustStateParams, TrustStateResult};

use crate::context::HostContext;
use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

/// A yes approves what was shown, and fails when there is more by now. Sessions in the folder follow
/// at once.
pub fn handle(state: &mut State, _: &Arc<Door>, params: TrustParams, reply: Reply) {
    let decision = match params.decision {
        TrustDecision::Trust => Decision::Trust,
        TrustDecision::Deny => Decision::Deny,
        other => {
            let message = format!("`decision` is trust or deny, not {other}.");
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        }
    };
    let (host, core) = (state.host.clone(), state.core.clone());
    tokio::spawn(async move {
        let (cwd, shown) = (PathBuf::from(&params.cwd), params.shown.unwrap_or_default());
        let kept =
            tokio::task::spawn_blocking(move || remember(&host, &cwd, decision, &shown)).await;
        match kept.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(folder) => {
                core.go_on(move |state| tell_sessions(state, &folder)).await;
                reply.ok(&Empty {});
            }
            Err(problem) => reply.err(RpcError::failed(problem)),
        }
    });
}

/// What was decided, and what there is to decide about.
pub fn state(state: &mut State, _: &Arc<Door>, params: TrustStateParams, reply: Reply) {
    let host = state.host.clone();
    tokio::spawn(async move {
        let looked = tokio::task::spawn_blocking(move || look(&host, Path::new(&params.cwd))).await;
        match looked.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(result) => reply.ok(&result),
            Err(problem) => reply.err(RpcError::failed(problem)),
        }
    });
}

fn look(host: &HostContext, cwd: &Path) -> Result<TrustStateResult, String> {
    let folder = workspace::real_path(cwd).map_err(|error| error.to_string())?;
    let (store, problem) = TrustStore::load(&host.locations.bowline_home, host.home().as_deref());
    let decided = store.decided(&folder);
    let brought = extend::bring(&host.locations, &folder);
    let settings =
        extend::load(&host.locations, &folder, &store.standing(&folder), &Given::default());
    let trusted = store.is_trusted(&folder);
    let waits = |hash: &str| settings.unapproved.iter().any(|item| item.hash == hash);
    let items = brought.items.into_iter().map(|item| TrustItem {
        approved: trusted && !waits(&item.hash),
        what: item.line,
        hash: item.hash,
    });
    let mut problems: Vec<String> = problem.iter().map(ToString::to_string).collect();
    if brought.broken {
        problems.push("A settings file of the folder cannot be read.".to_owned());
    }
    Ok(TrustStateResult {
        cwd: folder.display().to_string(),
        decision: decided.as_ref().map(|decided| match decided.decision {
            Decision::Trust => TrustDecision::Trust,
            Decision::Deny => TrustDecision::Deny,
        }),
        since: decided.as_ref().and_then(|decided| decided.since),
        decided_for: decided.map(|decided| decided.folder.display().to_string()),
        items: items.collect(),
        more: brought.more as u64,
        problems,
    })
}

fn remember(
    host: &HostContext,
    cwd: &Path,
    decision: Decision,
    shown: &[String],
) -> Result<PathBuf, String> {
    let folder = workspace::real_path(cwd).map_err(|error| error.to_string())?;
    let (mut store, _) = TrustStore::load(&host.locations.bowline_home, host.home().as_deref());
    let now = host.clock.millis();
    if decision == Decision::Deny {
        let kept = store.set(&folder, decision, now);
        return kept.map(|()| folder).map_err(|error| error.to_string());
    }
    let brought = extend::bring(&host.locations, &folder).items.into_iter();
    let hashes: Vec<String> = brought.map(|item| item.hash).collect();
    let unseen = hashes.iter().filter(|hash| !shown.contains(hash)).count();
    if unseen > 0 {
        return Err(format!(
            "{} was not trusted: of what it switches on, {unseen} changed or came since it was \
             shown. Look at it again (agent/trust/state) and decide then.",
            folder.display()
        ));
    }
    let kept = store.set(&folder, decision, now);
    let kept = kept.and_then(|()| store.approve(&folder, hashes));
    kept.map(|()| folder).map_err(|error| error.to_string())
}

fn tell_sessions(state: &mut State, folder: &Path) {
    for session in state.sessions.values().filter(|session| session.cwd().starts_with(folder)) {
        // A session that is too busy to listen looks at its settings before its next act.
        let _ = session.inbox.try_send(Msg::Trusted { problem: None });
    }
}
