//! Small pictures and documents for tests, made instead of kept. No part of what users get.

#![allow(
    clippy::unwrap_used,
    reason = "only tests come here, and what goes wrong should stop them"
)]

use std::fmt::Write as _;
use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

fn encoded(image: RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(image).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn stripes(width: u32, height: u32) -> RgbImage {
    let colour = |x: u32, y: u32| Rgb([(x / 8 % 2 * 200) as u8, (y / 8 % 2 * 200) as u8, 90]);
    RgbImage::from_fn(width, height, colour)
}

pub fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(stripes(width, height), ImageFormat::Png)
}

pub fn jpeg(width: u32, height: u32) -> Vec<u8> {
    encoded(stripes(width, height), ImageFormat::Jpeg)
}

pub fn gif(width: u32, height: u32) -> Vec<u8> {
    encoded(stripes(width, height), ImageFormat::Gif)
}

pub fn webp(width: u32, height: u32) -> Vec<u8> {
    encoded(stripes(width, height), ImageFormat::WebP)
}

/// A picture that nothing can make small without a loss.
pub fn noise(width: u32, height: u32) -> Vec<u8> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let image = RgbImage::from_fn(width, height, |_, _| Rgb([next(), next(), next()]));
    encoded(image, ImageFormat::Png)
}

/// A photo whose camera was held upright: its pixels lie on their side.
pub fn turned_jpeg(width: u32, height: u32) -> Vec<u8> {
    let bytes = jpeg(width, height);
    // One directory with one entry: the orientation, a quarter to the right.
    let exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&bytes[..2], b"\xff\xe1", &length, exif, &bytes[2..]].concat()
}

/// A few bytes that say they are a huge picture.
pub fn png_that_claims(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png(1, 1);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc(&bytes[12..29]).to_be_bytes();
    bytes[29..33].copy_from_slice(&sum);
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |mut sum: u32, byte: &u8| {
        sum ^= u32::from(*byte);
        (0..8).for_each(|_| sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg()));
        sum
    };
    !bytes.iter().fold(!0, step)
}

/// A document with a page for each text; its lines are lines.
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    document(&objects(pages), "")
}

/// The same, as if it needed a password.
pub fn locked_pdf() -> Vec<u8> {
    let mut objects = objects(&["secret"]);
    objects.push("<< /Filter /Standard /V 1 /R 2 /O (x) /U (y) /P -4 >>".to_owned());
    document(&objects, &format!("/Encrypt {} 0 R", objects.len()))
}

/// The objects of such a document, the catalog first, then the tree of the pages.
pub fn objects(pages: &[&str]) -> Vec<String> {
    let kid = |at: usize| format!("{} 0 R", 4 + 2 * at);
    let kids: Vec<_> = (0..pages.len()).map(kid).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} /MediaBox [0 0 612 792] \
             /Resources << /Font << /F1 3 0 R >> >> >>",
            kids.join(" "),
            pages.len()
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (at, text) in pages.iter().enumerate() {
        let content = 5 + 2 * at;
        objects.push(format!("<< /Type /Page /Parent 2 0 R /Contents {content} 0 R >>"));
        let mut drawn = "BT /F1 12 Tf 72 720 Td".to_owned();
        for line in text.lines() {
            let _ = write!(drawn, " ({line}) Tj 0 -14 Td");
        }
        drawn.push_str(" ET");
        objects.push(stream(&drawn));
    }
    objects
}

pub fn stream(content: &str) -> String {
    format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// A file of these objects.
pub fn document(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut text = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(text.len());
        let _ = write!(text, "{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let (start, size) = (text.len(), objects.len() + 1);
    let _ = write!(text, "xref\n0 {size}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(text, "{place:010} 00000 n ");
    }
    let _ = write!(text, "trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n");
    text.push_str("%%EOF\n");
    text.into_bytes()
}
