//! `/trust [yes|no]`: whether the settings, hooks and servers of this folder may be used; without a
//! word, what was decided and what waits.

use protocol::event::Severity;
use protocol::trust::TrustDecision;
use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    match argument {
        "" => app.ask_trust(false),
        "yes" | "trust" => app.agree_to_trust(),
        "no" | "deny" => app.trust(TrustDecision::Deny, Vec::new()),
        other => {
            app.notice(Severity::Warning, &format!("`/trust {other}` is unknown; say yes or no."));
        }
    }
}
