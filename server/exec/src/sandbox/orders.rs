//! What is said between us and the helper that stands inside the walls: the orders it gets, and
//! the reports it gives before it becomes the command.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Limits;

/// Everything the helper has to know.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub(crate) argv: Vec<Word>,
    pub(crate) cwd: Word,
    pub(crate) env: Vec<(Word, Word)>,
    /// What must be where, or nothing runs.
    pub(crate) expected: Vec<Expected>,
    /// The kernel's rules about files; `None` where mounts are enough.
    pub(crate) wall: Option<Wall>,
    pub(crate) net: Net,
    /// Services may be asked by Unix sockets.
    pub(crate) unix_sockets: bool,
    /// It is the user's own program.
    pub(crate) own: bool,
    pub(crate) limits: Limits,
    /// Processes of others are counted, too, where users have no namespace of their own.
    pub(crate) shared_count: bool,
}

/// The kernel's rules about files. What is not handled is not restricted.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Wall {
    /// It is the only wall, or holds what no mount can: without it nothing runs.
    pub(crate) needed: bool,
    /// Nobody outside can be signalled or called by an abstract name.
    pub(crate) alone: bool,
    pub(crate) writable: Vec<Word>,
    /// If given, only these can be read,
    pub(crate) readable: Option<Vec<Word>>,
    /// and these can be listed, with what is below them.
    pub(crate) listable: Vec<Word>,
}

/// What the helper does about the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Net {
    /// There is none but what is inside.
    Private,
    /// There is none but two doors, which the helper opens and hands out.
    Doors,
    /// As `Doors`, in a namespace that the helper makes itself; none at all if it may not.
    OwnDoors,
    /// No socket can be made.
    None,
    Open,
}

/// What lies at a path, by identity.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Expected {
    pub(crate) path: Word,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Whether it must be this one, or anything but this one.
    pub(crate) same: bool,
}

/// What the helper says. Nothing more comes once it has become the command.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The walls stand. With two doors, their listeners come along.
    Ready,
    Failed(Failure),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Failure {
    NoFolder,
    NoProgram,
    /// The program is there and did not start, with the number of the system's error.
    NotStarted(i32),
    /// Why the walls could not be built.
    NoWalls(String),
}

/// Text of the system, which need not be Unicode. Most of it is, and is written as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Word {
    Text(String),
    Bytes(Vec<u8>),
}

impl<T: AsRef<OsStr>> From<T> for Word {
    fn from(text: T) -> Word {
        let text = text.as_ref();
        match text.to_str() {
            Some(text) => Word::Text(text.to_owned()),
            None => Word::Bytes(text.as_bytes().to_vec()),
        }
    }
}

impl Word {
    pub(crate) fn os(&self) -> &OsStr {
        match self {
            Word::Text(text) => OsStr::new(text),
            Word::Bytes(bytes) => OsStr::from_bytes(bytes),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(self.os())
    }

    pub(crate) fn into_os(self) -> OsString {
        match self {
            Word::Text(text) => text.into(),
            Word::Bytes(bytes) => OsString::from_vec(bytes),
        }
    }
}

impl From<&Word> for PathBuf {
    fn from(word: &Word) -> PathBuf {
        word.path().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_way() {
        for bytes in [b"plain".as_slice(), "é €".as_bytes(), b"a\xffb", b"", b"\n\"\\"] {
            let word = Word::from(OsStr::from_bytes(bytes));
            let text = serde_json::to_string(&word).unwrap();
            let back: Word = serde_json::from_str(&text).unwrap();
            assert_eq!(back.os().as_bytes(), bytes, "{text}");
            assert_eq!(back.into_os().as_bytes(), bytes);
        }
    }
}
