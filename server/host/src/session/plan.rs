//! Plan mode, as the model enters and leaves it.

use std::path::PathBuf;

use policy::Mode;
use protocol::event::{ConfigUpdated, PlanEntry, PlanUpdated, Severity};
use protocol::snapshot::TodoStatus;
use tools::LeftPlan;

use super::{Session, reload};

/// More steps than anybody follows.
const MOST_STEPS: usize = 50;

/// What the session remembers of plan mode.
#[derive(Default)]
pub(super) struct Planning {
    /// The mode to go back to.
    pub(super) before: Option<Mode>,
    /// The user wants edits to need no question once the plan is carried out.
    pub(super) accept_edits: bool,
}

impl Session {
    pub(super) fn enter_plan(&mut self) {
        self.change_mode(Mode::Plan);
        self.attachments.mode_is_known(Mode::Plan);
    }

    pub(super) fn leave_plan(&mut self, plan: &str) -> LeftPlan {
        let planning = std::mem::take(&mut self.planning);
        let before = planning.before.unwrap_or_default();
        let wanted = match (planning.accept_edits, before) {
            (true, Mode::Default) => Mode::AcceptEdits,
            (_, before) => before,
        };
        let allowed = reload::forbidden_mode(wanted, &self.forbidden).is_none();
        let mode = if allowed { wanted } else { Mode::Default };
        self.change_mode(mode);
        self.attachments.mode_is_known(mode);
        let entries = steps(plan);
        if !entries.is_empty() {
            self.emit(PlanUpdated { entries });
        }
        LeftPlan { file: self.plan_file(), mode }
    }

    /// One for each session; the newest plan counts.
    pub(super) fn plan_file(&self) -> PathBuf {
        self.host.locations.bowline_home.join("plans").join(format!("{}.md", self.id))
    }

    fn change_mode(&mut self, mode: Mode) {
        let before = self.state.permissions().mode;
        self.set_mode(mode);
        if before == mode {
            return;
        }
        let config = self.wire_config();
        self.emit(ConfigUpdated { config });
        if let Err(error) = self.journal_config() {
            self.notice(Severity::Warning, format!("The mode was not saved: {error}"));
        }
    }
}

/// The steps of a plan: what it numbers or lists at the left edge.
fn steps(plan: &str) -> Vec<PlanEntry> {
    let step = |line: &str| {
        let bullet = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        let numbered = || {
            let (number, rest) = line.split_once(". ")?;
            number.parse::<u32>().ok().map(|_| rest)
        };
        let words = bullet.or_else(numbered)?.trim_start_matches("[ ]").trim();
        (!words.is_empty()).then(|| words.to_owned())
    };
    let steps = plan.lines().filter_map(step).take(MOST_STEPS);
    steps.map(|content| PlanEntry { content, status: TodoStatus::Pending }).collect()
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn the_steps_of_a_plan() {
        let check = |plan: &str, expect: &[&str]| {
            let found: Vec<_> = steps(plan).into_iter().map(|step| step.content).collect();
            assert_eq!(found, expect, "{plan}");
        };
        check("# Plan\n\n1. Cast off\n2. Sail\n   - main\n\nDone.", &["Cast off", "Sail"]);
        check("- [ ] Reef\n* Moor\n-nothing", &["Reef", "Moor"]);
        check("No steps. At all.", &[]);
    }
}
