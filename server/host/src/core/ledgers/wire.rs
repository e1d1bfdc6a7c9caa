//! Hunks as clients see them.

use protocol::lsp::{Position, Range};
use protocol::review::{Author, Hunk, HunkState};
use text::{HunkNo, Ledger, PositionEncoding, Text};
use workspace::DocumentUri;

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

/// Where a hunk is shown: the document's name and version, and how its client counts.
pub struct Shown<'a> {
    pub key: &'a DocumentUri,
    pub uri: &'a DocumentUri,
    pub version: Option<i32>,
    pub encoding: PositionEncoding,
}

/// The hunk as it is now; nothing for a number that is not there.
pub fn hunk(ledger: &Ledger, no: HunkNo, shown: &Shown<'_>) -> Option<Hunk> {
    let hunk = ledger.hunks().find(|hunk| hunk.no == no)?;
    let view = ledger.view(no)?;
    let place = |offset| position(ledger.text(), offset, shown.encoding);
    Some(Hunk {
        id: id(shown.key, no),
        session_id: hunk.author.session.clone(),
        turn_id: hunk.author.turn.clone(),
        tool_call_id: hunk.author.call.clone(),
        uri: shown.uri.as_str().to_owned(),
        version: shown.version,
        range: Range { start: place(view.range.start), end: place(view.range.end) },
        old_text: view.old_text,
        new_text: view.new_text,
        author: Author::Agent,
        state: state(hunk.state),
    })
}

fn position(text: &Text, offset: usize, encoding: PositionEncoding) -> Position {
    let position = text.position(offset, encoding);
    Position { line: position.line, character: position.column }
}
