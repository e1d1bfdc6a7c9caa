//! What all hooks of one occasion say together: the strictest decision, every word.

use std::sync::Arc;

use super::Hook;
use super::output::{Decision, Said, Specific};

/// One verdict of many hooks.
#[derive(Debug, Default, PartialEq)]
pub(in crate::session) struct Heard {
    /// The strictest, and why: denied before deferred before asked before allowed.
    pub(in crate::session) decision: Option<(Decision, String)>,
    /// Why it must not be, or what the model should hear of it.
    pub(in crate::session) blocked: Option<String>,
    /// Everything ends here.
    pub(in crate::session) stop: Option<String>,
    /// For the model, in the order of the hooks.
    pub(in crate::session) context: Vec<String>,
    /// For the user.
    pub(in crate::session) notices: Vec<String>,
    /// Hooks that failed and stand in nobody's way, a sentence each.
    pub(in crate::session) failures: Vec<String>,
    /// Of what only one can say, the first counts.
    pub(in crate::session) more: Specific,
}

impl Heard {
    /// Takes in what one of them said, or what went wrong with it.
    pub(super) fn add(&mut self, hook: &Arc<Hook>, said: Result<Said, String>) {
        match said {
            Ok(said) => self.add_said(said),
            Err(wrong) if hook.failure_blocks => {
                let wrong = wrong.trim_end_matches('.');
                let reason = format!("{} {wrong}; a guard that fails says no.", hook.sentence());
                self.block(reason);
            }
            Err(wrong) => {
                let wrong = wrong.trim_end_matches('.');
                self.failures.push(format!("{} {wrong}.", hook.sentence()));
            }
        }
    }

    fn add_said(&mut self, said: Said) {
        let Said { decision, blocked, stop, notice, context, detached: _, more } = said;
        if let Some((decision, reason)) = decision
            && self.decision.as_ref().is_none_or(|(known, _)| decision > *known)
        {
            self.decision = Some((decision, reason));
        }
        if let Some(reason) = blocked {
            self.block(reason);
        }
        if self.stop.is_none() {
            self.stop = stop;
        }
        self.notices.extend(notice);
        self.context.extend(context);
        self.more.join(more);
    }

    /// Everybody's reasons count: each may be something to be mended.
    fn block(&mut self, reason: String) {
        self.blocked = Some(match self.blocked.take() {
            Some(before) if !before.is_empty() => format!("{before}\n{reason}"),
            _ => reason,
        });
    }

    /// Why it must not be, however that was said.
    pub(in crate::session) fn no(&self) -> Option<&str> {
        let denied = self.decision.as_ref().filter(|(decision, _)| *decision == Decision::Deny);
        let denied = denied.map(|(_, reason)| reason.as_str());
        self.blocked.as_deref().or(denied).or(self.stop.as_deref())
    }
}

impl Specific {
    fn join(&mut self, other: Specific) {
        macro_rules! first {
            ($($field:ident),*) => {
                $(if self.$field.is_none() { self.$field = other.$field; })*
            };
        }
        if let Some(paths) = other.watch_paths {
            self.watch_paths.get_or_insert_default().extend(paths);
        }
        if other.reload_skills == Some(true) {
            self.reload_skills = Some(true);
        }
        first!(
            updated_input,
            updated_tool_output,
            updated_mcp_tool_output,
            session_title,
            suppress_original_prompt,
            initial_user_message,
            retry,
            action,
            content,
            worktree_path,
            display_content
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decides(decision: Decision) -> Said {
        Said { decision: Some((decision, format!("{decision:?}"))), ..Said::default() }
    }

    #[test]
    fn the_strictest_decision_counts_whatever_the_order() {
        use Decision::{Allow, Ask, Defer, Deny};
        let all = [Allow, Ask, Defer, Deny];
        for first in all {
            for second in all {
                let mut heard = Heard::default();
                heard.add_said(decides(first));
                heard.add_said(decides(second));
                let strictest = first.max(second);
                assert_eq!(heard.decision, Some((strictest, format!("{strictest:?}"))));
                assert_eq!(heard.no().is_some(), strictest == Deny);
            }
        }
    }

    #[test]
    fn every_word_counts_and_of_single_things_the_first() {
        let mut heard = Heard::default();
        for (word, title) in [("a", Some("one")), ("b", Some("two"))] {
            let mut said = Said {
                blocked: Some(word.to_owned()),
                context: Some(format!("context {word}")),
                notice: Some(format!("notice {word}")),
                stop: Some(format!("stop {word}")),
                ..Said::default()
            };
            said.more.session_title = title.map(str::to_owned);
            said.more.watch_paths = Some(vec![word.to_owned()]);
            heard.add_said(said);
        }
        assert_eq!(heard.blocked.as_deref(), Some("a\nb"));
        assert_eq!(heard.no(), Some("a\nb"));
        assert_eq!(heard.context, ["context a", "context b"]);
        assert_eq!(heard.notices, ["notice a", "notice b"]);
        assert_eq!(heard.stop.as_deref(), Some("stop a"));
        assert_eq!(heard.more.session_title.as_deref(), Some("one"));
        assert_eq!(heard.more.watch_paths, Some(vec!["a".to_owned(), "b".to_owned()]));
    }
}
