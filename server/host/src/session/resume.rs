//! A session that is opened again: is its folder there, and was its last turn cut off?

use std::path::{Path, PathBuf};

use agent::Conversation;
use agent::conversation::Interrupted;
use policy::Mode;
use protocol::event::Severity;

use super::setup::working_directory;
use crate::context::HostContext;
use crate::store::{self, Journal, Loaded};

/// Locked before it is read: nobody may add to what we are about to know.
pub(super) fn open(host: &HostContext, path: PathBuf) -> Result<(Journal, Loaded), String> {
    let mut journal =
        Journal::resume(path.clone(), host.clock).map_err(|error| error.to_string())?;
    let mut loaded = store::load(&path)?;
    // What a process that was killed recorded in parts, and calls that it never finished.
    let recovered = loaded.conversation.settle().map_err(|error| error.to_string())?;
    journal.write_first(recovered);
    Ok((journal, loaded))
}

/// Plan and bypass were decisions of that moment; they do not come back by themselves.
pub(super) fn mode(loaded: &Loaded) -> Option<Mode> {
    let mode = loaded.mode.as_deref().and_then(|mode| mode.parse().ok());
    mode.filter(|mode| !matches!(mode, Mode::Plan | Mode::BypassPermissions))
}

/// The session's own folder, or the one that stands in for it, with a word about that.
pub(super) fn folder(
    own: &Path,
    instead: Option<&Path>,
) -> Result<(PathBuf, Option<(Severity, String)>), String> {
    let lost = own.as_os_str().is_empty();
    let found = if lost {
        Err("The session's folder is not known, because its journal is damaged.".to_owned())
    } else {
        working_directory(own)
    };
    let problem = match found {
        Ok(cwd) => return Ok((cwd, None)),
        Err(problem) => problem,
    };
    let Some(instead) = instead else {
        let again = if lost { "Name" } else { "Make it again, or name" };
        return Err(format!(
            "{problem} {again} a folder to go on in: in the terminal, resume from it."
        ));
    };
    let cwd = working_directory(instead)?;
    let text = format!("{problem} The session goes on in {}.", cwd.display());
    Ok((cwd, Some((Severity::Warning, text))))
}

/// Says so to the user, and lets the model know with the next prompt.
pub(super) fn notice(conversation: &mut Conversation) -> Option<(Severity, String)> {
    let (to_user, to_model) = match conversation.interrupted()? {
        Interrupted::Prompt => (
            "The last prompt of this session was never answered: the session broke off. Say \
             \"go on\" to have it answered now.",
            "The session broke off before you answered the message before this one. Answer it only \
             if the user still wants that.",
        ),
        Interrupted::Work => (
            "The last turn of this session was cut off in the middle of its work. Say \"go on\" to \
             continue it.",
            "The session broke off in the middle of your last turn. Calls whose results are unknown \
             may have acted or not: look before you repeat any of them.",
        ),
    };
    conversation.note(to_model);
    Some((Severity::Info, to_user.to_owned()))
}
