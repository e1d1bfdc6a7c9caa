//! The permission mode: told when it has changed, and plan mode at every prompt.

use policy::Mode;

use super::Occasion;

/// The mode that the model knows of; nothing when nobody can say.
pub(super) struct Told(Option<Mode>);

impl Told {
    pub(super) fn new(begins: bool) -> Self {
        Self(begins.then_some(Mode::Default))
    }

    pub(super) fn is_known(&mut self, mode: Mode) {
        self.0 = Some(mode);
    }

    /// `plan`: how to plan, in the words of the program that drives the session.
    pub(super) fn note(
        &mut self,
        now: Mode,
        occasion: Occasion,
        plan: Option<&str>,
    ) -> Option<String> {
        let before = self.0.replace(now);
        if before == Some(now) {
            let reminds = now == Mode::Plan && occasion == Occasion::Prompt;
            return reminds.then(|| STILL_PLANNING.to_owned());
        }
        let over = if before == Some(Mode::Plan) { PLAN_IS_OVER } else { "" };
        let means = match plan.filter(|_| now == Mode::Plan) {
            Some(plan) => format!("Nothing may be changed in it. {plan} {WHEN_PLANNED}"),
            None => meaning(now).to_owned(),
        };
        Some(format!("{over}{} {means}", the_mode(now)))
    }
}

const PLAN_IS_OVER: &str = "Plan mode is over: what is permitted may be changed again. ";
const WHEN_PLANNED: &str =
    "Do not start on it; ExitPlanMode shows the plan to the user, who decides.";
const STILL_PLANNING: &str = "Plan mode is still on: look, ask, plan, and change nothing. \
    ExitPlanMode shows the plan to the user.";

fn the_mode(mode: Mode) -> String {
    format!("The permission mode is {mode}.")
}

/// What a mode means for the work.
fn meaning(mode: Mode) -> &'static str {
    match mode {
        Mode::Default => "Changes and commands may be put to the user before they are made.",
        Mode::AcceptEdits => {
            "Edits in the workspace are made without a question; other things may still be asked \
             about."
        }
        Mode::Plan => {
            "Nothing may be changed in it. Explore with the tools that only look, then give a plan \
             the user can judge: the files to touch, the change in each, the order, how it will be \
             verified, and what you are unsure about. Do not start on it; ExitPlanMode shows it to \
             the user, who decides."
        }
        Mode::Auto => {
            "Another model looks at what would need permission, and sees only the user's words and \
             your calls. What it refuses stays refused: do not try it another way. Go on with other \
             work, and say at the end what you could not do."
        }
        Mode::DontAsk => {
            "Nobody is asked in it: a call that would need permission is refused. Work with what is \
             allowed, and report what you could not do."
        }
        Mode::BypassPermissions => {
            "Nothing is asked in it, so nobody stops a mistake: take all the more care with what \
             cannot be undone."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_told_when_it_changes() {
        use Occasion::{Prompt, Results};
        let mut told = Told::new(true);
        let mut check = |mode: Mode, occasion: Occasion, expect: Option<&str>| {
            let note = told.note(mode, occasion, None);
            let fits = match (&note, expect) {
                (Some(note), Some(expect)) => note.contains(expect),
                (note, expect) => note.as_deref() == expect,
            };
            assert!(fits, "{mode}: {note:?}, {expect:?}");
        };
        check(Mode::Default, Prompt, None);
        check(Mode::Plan, Results, Some("the files to touch"));
        check(Mode::Plan, Results, None);
        check(Mode::Plan, Prompt, Some(STILL_PLANNING));
        check(Mode::Plan, Prompt, Some(STILL_PLANNING));
        check(Mode::AcceptEdits, Prompt, Some("Plan mode is over"));
        check(Mode::AcceptEdits, Prompt, None);
        check(Mode::Default, Results, Some("The permission mode is default."));
    }

    #[test]
    fn what_nobody_remembers_is_told_again() {
        let note = Told::new(false).note(Mode::Default, Occasion::Prompt, None);
        assert_eq!(note.as_deref().map(|note| note.starts_with("The permission")), Some(true));
        let mut known = Told::new(false);
        known.is_known(Mode::Plan);
        assert_eq!(known.note(Mode::Plan, Occasion::Results, None), None);
        let words = Told::new(true).note(Mode::Plan, Occasion::Prompt, Some("Ask the oracle."));
        assert!(words.is_some_and(|it| it.contains("in it. Ask the oracle. Do not start")));
    }

    #[test]
    fn every_mode_has_a_meaning_of_its_own() {
        for (at, mode) in Mode::ALL.into_iter().enumerate() {
            assert!(Mode::ALL[..at].iter().all(|other| meaning(*other) != meaning(mode)));
        }
    }
}
