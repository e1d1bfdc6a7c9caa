//! Everything that may stand in the way of a call, in its order: the tool's plan, the guards and
//! the policy together, then those who answer a question (guards, auto mode's check, the user), and
//! a last look whether what they agreed to is still what would happen.

use agent::turn::ToolCall;
use policy::{Decision, Mode, Subject, Verdict};
use serde_json::Value;
use tokio::time::Instant;

use super::bound::{Bound, changes};
use super::{Answer, Gate, Judgement, Proposal};
use crate::context::{Context, Permissions};
use crate::guard::{Guarded, Guards, Heard, Moment, Ruling};
use crate::place::blocking;
use crate::registry::Registry;
use crate::tool::{Kind, Plan, Problem};

/// How often a call is decided about once more because something changed meanwhile.
const TRIES: u32 = 3;

/// The way of one call.
pub(super) struct Way<'a> {
    registry: &'a Registry,
    cx: &'a Context,
    gate: &'a dyn Gate,
    /// When the patience with guards ends.
    until: Instant,
    /// The guards that have changed the input.
    spent: Vec<usize>,
    /// The input as the user wrote it, who thereby agreed to it.
    written: Option<Value>,
    /// How often something changed meanwhile.
    changed: u32,
    /// What guards tell the model.
    pub(super) context: Vec<String>,
}

/// Why a call does not run.
pub(super) enum Stop {
    Failed(Problem),
    Denied(Denial),
    Cancelled,
}

pub(super) struct Denial {
    pub(super) reason: String,
    pub(super) after: After,
    /// Auto mode's own check said it.
    pub(super) checked_away: bool,
}

/// What the model should do after a no.
pub(super) enum After {
    /// What the user wants instead, if they said so.
    AskUser(Option<String>),
    /// Somebody else than the user said no: there may be other work.
    GoOn,
    /// The turn ends, for this reason.
    End(String),
}

/// One look at a call: what it would do, and what policy says to that.
struct Look {
    title: String,
    kind: Kind,
    plan: Plan,
    mode: Mode,
    decision: Decision,
}

enum Passed {
    /// It may run.
    Cleared(Plan, String),
    /// Once more with this input: policy must see what will really run.
    Input(Value),
    /// Once more, because something changed meanwhile.
    Again,
}

/// A yes.
struct Yes {
    reason: String,
    by: By,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Policy,
    Guard,
    Check,
    User,
}

enum Answered {
    Yes(Yes),
    Input(Value),
    /// The answer was for a mode that is over.
    Stale,
}

/// What auto mode's check came to.
enum Checked {
    Yes(Yes),
    AskUser,
    Stale,
}

fn denied(reason: impl Into<String>, after: After) -> Stop {
    Stop::Denied(Denial { reason: reason.into(), after, checked_away: false })
}

impl<'a> Way<'a> {
    pub(super) fn new(registry: &'a Registry, cx: &'a Context, gate: &'a dyn Gate) -> Way<'a> {
        Way {
            registry,
            cx,
            gate,
            until: Guards::patience(),
            spent: Vec::new(),
            written: None,
            changed: 0,
            context: Vec::new(),
        }
    }

    /// To the point where the call may act, or to the reason why not.
    pub(super) async fn go(&mut self, call: &mut ToolCall) -> Result<Plan, Stop> {
        loop {
            match self.pass(call).await? {
                Passed::Cleared(plan, reason) => {
                    let recorded = self.gate.record(call, true, &reason).await;
                    return recorded.map(|()| plan).map_err(Stop::Failed);
                }
                Passed::Input(input) => {
                    call.input = input;
                    self.registry.strip(call);
                }
                Passed::Again if self.changed < TRIES => {
                    self.changed += 1;
                    self.written = None;
                }
                Passed::Again => {
                    return Err(Stop::Failed(Problem::new(
                        "What this call would do kept changing while it was being decided about, so \
                         it did not run. Look what changes there, and try again.",
                    )));
                }
            }
        }
    }

    async fn pass(&mut self, call: &ToolCall) -> Result<Passed, Stop> {
        let mut look = self.look(call).await?;
        self.gate.planned(&look.proposal(call)).await;
        let before = look.decision.verdict;
        let mut heard = self.hear(Moment::BeforeCall, call, &look).await?;
        if let Some(input) = self.taken(&mut heard, call) {
            return Ok(Passed::Input(input));
        }
        let waited = heard.any;
        let asks = matches!(&heard.ruling, Some(ruling) if ruling.verdict == Verdict::Ask);
        let guarded = look.rule(heard.ruling);
        let yes = match (look.decision.verdict, guarded) {
            (Verdict::Deny, _) => {
                return Err(denied(look.decision.reason, After::AskUser(None)));
            }
            (Verdict::Allow, _) => Yes { reason: look.decision.reason.clone(), by: By::Policy },
            (Verdict::Ask, Some(reason)) => Yes { reason, by: By::Guard },
            (Verdict::Ask, None) => match self.answer(call, &mut look, asks).await? {
                Answered::Yes(yes) => yes,
                Answered::Input(input) => return Ok(Passed::Input(input)),
                Answered::Stale => return Ok(Passed::Again),
            },
        };
        if !waited && yes.by == By::Policy {
            return Ok(Passed::Cleared(look.plan, yes.reason));
        }
        let still = self.still(call, &look, before, yes.by).await?;
        Ok(still.map_or(Passed::Again, |plan| Passed::Cleared(plan, yes.reason)))
    }

    async fn look(&self, call: &ToolCall) -> Result<Look, Stop> {
        let title = self.registry.title(&call.name, &call.input, self.cx.session.cwd());
        let kind = self.registry.kind(&call.name).unwrap_or(Kind::Think);
        let plan = self.registry.plan(call, self.cx).await.map_err(Stop::Failed)?;
        let permissions = self.cx.permissions();
        self.check_notes(call, &plan)?;
        let permissions = self.cx.session.with_own_readable(permissions, &plan.subjects);
        let decision = decide(call, &plan, &permissions);
        Ok(Look { title, kind, plan, mode: permissions.mode, decision })
    }

    /// A note outlives the session, and later ones are shown it: no secret may get there.
    fn check_notes(&self, call: &ToolCall, plan: &Plan) -> Result<(), Stop> {
        let permissions = self.cx.session.permissions();
        let is_note = |subject: &Subject| match (subject, permissions.rules.notes()) {
            (Subject::Edit { resolved, .. }, Some(notes)) => resolved.starts_with(notes),
            _ => false,
        };
        if !plan.subjects.iter().any(is_note) {
            return Ok(());
        }
        let redactor = self.cx.session.redactor();
        match texts(&call.input).into_iter().any(|text| redactor.redact(text) != text) {
            true => Err(Stop::Failed(Problem::new(
                "This would put a secret into your notes. Leave it out, and name where it is kept.",
            ))),
            false => Ok(()),
        }
    }

    /// Hears the guards. A no of theirs ends the way here.
    async fn hear(&mut self, moment: Moment, call: &ToolCall, look: &Look) -> Result<Heard, Stop> {
        let home = self.cx.session.permissions().home;
        let guarded = Guarded {
            call,
            cwd: self.cx.session.cwd(),
            home: home.as_deref(),
            mode: look.mode,
            subjects: &look.plan.subjects,
            suggestions: &look.decision.suggestions,
        };
        let mut heard = tokio::select! {
            biased;
            () = self.cx.cancel.cancelled() => return Err(Stop::Cancelled),
            heard = self.gate.guards().hear(moment, &guarded, &self.spent, self.until) => heard,
        };
        for notice in std::mem::take(&mut heard.notices) {
            self.gate.tell_user(call, notice).await;
        }
        self.context.append(&mut heard.context);
        let no = heard.ruling.as_ref().filter(|ruling| ruling.verdict == Verdict::Deny);
        match (heard.stop.take(), no) {
            (Some(stop), no) => {
                let reason = no.map_or_else(|| stop.clone(), |ruling| ruling.reason.clone());
                Err(denied(reason, After::End(stop)))
            }
            (None, Some(ruling)) => Err(denied(ruling.reason.clone(), After::GoOn)),
            (None, None) => Ok(heard),
        }
    }

    /// The input that a guard wants instead.
    fn taken(&mut self, heard: &mut Heard, call: &ToolCall) -> Option<Value> {
        let (at, input) = heard.changed.take()?;
        self.spent.push(at);
        (input != call.input).then_some(input)
    }

    /// The answer to a question, from whoever may give it.
    async fn answer(
        &mut self,
        call: &ToolCall,
        look: &mut Look,
        guard_asks: bool,
    ) -> Result<Answered, Stop> {
        if self.written.as_ref() == Some(&call.input) {
            let reason = "edited and allowed by the user".to_owned();
            return Ok(Answered::Yes(Yes { reason, by: By::User }));
        }
        let mut heard = self.hear(Moment::BeforeAsk, call, look).await?;
        if let Some(input) = self.taken(&mut heard, call) {
            return Ok(Answered::Input(input));
        }
        if let Some(reason) = look.rule(heard.ruling) {
            return Ok(Answered::Yes(Yes { reason, by: By::Guard }));
        }
        let checked = look.mode == Mode::Auto && !guard_asks && !look.decision.kind.only_a_person();
        if checked {
            match self.check(call, look).await? {
                Checked::Yes(yes) => return Ok(Answered::Yes(yes)),
                Checked::Stale => return Ok(Answered::Stale),
                Checked::AskUser => {}
            }
        }
        match self.gate.ask(&look.proposal(call)).await {
            Answer::Allow { edited_input: Some(input), .. } if input != call.input => {
                self.written = Some(input.clone());
                Ok(Answered::Input(input))
            }
            Answer::Allow { reason, .. } => Ok(Answered::Yes(Yes { reason, by: By::User })),
            Answer::Deny { reason, feedback } => Err(denied(reason, After::AskUser(feedback))),
            Answer::Cancelled => Err(Stop::Cancelled),
        }
    }

    /// Auto mode's own check. Without a clear answer the user is asked, and told why.
    async fn check(&self, call: &ToolCall, look: &mut Look) -> Result<Checked, Stop> {
        let proposal = look.proposal(call);
        let judgement = tokio::select! {
            biased;
            () = self.cx.cancel.cancelled() => return Err(Stop::Cancelled),
            judgement = self.gate.judge(&proposal) => judgement,
        };
        if self.cx.session.permissions().mode != look.mode {
            return Ok(Checked::Stale);
        }
        match judgement {
            Judgement::Allow { reason } => Ok(Checked::Yes(Yes { reason, by: By::Check })),
            Judgement::Deny { reason } => {
                let (after, checked_away) = (After::GoOn, true);
                Err(Stop::Denied(Denial { reason, after, checked_away }))
            }
            Judgement::Unclear { why } => {
                look.decision.reason = format!("{} {why}", look.decision.reason);
                Ok(Checked::AskUser)
            }
        }
    }

    /// The plan as it is now, if it is still what was agreed to.
    async fn still(
        &self,
        call: &ToolCall,
        agreed: &Look,
        before: Verdict,
        by: By,
    ) -> Result<Option<Plan>, Stop> {
        let now = self.look(call).await?;
        let (then, there) = (agreed.bound(call).await?, now.bound(call).await?);
        let stricter = now.decision.verdict > before
            || (now.decision.verdict == Verdict::Ask && now.decision.kind.only_a_person());
        match now.decision.verdict {
            Verdict::Deny => Err(denied(now.decision.reason, After::AskUser(None))),
            _ if then != there => Ok(None),
            _ if by == By::Check && now.mode != agreed.mode => Ok(None),
            _ if by != By::User && stricter => Ok(None),
            _ => Ok(Some(now.plan)),
        }
    }
}

fn decide(call: &ToolCall, plan: &Plan, permissions: &Permissions) -> Decision {
    let Permissions { mode, rules, roots, home } = permissions;
    // Rules that would let anything run unjudged do not count where a model is to judge.
    let stripped = (*mode == Mode::Auto).then(|| policy::auto::strip(rules).0);
    let params = scalars(&call.input);
    let request = policy::Request { tool: &call.name, subjects: &plan.subjects, params: &params };
    let rules = stripped.as_ref().unwrap_or(rules);
    policy::decide(&request, &policy::Context { mode: *mode, rules, roots, home: home.as_deref() })
}

/// The arguments of a call that are plain values; rules may name them.
pub(crate) fn scalars(input: &Value) -> Vec<(String, String)> {
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    };
    let fields = input.as_object().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.clone(), plain(value)?))).collect()
}

/// Every text of an input, however deep it is.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

impl Look {
    fn proposal<'a>(&'a self, call: &'a ToolCall) -> Proposal<'a> {
        Proposal {
            call,
            title: &self.title,
            kind: self.kind,
            subjects: &self.plan.subjects,
            preview: &self.plan.preview,
            locations: &self.plan.locations,
            decision: &self.decision,
        }
    }

    /// Takes in what the guards said. The reason of a yes is returned where it counts: never
    /// against a no of the policy, nor where only a person may say it.
    fn rule(&mut self, ruling: Option<Ruling>) -> Option<String> {
        let Ruling { verdict, reason } = ruling?;
        let decision = &mut self.decision;
        match (verdict, decision.verdict) {
            (Verdict::Allow, Verdict::Ask) if !decision.kind.only_a_person() => {
                return Some(reason);
            }
            (Verdict::Ask, Verdict::Allow) => {
                decision.verdict = Verdict::Ask;
                decision.reason = reason;
                decision.suggestions.clear();
            }
            (Verdict::Ask, Verdict::Ask) => {
                decision.reason = format!("{} {reason}", decision.reason);
            }
            _ => {}
        }
        None
    }

    async fn bound(&self, call: &ToolCall) -> Result<Bound, Stop> {
        let (name, input) = (call.name.clone(), call.input.clone());
        let (subjects, identity) = (self.plan.subjects.clone(), self.plan.identity.clone());
        let preview = self.plan.preview.clone();
        let bound =
            blocking(move || Bound { changes: changes(&preview), name, input, subjects, identity });
        bound.await.map_err(Stop::Failed)
    }
}
