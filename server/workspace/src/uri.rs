//! The name an editor gives a document.
//!
//! The spelling of the client is kept, because answers must use it; two spellings of the same file
//! are the same document.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use url::Url;

/// A document's address as the client spells it. Equality looks through the spelling.
#[derive(Clone)]
pub struct DocumentUri {
    spelling: Arc<str>,
    key: Key,
}

/// What an address means. Paths compare by their parts, never as strings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    File(Arc<Path>),
    /// `untitled:`, `vscode-notebook-cell:` and whatever else an editor invents.
    Other(Arc<str>),
}

impl DocumentUri {
    /// Takes any string: a client that sends nonsense gets a document that has no file.
    pub fn new(spelling: &str) -> DocumentUri {
        let key = match Url::parse(spelling) {
            Ok(url) => match file_path(&url) {
                Some(path) => Key::File(path.into()),
                None => Key::Other(url.as_str().into()),
            },
            Err(_) => Key::Other(spelling.into()),
        };
        DocumentUri { spelling: spelling.into(), key }
    }

    /// The address of a file; only an absolute path has one.
    pub fn from_path(path: &Path) -> Option<DocumentUri> {
        let url = Url::from_file_path(path).ok()?;
        Some(DocumentUri { spelling: url.as_str().into(), key: Key::File(path.into()) })
    }

    /// The file this address names, with percent escapes decoded once. Nothing for another scheme
    /// and for a file on another host.
    pub fn to_path(&self) -> Option<PathBuf> {
        self.path().map(Path::to_path_buf)
    }

    /// As [`DocumentUri::to_path`], without a copy.
    pub fn path(&self) -> Option<&Path> {
        match &self.key {
            Key::File(path) => Some(path),
            Key::Other(_) => None,
        }
    }

    /// The client's own spelling.
    pub fn as_str(&self) -> &str {
        &self.spelling
    }
}

fn file_path(url: &Url) -> Option<PathBuf> {
    if url.scheme() != "file" {
        return None;
    }
    let path = url.to_file_path().ok()?;
    // No file can have such a name, and what cuts it at the NUL would open another one.
    let has_nul = path.as_os_str().as_encoded_bytes().contains(&0);
    (path.is_absolute() && !has_nul).then_some(path)
}

impl PartialEq for DocumentUri {
    fn eq(&self, other: &DocumentUri) -> bool {
        self.key == other.key
    }
}

impl Eq for DocumentUri {}

impl Hash for DocumentUri {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl fmt::Display for DocumentUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelling)
    }
}

impl fmt::Debug for DocumentUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.spelling, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn the_file_behind_an_address() {
        let check = |uri: &str, expect: Option<&str>| {
            assert_eq!(DocumentUri::new(uri).to_path().as_deref(), expect.map(Path::new), "{uri}");
        };
        check("file:///a/b.rs", Some("/a/b.rs"));
        check("file://localhost/a/b.rs", Some("/a/b.rs"));
        check("file:///a%20b/%C3%A9.rs", Some("/a b/é.rs"));
        check("file:///a%2520b", Some("/a%20b"));
        check("file:///w/proj/%2e%2e/x", Some("/w/x"));
        check("file:///w/proj/%252e%252e/x", Some("/w/proj/%2e%2e/x"));
        // A slash that was hidden is one now; who looks the path up sees what it leads to.
        check("file:///w/proj/..%2f..%2fx", Some("/w/proj/../../x"));
        check("file:///C%3A/x", Some("/C:/x"));
        check("file://127.0.0.1/x", None);
        check("file://localhost.evil/x", None);
        check("FILE:///a", Some("/a"));
        check("file://host/x", None);
        check("file:///a%00b", None);
        check("untitled:Untitled-1", None);
        check("not an address", None);
        check("", None);
    }

    #[test]
    fn one_file_in_two_spellings_is_one_document() {
        let check = |a: &str, b: &str, expect: bool| {
            assert_eq!(DocumentUri::new(a) == DocumentUri::new(b), expect, "{a} {b}");
        };
        check("file:///a/b.rs", "file://localhost/a/b.rs", true);
        check("file:///a/b%2Ec", "file:///a/b.c", true);
        check("file:///a//b", "file:///a/b", true);
        check("file:///a/b", "file:///a/B", false);
        check("untitled:1", "untitled:2", false);
        check("untitled:/a", "file:///a", false);
    }

    #[test]
    fn the_spelling_survives() {
        assert_eq!(DocumentUri::new("file:///a/b%2Ec").as_str(), "file:///a/b%2Ec");
    }

    #[test]
    fn every_absolute_path_has_an_address() {
        let odd = Path::new(OsStr::from_bytes(b"/tmp/\xff %#?.txt"));
        for path in [Path::new("/a/b c.rs"), Path::new("/é"), odd] {
            let uri = DocumentUri::from_path(path).unwrap();
            assert_eq!(uri.to_path().as_deref(), Some(path));
            assert_eq!(DocumentUri::new(uri.as_str()).to_path().as_deref(), Some(path));
        }
        assert_eq!(DocumentUri::from_path(Path::new("a/b")), None);
    }
}
