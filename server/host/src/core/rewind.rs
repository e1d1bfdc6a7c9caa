//! Going back: what the agent wrote after a point is taken out of the files, what the user typed
//! stays. Files that the agent made and nobody else wrote in go.

use protocol::review::Hunk;
use protocol::session::{RewindChange, RewindConflict, RewoundFile, SessionRewindResult};
use text::{HunkNo, HunkState};
use tokio::sync::oneshot;
use workspace::DocumentUri;

use super::ledgers::Receiver;
use super::load::{Wanted, with_ledgers};
use super::state::State;
use super::switch::{self, Switch};
use super::undo::{UndoStep, group};

/// Which of a session's changes go.
pub struct Rewind {
    pub session: String,
    /// Who is told what goes.
    pub receiver: Receiver,
    /// The turns after the point.
    pub turns: Vec<String>,
    pub preview: bool,
    /// The conversation is cut as well, and comes back with the files.
    pub cuts: bool,
    pub reply: oneshot::Sender<SessionRewindResult>,
}

pub fn start(state: &State, rewind: Rewind) {
    let wanted = Wanted::OfSession(rewind.session.clone());
    with_ledgers(state, wanted, move |state, keys| go(state, &keys, rewind));
}

fn go(state: &mut State, keys: &[DocumentUri], rewind: Rewind) {
    let mut result = SessionRewindResult::default();
    let mut switches = Vec::new();
    for key in keys {
        let hunks = written_after(state, key, &rewind);
        if hunks.is_empty() {
            continue;
        }
        let client = state.ledgers.client_text(key, rewind.receiver, Some(&state.buffers));
        result.files.push(file(state, key, &hunks, client.version()));
        result.conflicts.extend(kept(state, key, &hunks, client.version()));
        for no in &hunks {
            let Some(hunk) = state.ledgers.hunk(key, *no, &client) else { continue };
            if state
                .ledgers
                .ledger(key)
                .and_then(|ledger| ledger.view(*no))
                .is_some_and(|view| view.mixed)
            {
                result.conflicts.push(mixed(&hunk));
            }
            result.hunks.push(hunk);
        }
        let (key, active, state) = (key.clone(), false, HunkState::Rejected);
        switches.push(Switch { key, hunks, active, state });
    }
    let Rewind { session, preview, cuts, reply, .. } = rewind;
    if preview {
        let _ = reply.send(result);
        return;
    }
    let group = group("rewind");
    switch::start(state, switches, "Bowline: Rewind", &group, move |state, switched| {
        for failed in &switched {
            let Err(reason) = &failed.outcome else { continue };
            let uri = state.ledgers.open_as(&failed.switch.key).unwrap_or(&failed.switch.key);
            let uri = uri.as_str().to_owned();
            result.files.retain(|file| file.uri != uri);
            result.hunks.retain(|hunk| hunk.uri != uri);
            let (version, range, reason) = (None, None, reason.clone());
            result.conflicts.push(RewindConflict { uri, version, range, reason });
        }
        let session = cuts.then_some(session);
        let step = UndoStep { session, ..UndoStep::of(&switched) };
        result.undo_token = Some(state.undo.remember(step));
        let _ = reply.send(result);
    });
}

fn written_after(state: &State, key: &DocumentUri, rewind: &Rewind) -> Vec<HunkNo> {
    let Some(ledger) = state.ledgers.ledger(key) else { return Vec::new() };
    let after = ledger.hunks().filter(|hunk| {
        hunk.active
            && hunk.author.session == rewind.session
            && rewind.turns.contains(&hunk.author.turn)
    });
    // One whose text is gone by now is taken along, so that nothing of it comes back later; but a
    // file where nothing would change is not worth a word.
    let after: Vec<_> = after.map(|hunk| hunk.no).collect();
    if ledger.preview(&after, false).is_empty() { Vec::new() } else { after }
}

fn file(state: &State, key: &DocumentUri, hunks: &[HunkNo], version: Option<i32>) -> RewoundFile {
    let uri = state.ledgers.open_as(key);
    let ledger = state.ledgers.ledger(key);
    let (mut added_lines, mut removed_lines, mut change) = (0, 0, RewindChange::Restored);
    if let Some(ledger) = ledger {
        let edit = ledger.preview(hunks, false);
        if let Ok(after) = edit.apply(ledger.text()) {
            let (added, removed) = text::stat(&ledger.text().to_string(), &after.to_string());
            added_lines = u32::try_from(added).unwrap_or(u32::MAX);
            removed_lines = u32::try_from(removed).unwrap_or(u32::MAX);
            let made = ledger.hunks().any(|hunk| hunk.creates && hunks.contains(&hunk.no));
            if made && after.is_empty() && uri.is_none() {
                change = RewindChange::Deleted;
            }
        }
    }
    RewoundFile {
        uri: uri.unwrap_or(key).as_str().to_owned(),
        version,
        change,
        added_lines,
        removed_lines,
    }
}

/// A file that the agent made, and that stays because somebody else wrote in it too.
fn kept(
    state: &State,
    key: &DocumentUri,
    hunks: &[HunkNo],
    version: Option<i32>,
) -> Option<RewindConflict> {
    let ledger = state.ledgers.ledger(key)?;
    let made = ledger.hunks().any(|hunk| hunk.creates && hunks.contains(&hunk.no));
    let uri = state.ledgers.open_as(key);
    let reason = match ledger.preview(hunks, false).len_after() {
        0 if uri.is_some() => "It is open in the editor: it is left empty there.",
        0 => return None,
        _ => "The agent made this file and you have written in it: your own text stays.",
    };
    let (uri, reason) = (uri.unwrap_or(key).as_str().to_owned(), reason.to_owned());
    made.then_some(RewindConflict { uri, version, range: None, reason })
}

fn mixed(hunk: &Hunk) -> RewindConflict {
    let reason = "You have written in this change as well; your own text stays.".to_owned();
    let (uri, version, range) = (hunk.uri.clone(), hunk.version, Some(hunk.range));
    RewindConflict { uri, version, range, reason }
}
