//! The mode of an agent: one of its own where the session leaves it that, and always in step with the
//! session's. A change reaches those at work, however deep.

use extend::AgentDefinition;
use policy::Mode;

use crate::session::{Session, reload};

/// The mode of an agent whose session is in `session`. A session that asks little, or changes
/// nothing, has agents that do the same; where nobody is asked an agent may only do less.
fn under(session: Mode, wanted: &[Mode]) -> Mode {
    wanted.iter().fold(session, |mode, wanted| match mode {
        Mode::BypassPermissions | Mode::AcceptEdits | Mode::Auto | Mode::Plan => mode,
        Mode::DontAsk if *wanted != Mode::Plan => mode,
        _ => *wanted,
    })
}

impl Session {
    /// What this agent would have, and those it works for, the outermost first.
    pub(super) fn modes_for(&self, agent: &AgentDefinition) -> Vec<Mode> {
        let allowed = |mode: &Mode| {
            let agreed = *mode != Mode::BypassPermissions || self.bypass.agreed;
            agreed && reload::forbidden_mode(*mode, &self.forbidden).is_none()
        };
        let outer = self.agents.member.iter().flat_map(|member| member.modes.iter().copied());
        outer.chain(agent.permission_mode.filter(allowed)).collect()
    }

    /// The session has another mode: so have its agents.
    pub(in crate::session) fn tell_agents_the_mode(&self) {
        if self.agents.member.is_none() {
            self.agents.family.mode_is(self.state.permissions().mode);
        }
    }

    /// What holds for this agent now.
    pub(in crate::session) fn follow_mode(&mut self) {
        let Some(member) = self.agents.member.clone() else { return };
        let mode = under(self.agents.family.mode(), &member.modes);
        if mode != self.state.permissions().mode {
            self.set_mode(mode);
        }
    }
}

#[cfg(test)]
mod tests {
    use policy::Mode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk, Plan};

    use super::under;

    #[test]
    fn an_agent_never_gets_more_than_its_session_means() {
        for (session, wanted, expect) in [
            (Default, &[][..], Default),
            (Default, &[Plan], Plan),
            (Default, &[AcceptEdits], AcceptEdits),
            (Default, &[Plan, AcceptEdits], Plan),
            (AcceptEdits, &[Plan], AcceptEdits),
            (BypassPermissions, &[DontAsk], BypassPermissions),
            (Auto, &[AcceptEdits], Auto),
            (Plan, &[AcceptEdits], Plan),
            (DontAsk, &[AcceptEdits], DontAsk),
            (DontAsk, &[Default], DontAsk),
            (DontAsk, &[Plan], Plan),
        ] {
            assert_eq!(under(session, wanted), expect, "{session} {wanted:?}");
        }
    }
}
