//! The texts a server had, over the texts there are: an answer is about the former.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use text::Text;

use crate::Files;

pub(super) struct Overlaid<'a> {
    pub(super) texts: HashMap<PathBuf, Text>,
    pub(super) files: &'a dyn Files,
}

impl Files for Overlaid<'_> {
    fn text(&self, path: &Path) -> Option<Text> {
        self.texts.get(path).cloned().or_else(|| self.files.text(path))
    }
}
