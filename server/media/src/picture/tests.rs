//! Pictures made here, fitted and looked at again.

use super::*;
use crate::samples;
use proptest::prelude::*;

#[test]
fn a_small_picture_is_not_touched() {
    for bytes in [samples::png(40, 30), samples::jpeg(40, 30), samples::gif(40, 30)] {
        let fitted = fit(&bytes).unwrap();
        assert_eq!(fitted.bytes, bytes);
        assert_eq!((fitted.width, fitted.height, fitted.was_scaled()), (40, 30, false));
    }
}

#[test]
fn a_large_one_is_made_smaller() {
    let fitted = fit(&samples::png(3_000, 600)).unwrap();
    assert_eq!((fitted.width, fitted.height), (2_000, 400));
    assert_eq!(fitted.original, (3_000, 600));
    let (again, _) = decode(&fitted.bytes).unwrap();
    assert_eq!((again.width(), again.height()), (2_000, 400));
    assert_eq!(fitted.described(), format!("PNG, 2000×400, {}", kilobytes(fitted.bytes.len())));
}

#[test]
fn noise_loses_quality_until_it_fits() {
    let fitted = fit(&samples::noise(1_200, 900)).unwrap();
    assert_eq!(fitted.kind, Kind::Jpeg);
    assert!(fitted.bytes.len() <= MOST_BYTES, "{}", fitted.bytes.len());
    assert!(fit(&fitted.bytes).unwrap().bytes == fitted.bytes, "what fits is not touched again");
}

#[test]
fn photos_stand_upright() {
    // Turned by a quarter, as cameras note it.
    let fitted = fit(&samples::turned_jpeg(40, 20)).unwrap();
    assert_eq!((fitted.width, fitted.height), (20, 40));
}

#[test]
fn what_cannot_be_a_picture() {
    assert_eq!(fit(b"text"), Err(PictureProblem::Unknown));
    assert_eq!(fit(b""), Err(PictureProblem::Unknown));
    assert_eq!(fit(b"%PDF-1.7"), Err(PictureProblem::Unknown));
    let whole = samples::png(40, 30);
    for cut in [8, 20, 40, whole.len() / 2] {
        let problem = fit(&whole[..cut]).unwrap_err();
        assert!(matches!(problem, PictureProblem::Damaged(_)), "{cut}: {problem:?}");
    }
}

#[test]
fn a_bomb_is_not_opened() {
    for (width, height) in [(60_000, 60_000), (40_000, 2_000), (16_000, 16_000)] {
        let problem = fit(&samples::png_that_claims(width, height)).unwrap_err();
        assert_eq!(problem, PictureProblem::TooLarge { width, height });
    }
}

#[test]
fn sizes_for_people() {
    for (bytes, expect) in
        [(12, "12 bytes"), (12_345, "12 kB"), (1_000_000, "1.0 MB"), (3_456_789, "3.4 MB")]
    {
        assert_eq!(kilobytes(bytes), expect);
    }
}

proptest! {
    #[test]
    fn sizes_keep_their_shape(width in 1..100_000_u32, height in 1..100_000_u32, longest in 1..5_000_u32) {
        let (w, h) = scaled(width, height, longest);
        prop_assert!(w >= 1 && h >= 1 && w.max(h) <= longest.max(width.max(height).min(longest)));
        prop_assert!(w <= width && h <= height);
        if width.max(height) <= longest {
            prop_assert_eq!((w, h), (width, height));
        } else {
            prop_assert_eq!(w.max(h), longest);
            // The shorter edge is off by less than a pixel.
            let exact = f64::from(width.min(height)) * f64::from(longest) / f64::from(width.max(height));
            prop_assert!((f64::from(w.min(h)) - exact).abs() <= 1.0);
        }
    }

    #[test]
    fn no_bytes_break_it(tail in proptest::collection::vec(any::<u8>(), 0..300), kind in 0..4_usize) {
        let head: [&[u8]; 4] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\x20\0\0\0WEBPVP8L"];
        let _ = fit(&[head[kind], &tail].concat());
    }
}
