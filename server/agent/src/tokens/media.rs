//! Images by their size in pixels, PDFs by their pages. Only headers are looked at; nothing is
//! decoded, and nothing that is not what it says can do harm.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// What an image costs at most: larger ones are made smaller by the provider.
pub(super) const LARGEST_IMAGE: u64 = 1_600;
const LONGEST_EDGE: u64 = 1_568;
const PIXELS_PER_TOKEN: u64 = 750;

/// Each page is sent as its text and as its picture.
const PAGE: u64 = 2_500;
/// What a page takes where the file does not say how many there are.
const PAGE_BYTES: usize = 50_000;
const MOST_PAGES: usize = 1_000;

/// Headers lie within this many letters of base64.
const HEADER: usize = 64 << 10;

/// Width and height of an image in base64.
pub(super) fn size(data: &str) -> Option<(u32, u32)> {
    dimensions(&decoded(data))
}

/// An image in base64.
pub(super) fn image(data: &str) -> u64 {
    let Some((width, height)) = size(data) else { return LARGEST_IMAGE };
    let (width, height) = (u64::from(width.max(1)), u64::from(height.max(1)));
    let longest = width.max(height);
    let pixels = match longest > LONGEST_EDGE {
        true => width * LONGEST_EDGE / longest * (height * LONGEST_EDGE / longest),
        false => width * height,
    };
    pixels.div_ceil(PIXELS_PER_TOKEN).clamp(1, LARGEST_IMAGE)
}

fn decoded(data: &str) -> Vec<u8> {
    let end = data.len().min(HEADER) / 4 * 4;
    data.get(..end).and_then(|head| STANDARD.decode(head).ok()).unwrap_or_default()
}

fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let little =
        |at: usize| Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some((big(16)?, big(20)?)),
        [b'G', b'I', b'F', ..] => Some((little(6)?, little(8)?)),
        [0xFF, 0xD8, ..] => jpeg(bytes),
        [b'R', b'I', b'F', b'F', ..] => webp(bytes),
        _ => None,
    }
}

/// Walks from marker to marker until one tells the size.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let pair =
        |at: usize| Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        let marker = pair(at)?;
        match marker {
            0xFFC0..=0xFFCF if !matches!(marker, 0xFFC4 | 0xFFC8 | 0xFFCC) => {
                return Some((pair(at + 7)?, pair(at + 5)?));
            }
            0xFF00.. => at += 2 + pair(at + 2)?.max(2) as usize,
            _ => return None,
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let byte = |at: usize| bytes.get(at).copied().map(u32::from);
    let fourteen = |at: usize| Some((byte(at)? | byte(at + 1)? << 8) & 0x3FFF);
    match bytes.get(12..16)? {
        b"VP8 " => Some((fourteen(26)?, fourteen(28)?)),
        b"VP8L" => {
            let bits = byte(21)? | byte(22)? << 8 | byte(23)? << 16 | byte(24)? << 24;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8X" => {
            let three = |at: usize| Some(byte(at)? | byte(at + 1)? << 8 | byte(at + 2)? << 16);
            Some((three(24)? + 1, three(27)? + 1))
        }
        _ => None,
    }
}

/// A PDF in base64.
pub(super) fn pdf(data: &str) -> u64 {
    let bytes = STANDARD.decode(data).unwrap_or_default();
    let by_size = (data.len() / 4 * 3).div_ceil(PAGE_BYTES);
    // Newer files hide their pages in compressed streams; then the size must do.
    let pages = match pages(&bytes) {
        0 => by_size,
        counted => counted,
    };
    PAGE * pages.clamp(1, MOST_PAGES) as u64
}

fn pages(bytes: &[u8]) -> usize {
    const TYPE: &[u8] = b"/Type";
    let places = bytes.windows(TYPE.len()).enumerate().filter(|(_, window)| *window == TYPE);
    let named = places.filter(|(at, _)| {
        let rest = bytes[at + TYPE.len()..].trim_ascii_start();
        rest.strip_prefix(b"/Page").is_some_and(|rest| rest.first() != Some(&b's'))
    });
    named.count()
}
