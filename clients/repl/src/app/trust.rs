//! Trust in the folder: what was decided, what waits for a decision, and deciding. A yes is for what
//! was on the screen, so it carries the hashes of that.

use protocol::event::Severity;
use protocol::trust::{
    Trust, TrustDecision, TrustParams, TrustState, TrustStateParams, TrustStateResult,
};

use super::{App, Pick, Waiting};
use crate::prompt::picker::Entry;
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::render::{ago, theme};

impl App {
    /// Asks how things stand. `agreed` when the user has said yes already, without having seen it.
    pub fn ask_trust(&mut self, agreed: bool) {
        let params = TrustStateParams { cwd: self.start.cwd.clone() };
        self.outbox.request::<TrustState>(&params, Waiting::TrustState { agreed });
    }

    /// A yes to what was shown before; without that it is shown first.
    pub fn agree_to_trust(&mut self) {
        match self.trust_shown.take() {
            Some(shown) => self.trust(TrustDecision::Trust, shown),
            None => self.ask_trust(true),
        }
    }

    pub fn trust(&mut self, decision: TrustDecision, shown: Vec<String>) {
        let cwd = self.start.cwd.clone();
        let shown = (decision == TrustDecision::Trust).then_some(shown);
        let params = TrustParams { cwd, decision: decision.clone(), shown };
        self.outbox.request::<Trust>(&params, Waiting::Trust(decision));
    }

    pub(super) fn trust_looked_at(&mut self, agreed: bool, state: &TrustStateResult) {
        let waiting = state.items.iter().any(|item| !item.approved);
        let shown: Vec<String> = state.items.iter().map(|item| item.hash.clone()).collect();
        if agreed && !waiting {
            return self.trust(TrustDecision::Trust, shown);
        }
        self.transcript.rows(rows(state, (self.start.clock)()));
        self.trust_shown = Some(shown.clone());
        if agreed {
            let text =
                "This is what the folder would switch on. `/trust yes` once more agrees to it.";
            return self.notice(Severity::Info, text);
        }
        let entry = |label: &str, detail: &str, value| Entry {
            label: label.to_owned(),
            detail: detail.to_owned(),
            value,
        };
        let no = Pick::Trust(TrustDecision::Deny, Vec::new());
        let entries = vec![
            entry("leave it as it is", "", Pick::Nothing),
            entry(
                "yes",
                "its settings, hooks and servers are used",
                Pick::Trust(TrustDecision::Trust, shown),
            ),
            entry("no", "they are ignored", no),
        ];
        let title = format!("Trust {}?", self.start.cwd);
        self.offer(&title, entries, 0);
    }

    pub(super) fn trusted(&mut self, decision: &TrustDecision) {
        let cwd = &self.start.cwd;
        let text = match decision {
            TrustDecision::Trust => {
                format!("{cwd} is trusted: its settings, hooks and servers may be used.")
            }
            _ => format!("{cwd} is not trusted: its settings, hooks and servers are ignored."),
        };
        self.notice(Severity::Info, &text);
    }
}

/// What was decided, and what the folder switches on.
fn rows(state: &TrustStateResult, now: u64) -> Vec<Line> {
    let said = match &state.decision {
        None => "Nobody has decided about it yet; until then it is not trusted.",
        Some(TrustDecision::Trust) => "It is trusted.",
        Some(_) => "It is not trusted.",
    };
    let since =
        state.since.map(|since| format!(" Since {}.", ago(now.saturating_sub(since) / 1000)));
    let above = state.decided_for.as_ref().filter(|folder| **folder != state.cwd);
    let above = above.map(|folder| format!(" Decided for {}.", strict(folder)));
    let mut rows = vec![
        Line::styled(strict(&state.cwd), theme::BOLD),
        Line::plain(format!("{said}{}{}", since.unwrap_or_default(), above.unwrap_or_default())),
    ];
    rows.extend(state.problems.iter().map(|text| Line::styled(strict(text), theme::WARN)));
    for (approved, title) in [(false, "Waits for your approval"), (true, "Approved")] {
        let items: Vec<_> = state.items.iter().filter(|item| item.approved == approved).collect();
        if !items.is_empty() {
            rows.push(Line::styled(title, theme::BOLD));
        }
        rows.extend(items.iter().map(|item| Line::plain(format!("  {}", strict(&item.what)))));
    }
    if state.more > 0 {
        let more = format!("  {} more, which cannot be approved", state.more);
        rows.push(Line::styled(more, theme::WARN));
    }
    if state.items.is_empty() {
        rows.push(Line::plain("It switches nothing on."));
    }
    rows
}
