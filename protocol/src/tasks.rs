//! Work in the background: shells and agents that outlive the call that started them.

use crate::macros::{methods, open_enum, wire};

methods! {
    /// Lists background tasks, reads the output of one or stops one.
    ToServer Tasks = "agent/tasks" (TasksParams) -> TasksResult;
}

wire! {
    /// What to do with which task.
    pub struct TasksParams {
        /// Only the tasks of this session.
        session_id?: String,
        /// What to do.
        op: TaskOp,
        /// The task; needed by `output` and `stop`.
        task_id?: String,
        /// With `output`: the byte to start from; the start without it.
        offset?: u64,
    }

    /// `list` and `stop` give the tasks, `output` gives the output.
    #[derive(Default)]
    pub struct TasksResult {
        /// The tasks, the newest first.
        tasks?: Vec<Task>,
        /// What the task printed.
        output?: TaskOutput,
    }

    /// A background task.
    pub struct Task {
        /// Its id.
        task_id: String,
        /// The session that started it.
        session_id: String,
        /// What it is.
        kind: TaskKind,
        /// One line for people: the command, or what the agent was asked.
        title: String,
        /// Where it stands.
        status: TaskStatus,
        /// When it started, in milliseconds since 1970 UTC.
        started_at: u64,
        /// When it ended, in milliseconds since 1970 UTC.
        ended_at?: u64,
        /// The exit code of a shell that ended by itself.
        exit_code?: i32,
        /// The call that started it.
        tool_call_id?: String,
        /// The file that holds what it printed.
        output_file?: String,
    }

    /// A piece of a task's output.
    pub struct TaskOutput {
        /// The task.
        task_id: String,
        /// The text from `offset` on.
        text: String,
        /// The offset to ask for next.
        next_offset: u64,
        /// Where the task stood when this was read.
        status: TaskStatus,
    }
}

open_enum! {
    /// What to do with background tasks.
    pub enum TaskOp {
        /// List them.
        List = "list",
        /// Read the output of one.
        Output = "output",
        /// Stop one.
        Stop = "stop",
    }
}

open_enum! {
    /// What a background task is.
    pub enum TaskKind {
        /// A command.
        Shell = "shell",
        /// An agent.
        Agent = "agent",
        /// A call of an MCP server that takes long.
        Mcp = "mcp",
        /// A command whose output the agent is told of.
        Monitor = "monitor",
        /// A prompt that is planned for later.
        Cron = "cron",
    }
}

open_enum! {
    /// Where a background task stands.
    pub enum TaskStatus {
        /// It runs.
        Running = "running",
        /// It ended well.
        Completed = "completed",
        /// It ended with an error.
        Failed = "failed",
        /// It was stopped.
        Stopped = "stopped",
    }
}
