//! What a file is, by its first bytes; its name may say anything.

use crate::{pdf, picture};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Png,
    Jpeg,
    Gif,
    WebP,
    Pdf,
}

impl Kind {
    /// So many bytes tell.
    pub const HEAD: usize = 12;

    /// The kind that begins like this, if models take it.
    pub fn of(head: &[u8]) -> Option<Kind> {
        Some(match head {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Kind::Png,
            [0xff, 0xd8, 0xff, ..] => Kind::Jpeg,
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Kind::Gif,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Kind::WebP,
            [b'%', b'P', b'D', b'F', b'-', ..] => Kind::Pdf,
            _ => return None,
        })
    }

    pub fn mime(self) -> &'static str {
        match self {
            Kind::Png => "image/png",
            Kind::Jpeg => "image/jpeg",
            Kind::Gif => "image/gif",
            Kind::WebP => "image/webp",
            Kind::Pdf => "application/pdf",
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Png => "PNG",
            Kind::Jpeg => "JPEG",
            Kind::Gif => "GIF",
            Kind::WebP => "WebP",
            Kind::Pdf => "PDF",
        }
    }

    /// The largest file of the kind that is looked at.
    pub fn largest_file(self) -> u64 {
        match self {
            Kind::Pdf => pdf::LARGEST_FILE,
            _ => picture::LARGEST_FILE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_first_bytes() {
        let check = |head: &[u8], expect| assert_eq!(Kind::of(head), expect, "{head:?}");
        check(b"\x89PNG\r\n\x1a\n....", Some(Kind::Png));
        check(b"\xff\xd8\xff\xe0....", Some(Kind::Jpeg));
        check(b"GIF89a..", Some(Kind::Gif));
        check(b"RIFF....WEBP", Some(Kind::WebP));
        check(b"%PDF-1.7\n", Some(Kind::Pdf));
        for other in [&b""[..], b"\x89PNG", b"RIFF....WAVE", b"GIF8", b"<svg>", b"%PDF"] {
            check(other, None);
        }
    }
}
