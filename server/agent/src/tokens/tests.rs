//! Estimates within sight of the truth, and never out of proportion.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn between(text: &str, least: u64, most: u64) {
    let found = of_text(text);
    assert!((least..=most).contains(&found), "{found} for {text:?}");
}

#[test]
fn each_kind_has_its_density() {
    assert_eq!(of_text(""), 0);
    assert_eq!(of_text("a"), 1);
    between("The quick brown fox jumps over the lazy dog and runs away.", 11, 17);
    between("fn main() { let x: Vec<u8> = foo(&bar)?; println!(\"{x:?}\"); }", 18, 32);
    between(r#"{"file_path":"/a/b.rs","limit":100,"offset":2000}"#, 14, 26);
    between("今日はとても良い天気ですね", 10, 18);
    between("Привет, как дела сегодня?", 8, 16);
    between(&"        \n".repeat(10), 1, 8);
    between(&"k7Gh".repeat(100), 150, 300);
}

fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes
}

#[test]
fn images_count_by_their_size() {
    let image = |bytes: &[u8]| {
        of_blocks(&[Block::Image {
            source: ImageSource::Base64 { media_type: "image/png".into(), data: base64(bytes) },
        }]) - FRAME
    };
    assert_eq!(image(&png(750, 100)), 100);
    assert_eq!(image(&png(7500, 1000)), (1568 * 209_u64).div_ceil(750));
    assert_eq!(image(&png(9000, 9000)), media::LARGEST_IMAGE);
    assert_eq!(image(&png(u32::MAX, 1)), 1);
    assert_eq!(image(b"GIF89a\xEE\x02\x64\x00"), 100);
    let mut jpeg = b"\xFF\xD8\xFF\xE0\x00\x04ab\xFF\xC0\x00\x11\x08".to_vec();
    jpeg.extend([0, 100, 0x02, 0xEE, 3]);
    assert_eq!(image(&jpeg), 100);
    let mut webp = b"RIFF\0\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0".to_vec();
    webp.extend([0xED, 2, 0, 99, 0, 0]);
    assert_eq!(image(&webp), 100);
    for nonsense in [&b""[..], b"\xFF\xD8", b"RIFF", b"GIF", b"\x89PNG", b"hello"] {
        assert_eq!(image(nonsense), media::LARGEST_IMAGE);
    }
}

#[test]
fn pdfs_count_by_their_pages() {
    let pdf = |bytes: &[u8]| of_json(&crate::request::pdf(&base64(bytes), "t"));
    let two = b"%PDF-1.4 /Type /Pages /Count 2 <</Type/Page>> <</Type /Page /X>>";
    assert_eq!(pdf(two), 5_000);
    assert_eq!(pdf(b"%PDF-1.7 compressed"), 2_500);
    assert_eq!(pdf(&vec![b'x'; 150_000]), 3 * 2_500);
    assert_eq!(of_json(&crate::request::pdf("not base64 !", "t")), 2_500);
}

#[test]
fn calls_results_and_requests_add_up() {
    let call = Block::ToolUse { id: "1".into(), name: "Read".into(), input: json!({"a": "b"}) };
    let text = |text: &str| ResultPart::Text { text: text.to_owned() };
    let result = |content| Block::ToolResult { tool_use_id: "1".into(), content, is_error: false };
    assert!(of_blocks(&[call]) > FRAME + 2 * FRAME);
    let short = of_blocks(&[result(vec![text("hi")])]);
    let long = of_blocks(&[result(vec![text(&"word ".repeat(1000))])]);
    assert!(short < 20 && (1_000..2_000).contains(&long), "{short} {long}");
}

proptest! {
    #[test]
    fn more_text_is_never_fewer_tokens(a in any::<String>(), b in any::<String>()) {
        let joined = of_text(&format!("{a}{b}"));
        prop_assert!(joined + 2 >= of_text(&a).max(of_text(&b)));
        prop_assert!(joined <= of_text(&a) + of_text(&b) + 48);
    }

    #[test]
    fn never_more_than_two_a_letter_and_never_nothing(text in any::<String>()) {
        let tokens = of_text(&text);
        prop_assert!(tokens <= 2 * text.chars().count() as u64);
        prop_assert_eq!(tokens == 0, text.is_empty());
    }

    #[test]
    fn any_bytes_as_a_medium_are_bounded(bytes in any::<Vec<u8>>(), text in any::<String>()) {
        for data in [base64(&bytes), text] {
            prop_assert!(media::image(&data) <= media::LARGEST_IMAGE);
            prop_assert!(media::pdf(&data) <= 2_500_000);
        }
    }
}
