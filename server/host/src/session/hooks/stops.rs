//! The end of an answer: whether hooks let the turn end, and what they say when results go back to the
//! model.

use std::collections::VecDeque;

use agent::turn::{Effect, Input, StopVerdict};
use agent::{Block, Record};
use extend::hooks::HookEvent;
use protocol::event::Severity;
use protocol::tasks::{Task, TaskKind};
use serde_json::{Value, json};

use super::{Heard, Hooking, Then};
use crate::session::{Session, blocks};

/// How often hooks make the model go on in a row, unless the environment says otherwise.
const MOST_BLOCKS: u64 = 8;
/// A description is cut here.
const LONGEST_DESCRIPTION: usize = 1000;

impl Session {
    /// An agent's end is another event than a session's.
    fn stop_event(&self) -> (HookEvent, Option<String>) {
        match self.hooks.agent_type() {
            Some(agent) => (HookEvent::SubagentStop, Some(agent)),
            None => (HookEvent::Stop, None),
        }
    }

    pub(in crate::session) fn wants_stop(&self) -> bool {
        let named = self.teammate().is_some() && self.hooks.any(HookEvent::TeammateIdle);
        named || self.hooks.any(self.stop_event().0)
    }

    /// The name of an agent that others can write to.
    pub(super) fn teammate(&self) -> Option<String> {
        match self.agents.member.as_ref().map(|member| &member.record) {
            Some(Record::Agent { name, .. }) => name.clone(),
            _ => None,
        }
    }

    /// The model is done: may the turn end?
    pub(in crate::session) async fn ask_stop_hooks(&mut self, again: bool) {
        let (event, word) = self.stop_event();
        let Some(running) = self.running.as_ref() else { return };
        let turn = running.turn.id().to_owned();
        let fields = || self.stop_fields(again);
        let then = Then::Stop { turn: turn.clone() };
        match self.ask_hooks(event, word.as_deref(), fields, then) {
            Ok(hooking) => self.waits_for(hooking),
            Err(_) if self.ask_idle_hooks(&turn) => {}
            Err(_) => Box::pin(self.feed(Input::StopHooks(StopVerdict::Fine))).await,
        }
    }

    fn waits_for(&mut self, hooking: Hooking) {
        if let Some(running) = self.running.as_mut() {
            running.hooking = Some(hooking);
        }
    }

    /// One that others can write to is about to wait for them. False: nobody wants to hear of it.
    fn ask_idle_hooks(&mut self, turn: &str) -> bool {
        let Some(name) = self.teammate() else { return false };
        let team = self.agents.root().to_owned();
        let fields = || json!({ "teammate_name": name, "team_name": team });
        let then = Then::Idle { turn: turn.to_owned() };
        match self.ask_hooks(HookEvent::TeammateIdle, None, fields, then) {
            Ok(hooking) => {
                self.waits_for(hooking);
                true
            }
            Err(_) => false,
        }
    }

    fn stop_fields(&self, again: bool) -> Value {
        let cut = |text: &str| match text.char_indices().nth(LONGEST_DESCRIPTION) {
            Some((at, _)) => format!("{}… [+{} chars]", &text[..at], text[at..].chars().count()),
            None => text.to_owned(),
        };
        let running = self.tasks.all().into_iter().filter(|task| task.ended_at.is_none());
        let (crons, tasks): (Vec<_>, Vec<_>) = running.partition(|it| it.kind == TaskKind::Cron);
        let told = |tasks: Vec<Task>| -> Vec<Value> {
            let told = |it: &Task| json!({ "id": it.task_id, "description": cut(&it.title) });
            tasks.iter().map(told).collect()
        };
        let mut fields = json!({
            "stop_hook_active": again,
            "last_assistant_message": self.last_answer(),
            "background_tasks": told(tasks),
            "session_crons": told(crons),
        });
        if let Some(path) = self.journal.path().filter(|_| self.agents.member.is_some()) {
            fields["agent_transcript_path"] = json!(path.display().to_string());
        }
        fields
    }

    /// What the model said last, in words.
    pub(super) fn last_answer(&self) -> Option<String> {
        let answers = self.conversation.entries().iter().rev();
        let last = answers.into_iter().find(|entry| entry.role == agent::Role::Assistant)?;
        Some(blocks::agent_text(&last.message().ok()?.content))
    }

    /// `last`: nobody else has to be asked.
    pub(super) async fn on_stop_heard(&mut self, turn: &str, heard: Heard, last: bool) {
        let most = self.most_blocks();
        let Some(running) = self.running.as_mut().filter(|it| it.turn.id() == turn) else { return };
        running.hooking = None;
        let blocks = running.stop_blocks;
        let told = heard.blocked.into_iter().chain(heard.context).collect::<Vec<_>>();
        let verdict = match (heard.stop, told.is_empty()) {
            (Some(reason), _) => {
                StopVerdict::End { message: format!("A hook stopped the turn: {reason}") }
            }
            (None, true) if !last && self.ask_idle_hooks(turn) => return,
            (None, true) => StopVerdict::Fine,
            (None, false) if blocks >= most => {
                let text = format!(
                    "Hooks made the model go on {most} times in a row; now the turn ends. Set \
                     CLAUDE_CODE_STOP_HOOK_BLOCK_CAP to let them do so more often."
                );
                self.notice(Severity::Warning, text);
                StopVerdict::Fine
            }
            (None, false) => {
                if let Some(running) = self.running.as_mut() {
                    running.stop_blocks = blocks + 1;
                }
                let message = match told.join("\n") {
                    text if text.trim().is_empty() => "You are not done yet.".to_owned(),
                    text => text,
                };
                StopVerdict::GoOn { message }
            }
        };
        Box::pin(self.feed(Input::StopHooks(verdict))).await;
    }

    fn most_blocks(&self) -> u64 {
        let set = self.host.var("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP");
        set.and_then(|value| value.to_str()?.trim().parse().ok()).unwrap_or(MOST_BLOCKS)
    }

    /// Whether somebody looks at the results of an answer, and there are any to look at.
    pub(in crate::session) fn wants_batch(&self) -> bool {
        self.hooks.any(HookEvent::PostToolBatch)
            && self.running.as_ref().is_some_and(|running| !running.batch.is_empty())
    }

    /// Results are about to go to the model: hooks are asked first, and what is left to do waits for
    /// them. Handed back: nobody wants to hear of it.
    pub(in crate::session) fn hold_for_batch(
        &mut self,
        left: VecDeque<Effect>,
    ) -> Option<VecDeque<Effect>> {
        let Some(running) = self.running.as_mut() else { return Some(left) };
        let calls = std::mem::take(&mut running.batch);
        let then = Then::Batch { turn: running.turn.id().to_owned() };
        let fields = move || json!({ "tool_calls": calls });
        let asked = self.ask_hooks(HookEvent::PostToolBatch, None, fields, then);
        match (asked, self.running.as_mut()) {
            (Ok(hooking), Some(running)) => {
                running.hooking = Some(hooking);
                running.held = left;
                None
            }
            _ => Some(left),
        }
    }

    pub(super) async fn on_batch_heard(&mut self, turn: &str, heard: Heard) {
        let Some(running) = self.running.as_mut().filter(|it| it.turn.id() == turn) else { return };
        running.hooking = None;
        let left = std::mem::take(&mut running.held);
        let words = heard.context.iter().map(|words| Block::text(tools::reminder(words)));
        let content: Vec<Block> = words.collect();
        if let Some(reason) = heard.stop.or(heard.blocked) {
            let message = format!("A hook stopped the turn: {reason}");
            return Box::pin(self.feed(Input::HookStopped { message })).await;
        }
        let mut effects = Vec::new();
        if !content.is_empty() {
            effects.push(Effect::Journal(Record::Results { turn: turn.to_owned(), content }));
        }
        effects.extend(left);
        Box::pin(self.perform(effects)).await;
    }
}
