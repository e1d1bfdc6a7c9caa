//! No agents at all, for the tests of the other tools; who starts some is proved through a door.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::agents::{AgentReport, AgentView, AgentWish, Agents};

pub(crate) struct Nobody;

const NONE: &str = "There are no agents here.";

impl Agents for Nobody {
    fn resolve(&self, _: &str) -> Result<String, String> {
        Err(NONE.to_owned())
    }

    fn start(
        &self,
        _: AgentWish,
        _: CancellationToken,
    ) -> BoxFuture<'_, Result<AgentReport, String>> {
        std::future::ready(Err(NONE.to_owned())).boxed()
    }

    fn send(&self, _: String, _: String) -> BoxFuture<'_, Result<String, String>> {
        std::future::ready(Err(NONE.to_owned())).boxed()
    }

    fn list(&self) -> BoxFuture<'_, Vec<AgentView>> {
        std::future::ready(Vec::new()).boxed()
    }
}
