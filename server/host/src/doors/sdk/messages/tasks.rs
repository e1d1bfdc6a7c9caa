//! `system/task_…` and `system/background_tasks_changed`: work that goes on beside the conversation.

use std::collections::BTreeMap;

use protocol::event::{AgentEnded, AgentStarted};
use protocol::tasks::{Task, TaskKind, TaskStatus};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

use super::Teller;

/// What goes on.
#[derive(Default)]
pub(super) struct Tasks {
    /// In the background, by id.
    known: BTreeMap<String, Task>,
    /// Agents that somebody waits for.
    foreground: BTreeMap<String, String>,
    moves: u64,
}

impl Tasks {
    /// How many agents and calls of servers are at work in the background: they wake the session
    /// when they are done.
    pub(super) fn agents(&self) -> usize {
        let wakes = |task: &&Task| matches!(task.kind, TaskKind::Agent | TaskKind::Mcp);
        self.known.values().filter(wakes).count()
    }

    pub(super) fn moves(&self) -> u64 {
        self.moves
    }
}

impl Teller {
    pub(super) fn task_started(&mut self, task: &Task) {
        self.tasks.moves += 1;
        self.tasks.known.insert(task.task_id.clone(), task.clone());
        // An agent said so itself already, as one that somebody waits for.
        if self.tasks.foreground.remove(&task.task_id).is_none() {
            let fields = json!({
                "task_id": task.task_id,
                "description": task.title,
                "task_type": kind(&task.kind),
                "tool_use_id": task.tool_call_id,
                "is_backgrounded": true,
            });
            self.system("task_started", fields);
        }
        self.tasks_changed();
    }

    pub(super) fn task_updated(&mut self, task: &Task) {
        if let Some(known) = self.tasks.known.get_mut(&task.task_id) {
            *known = task.clone();
            let patch = json!({ "status": state(&task.status) });
            self.system("task_updated", json!({ "task_id": task.task_id, "patch": patch }));
        }
    }

    pub(super) fn task_ended(&mut self, task: &Task) {
        self.tasks.moves += 1;
        self.tasks.known.remove(&task.task_id);
        let patch = json!({ "status": state(&task.status) });
        self.system("task_updated", json!({ "task_id": task.task_id, "patch": patch }));
        let fields = json!({
            "task_id": task.task_id,
            "tool_use_id": task.tool_call_id,
            "status": match task.status {
                TaskStatus::Completed => "completed",
                TaskStatus::Stopped => "stopped",
                _ => "failed",
            },
            "output_file": task.output_file.clone().unwrap_or_default(),
            "summary": task.title,
        });
        self.system("task_notification", fields);
        self.tasks_changed();
    }

    pub(super) fn agent_started(&mut self, started: &AgentStarted) {
        let description = started.description.clone().unwrap_or_default();
        let fields = json!({
            "task_id": started.agent_id,
            "description": description,
            "task_type": "local_agent",
            "tool_use_id": started.parent_tool_call_id,
            "subagent_type": started.agent_type,
        });
        if !self.tasks.known.contains_key(&started.agent_id) {
            self.tasks.foreground.insert(started.agent_id.clone(), description);
            self.system("task_started", fields);
        }
    }

    pub(super) fn agent_ended(&mut self, ended: &AgentEnded) {
        let Some(description) = self.tasks.foreground.remove(&ended.agent_id) else { return };
        let fields = json!({
            "task_id": ended.agent_id,
            "tool_use_id": ended.parent_tool_call_id,
            "status": match ended.status {
                Some(ToolStatus::Completed) => "completed",
                Some(ToolStatus::Cancelled) => "stopped",
                _ => "failed",
            },
            "output_file": "",
            "summary": description,
        });
        self.system("task_notification", fields);
    }

    pub(in crate::doors::sdk) fn tasks_changed(&mut self) {
        let tasks: Vec<Value> = self
            .tasks
            .known
            .values()
            .map(|task| {
                json!({
                    "task_id": task.task_id,
                    "task_type": kind(&task.kind),
                    "description": task.title,
                    "tool_use_id": task.tool_call_id,
                })
            })
            .collect();
        self.system("background_tasks_changed", json!({ "tasks": tasks }));
    }
}

fn kind(kind: &TaskKind) -> &'static str {
    match kind {
        TaskKind::Shell => "local_bash",
        TaskKind::Agent => "local_agent",
        TaskKind::Monitor => "monitor",
        TaskKind::Mcp => "mcp",
        _ => "cron",
    }
}

fn state(status: &TaskStatus) -> &'static str {
    match status {
        TaskStatus::Running => "running",
        TaskStatus::Completed => "completed",
        TaskStatus::Stopped => "killed",
        _ => "failed",
    }
}
