//! `/export [file]`: the session as Markdown, or as its records when the file is a `.jsonl`.

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome};
use crate::export::{self, Format};
use crate::session::Session;

pub(super) fn run<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    write(session, argument).boxed()
}

async fn write(session: &mut Session, argument: &str) -> Outcome {
    let journal = session.journal.path().filter(|_| !session.journal.is_new());
    let Some(journal) = journal.map(std::path::Path::to_owned) else {
        return Err("There is nothing to export yet.".to_owned());
    };
    let own = format!("session-{}.md", session.short_id());
    let name = if argument.is_empty() { own.as_str() } else { argument };
    let path = session.state.cwd().join(name);
    let jsonl = path.extension().is_some_and(|extension| extension == "jsonl");
    let format = if jsonl { Format::Jsonl } else { Format::Markdown };
    session.journal.sync().await.map_err(|error| error.to_string())?;
    let host = session.host.clone();
    let written = tokio::task::spawn_blocking(move || {
        let content = export::export(&host.secrets.redactor(), &journal, format)?;
        export::write(&path, &content)
    });
    let path = written.await.map_err(|error| error.to_string())??;
    Ok(Done::Said(format!("The session is written to {}.", path.display())))
}
