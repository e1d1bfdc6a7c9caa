//! Documents made here, good ones and others.

use lopdf::{Stream, dictionary};

use super::*;
use crate::samples::{self, document, objects, pdf, stream};

fn texts(bytes: &[u8]) -> Vec<String> {
    let pdf = Pdf::open(bytes).unwrap();
    (1..=pdf.pages()).map(|page| pdf.text(page)).collect()
}

#[test]
fn pages_and_their_words() {
    let bytes = pdf(&["one\nand a half", "two", "three"]);
    assert_eq!(texts(&bytes), ["one\nand a half", "two", "three"]);
    let pdf = Pdf::open(&bytes).unwrap();
    assert_eq!((pdf.pages(), pdf.text(0).as_str(), pdf.text(4).as_str()), (3, "", ""));
}

#[test]
fn gaps_are_spaces_and_moves_are_lines() {
    let check = |drawn: &str, expect: &str| {
        let mut objects = objects(&["x"]);
        objects[4] = stream(&format!("BT /F1 9 Tf {drawn} ET"));
        assert_eq!(texts(&document(&objects, "")), [expect], "{drawn}");
    };
    check("[(Hel) 20 (lo) -300 (you)] TJ", "Hello you");
    check("(a) Tj 50 0 Td (b) Tj 0 -9 Td (c) Tj", "a b\nc");
    check("1 0 0 1 72 700 Tm (a) Tj 1 0 0 1 99 700 Tm (b) Tj 1 0 0 1 72 690 Tm (c) Tj", "a b\nc");
    check("(a) Tj T* (b) Tj (c) ' 1 2 (d) \"", "a\nb\nc\nd");
    check("/F2 9 Tf (unknown font) Tj", "");
}

#[test]
fn some_pages_are_a_document() {
    let bytes = pdf(&["one", "two", "three", "four"]);
    let whole = Pdf::open(&bytes).unwrap();
    let some = whole.only(2..=3).unwrap();
    assert_eq!(texts(&some), ["two", "three"]);
    assert!(some.starts_with(b"%PDF-1.7"));
    let text = String::from_utf8_lossy(&some).into_owned();
    assert!(text.contains("MediaBox") && !text.contains("(four)"), "{text}");
    assert_eq!(texts(&whole.only(4..=9).unwrap()), ["four"]);
}

#[test]
fn what_cannot_be_opened_says_why() {
    let check = |bytes: &[u8], expect: &str| {
        let problem = Pdf::open(bytes).map(|_| ()).unwrap_err().to_string();
        assert!(problem.contains(expect), "{problem}");
    };
    check(&samples::locked_pdf(), "protected with a password");
    check(b"%PDF-1.4\nnonsense", "is damaged");
    check(b"", "is damaged");
    check(&pdf(&[]), "has no pages");
}

#[test]
fn a_damaged_end_is_mended() {
    let bytes = pdf(&["one", "two"]);
    let end = bytes.windows(9).position(|word| word == b"startxref").unwrap();
    assert_eq!(texts(&bytes[..end]), ["one", "two"]);
}

#[test]
fn loops_have_an_end() {
    // Every branch of the tree says that another is above it, and the first holds itself.
    let mut looped = objects(&["one", "two"]);
    looped[1] = "<< /Type /Pages /Kids [4 0 R 2 0 R 6 0 R] /Count 2 /Parent 3 0 R >>".to_owned();
    looped[2] = "<< /Type /Pages /Kids [2 0 R] /Parent 2 0 R >>".to_owned();
    let pdf = Pdf::open(&document(&looped, "")).unwrap();
    assert!(pdf.pages() >= 2);
    let some = pdf.only(1..=1).unwrap();
    assert_eq!(Pdf::open(&some).unwrap().pages(), 1);
    // Resources that lead back to the page.
    let mut looped = objects(&["one"]);
    looped[3] = "<< /Type /Page /Parent 2 0 R /Contents [5 0 R 4 0 R] /Resources 4 0 R >>".into();
    Pdf::open(&document(&looped, "")).unwrap().only(1..=1).unwrap();
}

#[test]
fn deep_nesting_is_no_stack() {
    let mut deep = objects(&["one"]);
    deep[2] = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(Pdf::open(&document(&deep, "")).unwrap().pages(), 1);
}

/// One packed stream, often.
#[test]
fn a_bomb_is_not_unpacked() {
    let numbers = "0 ".repeat(LARGEST_STREAM / 2 - 64);
    let content = format!("9 0 [{numbers}]").into_bytes();
    let header = dictionary! { "Type" => "ObjStm", "N" => 1, "First" => 4 };
    let mut packed = Stream::new(header, content);
    packed.compress().unwrap();
    let mut file = b"%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n".to_vec();
    for number in 10..40 {
        let length = packed.content.len();
        let head = format!(
            "{number} 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length {length} >>\
             \nstream\n"
        );
        file.extend([head.as_bytes(), &packed.content, b"\nendstream\nendobj\n"].concat());
    }
    file.extend(b"trailer\n<< /Root 1 0 R /Size 40 >>\n");
    assert_eq!(Pdf::open(&file).map(|_| ()), Err(PdfProblem::TooMuch));
}

proptest::proptest! {
    #[test]
    fn no_change_of_a_byte_breaks_it(at in 0..2_000_usize, byte: u8, cut in 0..2_000_usize) {
        let mut bytes = pdf(&["one", "two"]);
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(bytes.len() - cut % bytes.len());
        if let Ok(pdf) = Pdf::open(&bytes) {
            pdf.text(1);
            let _ = pdf.only(1..=1);
        }
    }
}
