//! `/trust [yes|no]`: whether the settings, hooks and servers of this folder may be used.

use protocol::event::Severity;
use protocol::trust::TrustDecision;
use tokio::time::Instant;

use crate::app::{App, Pick};
use crate::prompt::picker::Entry;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    match argument {
        "" => offer(app),
        "yes" | "trust" => app.trust(TrustDecision::Trust),
        "no" | "deny" => app.trust(TrustDecision::Deny),
        other => {
            app.notice(Severity::Warning, &format!("`/trust {other}` is unknown; say yes or no."));
        }
    }
}

fn offer(app: &mut App) {
    let entry = |label: &str, detail: &str, value| Entry {
        label: label.to_owned(),
        detail: detail.to_owned(),
        value,
    };
    let entries = vec![
        entry("leave it as it is", "", Pick::Nothing),
        entry("yes", "its settings, hooks and servers are used", Pick::Trust(TrustDecision::Trust)),
        entry("no", "they are ignored", Pick::Trust(TrustDecision::Deny)),
    ];
    let title = format!("Trust {}?", app.start.cwd);
    app.offer(&title, entries, 0);
}
