//! Guards: those who look at a call before it runs, beside the rules and the user. The user's own
//! hooks are guards.
//!
//! A guard that breaks down, is late or says something that cannot be understood has denied the
//! call. Several guards are heard at the same time, and the strictest of them decides.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent::turn::ToolCall;
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use policy::{Behavior, Entry, Mode, Rule, Rules, Source, Subject, Verdict};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::pipeline::{EndedCall, scalars};

/// How long one guard may take if it does not say otherwise.
const DEADLINE: Duration = Duration::from_secs(60);
/// How long all guards of one call may take together, whatever they say.
const OVERALL: Duration = Duration::from_secs(600);

/// Somebody who may stand in the way of a call.
pub trait Guard: Send + Sync {
    /// As it is named in a sentence: `the hook "check.sh" of the user settings`.
    fn name(&self) -> &str;

    /// Whether it wants to hear about this call at this moment. In doubt it does.
    fn watches(&self, moment: Moment, call: &Guarded<'_>) -> bool;

    /// How long it may take.
    fn deadline(&self) -> Duration {
        DEADLINE
    }

    /// What it has to say. The error says what went wrong with the guard itself, as the end of a
    /// sentence that begins with its name, and denies the call.
    fn judge<'a>(
        &'a self,
        moment: Moment,
        call: &'a Guarded<'a>,
    ) -> BoxFuture<'a, Result<Opinion, String>>;
}

/// When a guard is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before anything else is decided: `PreToolUse`.
    BeforeCall,
    /// When the user would be asked next: `PermissionRequest`.
    BeforeAsk,
}

/// The call, as a guard sees it.
#[derive(Clone, Copy)]
pub struct Guarded<'a> {
    pub call: &'a ToolCall,
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    pub mode: Mode,
    pub subjects: &'a [Subject],
    /// The rules that the user would be offered.
    pub suggestions: &'a [Rule],
}

impl Guarded<'_> {
    /// Whether a rule speaks about this call, or might.
    pub fn falls_under(&self, rule: &Rule) -> bool {
        falls_under(rule, self.call, self.subjects, (self.cwd, self.home))
    }
}

impl EndedCall<'_> {
    /// The same for a call that is over.
    pub fn falls_under(&self, rule: &Rule) -> bool {
        falls_under(rule, self.call, self.subjects, (self.cwd, self.home))
    }
}

fn falls_under(
    rule: &Rule,
    call: &ToolCall,
    subjects: &[Subject],
    (cwd, home): (&Path, Option<&Path>),
) -> bool {
    let entry = Entry { behavior: Behavior::Deny, rule: rule.clone(), source: Source::Session };
    let rules: Rules = std::iter::once(entry).collect();
    let params = scalars(&call.input);
    let request = policy::Request { tool: &call.name, subjects, params: &params };
    // Whatever this rule does not stop is let through, so that nothing else speaks.
    let roots = [cwd.to_owned()];
    let mode = Mode::BypassPermissions;
    let context = policy::Context { mode, rules: &rules, roots: &roots, home };
    policy::decide(&request, &context).verdict != Verdict::Allow
}

/// What a guard says about a call; nothing at all is fine too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opinion {
    pub ruling: Option<Ruling>,
    /// What the input should be instead.
    pub input: Option<Value>,
    /// For the model, with the call's result.
    pub context: Option<String>,
    /// For the user.
    pub notice: Option<String>,
    /// The whole turn should end here, with this as its reason.
    pub stop: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub verdict: Verdict,
    pub reason: String,
}

/// All guards of a session, in the order in which they were set.
#[derive(Clone, Default)]
pub struct Guards(Vec<Arc<dyn Guard>>);

impl FromIterator<Arc<dyn Guard>> for Guards {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Guard>>>(guards: I) -> Guards {
        Guards(guards.into_iter().collect())
    }
}

/// What all guards said together.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Heard {
    /// Whether anybody was heard, so that time has passed.
    pub(crate) any: bool,
    /// The strictest ruling, with the guard's name in its reason.
    pub(crate) ruling: Option<Ruling>,
    /// The first changed input, and whose it is.
    pub(crate) changed: Option<(usize, Value)>,
    pub(crate) context: Vec<String>,
    pub(crate) notices: Vec<String>,
    pub(crate) stop: Option<String>,
}

impl Guards {
    /// When the patience with the guards of a call that begins now ends.
    pub(crate) fn patience() -> Instant {
        Instant::now() + OVERALL
    }

    /// Hears every guard that wants to be heard. Inputs of those in `spent` are passed over: a guard
    /// changes the input of a call once.
    pub(crate) async fn hear(
        &self,
        moment: Moment,
        call: &Guarded<'_>,
        spent: &[usize],
        until: Instant,
    ) -> Heard {
        let watching = self.0.iter().enumerate().filter(|(_, guard)| guard.watches(moment, call));
        let opinions = watching.map(|(at, guard)| async move {
            let opinion = ask(guard.as_ref(), moment, call, until).await;
            (at, guard.name(), opinion)
        });
        let mut heard = Heard::default();
        for (at, name, opinion) in join_all(opinions).await {
            heard.add(name, opinion, (!spent.contains(&at)).then_some(at));
        }
        heard
    }
}

/// One guard's opinion; a guard that fails denies.
async fn ask(guard: &dyn Guard, moment: Moment, call: &Guarded<'_>, until: Instant) -> Opinion {
    let deadline = guard.deadline();
    let at = (Instant::now() + deadline).min(until);
    let judged = AssertUnwindSafe(async { guard.judge(moment, call).await }).catch_unwind();
    let wrong = match timeout_at(at, judged).await {
        Ok(Ok(Ok(opinion))) => return opinion,
        Ok(Ok(Err(wrong))) => wrong,
        Ok(Err(_)) => "broke down".to_owned(),
        Err(_) if at == until => "used up the time that all guards have".to_owned(),
        Err(_) => format!("did not answer within {} seconds", deadline.as_secs_f64()),
    };
    tracing::warn!(guard = guard.name(), wrong, "a guard failed, so it denied");
    let reason = format!("it {}; a guard that fails denies", wrong.trim_end_matches('.'));
    let ruling = Ruling { verdict: Verdict::Deny, reason };
    Opinion { ruling: Some(ruling), ..Opinion::default() }
}

impl Heard {
    fn add(&mut self, name: &str, opinion: Opinion, changes: Option<usize>) {
        let Opinion { ruling, input, context, notice, stop } = opinion;
        self.any = true;
        if let Some(Ruling { verdict, reason }) = ruling
            && self.ruling.as_ref().is_none_or(|ruling| verdict > ruling.verdict)
        {
            self.ruling = Some(Ruling { verdict, reason: named(name, verdict, &reason) });
        }
        if let (Some(at), Some(input), None) = (changes, input, &self.changed) {
            self.changed = Some((at, input));
        }
        self.context.extend(context);
        self.notices.extend(notice);
        if self.stop.is_none() {
            self.stop = stop;
        }
    }
}

fn named(name: &str, verdict: Verdict, reason: &str) -> String {
    let verb = match verdict {
        Verdict::Allow => "allows",
        Verdict::Ask => "asks about",
        Verdict::Deny => "denies",
    };
    let mut name = name.to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    match reason.trim().trim_end_matches('.') {
        "" => format!("{name} {verb} this."),
        reason => format!("{name} {verb} this: {reason}."),
    }
}

#[cfg(test)]
pub(crate) mod tests;
