//! One hook, ready to be asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use extend::hooks::{Background, HookAction, HookEvent, HookSetting};
use policy::Rule;

use super::hosted::{HookHost, HostedMatcher};
use super::matcher::Matcher;

/// How much of a command its name holds.
const NAME_CAP: usize = 60;
/// A callback that does not say how long it takes.
const CALLBACK_PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Hook {
    pub(super) event: HookEvent,
    /// As it was written, for people.
    pub(super) matcher_written: Option<String>,
    matcher: Matcher,
    condition: Option<Rule>,
    pub(super) what: What,
    /// In short, for people: its command, its address, its question.
    pub(super) title: String,
    /// Where it is from.
    pub(super) from: String,
    pub(super) place: Option<String>,
    pub(super) timeout: Duration,
    /// The deadline that it names itself.
    pub(super) own_timeout: Option<Duration>,
    pub(super) background: Option<Background>,
    /// A failure is a no.
    pub(super) failure_blocks: bool,
    /// A model's no is only told, and the work goes on.
    pub(super) continue_on_block: bool,
    once: bool,
    used: AtomicBool,
}

/// What is to be done.
pub(super) enum What {
    Action { action: HookAction, env: Vec<(std::ffi::OsString, std::ffi::OsString)> },
    Callback { host: Arc<dyn HookHost>, id: String },
}

impl What {
    /// Its kind, for people.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            What::Action { action: HookAction::Command { .. }, .. } => "command",
            What::Action { action: HookAction::Http { .. }, .. } => "http",
            What::Action { action: HookAction::McpTool { .. }, .. } => "mcp_tool",
            What::Action { action: HookAction::Prompt { .. }, .. } => "prompt",
            What::Action { action: HookAction::Agent { .. }, .. } => "agent",
            What::Callback { .. } => "callback",
        }
    }
}

impl Hook {
    /// `None` for one of an event or a kind that never comes to it; that was told as a problem of its
    /// file.
    pub(super) fn written(setting: &HookSetting) -> Option<Hook> {
        let event = setting.event?;
        let handler = &setting.handler;
        if !event.takes(handler.kind()) || (handler.condition.is_some() && !event.is_about_a_call())
        {
            return None;
        }
        // Nobody can be stopped by somebody that nobody waits for.
        let background = handler.background;
        let env = setting.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let from = match &setting.of {
            Some(of) => of.clone(),
            None => setting.source.to_string(),
        };
        Some(Hook {
            event,
            matcher_written: setting.matcher.clone(),
            matcher: Matcher::parse(event, setting.matcher.as_deref()),
            // A condition that cannot be read leaves the hook out of nothing.
            condition: handler.condition.clone().and_then(Result::ok),
            what: What::Action { action: handler.action.clone(), env },
            title: match &handler.status_message {
                Some(message) => short(message),
                None => short(&handler.about()),
            },
            from,
            place: Some(format!("{}:{}", setting.file.display(), setting.line)),
            timeout: handler.timeout.unwrap_or_else(|| event.patience(handler.kind())),
            own_timeout: handler.timeout,
            failure_blocks: background.is_none()
                && handler.failure_blocks.unwrap_or(event.fails_closed()),
            background,
            continue_on_block: handler.continue_on_block,
            once: handler.once,
            used: AtomicBool::new(false),
        })
    }

    pub(super) fn hosted(host: &Arc<dyn HookHost>, matcher: &HostedMatcher) -> Vec<Hook> {
        let Some(event) = HookEvent::parse(&matcher.event) else { return Vec::new() };
        let hook = |id: &String| Hook {
            event,
            matcher_written: matcher.matcher.clone(),
            matcher: Matcher::parse(event, matcher.matcher.as_deref()),
            condition: None,
            what: What::Callback { host: host.clone(), id: id.clone() },
            title: short(id),
            from: "the program that started the session".to_owned(),
            place: None,
            timeout: matcher.timeout.unwrap_or(CALLBACK_PATIENCE),
            own_timeout: matcher.timeout,
            background: None,
            failure_blocks: matcher.failure_blocks.unwrap_or(event.fails_closed()),
            continue_on_block: false,
            once: false,
            used: AtomicBool::new(false),
        };
        matcher.callbacks.iter().map(hook).collect()
    }

    /// Whether it wants to hear of this. In doubt it does.
    pub(super) fn wants(&self, word: Option<&str>, about: &dyn Fn(&Rule) -> bool) -> bool {
        !(self.once && self.used.load(Ordering::Relaxed))
            && self.matcher.matches(self.event, word)
            && self.condition.as_ref().is_none_or(about)
    }

    /// Says that it is asked now; false when it was asked before and wants to be asked once.
    pub(super) fn begin(&self) -> bool {
        let before = self.used.swap(true, Ordering::Relaxed);
        !(self.once && before)
    }

    /// As it is named in a sentence.
    pub(super) fn name(&self) -> String {
        format!("the hook `{}` from {}", self.title, self.from)
    }

    /// The same at the beginning of one.
    pub(super) fn sentence(&self) -> String {
        format!("The hook `{}` from {}", self.title, self.from)
    }

    /// The plain names in its matcher: files to be watched, for `FileChanged`.
    pub(super) fn names(&self) -> &[String] {
        self.matcher.names()
    }
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let shown = &line[..line.floor_char_boundary(NAME_CAP)];
    let more = if shown.len() < text.trim_end().len() { "…" } else { "" };
    format!("{shown}{more}")
}
