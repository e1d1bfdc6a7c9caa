//! Decides what to say and which tools to call.

use super::{Reply, View};

pub(crate) fn reply(view: &View) -> Reply {
    let _ = &view.prompt;
    Reply { text: "This is the rehearsal model.".to_owned(), calls: Vec::new() }
}
