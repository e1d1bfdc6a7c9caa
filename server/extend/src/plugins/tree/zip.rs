//! Zip archives, as far as plugins need them: stored and deflated files, read by the list at their end.
//! What is encrypted, split or larger than four gigabytes is refused.

use std::io::{self, Read};
use std::path::PathBuf;

use flate2::read::DeflateDecoder;

/// The first bytes of any of them.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const END_SIZE: usize = 22;
const ENTRY_SIZE: usize = 46;
const LOCAL_SIZE: usize = 30;
/// A comment at the end is no longer.
const LONGEST_COMMENT: usize = 65_535;
const ENCRYPTED: u16 = 1;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// The kinds of files, in the upper half of what a Unix system wrote about them.
const KIND: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File { runs: bool },
    Folder,
    Link,
    Special,
}

/// One entry.
pub(super) struct Member<'a> {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    packed: &'a [u8],
    method: u16,
}

impl<'a> Member<'a> {
    /// What is in it. Whoever reads counts: it may be longer than it says.
    pub(super) fn contents(&self) -> Box<dyn Read + 'a> {
        match self.method {
            DEFLATED => Box::new(DeflateDecoder::new(self.packed)),
            _ => Box::new(self.packed),
        }
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn slice(bytes: &[u8], at: usize, length: usize) -> io::Result<&[u8]> {
    let end = at.checked_add(length).ok_or_else(|| broken("a place beyond the end"))?;
    bytes.get(at..end).ok_or_else(|| broken("it is cut off"))
}

fn short(bytes: &[u8], at: usize) -> io::Result<u16> {
    let found = slice(bytes, at, 2)?;
    Ok(u16::from_le_bytes([found[0], found[1]]))
}

fn long(bytes: &[u8], at: usize) -> io::Result<u32> {
    let found = slice(bytes, at, 4)?;
    Ok(u32::from_le_bytes([found[0], found[1], found[2], found[3]]))
}

fn place(bytes: &[u8], at: usize) -> io::Result<usize> {
    usize::try_from(long(bytes, at)?).map_err(|_| broken("a place beyond the end"))
}

/// Every entry, in the order of the list.
pub(super) fn members(bytes: &[u8]) -> io::Result<Vec<Member<'_>>> {
    let from = bytes.len().saturating_sub(END_SIZE + LONGEST_COMMENT);
    let tail = bytes.get(from..).unwrap_or_default();
    let end = tail.windows(END.len()).rposition(|window| window == END);
    let end = from + end.ok_or_else(|| broken("its list is missing"))?;
    slice(bytes, end, END_SIZE)?;
    let (count, mut at) = (short(bytes, end + 10)?, place(bytes, end + 16)?);
    let mut members = Vec::new();
    for _ in 0..count {
        let (member, next) = entry(bytes, at)?;
        members.push(member);
        at = next;
    }
    Ok(members)
}

/// One line of the list, and where the next one is.
fn entry(bytes: &[u8], at: usize) -> io::Result<(Member<'_>, usize)> {
    let head = slice(bytes, at, ENTRY_SIZE)?;
    if !head.starts_with(ENTRY) {
        return Err(broken("its list is broken"));
    }
    if short(head, 8)? & ENCRYPTED != 0 {
        return Err(broken("it is encrypted"));
    }
    let method = short(head, 10)?;
    if ![STORED, DEFLATED].contains(&method) {
        return Err(broken("it is packed in a way that is not known here"));
    }
    let size = place(head, 20)?;
    let (name, extra, comment) = (short(head, 28)?, short(head, 30)?, short(head, 32)?);
    let lengths = [name, extra, comment].map(usize::from);
    let (mode, local) = (long(head, 38)? >> 16, place(head, 42)?);
    let name = slice(bytes, at + ENTRY_SIZE, lengths[0])?;
    let name = std::str::from_utf8(name).map_err(|_| broken("a name is not UTF-8"))?;
    // The entry itself says again how long its name is, and may say something else.
    let begun = slice(bytes, local, LOCAL_SIZE)?;
    if !begun.starts_with(MAGIC) {
        return Err(broken("an entry is not where it should be"));
    }
    let skip = usize::from(short(begun, 26)?) + usize::from(short(begun, 28)?);
    let packed = slice(bytes, local + LOCAL_SIZE + skip, size)?;
    let kind = match mode & KIND {
        _ if name.ends_with('/') => Kind::Folder,
        0 | PLAIN => Kind::File { runs: mode & 0o100 != 0 },
        FOLDER => Kind::Folder,
        LINK => Kind::Link,
        _ => Kind::Special,
    };
    let member = Member { path: PathBuf::from(name), kind, packed, method };
    Ok((member, at + ENTRY_SIZE + lengths.iter().sum::<usize>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive with one stored entry; `change` breaks it.
    fn one(name: &str, mode: u32, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let (short, text) = (u16::try_from(name.len()).unwrap().to_le_bytes(), b"text");
        let mut bytes = [MAGIC, &[0; 22], &short, &[0, 0], name.as_bytes(), text].concat();
        let list = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        bytes.extend([ENTRY, &[0; 16], &[4, 0, 0, 0], &[4, 0, 0, 0], &short].concat());
        bytes.extend([&[0; 8][..], &(mode << 16).to_le_bytes(), &[0; 4], name.as_bytes()].concat());
        bytes.extend([END, &[0; 6], &[1, 0], &[0; 4], &list, &[0, 0]].concat());
        change(&mut bytes);
        bytes
    }

    #[test]
    fn entries_and_their_kinds() {
        let check = |name: &str, mode: u32, expect: Kind| {
            let bytes = one(name, mode, |_| ());
            let members = members(&bytes).unwrap();
            assert_eq!((members[0].path.to_str(), members[0].kind), (Some(name), expect));
            let mut text = String::new();
            members[0].contents().read_to_string(&mut text).unwrap();
            assert_eq!(text, "text");
        };
        check("a/b.txt", 0o100_644, Kind::File { runs: false });
        check("run", 0o100_755, Kind::File { runs: true });
        check("from-windows", 0, Kind::File { runs: false });
        check("folder/", 0o040_755, Kind::Folder);
        check("link", 0o120_777, Kind::Link);
        check("pipe", 0o010_644, Kind::Special);
    }

    #[test]
    fn what_is_broken_is_an_error_and_nothing_else() {
        let whole = one("a", 0, |_| ());
        for length in 0..whole.len() {
            assert!(members(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                // Whatever it is, it is an answer.
                for member in members(&bytes).unwrap_or_default() {
                    let mut text = Vec::new();
                    let _ = member.contents().take(1000).read_to_end(&mut text);
                }
            }
        }
        let encrypted = one("a", 0, |bytes| {
            let list = bytes.windows(4).position(|it| it == ENTRY).unwrap();
            bytes[list + 8] = 1;
        });
        assert!(members(&encrypted).is_err());
    }
}
