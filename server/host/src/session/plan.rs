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
    /// How the plan is to be carried out.
    pub(super) then: Then,
}

/// What the user wants to be asked about once the plan is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Then {
    /// Each change.
    #[default]
    Ask,
    /// No edit in the workspace.
    AcceptEdits,
    /// Only what the mode auto cannot decide.
    Auto,
}

impl Then {
    /// The mode after the plan. Whoever asked for nothing to be asked, or for nobody, keeps that.
    fn mode(self, before: Mode) -> Mode {
        match (self, before) {
            (Then::Ask, Mode::DontAsk) => Mode::DontAsk,
            (Then::Ask, _) => Mode::Default,
            (Then::AcceptEdits, Mode::BypassPermissions | Mode::Auto) => before,
            (Then::AcceptEdits, _) => Mode::AcceptEdits,
            (Then::Auto, Mode::BypassPermissions) => before,
            (Then::Auto, _) => Mode::Auto,
        }
    }
}

impl Session {
    /// Gives the file that the plan may be written to.
    pub(super) fn enter_plan(&mut self) -> PathBuf {
        self.change_mode(Mode::Plan);
        self.attachments.mode_is_known(Mode::Plan);
        self.plan_file()
    }

    pub(super) fn leave_plan(&mut self, plan: &str) -> LeftPlan {
        let planning = std::mem::take(&mut self.planning);
        let before = planning.before.unwrap_or_default();
        let wanted = planning.then.mode(before);
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

    /// While a plan is made its file may be written, and nothing else.
    pub(super) fn mark_plan_file(&self, mode: Mode) {
        let file = (mode == Mode::Plan && self.agents.member.is_none()).then(|| self.plan_file());
        let file = file.and_then(|file| workspace::real_path(&file).ok());
        self.state.update_permissions(|permissions| permissions.rules.set_plan(file));
    }

    /// Whether the mode auto can be chosen for what comes after the plan.
    pub(super) fn auto_is_there(&self) -> bool {
        !self.auto.is_off() && reload::forbidden_mode(Mode::Auto, &self.forbidden).is_none()
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
    use policy::Mode;

    use super::{Then, steps};

    #[test]
    fn what_comes_after_a_plan() {
        use Mode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk};
        for (then, before, after) in [
            (Then::Ask, Default, Default),
            (Then::Ask, AcceptEdits, Default),
            (Then::Ask, DontAsk, DontAsk),
            (Then::AcceptEdits, Default, AcceptEdits),
            (Then::AcceptEdits, BypassPermissions, BypassPermissions),
            (Then::Auto, Default, Auto),
        ] {
            assert_eq!(then.mode(before), after, "{then:?} {before}");
        }
    }

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
