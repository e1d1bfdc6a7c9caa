//! `system/api_retry` and `rate_limit_event`: a request failed and is sent again.

use protocol::event::{ProblemKind, Retry};
use serde_json::json;

use super::Teller;

impl Teller {
    pub(super) fn on_retry(&mut self, retry: &Retry) {
        let kind = kind(&retry.error.kind, retry.error.status);
        let fields = json!({
            "attempt": retry.attempt,
            "max_retries": self.most_retries(),
            "retry_delay_ms": retry.delay_ms,
            "error_status": retry.error.status,
            "error": kind,
        });
        self.system("api_retry", fields);
        if retry.error.kind == ProblemKind::RateLimit {
            let resets = (self.shared.host.clock.millis() + retry.delay_ms) / 1000;
            self.push(json!({
                "type": "rate_limit_event",
                "rate_limit_info": { "status": "rejected", "resetsAt": resets },
            }));
        }
    }

    /// As the session counts them.
    fn most_retries(&self) -> u64 {
        const USUAL: u64 = 10;
        let host = &self.shared.host;
        let number = |name: &str| host.var(name)?.to_str()?.trim().parse::<u64>().ok();
        let said = number("BOWLINE_MAX_RETRIES").or_else(|| number("CLAUDE_CODE_MAX_RETRIES"));
        said.map_or(USUAL, |most| most.min(100))
    }
}

/// What hosts call the kinds of problems.
pub(super) fn kind(kind: &ProblemKind, status: Option<u16>) -> &'static str {
    match (kind, status) {
        (ProblemKind::Authentication, _) => "authentication_failed",
        (ProblemKind::Billing, _) => "billing_error",
        (ProblemKind::RateLimit, _) => "rate_limit",
        (ProblemKind::Overloaded, Some(529)) => "overloaded",
        (ProblemKind::Overloaded, _) => "server_error",
        (ProblemKind::InvalidRequest, Some(404)) => "model_not_found",
        (ProblemKind::InvalidRequest, _) => "invalid_request",
        _ => "unknown",
    }
}
