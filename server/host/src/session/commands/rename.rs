//! `/rename title`: what lists of sessions call this one.

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run<'a>(session: &'a mut Session, title: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        session.rename(title).await?;
        Ok(Done::Said(format!("The session is called {title:?}.")))
    }
    .boxed()
}
