//! Auto mode: a quick model stands in for the user where the policy would ask. Without a clear
//! answer in time the user is asked after all.

use std::sync::Arc;
use std::time::Duration;

use agent::classifier::{self, Case, Guidance, MAX_TOKENS, Past, Ruling};
use agent::{Record, Usage, models};
use extend::{AutoMode, Settings};
use policy::auto::Denials;
use policy::{Mode, Run, Subject};
use protocol::event::Severity;
use tools::{Judgement, Proposal};

use super::{Quick, Session, blocks};

/// Nobody waits longer for a yes that they could give themselves.
const DEADLINE: Duration = Duration::from_secs(15);
/// How far back what was said is looked at.
const MESSAGES: usize = 60;

/// What a session remembers about the mode.
#[derive(Default)]
pub(super) struct Auto {
    guidance: Arc<Guidance>,
    off: bool,
    denials: Denials,
    /// The user knows that they are asked again.
    told: bool,
    /// The last call that the user was asked about because too much had been refused.
    handed_over: Option<String>,
}

/// Everything a call needs to be judged.
pub struct Court {
    quick: Quick,
    past: Past,
    guidance: Arc<Guidance>,
}

/// A judgement, and what it cost.
pub struct Judged {
    pub judgement: Judgement,
    model: String,
    usage: Usage,
}

impl Auto {
    /// Takes over what the settings say.
    pub(super) fn renew(&mut self, settings: &Settings) {
        let AutoMode { allow, soft_deny, hard_deny, environment } = settings.auto_mode.clone();
        self.guidance = Arc::new(Guidance { allow, soft_deny, hard_deny, environment });
        self.off = settings.limits.no_auto;
    }

    /// Whether the settings do without the mode.
    pub(super) fn is_off(&self) -> bool {
        self.off
    }
}

impl Session {
    /// What a call needs to be judged, or why the user has to do it.
    pub(super) fn court(&mut self) -> Result<Court, String> {
        if self.auto.denials.too_many() {
            let why = "So much was refused in the mode auto that you are asked again.";
            if !std::mem::replace(&mut self.auto.told, true) {
                self.notice(Severity::Warning, why);
            }
            return Err(why.to_owned());
        }
        let guidance = self.auto.guidance.clone();
        Ok(Court { quick: self.quick(), past: self.past(), guidance })
    }

    /// What the user has said and what was done. To an agent its task is told by a model, so the
    /// words that count are those that were said to the session it works for.
    pub(super) fn past(&self) -> Past {
        let member = self.agents.member.as_ref();
        let mut past = member.map(|member| member.past.clone()).unwrap_or_default();
        let entries = self.conversation.entries();
        for entry in &entries[entries.len().saturating_sub(MESSAGES)..] {
            if member.is_some() && entry.role == agent::Role::User {
                continue;
            }
            if let Ok(message) = entry.message() {
                past.add(&message, |text| tools::is_reminder(text) || blocks::is_quoted(text));
            }
        }
        past
    }

    /// Writes down what was judged, and counts the refusals.
    pub(super) fn on_judged(&mut self, call: String, judged: Judged) {
        let Judged { judgement, model, usage } = judged;
        let (verdict, reason) = match judgement {
            Judgement::Allow { reason } => ("allow", reason),
            Judgement::Deny { reason } => ("deny", reason),
            Judgement::Unclear { why } => ("unclear", why),
        };
        match verdict {
            "deny" => self.auto.denials.denied(),
            "allow" => self.row_is_broken(),
            _ => {}
        }
        let turn = self.running.as_ref().map(|running| running.turn.id().to_owned());
        let cost_usd = usage.cost(models::limits(&model));
        let (turn, verdict) = (turn.unwrap_or_default(), verdict.to_owned());
        let record = Record::Judged { turn, call, verdict, reason, model, usage, cost_usd };
        if let Err(error) = self.journal(&record) {
            tracing::error!(%error, "a judgement could not be journalled");
        }
    }

    /// What the mode would have judged goes to the user.
    pub(super) fn hand_over(&mut self, call: &str) {
        self.auto.handed_over = Some(call.to_owned());
    }

    /// A call runs. Only where the user allowed it in place of the mode does that say anything about
    /// what the mode refused; calls that nobody had to judge do not.
    pub(super) fn on_allowed(&mut self, call: &str) {
        if self.auto.handed_over.take_if(|handed| handed == call).is_some() {
            self.row_is_broken();
        }
    }

    fn row_is_broken(&mut self) {
        self.auto.denials.allowed();
        if !self.auto.denials.too_many() {
            self.auto.told = false;
        }
    }

    /// The mode changed. Whoever chose it should know which of their rules rest in the mode auto.
    pub(super) fn on_mode(&mut self, before: Mode, after: Mode) -> Option<String> {
        let auto = |mode| mode == Mode::Auto;
        if auto(before) == auto(after) {
            return None;
        }
        let (_, aside) = policy::auto::strip(&self.state.permissions().rules);
        let rules: Vec<_> = aside.iter().map(|entry| entry.rule.to_string()).collect();
        if auto(after) {
            self.auto.denials = Denials::default();
            self.auto.told = false;
        }
        let text = match after {
            Mode::Auto => "These rules allow too much for the mode auto and rest while it is on",
            _ => "These rules count again",
        };
        (!rules.is_empty()).then(|| format!("{text}: {}.", rules.join(", ")))
    }
}

impl Court {
    /// Judges a call. Whatever goes wrong is no clear answer.
    pub(super) async fn judge(self, proposal: &Proposal<'_>, cwd: &str) -> Judged {
        let mut usage = Usage::default();
        let touches: Vec<String> = proposal.subjects.iter().map(touched).collect();
        let case = Case {
            tool: &proposal.call.name,
            input: &proposal.call.input,
            cwd,
            touches: &touches,
            question: &proposal.decision.reason,
            past: &self.past,
            guidance: &self.guidance,
        };
        let answered = match case.text() {
            None => Err("it is too long to be judged".to_owned()),
            Some(question) => {
                let answer =
                    self.quick.ask(classifier::system(), &question, MAX_TOKENS, &mut usage);
                let answer = tokio::time::timeout(DEADLINE, answer).await;
                answer.unwrap_or_else(|_| Err("there was no answer in time".to_owned()))
            }
        };
        let judgement = match answered.map(|answer| classifier::read(&answer)) {
            Ok(Some(Ruling::Allow(reason))) => {
                Judgement::Allow { reason: format!("Auto mode's check allows this: {reason}") }
            }
            Ok(Some(Ruling::Deny(reason))) => {
                Judgement::Deny { reason: format!("Auto mode's check denies this: {reason}") }
            }
            Ok(Some(Ruling::Ask(reason))) => unclear(&reason),
            Ok(None) => unclear("the answer was not clear"),
            Err(why) => unclear(&why),
        };
        Judged { judgement, model: self.quick.model, usage }
    }
}

/// For the user, who has to decide now.
fn unclear(why: &str) -> Judgement {
    let why =
        format!("Auto mode could not decide it ({}), so look twice.", why.trim_end_matches('.'));
    Judgement::Unclear { why }
}

fn touched(subject: &Subject) -> String {
    match subject {
        Subject::Read { resolved, .. } => format!("reads {}", resolved.display()),
        Subject::Edit { resolved, .. } => format!("changes {}", resolved.display()),
        Subject::Command { cwd, run, .. } => {
            let how = match run {
                Run::Contained | Run::Watched => "inside the sandbox",
                Run::Open => "without a sandbox",
                Run::Escaping => "leaving the sandbox",
            };
            format!("runs a command in {}, {how}", cwd.display())
        }
        Subject::Fetch { url } => format!("fetches {url}"),
        Subject::Search { query } => format!("searches the web for {query:?}"),
        Subject::Mcp { server, tool, .. } => format!("calls the tool {tool} of the server {server}"),
        Subject::Agent { name } => format!("starts the agent {name}"),
        Subject::Skill { name } => format!("uses the skill {name}"),
        Subject::LeavePlan => "ends plan mode".to_owned(),
        Subject::Internal => "touches nothing outside the session".to_owned(),
    }
}
