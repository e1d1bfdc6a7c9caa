//! A picture, checked and made small enough for a model.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageReader, Limits};

use crate::Kind;

/// A larger file is no picture that anybody wants to show.
pub const LARGEST_FILE: u64 = 64 << 20;

/// Providers refuse longer edges in a conversation with many pictures, and shrink them anyway.
pub const LONGEST_EDGE: u32 = 2_000;
/// More bytes than this are made fewer. Providers take 5 MB of Base64, but every request carries all
/// pictures again.
pub const MOST_BYTES: usize = 500_000;

/// What a picture may say of its size: as much as good cameras make.
const MOST_PIXELS: u64 = 64_000_000;
/// And what it may take in memory while it is decoded.
const MOST_MEMORY: u64 = 256 << 20;

const QUALITIES: [u8; 3] = [85, 65, 40];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub kind: Kind,
    pub bytes: Vec<u8>,
    /// In pixels.
    pub width: u32,
    pub height: u32,
    /// As it was before it was made smaller.
    pub original: (u32, u32),
}

impl Picture {
    /// For people: `PNG, 640×480, 12 kB`.
    pub fn described(&self) -> String {
        let size = kilobytes(self.bytes.len());
        format!("{}, {}×{}, {size}", self.kind.name(), self.width, self.height)
    }

    pub fn was_scaled(&self) -> bool {
        self.original != (self.width, self.height)
    }
}

/// As people like to read it.
pub fn kilobytes(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// The rest of a sentence that begins with the picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureProblem {
    #[error("is none of PNG, JPEG, GIF and WebP")]
    Unknown,
    #[error("is damaged ({0})")]
    Damaged(String),
    #[error(
        "claims to be {width}×{height} pixels, which is more than can be opened; make a smaller copy"
    )]
    TooLarge { width: u32, height: u32 },
}

/// Checks that a picture is one, and makes it as small as models want it. One that is already is not
/// touched.
pub fn fit(bytes: &[u8]) -> Result<Picture, PictureProblem> {
    let kind = Kind::of(bytes).filter(|kind| *kind != Kind::Pdf).ok_or(PictureProblem::Unknown)?;
    let (image, orientation) = decode(bytes)?;
    let original = (image.width(), image.height());
    let (width, height) = scaled(original.0, original.1, LONGEST_EDGE);
    let small = (width, height) == original && bytes.len() <= MOST_BYTES;
    if small && orientation == Orientation::NoTransforms {
        return Ok(Picture { kind, bytes: bytes.to_vec(), width, height, original });
    }
    let image = resized(image, width, height);
    let (kind, bytes, (width, height)) = encode(image, kind)?;
    Ok(Picture { kind, bytes, width, height, original })
}

/// The picture the right way up, and what was done to it for that.
fn decode(bytes: &[u8]) -> Result<(DynamicImage, Orientation), PictureProblem> {
    // What it says of its size is looked at before anything is believed.
    let (width, height) = reader(bytes)?.into_dimensions().map_err(|error| damaged(&error))?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MOST_PIXELS {
        return Err(PictureProblem::TooLarge { width, height });
    }
    if pixels == 0 {
        return Err(PictureProblem::Damaged("it has no pixels".to_owned()));
    }
    let mut reader = reader(bytes)?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| damaged(&error))?;
    if decoder.total_bytes() > MOST_MEMORY {
        return Err(PictureProblem::TooLarge { width, height });
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| damaged(&error))?;
    image.apply_orientation(orientation);
    Ok((image, orientation))
}

fn reader(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, PictureProblem> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|error| damaged(&error))
}

fn damaged(error: &dyn std::error::Error) -> PictureProblem {
    PictureProblem::Damaged(error.to_string())
}

/// The size with the same shape whose longer edge is at most this long.
pub fn scaled(width: u32, height: u32, longest: u32) -> (u32, u32) {
    let (edge, longest) = (width.max(height), longest.max(1));
    if edge <= longest {
        return (width, height);
    }
    let scale = |side: u32| {
        let rounded =
            (u64::from(side) * u64::from(longest) + u64::from(edge) / 2) / u64::from(edge);
        u32::try_from(rounded).unwrap_or(longest).clamp(1, longest)
    };
    (scale(width), scale(height))
}

fn resized(mut image: DynamicImage, width: u32, height: u32) -> DynamicImage {
    // The good filter needs many bytes for each pixel, so a much larger one is first made smaller in
    // the cheap way.
    let twice = (width.saturating_mul(2), height.saturating_mul(2));
    if image.width() > twice.0 && image.height() > twice.1 {
        image = image.thumbnail_exact(twice.0, twice.1);
    }
    if (image.width(), image.height()) == (width, height) {
        return image;
    }
    image.resize_exact(width, height, FilterType::CatmullRom)
}

type Encoded = (Kind, Vec<u8>, (u32, u32));

/// Without a loss where that is small enough, then with more and more of it, then smaller.
fn encode(mut image: DynamicImage, from: Kind) -> Result<Encoded, PictureProblem> {
    if from != Kind::Jpeg {
        let bytes = as_png(&image)?;
        if bytes.len() <= MOST_BYTES {
            return Ok((Kind::Png, bytes, (image.width(), image.height())));
        }
    }
    image = without_alpha(image);
    loop {
        let size = (image.width(), image.height());
        for quality in QUALITIES {
            let bytes = as_jpeg(&image, quality)?;
            if bytes.len() <= MOST_BYTES || size == (1, 1) {
                return Ok((Kind::Jpeg, bytes, size));
            }
        }
        let (width, height) = scaled(size.0, size.1, size.0.max(size.1) / 2);
        image = resized(image, width, height);
    }
}

fn as_png(image: &DynamicImage) -> Result<Vec<u8>, PictureProblem> {
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, PngFilter::Adaptive);
    // Sixteen bits of a colour are more than anybody sees.
    let shown = match image.has_alpha() {
        true => DynamicImage::ImageRgba8(image.to_rgba8()),
        false => DynamicImage::ImageRgb8(image.to_rgb8()),
    };
    shown.write_with_encoder(encoder).map_err(|error| damaged(&error))?;
    Ok(bytes)
}

fn as_jpeg(image: &DynamicImage, quality: u8) -> Result<Vec<u8>, PictureProblem> {
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
    image.write_with_encoder(encoder).map_err(|error| damaged(&error))?;
    Ok(bytes)
}

/// On white, as a page would be.
fn without_alpha(image: DynamicImage) -> DynamicImage {
    if !image.has_alpha() {
        return DynamicImage::ImageRgb8(image.into_rgb8());
    }
    let image = image.into_rgba8();
    let mut out = image::RgbImage::new(image.width(), image.height());
    for (from, to) in image.pixels().zip(out.pixels_mut()) {
        let [red, green, blue, alpha] = from.0.map(u16::from);
        let over = |colour: u16| ((colour * alpha + 255 * (255 - alpha)) / 255) as u8;
        to.0 = [over(red), over(green), over(blue)];
    }
    DynamicImage::ImageRgb8(out)
}

#[cfg(test)]
mod tests;
