//! Which branch a session works on: noted with the prompt, so that a list can tell sessions apart.

use agent::Record;

use super::Session;
use crate::repository;

impl Session {
    /// Notes what is checked out, when that is not what the journal says.
    pub(super) async fn note_checkout(&mut self) {
        let cwd = self.state.cwd().to_owned();
        let look = move || repository::branch(&repository::around(&cwd)?);
        let branch = tokio::task::spawn_blocking(look).await.ok().flatten();
        if branch == self.branch {
            return;
        }
        match self.journal(&Record::Checkout { branch: branch.clone() }) {
            Ok(()) => self.branch = branch,
            Err(error) => tracing::warn!(%error, "the branch could not be noted"),
        }
    }
}
