//! What the model gets back besides the summary: the files it read last, the plan it works on and its
//! list of steps. Skills in use join them (`session/skills/used.rs`).

use std::path::PathBuf;

use agent::Block;
use policy::Mode;
use tools::Recalled;

use super::Session;
use crate::session::attachments::list_of_steps;
use crate::store;

/// So much of a plan, in bytes; the rest can be read.
const PLAN_BYTES: usize = 20_000;

/// A plan that may have been written down.
pub(super) struct KeptPlan {
    file: PathBuf,
    /// The user has not approved it yet: the session is still planning.
    planning: bool,
}

impl KeptPlan {
    /// The plan as a note to the model, if there is one.
    pub(super) async fn block(self) -> Option<Block> {
        let KeptPlan { file, planning } = self;
        let path = file.clone();
        let read = tokio::task::spawn_blocking(move || store::read_start(&path, PLAN_BYTES)).await;
        let plan = read.ok()??;
        let what = match planning {
            true => "You are planning. Your last plan, which the user approved earlier",
            false => "The plan that the user approved",
        };
        let text = format!("{what} (kept in {}):\n{}", file.display(), plan.trim_end());
        Some(Block::text(tools::reminder(&text)))
    }
}

/// A file as it is now.
pub(super) fn file_block(file: &Recalled) -> Block {
    let text = format!("{} as it is now:\n{}", file.path.display(), file.text);
    Block::text(tools::reminder(&text))
}

impl Session {
    pub(super) fn restored_plan(&self) -> KeptPlan {
        let planning = self.state.permissions().mode == Mode::Plan;
        KeptPlan { file: self.plan_file(), planning }
    }

    /// The list of steps, which the model would otherwise forget.
    pub(super) fn open_steps(&self) -> Option<Block> {
        let todos = self.state.todos();
        let text = format!("Your list of steps:\n{}", list_of_steps(&todos));
        (!todos.is_empty()).then(|| Block::text(tools::reminder(&text)))
    }
}
