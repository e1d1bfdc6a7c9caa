//! Output that is kept as it comes: a file of our own that only grows, up to a cap.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// What stands at the end of a file that could not hold more.
const FULL: &str = "\n… the rest was left out: this file may not grow any further …\n";

/// A file that only its maker writes to. Nobody but the user can read it.
#[derive(Debug)]
pub struct Spool {
    file: File,
    written: u64,
    cap: u64,
}

impl Spool {
    /// Makes the file, and its folders where they are missing. An existing one is never written to.
    pub fn create(path: &Path, cap: u64) -> io::Result<Spool> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        Ok(Spool { file, written: 0, cap })
    }

    /// A file that is complete with these bytes.
    pub fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
        Spool::create(path, 0)?.file.write_all(bytes)
    }

    /// Adds to the file. What goes beyond the cap is left out, and the file says so once.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        let room = usize::try_from(self.cap.saturating_sub(self.written)).unwrap_or(usize::MAX);
        if room == 0 {
            return Ok(());
        }
        let piece = &text[..text.floor_char_boundary(room)];
        self.file.write_all(piece.as_bytes())?;
        self.written += piece.len() as u64;
        if piece.len() < text.len() {
            self.written = self.cap;
            self.file.write_all(FULL.as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::test as testing;

    #[test]
    fn a_spool_is_private_capped_and_never_shared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/out");
        let mut spool = Spool::create(&path, 10).unwrap();
        spool.write("12345").unwrap();
        spool.write("678é0").unwrap();
        spool.write("more").unwrap();
        let text = String::from_utf8(testing::read(&path)).unwrap();
        assert_eq!(text, format!("12345678é{FULL}"));
        assert_eq!(testing::mode(&path) & 0o777, 0o600);
        assert_eq!(testing::mode(&folder.path().join("a")) & 0o777, 0o700);
        assert!(Spool::create(&path, 10).is_err(), "what is there is somebody else's");
    }
}
