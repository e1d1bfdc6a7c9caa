//! The texts that questions and answers are about.

use std::path::{Path, PathBuf};

use text::Text;

/// The truth of text, as the agent sees it: open buffers over the disk.
///
/// Both functions may read the disk; whoever calls them stands where waiting is allowed.
pub trait Files: Send + Sync {
    /// What a file says; `None` when there is no such file or it is no text.
    fn text(&self, path: &Path) -> Option<Text>;

    /// The files whose text is not what the disk says, so that a server that looks at the disk has
    /// to be told about them.
    fn unsaved(&self) -> Vec<(PathBuf, Text)> {
        Vec::new()
    }
}
