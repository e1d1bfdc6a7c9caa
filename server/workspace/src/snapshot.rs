//! The open documents as one moment saw them.
//!
//! A snapshot is what every reader works on: it does not change under them. It never reads a file;
//! to find a document through a symbolic link it asks for real paths, on the reader's side, and a
//! document's real path only once while it is open.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::document::Document;
use crate::resolve;
use crate::uri::DocumentUri;

/// The open documents at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    documents: Arc<HashMap<DocumentUri, Arc<Document>>>,
}

impl Snapshot {
    /// The document of the file at a real path, by whatever name it was opened. Nothing is looked up:
    /// a document that was opened through a link which now leads here is one of another file.
    pub fn at(&self, real: &Path) -> Option<&Document> {
        let is_at = |document: &&Document| document.real_path() == Some(real);
        if let Some(document) = self.by_exact_path(real).filter(is_at) {
            return Some(document);
        }
        // Two names of one file may both be open. The one with unsaved changes is the newer truth.
        self.iter()
            .filter(is_at)
            .max_by(|a, b| (a.dirty, b.uri.as_str()).cmp(&(b.dirty, a.uri.as_str())))
    }

    /// The document of a file, under the name it was opened with or any other that leads there.
    pub fn get(&self, path: &Path) -> Option<&Document> {
        if let Some(document) = self.by_exact_path(path) {
            return Some(document);
        }
        if self.documents.is_empty() {
            return None;
        }
        self.at(&resolve::real_path(path).ok()?)
    }

    pub fn by_uri(&self, uri: &DocumentUri) -> Option<&Document> {
        self.documents.get(uri).map(Arc::as_ref)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Document> {
        self.documents.values().map(Arc::as_ref)
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Open documents by the real path of their file, for those who look up thousands of files.
    pub(crate) fn by_real_path(&self) -> HashMap<PathBuf, &Document> {
        let mut found: HashMap<PathBuf, &Document> = HashMap::new();
        for document in self.iter() {
            let Some(real) = document.real_path() else { continue };
            let wins = found.get(real).is_none_or(|other| {
                (document.dirty, other.uri.as_str()) > (other.dirty, document.uri.as_str())
            });
            if wins {
                found.insert(real.to_path_buf(), document);
            }
        }
        found
    }

    pub(crate) fn by_uri_mut(&mut self, uri: &DocumentUri) -> Option<&mut Document> {
        // Looked up first, so that a change of an unknown document copies nothing.
        if !self.documents.contains_key(uri) {
            return None;
        }
        Arc::make_mut(&mut self.documents).get_mut(uri).map(Arc::make_mut)
    }

    pub(crate) fn insert(&mut self, document: Document) {
        let documents = Arc::make_mut(&mut self.documents);
        // The key keeps the first spelling otherwise, and a client may reopen with another.
        documents.remove(&document.uri);
        documents.insert(document.uri.clone(), Arc::new(document));
    }

    pub(crate) fn remove(&mut self, uri: &DocumentUri) -> bool {
        self.documents.contains_key(uri) && Arc::make_mut(&mut self.documents).remove(uri).is_some()
    }

    fn by_exact_path(&self, path: &Path) -> Option<&Document> {
        let uri = DocumentUri::from_path(path)?;
        self.by_uri(&uri)
    }
}
