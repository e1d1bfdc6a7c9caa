//! The answer to a call: what is decided, on what ground, and which rules would settle it for good.

use crate::rule::Rule;
use crate::suggest;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    Allow,
    Ask,
    Deny,
}

/// The ground an answer rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// A rule speaks about it, or might and cannot be checked.
    Rule,
    /// The mode decides.
    Mode,
    /// It is known to change nothing.
    ReadOnly,
    /// It stays in the workspace.
    Workspace,
    /// It runs in the sandbox.
    Sandbox,
    /// It touches nothing outside the session.
    Internal,
    /// It may change something, and nobody said that it may.
    Changes,
    /// It leaves the workspace.
    Outside,
    /// It goes to another machine.
    Network,
    /// What it does is not known before it runs.
    Unproven,
    /// It writes what other programs run or obey.
    Protected,
    /// It deletes what cannot be replaced.
    Critical,
    /// It throws away work.
    Destructive,
    /// It ends plan mode.
    Plan,
    /// It leaves the sandbox that is on.
    Escaping,
    /// Whoever offers the tool wants a person to agree each time, or is not what it was.
    Person,
    /// Nobody may do this.
    Forbidden,
}

impl Why {
    /// Whether neither a hook nor a model may answer such a question in a person's place.
    pub fn only_a_person(self) -> bool {
        matches!(
            self,
            Why::Rule
                | Why::Protected
                | Why::Critical
                | Why::Destructive
                | Why::Plan
                | Why::Escaping
                | Why::Person
        )
    }
}

/// The answer, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub verdict: Verdict,
    pub kind: Why,
    /// One sentence for a person or the model: which rule of which source, or which mode, or why.
    pub reason: String,
    /// What "don't ask again" would store; empty where no rule would help or none is wise.
    pub suggestions: Vec<Rule>,
}

impl Decision {
    pub(crate) fn allow(kind: Why, reason: impl Into<String>) -> Decision {
        Decision { verdict: Verdict::Allow, kind, reason: reason.into(), suggestions: Vec::new() }
    }

    pub(crate) fn ask(kind: Why, reason: impl Into<String>, suggestions: Vec<Rule>) -> Decision {
        Decision { verdict: Verdict::Ask, kind, reason: reason.into(), suggestions }
    }

    /// A question that no stored rule would silence.
    pub(crate) fn always_ask(kind: Why, reason: impl Into<String>) -> Decision {
        Decision::ask(kind, reason, Vec::new())
    }

    pub(crate) fn deny(kind: Why, reason: impl Into<String>) -> Decision {
        Decision { verdict: Verdict::Deny, kind, reason: reason.into(), suggestions: Vec::new() }
    }

    /// The stricter of two answers about the same call. Of two questions the one that only a
    /// person may answer stays.
    pub(crate) fn and(self, other: Decision) -> Decision {
        match (self.verdict, other.verdict) {
            (Verdict::Ask, Verdict::Ask) => {
                let suggestions = suggest::both(&self.suggestions, &other.suggestions);
                let graver = other.kind.only_a_person() && !self.kind.only_a_person();
                Decision { suggestions, ..if graver { other } else { self } }
            }
            (mine, theirs) if theirs > mine => other,
            _ => self,
        }
    }
}
