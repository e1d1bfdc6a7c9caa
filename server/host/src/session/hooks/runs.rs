//! The last runs of hooks, for `/hooks`.

use std::collections::VecDeque;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use extend::hooks::HookEvent;
use protocol::event::HookOutcome;

use super::Hooks;

/// So many are remembered.
const REMEMBERED: usize = 50;

#[derive(Default)]
pub(super) struct Runs {
    count: u64,
    last: VecDeque<Run>,
}

#[derive(Clone)]
pub(super) struct Run {
    pub(super) event: HookEvent,
    pub(super) title: String,
    pub(super) outcome: HookOutcome,
    pub(super) took: Duration,
    pub(super) text: Option<String>,
}

/// One hook, as a host lists it.
#[derive(Clone, Debug)]
pub struct HookRow {
    pub event: &'static str,
    pub matcher: Option<String>,
    pub kind: &'static str,
    pub title: String,
    pub from: String,
    pub place: Option<String>,
    pub timeout: Duration,
}

impl Runs {
    /// The name of the run that begins.
    pub(super) fn begin(&mut self) -> String {
        self.count += 1;
        format!("hook_{}", self.count)
    }

    pub(super) fn add(&mut self, run: Run) {
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back(run);
    }
}

impl Hooks {
    pub(super) fn runs(&self) -> MutexGuard<'_, Runs> {
        self.0.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All hooks by event, and their last runs, for people.
    /// The hooks there are, by event.
    pub(in crate::session) fn rows(&self) -> Vec<HookRow> {
        let set = self.set();
        let all = set.by_event.values().flatten();
        all.map(|hook| HookRow {
            event: hook.event.name(),
            matcher: hook.matcher_written.clone(),
            kind: hook.what.kind(),
            title: hook.title.clone(),
            from: hook.from.clone(),
            place: hook.place.clone(),
            timeout: hook.timeout,
        })
        .collect()
    }

    pub(in crate::session) fn listing(&self) -> String {
        let set = self.set();
        if set.by_event.is_empty() {
            return "There are no hooks. They are written in the setting `hooks`, in plugins, and in \
                    the heads of skills and agents."
                .to_owned();
        }
        let mut text = String::new();
        for (event, hooks) in &set.by_event {
            text.push_str(&format!("{}\n", event.name()));
            for hook in hooks {
                let on = hook.matcher_written.as_ref().map(|on| format!(" on {on}"));
                let place = hook.place.as_ref().map(|place| format!(" ({place})"));
                text.push_str(&format!(
                    "  {}{}: {}, from {}{}\n",
                    hook.what.kind(),
                    on.unwrap_or_default(),
                    hook.title,
                    hook.from,
                    place.unwrap_or_default(),
                ));
            }
        }
        let runs = self.runs();
        if !runs.last.is_empty() {
            text.push_str("\nLast runs, the newest first:\n");
        }
        for run in runs.last.iter().rev() {
            let said = run.text.as_ref().map(|said| format!(": {}", first_line(said)));
            text.push_str(&format!(
                "  {} {} after {:.1} s, {}{}\n",
                run.event.name(),
                run.outcome,
                run.took.as_secs_f64(),
                run.title,
                said.unwrap_or_default(),
            ));
        }
        text.trim_end().to_owned()
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
