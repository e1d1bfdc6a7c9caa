//! One run of one hook: shown, within its deadline, by its kind, kept in mind for `/hooks`.

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use extend::hooks::{Background, HookAction, HookEvent};
use protocol::event::HookOutcome;
use serde_json::Value;
use tokio::sync::oneshot;

use super::hook::What;
use super::hosted::HostedCall;
use super::news::HookNews;
use super::output::{self, Printed, Said};
use super::runs::Run;
use super::{Hook, Hooks, command, http, judge, mcp_tool};
use crate::session::Msg;
use crate::telemetry::spans;

/// A process ends by itself before the one who waits gives up, so that it ends as a whole.
const GRACE: Duration = Duration::from_secs(5);

impl Hooks {
    pub(super) async fn run_one(
        &self,
        hook: &Arc<Hook>,
        input: &Arc<Value>,
        call: Option<&str>,
        env_file: Option<&Path>,
    ) -> Result<Said, String> {
        if !hook.begin() {
            return Ok(Said::default());
        }
        if let Some(background) = hook.background {
            self.leave(hook.clone(), input.clone(), call.map(str::to_owned), background);
            return Ok(Said::default());
        }
        let mut shown = self.begin(hook, call);
        let said = self.ask_in_time(hook, input, call, env_file).await;
        shown.end(&said);
        match said {
            Ok(said) => Ok(self.cut(said).await),
            Err(wrong) => Err(wrong),
        }
    }

    async fn ask_in_time(
        &self,
        hook: &Arc<Hook>,
        input: &Arc<Value>,
        call: Option<&str>,
        env_file: Option<&Path>,
    ) -> Result<Said, String> {
        // A process and a connection have the deadline themselves.
        let within = hook.timeout + GRACE;
        let asked = self.ask(hook, input, call, env_file);
        let said = tokio::time::timeout(within, asked).await;
        let said = said.unwrap_or_else(|_| Err("did not answer in time".to_owned()));
        let redactor = self.0.around.state.redactor();
        match said {
            Ok(said) => Ok(said.without_secrets(&redactor)),
            Err(wrong) => Err(redactor.redact(&wrong).into_owned()),
        }
    }

    async fn ask(
        &self,
        hook: &Arc<Hook>,
        input: &Arc<Value>,
        call: Option<&str>,
        env_file: Option<&Path>,
    ) -> Result<Said, String> {
        let around = &self.0.around;
        let (action, env) = match &hook.what {
            What::Callback { host, id } => {
                let tool_use_id = call.map(str::to_owned);
                let question =
                    HostedCall { callback: id.clone(), input: (**input).clone(), tool_use_id };
                let answer = tokio::time::timeout(hook.timeout, host.call(question)).await;
                let answer = answer.map_err(|_| "did not answer in time".to_owned())??;
                return self.parse_object(hook.event, &answer);
            }
            What::Action { action, env } => (action, env),
        };
        match action {
            HookAction::Command { command, args, shell } => {
                let command = command::Command {
                    command: command.clone(),
                    args: args.clone(),
                    shell: *shell,
                    env: env.clone(),
                    env_file: env_file.map(Path::to_owned),
                    input: input.to_string(),
                    timeout: hook.timeout,
                };
                self.run_command(hook, command, call.unwrap_or_default()).await
            }
            HookAction::Http { url, headers, variables } => {
                let set = self.set();
                let (limits, input, timeout) = (&set.limits, input.to_string(), hook.timeout);
                let post = http::Post { url, headers, variables, limits, input, timeout };
                output::read(hook.event, &http::run(around, post).await?)
            }
            HookAction::McpTool { server, tool, input: template } => {
                let tools = self.0.tools.read().unwrap_or_else(PoisonError::into_inner).clone();
                let run = mcp_tool::run(tools.as_deref(), (server, tool), template, input);
                output::read(hook.event, &in_time(hook.timeout, run).await?)
            }
            HookAction::Prompt { prompt, model } => {
                let input = input.to_string();
                let asked = judge::ask(around, prompt, model.as_deref(), &input);
                Ok(judged(hook, in_time(hook.timeout, asked).await?))
            }
            HookAction::Agent { prompt, model } => {
                let (model, input) = (model.as_deref(), input.to_string());
                let call = call.unwrap_or_default();
                let verdict =
                    judge::send_agent(around, prompt, model, &input, call, hook.timeout).await?;
                Ok(judged(hook, verdict))
            }
        }
    }

    /// What a host says is an object already.
    fn parse_object(&self, event: HookEvent, answer: &Value) -> Result<Said, String> {
        match answer {
            Value::Null => Ok(Said::default()),
            Value::Object(_) => output::parse(event, &answer.to_string()),
            _ => Err("answered with something else than a JSON object".to_owned()),
        }
    }

    /// A command may say in its first line that it goes on by itself; then nobody waits for it.
    async fn run_command(
        &self,
        hook: &Arc<Hook>,
        command: command::Command,
        call: &str,
    ) -> Result<Said, String> {
        let (first, first_line) = oneshot::channel();
        let (hooks, event) = (self.clone(), hook.event);
        let (done, is_done) = oneshot::channel();
        let call = call.to_owned();
        let name = hook.name();
        let work = async move {
            let printed = command::run(&hooks.0.around, &call, command, Some(first)).await;
            let said = printed.and_then(|printed| output::read(event, &without_notice(printed)));
            if let Err(said) = done.send(said) {
                hooks.told_late(event, &name, said, None).await;
            }
        };
        let mut task = Box::pin(work);
        let early = async move {
            match first_line.await {
                Ok(line) => output::parse(event, &line).ok().filter(|said| said.detached.is_some()),
                Err(_) => None,
            }
        };
        tokio::select! {
            () = &mut task => {}
            Some(said) = early => {
                drop(is_done);
                let limit = said.detached.flatten().map(Duration::from_millis);
                self.keep_running(async move {
                    let limit = limit.unwrap_or(Duration::from_secs(600));
                    let _ = tokio::time::timeout(limit, task).await;
                });
                return Ok(Said { detached: None, ..said });
            }
        }
        is_done.await.unwrap_or_else(|_| Err("broke down".to_owned()))
    }

    /// Nobody waits for it; what it says is told when it has ended.
    fn leave(
        &self,
        hook: Arc<Hook>,
        input: Arc<Value>,
        call: Option<String>,
        background: Background,
    ) {
        let hooks = self.clone();
        self.keep_running(async move {
            let mut shown = hooks.begin(&hook, call.as_deref());
            let said = hooks.ask_in_time(&hook, &input, call.as_deref(), None).await;
            shown.end(&said);
            let wakes = (background == Background::Wakes).then_some(());
            hooks.told_late(hook.event, &hook.name(), said, wakes).await;
        });
    }

    fn keep_running(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut background = self.0.background.lock().unwrap_or_else(PoisonError::into_inner);
        while background.try_join_next().is_some() {}
        background.spawn(work);
    }

    /// What a hook says that nobody waited for: its words are for the next message, and a no wakes
    /// the model where it was asked to.
    async fn told_late(
        &self,
        event: HookEvent,
        name: &str,
        said: Result<Said, String>,
        wakes: Option<()>,
    ) {
        let said = match said {
            Ok(said) => self.cut(said).await,
            Err(wrong) => {
                tracing::warn!(hook = name, wrong, "a hook in the background failed");
                return;
            }
        };
        let no = said.blocked.or_else(|| said.decision.map(|(_, reason)| reason));
        let wake = wakes.and(no);
        let news = HookNews::Late {
            event,
            notice: said.notice,
            context: said.context,
            wake: wake.map(|reason| format!("{name} says:\n{reason}")),
        };
        let _ = self.0.around.own.send(Msg::Hook(Box::new(news))).await;
    }

    fn begin(&self, hook: &Arc<Hook>, call: Option<&str>) -> Shown {
        let around = &self.0.around;
        let id = self.runs().begin();
        let shown = Shown {
            hooks: self.clone(),
            hook: hook.clone(),
            id,
            started: Instant::now(),
            work: Some(spans::hook(&around.session, hook.event.name(), call.unwrap_or_default())),
            ended: false,
        };
        let news = HookNews::Started {
            id: shown.id.clone(),
            event: hook.event,
            title: hook.title.clone(),
            call: call.map(str::to_owned),
        };
        let _ = around.own.try_send(Msg::Hook(Box::new(news)));
        shown
    }
}

async fn in_time<T>(
    within: Duration,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let done = tokio::time::timeout(within, work).await;
    done.unwrap_or_else(|_| Err("did not answer in time".to_owned()))
}

/// The line that says that it goes on by itself is no part of what it says in the end.
fn without_notice(printed: Printed) -> Printed {
    let Some((first, rest)) = printed.stdout.split_once('\n') else { return printed };
    let is_notice = serde_json::from_str::<Value>(first).is_ok_and(|it| it["async"] == true);
    match is_notice {
        true => Printed { stdout: rest.to_owned(), ..printed },
        false => printed,
    }
}

fn judged(hook: &Hook, verdict: judge::Verdict) -> Said {
    let judge::Verdict { ok, reason, impossible } = verdict;
    let mut said = Said::default();
    match (ok, hook.event) {
        (true, _) => {}
        // There is no use in going on.
        (false, HookEvent::Stop | HookEvent::SubagentStop) if impossible => {
            said.notice = Some(format!("{} gives up: {reason}", hook.sentence()));
        }
        (false, _) if hook.continue_on_block => said.context = Some(reason),
        (false, _) => said.blocked = Some(reason),
    }
    said
}

/// A run that people see. One that is dropped was stopped.
struct Shown {
    hooks: Hooks,
    hook: Arc<Hook>,
    id: String,
    started: Instant,
    work: Option<spans::Work>,
    ended: bool,
}

impl Shown {
    fn end(&mut self, said: &Result<Said, String>) {
        let (outcome, text) = match said {
            Ok(said) if says_no(said) => {
                let why = said.blocked.clone().or_else(|| said.stop.clone());
                let why = why.or_else(|| said.decision.as_ref().map(|(_, why)| why.clone()));
                (HookOutcome::Blocked, why)
            }
            Ok(said) => (HookOutcome::Success, said.notice.clone()),
            Err(wrong) => (HookOutcome::Failed, Some(wrong.clone())),
        };
        self.tell(outcome, text);
    }

    fn tell(&mut self, outcome: HookOutcome, text: Option<String>) {
        self.ended = true;
        let took = self.started.elapsed();
        if let Some(work) = self.work.take() {
            work.end(if outcome == HookOutcome::Failed { "failed" } else { "completed" });
        }
        let text = text.filter(|text| !text.trim().is_empty());
        let text = text.map(|text| super::spill::head(&text));
        self.hooks.runs().add(Run {
            event: self.hook.event,
            title: self.hook.title.clone(),
            outcome: outcome.clone(),
            took,
            text: text.clone(),
        });
        let news = HookNews::Ended {
            id: self.id.clone(),
            event: self.hook.event,
            outcome,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            text,
        };
        let _ = self.hooks.0.around.own.try_send(Msg::Hook(Box::new(news)));
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if !self.ended {
            self.tell(HookOutcome::Cancelled, None);
        }
    }
}

fn says_no(said: &Said) -> bool {
    let denied = said.decision.as_ref().map(|(decision, _)| *decision);
    said.blocked.is_some() || said.stop.is_some() || denied == Some(output::Decision::Deny)
}
