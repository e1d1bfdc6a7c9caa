//! What the agent can do: one file per tool, the registry that lists them, and the pipeline every
//! call goes through.
//!
//! A tool never touches the editor, the user or the journal by itself. It reads through a
//! [`World`], changes files through it too, and acts only after the pipeline's gate let it.

mod agents;
mod asked;
mod board;
mod change;
mod changed;
mod command;
mod context;
mod cron;
mod findings;
mod foreign;
mod guard;
mod known;
mod lenient;
pub mod media;
mod notebook;
mod origin;
mod pipeline;
mod place;
mod reads;
mod recall;
mod registry;
mod server_answer;
mod server_resources;
mod server_tool;
mod shelf;
mod show;
mod tasks;
#[cfg(test)]
mod testing;
mod tool;
mod tools;
mod world;

pub use agents::{AgentReport, AgentView, AgentWish, Agents};
pub use asked::{UserAnswer, UserQuestion};
pub use board::Board;
pub use changed::{ChangedFile, HowChanged, changed_since_read};
pub use context::{Context, Permissions, Progress, SessionState, Step, Todo, TodoStatus};
pub use cron::{Cron, CronError, Minute};
pub use foreign::{Annotations, ForeignTool};
pub use guard::{Guard, Guarded, Guards, Moment, Opinion, Ruling};
pub use pipeline::{
    Amended, Answer, CallReport, CallStatus, EndedCall, Gate, Judgement, Proposal, run_call,
};
pub use place::may_be_read;
pub use reads::ReadLedger;
pub use recall::{Recalled, recall, settle_recalled};
pub use registry::{Offer, Registry};
pub use server_answer::told_parts;
pub use server_resources::resource_tools;
pub use server_tool::{ServerTool, only_a_person};
pub use shelf::{Loading, Shelf};
pub use show::{excerpt, is_reminder, reminder};
pub use tasks::{NewTask, Reserved, Scheduled, TaskEnd, TaskKind, TaskState, TaskView, Tasks};
pub use tool::{FileChange, Kind, Outcome, Plan, Preview, Problem, Tool};
pub use web::SearchService;
pub use world::{
    EditError, EditRequest, Edited, EditedFile, Findings, Found, Hit, LeftPlan, OwnChange, Quick,
    Rewritten, Search, Shelter, Terminal, TerminalEnd, Unsaved, Verified, World, refusal,
};
