//! `/review [accept|reject]`: what the agent changed, listed or judged as a whole. A client with a
//! screen goes through it change by change.

use futures::FutureExt as _;
use protocol::edit::ReviewAction;
use protocol::review::{Hunk, HunkState, ReviewResolve, ReviewResolveParams};

use super::asks::{Asker, Asking};
use super::diff::pending;
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let asker = Asker::of(session)?;
    let action = match argument {
        "" => None,
        "accept" => Some(ReviewAction::Accept),
        "reject" => Some(ReviewAction::Reject),
        other => return Err(format!("`/review {other}` is unknown; say accept or reject.")),
    };
    Ok(async move {
        let hunks = pending(&asker).await?;
        if hunks.is_empty() {
            return Ok("There is nothing that waits for your judgement.".to_owned());
        }
        match action {
            None => Ok(listed(&asker, &hunks)),
            Some(action) => resolve(&asker, action).await,
        }
    }
    .boxed())
}

fn listed(asker: &Asker, hunks: &[Hunk]) -> String {
    let line = |hunk: &Hunk| {
        let (old, new) = (hunk.old_text.lines().count(), hunk.new_text.lines().count());
        format!("{}:{}  +{new} -{old}", asker.file(&hunk.uri), hunk.range.start.line + 1)
    };
    let lines: Vec<String> = hunks.iter().map(line).collect();
    let then = "/diff shows them; /review accept keeps all, /review reject takes all back.";
    format!("{}\n{then}", lines.join("\n"))
}

async fn resolve(asker: &Asker, action: ReviewAction) -> Result<String, String> {
    let params = ReviewResolveParams {
        session_id: Some(asker.session.clone()),
        ..ReviewResolveParams::new(action.clone())
    };
    let results = asker.ask::<ReviewResolve>(&params).await?.results;
    let wanted = match action {
        ReviewAction::Accept => HunkState::Accepted,
        _ => HunkState::Rejected,
    };
    let done = results.iter().filter(|result| result.state == wanted).count();
    let mut text = format!("{done} of {} changes are {wanted}.", results.len());
    for reason in results.iter().filter_map(|result| result.reason.as_ref()) {
        text.push_str(&format!("\n{reason}"));
    }
    Ok(text)
}
