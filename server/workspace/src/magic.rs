//! What a file that is not text is, by its first bytes.

/// First bytes, and what they stand for in the sentence "this is …".
#[rustfmt::skip]
const KINDS: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a bitmap image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\0", "xz-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a compiled program (ELF)"),
    (b"MZ", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a compiled program (Mach-O)"),
    (b"\xca\xfe\xba\xbe", "a compiled Java class or macOS program"),
    (b"\0asm", "a WebAssembly module"),
    (b"!<arch>\n", "a library archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"OggS", "an Ogg sound or video"),
    (b"ID3", "an MP3 sound"),
    (b"fLaC", "a FLAC sound"),
    (b"wOFF", "a web font"),
    (b"wOF2", "a web font"),
    (b"\0\x01\0\0\0", "a TrueType font"),
    (b"OTTO", "an OpenType font"),
];

/// The name of a format that starts with these bytes, if it is a known one.
pub(crate) fn known(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") {
        return match bytes.get(8..12) {
            Some(b"WEBP") => Some("a WebP image"),
            Some(b"WAVE") => Some("a WAVE sound"),
            _ => Some("RIFF media data"),
        };
    }
    if bytes.get(4..8) == Some(b"ftyp") {
        return Some("an MP4 or HEIF media file");
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return Some("a tar archive");
    }
    KINDS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_first_bytes() {
        let check = |bytes: &[u8], expect: Option<&str>| assert_eq!(known(bytes), expect);
        check(b"\x89PNG\r\n\x1a\n....", Some("a PNG image"));
        check(b"RIFF\x10\0\0\0WEBPVP8 ", Some("a WebP image"));
        check(b"RIFF", Some("RIFF media data"));
        check(b"\0\0\0\x18ftypmp42", Some("an MP4 or HEIF media file"));
        check(b"fn main() {}", None);
        check(b"", None);
    }
}
