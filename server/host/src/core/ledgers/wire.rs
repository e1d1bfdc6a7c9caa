//! Hunks as clients see them.

use protocol::review::{Author, Hunk, HunkState};
use text::{HunkNo, HunkView, Ledger};
use workspace::DocumentUri;

use super::client_ranges::ClientText;

/// A hunk's name outside: its file and its number there, so that neither needs a table.
pub fn id(key: &DocumentUri, no: HunkNo) -> String {
    format!("{}-{no}", text::Fingerprint::of(key.as_str()))
}

/// The file's part and the number of a hunk's name.
pub fn parse(id: &str) -> Option<(&str, HunkNo)> {
    let (file, no) = id.rsplit_once('-')?;
    Some((file, no.parse().ok()?))
}

/// Whether a hunk's name is about this file.
pub fn is_of(file: &str, key: &DocumentUri) -> bool {
    text::Fingerprint::of(key.as_str()).to_string() == file
}

pub fn state(state: text::HunkState) -> HunkState {
    match state {
        text::HunkState::Pending => HunkState::Pending,
        text::HunkState::Accepted => HunkState::Accepted,
        text::HunkState::Rejected => HunkState::Rejected,
        text::HunkState::Superseded => HunkState::Superseded,
    }
}

/// The hunk as a client has it now; nothing for a number that is not there.
pub(super) fn hunk(
    ledger: &Ledger,
    key: &DocumentUri,
    no: HunkNo,
    client: &ClientText,
) -> Option<Hunk> {
    Some(viewed(ledger, key, ledger.hunk(no)?, ledger.view(no)?, client))
}

/// The same, of a hunk that was looked at already.
pub(super) fn viewed(
    ledger: &Ledger,
    key: &DocumentUri,
    hunk: &text::Hunk,
    view: HunkView,
    client: &ClientText,
) -> Hunk {
    Hunk {
        id: id(key, hunk.no),
        session_id: hunk.author.session.clone(),
        turn_id: hunk.author.turn.clone(),
        tool_call_id: hunk.author.call.clone(),
        uri: client.uri.clone(),
        version: client.version,
        range: client.range(ledger.text(), view.range),
        old_text: view.old_text,
        new_text: view.new_text,
        author: Author::Agent,
        state: state(hunk.state),
    }
}
