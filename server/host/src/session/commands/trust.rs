//! `/trust [yes|no]`: whether the settings, hooks, skills and servers of this folder may be used.

use futures::FutureExt as _;
use protocol::trust::{
    Trust, TrustDecision, TrustParams, TrustState, TrustStateParams, TrustStateResult,
};

use super::asks::{Asker, Asking};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let asker = Asker::of(session)?;
    let decision = match argument {
        "" => None,
        "yes" | "trust" => Some(TrustDecision::Trust),
        "no" | "deny" => Some(TrustDecision::Deny),
        other => return Err(format!("`/trust {other}` is unknown; say yes or no.")),
    };
    Ok(async move {
        let cwd = asker.cwd.clone();
        let state = asker.ask::<TrustState>(&TrustStateParams { cwd: cwd.clone() }).await?;
        let Some(decision) = decision else { return Ok(told(&state)) };
        // What is agreed to is what was there a moment ago; the list is in what is said.
        let shown = state.items.iter().map(|item| item.hash.clone()).collect();
        let params = TrustParams { cwd, decision, shown: Some(shown) };
        asker.ask::<Trust>(&params).await?;
        let cwd = asker.cwd.clone();
        Ok(told(&asker.ask::<TrustState>(&TrustStateParams { cwd }).await?))
    }
    .boxed())
}

fn told(state: &TrustStateResult) -> String {
    let decided = match &state.decision {
        Some(TrustDecision::Trust) => "This folder is trusted.",
        Some(_) => "This folder is not trusted.",
        None => "Nothing was decided about this folder, so nothing of it is used.",
    };
    format!("{decided}\n{}", items(state)).trim_end().to_owned()
}

fn items(state: &TrustStateResult) -> String {
    let lines = state.items.iter().map(|item| {
        let mark = if item.approved { "used" } else { "waits" };
        format!("{mark:<6} {}", item.what)
    });
    lines.collect::<Vec<_>>().join("\n")
}
