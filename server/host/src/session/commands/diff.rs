//! `/diff [file]`: what the agent changed and nobody has judged yet, as a diff.

use futures::FutureExt as _;
use protocol::review::{Hunk, HunkState, ReviewList, ReviewListParams};

use super::asks::{Asker, Asking};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let (asker, wanted) = (Asker::of(session)?, argument.to_owned());
    Ok(async move {
        let hunks = pending(&asker).await?;
        let wanted = |hunk: &&Hunk| wanted.is_empty() || asker.file(&hunk.uri).contains(&wanted);
        let mut shown = String::new();
        let mut file = String::new();
        for hunk in hunks.iter().filter(wanted) {
            let name = asker.file(&hunk.uri);
            if name != file {
                shown.push_str(&format!("--- {name}\n+++ {name}\n"));
                file = name;
            }
            shown.push_str(&lines(hunk));
        }
        if shown.is_empty() {
            return Ok("There is nothing that waits for your judgement.".to_owned());
        }
        Ok(shown.trim_end().to_owned())
    }
    .boxed())
}

/// What nobody has judged yet, in the order of files and places.
pub(super) async fn pending(asker: &Asker) -> Result<Vec<Hunk>, String> {
    let params =
        ReviewListParams { session_id: Some(asker.session.clone()), ..ReviewListParams::default() };
    let mut hunks = asker.ask::<ReviewList>(&params).await?.hunks;
    hunks.retain(|hunk| hunk.state == HunkState::Pending);
    Ok(hunks)
}

fn lines(hunk: &Hunk) -> String {
    let marked = |mark: char, text: &str| -> String {
        text.lines().map(|line| format!("{mark}{line}\n")).collect()
    };
    let at = hunk.range.start.line + 1;
    format!("@@ line {at} @@\n{}{}", marked('-', &hunk.old_text), marked('+', &hunk.new_text))
}
