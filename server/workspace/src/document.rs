//! One open document: its text, and what is known about where it came from.
//!
//! The owner of the documents hears only what the editor says. Readers, who may look at the disk,
//! leave here what they found out, so that the next change of the document builds on it.

mod past;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use text::Text;

use past::Past;

use crate::overlay::Base;
use crate::resolve;
use crate::uri::DocumentUri;
use crate::walk::lock;

/// One open document.
#[derive(Debug, Clone)]
pub struct Document {
    pub uri: DocumentUri,
    /// The file, for a document that has one. It need not exist yet.
    pub path: Option<PathBuf>,
    pub language: String,
    pub version: i32,
    pub text: Text,
    /// Changed since it was opened or saved, as far as the editor told.
    pub dirty: bool,
    /// Whether the text is known to be what the user sees.
    pub in_sync: bool,
    /// The editor has a text that is too long to be read; nothing is known of it.
    pub unread: bool,
    /// What buffer and disk last agreed on, as far as the owner of the documents knows.
    pub base: Option<Base>,
    /// An agreement that a reader found. Shared with the snapshots, until the base changes.
    agreed: Arc<Mutex<Option<Base>>>,
    /// What it said before, since the base.
    past: Past,
    /// Where the file really is, found when somebody first asks. It stays the same for as long as
    /// the document is open, because the editor too opened the file that was there then.
    real: Arc<OnceLock<Option<PathBuf>>>,
}

impl Document {
    pub(crate) fn new(uri: DocumentUri, language: String, version: i32, text: Text) -> Document {
        Document {
            path: uri.to_path(),
            uri,
            language,
            version,
            text,
            dirty: false,
            in_sync: true,
            unread: false,
            base: None,
            agreed: Arc::default(),
            past: Past::default(),
            real: Arc::default(),
        }
    }

    /// Takes the next text. `removed` is how many bytes of the present one are gone then.
    pub(crate) fn advance(&mut self, text: Text, removed: usize) {
        self.adopt();
        let former = std::mem::replace(&mut self.text, text);
        // What was not the user's text was not saved either.
        if self.in_sync {
            self.past.push(former, removed);
        }
    }

    /// The editor says that the file has the present text.
    pub(crate) fn claim(&mut self) {
        self.adopt();
        self.dirty = false;
        let encoding = self.base.as_ref().and_then(|base| base.encoding);
        // Of a text that may not be the user's, nothing is known.
        self.base = self.in_sync.then(|| Base { text: self.text.clone(), stamp: None, encoding });
        self.agreed = Arc::default();
    }

    /// Takes what a look at the disk found right after the document was opened or saved.
    pub(crate) fn confirm(&mut self, found: Base) {
        self.adopt();
        let takes = match &self.base {
            None => true,
            Some(base) if base.text == found.text => true,
            Some(base) => {
                base.stamp.is_none() && self.past.find(|past| *past == found.text).is_some()
            }
        };
        if !takes {
            // The file changed again before anybody looked; readers will see how.
            return;
        }
        self.dirty = self.text != found.text;
        self.set_base(found);
    }

    /// What buffer and disk last agreed on, as far as anybody knows.
    pub(crate) fn common(&self) -> Option<Base> {
        lock(&self.agreed).clone().or_else(|| self.base.clone())
    }

    /// A reader found that buffer and disk agree, or once did.
    pub(crate) fn agree(&self, base: Base) {
        *lock(&self.agreed) = Some(base);
    }

    /// The last text the document had since the base that says this.
    pub(crate) fn former(&self, text: &str) -> Option<&Text> {
        self.past.find(|former| *former == *text)
    }

    fn adopt(&mut self) {
        let agreed = lock(&self.agreed).clone();
        if let Some(base) = agreed {
            self.set_base(base);
        }
    }

    fn set_base(&mut self, base: Base) {
        if base.text == self.text {
            self.past.clear();
        } else {
            self.past.forget_until(&base.text);
        }
        self.base = Some(base);
        // What readers find out about older bases is of no interest any more.
        self.agreed = Arc::default();
    }

    /// The file behind all symbolic links; nothing where that cannot be found out.
    pub fn real_path(&self) -> Option<&Path> {
        let find = || self.path.as_deref().and_then(|path| resolve::real_path(path).ok());
        self.real.get_or_init(find).as_deref()
    }
}
