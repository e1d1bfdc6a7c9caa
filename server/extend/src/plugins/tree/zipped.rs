//! Zip archives: what an entry is, and whether there is one at all. What is encrypted, or packed in a way
//! that nobody uses for plugins, is an error of the archive.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;
use zip::read::ZipFile;

/// The first bytes of any of them.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// The kinds of files, in what a Unix system wrote about them.
const KIND: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File { runs: bool },
    Folder,
    Link,
    Special,
}

pub(super) fn open(bytes: &[u8]) -> io::Result<ZipArchive<Cursor<&[u8]>>> {
    Ok(ZipArchive::new(Cursor::new(bytes))?)
}

pub(super) fn kind<R: Read>(entry: &ZipFile<'_, R>) -> Kind {
    let mode = entry.unix_mode().unwrap_or_default();
    match mode & KIND {
        _ if entry.is_dir() => Kind::Folder,
        _ if entry.is_symlink() => Kind::Link,
        // Other systems say nothing.
        0 | PLAIN => Kind::File { runs: mode & 0o100 != 0 },
        _ => Kind::Special,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(name: &str, mode: u32) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().unix_permissions(mode);
        if name.ends_with('/') {
            writer.add_directory(name, options).unwrap();
        } else if name == "link" {
            writer.add_symlink(name, "elsewhere", options).unwrap();
        } else {
            writer.start_file(name, options).unwrap();
            writer.write_all(b"text text text text").unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn entries_and_their_kinds() {
        let check = |name: &str, mode: u32, expect: Kind| {
            let bytes = archive(name, mode);
            assert!(bytes.starts_with(MAGIC));
            let mut opened = open(&bytes).unwrap();
            let entry = opened.by_index(0).unwrap();
            assert_eq!((&*entry.name().unwrap(), kind(&entry)), (name, expect));
        };
        check("a/b.txt", 0o644, Kind::File { runs: false });
        check("run", 0o755, Kind::File { runs: true });
        check("folder/", 0o755, Kind::Folder);
        check("link", 0o777, Kind::Link);
    }

    #[test]
    fn what_is_broken_is_an_error_and_nothing_else() {
        let whole = archive("a", 0o644);
        for length in 0..whole.len() {
            assert!(open(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                // Whatever it is, it is an answer.
                let Ok(mut opened) = open(&bytes) else { continue };
                for at in 0..opened.len() {
                    let Ok(entry) = opened.by_index(at) else { continue };
                    let _ = kind(&entry);
                    let _ = entry.take(1000).read_to_end(&mut Vec::new());
                }
            }
        }
    }
}
