//! Ranges as each client counts them. Clients differ in how they count columns, and two that have
//! one file open may have two texts of it: a range is exact only for the client it was made for.

use std::ops::Range;

use protocol::lsp;
use text::{Bias, Edit, PositionEncoding, Text};

use super::super::door::{Door, DoorId};

/// The client that is about to be sent a range.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    /// Nothing for work inside the server, which sees the ledger's own text.
    door: Option<DoorId>,
    encoding: PositionEncoding,
}

impl Receiver {
    /// Nobody outside the server.
    pub const INTERNAL: Receiver = Receiver { door: None, encoding: PositionEncoding::Utf8 };

    pub fn is(self, door: DoorId) -> bool {
        self.door == Some(door)
    }
}

impl From<&Door> for Receiver {
    fn from(door: &Door) -> Self {
        Self { door: Some(door.id), encoding: door.encoding() }
    }
}

/// The text of a file in the editor of one client.
#[derive(Debug)]
pub struct ClientText {
    pub(super) receiver: Receiver,
    /// The client's name for the file.
    pub(super) uri: String,
    /// Nothing where the client does not have it open.
    pub(super) version: Option<i32>,
    /// Its text, and how the ledger's becomes that, where they differ.
    differs: Option<(Text, Edit)>,
}

impl ClientText {
    /// For a client that does not have the file open: the ledger's text is the file's.
    pub(super) fn closed(receiver: Receiver, uri: String) -> Self {
        Self { receiver, uri, version: None, differs: None }
    }

    pub(super) fn open(
        receiver: Receiver,
        uri: String,
        version: i32,
        own: &Text,
        ledger: &Text,
    ) -> Self {
        let differs = (own != ledger)
            .then(|| (own.clone(), text::diff(&ledger.to_string(), &own.to_string())));
        Self { receiver, uri, version: Some(version), differs }
    }

    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The version of the client's text; nothing where the client does not have the file open.
    pub fn version(&self) -> Option<i32> {
        self.version
    }

    /// The version of the client's text, if that is this one.
    pub fn version_of(&self, text: &Text) -> Option<i32> {
        let is_it = self.differs.as_ref().is_none_or(|(own, _)| own == text);
        self.version.filter(|_| is_it)
    }

    /// A range of the ledger's text as this client has it. What was written right above or below
    /// only there is not part of it.
    pub(super) fn range(&self, ledger: &Text, range: Range<usize>) -> lsp::Range {
        let (text, range) = match &self.differs {
            None => (ledger, range),
            Some((own, change)) => {
                let start = change.map_offset(range.start, Bias::After);
                let end = change.map_offset(range.end, Bias::Before);
                (own, start..end.max(start))
            }
        };
        wire_range(text, &range, self.receiver.encoding)
    }

    /// The same place on the ledger's text.
    pub fn offset_in_ledger(&self, ledger: &Text, offset: usize) -> usize {
        match &self.differs {
            None => offset,
            Some((own, _)) => {
                text::diff(&own.to_string(), &ledger.to_string()).map_offset(offset, Bias::After)
            }
        }
    }
}

fn wire_range(text: &Text, range: &Range<usize>, encoding: PositionEncoding) -> lsp::Range {
    let position = |offset| {
        let position = text.position(offset, encoding);
        lsp::Position { line: position.line, character: position.column }
    };
    lsp::Range { start: position(range.start), end: position(range.end) }
}

/// Where one hunk is, for every client.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientRanges {
    /// For those that do not have the file open, by encoding.
    closed: EncodedRange,
    /// For those that have it open.
    open: Vec<OpenRange>,
}

#[derive(Clone, Debug, PartialEq)]
struct OpenRange {
    door: DoorId,
    uri: String,
    version: Option<i32>,
    range: lsp::Range,
}

/// What a client is sent of a range.
pub struct SentRange<'a> {
    /// The client's own name for the file, if it has one.
    pub uri: Option<&'a str>,
    pub version: Option<i32>,
    pub range: lsp::Range,
}

impl ClientRanges {
    pub(super) fn new(ledger: &Text, range: &Range<usize>, clients: &[ClientText]) -> Self {
        let open = clients.iter().filter_map(|client| {
            let (door, uri) = (client.receiver.door?, client.uri.clone());
            let range = client.range(ledger, range.clone());
            Some(OpenRange { door, uri, version: client.version, range })
        });
        Self { open: open.collect(), closed: EncodedRange::new(ledger, range) }
    }

    pub fn of(&self, receiver: Receiver) -> SentRange<'_> {
        match self.open.iter().find(|place| receiver.is(place.door)) {
            Some(OpenRange { uri, version, range, .. }) => {
                SentRange { uri: Some(uri), version: *version, range: *range }
            }
            None => {
                let range = self.closed.get(receiver.encoding);
                SentRange { uri: None, version: None, range }
            }
        }
    }

    /// Whether some client has it elsewhere than `earlier` says.
    pub(super) fn moved_since(&self, earlier: &ClientRanges) -> bool {
        if self.closed != earlier.closed {
            return true;
        }
        let of = |ranges: &ClientRanges, door: DoorId| {
            ranges.open.iter().find(|place| place.door == door).map(|place| place.range)
        };
        // Who opened the file since has been sent the range of the closed one, which is the same
        // unless its own text differs.
        self.open.iter().any(|place| {
            of(earlier, place.door).map_or(!self.closed.has(place.range), |was| was != place.range)
        })
    }
}

/// A range in every encoding. Whole lines are the same in all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum EncodedRange {
    Same(lsp::Range),
    Each { utf8: lsp::Range, utf16: lsp::Range, utf32: lsp::Range },
}

impl EncodedRange {
    fn new(text: &Text, range: &Range<usize>) -> Self {
        let in_encoding = |encoding| wire_range(text, range, encoding);
        let utf8 = in_encoding(PositionEncoding::Utf8);
        if utf8.start.character == 0 && utf8.end.character == 0 {
            return Self::Same(utf8);
        }
        let utf16 = in_encoding(PositionEncoding::Utf16);
        let utf32 = in_encoding(PositionEncoding::Utf32);
        if utf8 == utf32 { Self::Same(utf8) } else { Self::Each { utf8, utf16, utf32 } }
    }

    fn get(self, encoding: PositionEncoding) -> lsp::Range {
        match (self, encoding) {
            (Self::Same(range), _)
            | (Self::Each { utf8: range, .. }, PositionEncoding::Utf8)
            | (Self::Each { utf16: range, .. }, PositionEncoding::Utf16)
            | (Self::Each { utf32: range, .. }, PositionEncoding::Utf32) => range,
        }
    }

    fn has(self, range: lsp::Range) -> bool {
        let encodings = [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32];
        encodings.into_iter().any(|encoding| self.get(encoding) == range)
    }
}
