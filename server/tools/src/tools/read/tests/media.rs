//! Pictures and PDFs, and what is not shown twice.

use agent::{ImageSource, ResultPart};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use media::{Pdf, samples};
use serde_json::{Value, json};

use crate::testing::Desk;

/// The line about it, and the part itself.
async fn shown(desk: &Desk, input: Value) -> (String, ResultPart) {
    let report = desk.call("Read", input).await;
    assert!(!report.outcome.is_error, "{:?}", report.outcome);
    let [ResultPart::Text { text }, part] = report.outcome.content.as_slice() else {
        panic!("{:?}", report.outcome)
    };
    (text.clone(), part.clone())
}

/// The pages of the document in a result.
fn pages(part: &ResultPart) -> Vec<String> {
    let ResultPart::Other(document) = part else { panic!("{part:?}") };
    assert_eq!(document["type"], "document");
    assert_eq!(document["source"]["media_type"], "application/pdf");
    let bytes = STANDARD.decode(document["source"]["data"].as_str().unwrap()).unwrap();
    let pdf = Pdf::open(&bytes).unwrap();
    (1..=pdf.pages()).map(|page| pdf.text(page)).collect()
}

#[tokio::test]
async fn pictures_by_their_content() {
    let desk = Desk::new(&[]);
    for (name, bytes, mime) in [
        ("a.png", samples::png(64, 32), "image/png"),
        ("b.txt", samples::jpeg(64, 32), "image/jpeg"),
        ("c", samples::gif(64, 32), "image/gif"),
        ("d.png", samples::webp(64, 32), "image/webp"),
    ] {
        desk.write(&format!("w/{name}"), &bytes);
        let (about, part) = shown(&desk, json!({ "file_path": name, "offset": 1 })).await;
        assert!(about.starts_with(name) && about.contains("64×32"), "{about}");
        let ResultPart::Image { source: ImageSource::Base64 { media_type, data } } = part else {
            panic!("{part:?}")
        };
        assert_eq!((media_type.as_str(), STANDARD.decode(data).unwrap()), (mime, bytes));
    }
    desk.write("w/large.png", samples::png(3_000, 300));
    let (about, _) = shown(&desk, json!({ "file_path": "large.png" })).await;
    assert!(about.contains("2000×200") && about.ends_with("made smaller from 3000×300"), "{about}");
}

#[tokio::test]
async fn what_is_no_good_picture_says_so() {
    let desk = Desk::new(&[("w/text.txt", "words\n")]);
    desk.write("w/cut.png", &samples::png(64, 64)[..60]);
    desk.write("w/bomb.png", samples::png_that_claims(50_000, 50_000));
    desk.write("w/fine.png", samples::png(8, 8));
    desk.write("w/tool.bin", b"\x7fELF\0\0\0\0");
    let check = async |input: Value, expect: &str| {
        let text = desk.err("Read", input).await;
        assert!(text.contains(expect), "{text}");
    };
    check(json!({ "file_path": "cut.png" }), "cut.png is damaged").await;
    check(json!({ "file_path": "bomb.png" }), "claims to be 50000×50000 pixels").await;
    check(json!({ "file_path": "fine.png", "pages": "1" }), "is a picture. Leave out `pages`")
        .await;
    check(json!({ "file_path": "text.txt", "pages": "1" }), "is no PDF. Leave out `pages`").await;
    check(json!({ "file_path": "tool.bin" }), "a compiled program (ELF), not text").await;
}

#[tokio::test]
async fn pages_of_a_document() {
    let texts: Vec<String> = (1..=30).map(|page| format!("words of page {page}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let desk = Desk::new(&[]);
    desk.write("w/short.pdf", samples::pdf(&texts[..3]));
    desk.write("w/long.pdf", samples::pdf(&texts));
    let (about, part) = shown(&desk, json!({ "file_path": "short.pdf" })).await;
    assert!(about.starts_with("short.pdf (PDF, 3 pages, "), "{about}");
    assert_eq!(pages(&part), &texts[..3]);
    let (about, part) = shown(&desk, json!({ "file_path": "long.pdf", "pages": "11-12" })).await;
    assert!(about.starts_with("long.pdf (PDF, pages 11–12 of 30, "), "{about}");
    assert_eq!(pages(&part), &texts[10..12]);
    let text = desk.err("Read", json!({ "file_path": "long.pdf" })).await;
    assert!(text.contains("has 30 pages. Say which of them with `pages`"), "{text}");
    let text = desk.err("Read", json!({ "file_path": "long.pdf", "pages": "1-30" })).await;
    assert!(text.contains("30 pages are too many for one call"), "{text}");
    let text = desk.err("Read", json!({ "file_path": "long.pdf", "pages": "31" })).await;
    assert!(text.contains("has 30 pages; there is no page 31"), "{text}");
}

#[tokio::test]
async fn documents_that_cannot_be_opened() {
    let desk = Desk::new(&[("w/bad.pdf", "%PDF-1.7\nand nothing else")]);
    desk.write("w/locked.pdf", samples::locked_pdf());
    let text = desk.err("Read", json!({ "file_path": "bad.pdf" })).await;
    assert!(text.contains("bad.pdf is damaged"), "{text}");
    let text = desk.err("Read", json!({ "file_path": "locked.pdf" })).await;
    assert!(text.contains("protected with a password"), "{text}");
}

#[tokio::test]
async fn a_model_that_takes_no_documents_gets_words() {
    let desk = Desk::new(&[]);
    *desk.editor.only_words.lock().unwrap() = true;
    desk.write("w/a.pdf", samples::pdf(&["first page\nsecond line", ""]));
    let text = desk.ok("Read", json!({ "file_path": "a.pdf" })).await;
    assert_eq!(
        text,
        "--- a.pdf, page 1 of 2 ---\nfirst page\nsecond line\n\
         --- a.pdf, page 2 of 2 ---\n[no words on this page]\n"
    );
    desk.write("w/scan.pdf", samples::pdf(&["", ""]));
    let text = desk.ok("Read", json!({ "file_path": "scan.pdf" })).await;
    assert!(text.contains("There are no words in these pages"), "{text}");
    let long = "word ".repeat(9_000);
    desk.write("w/long.pdf", samples::pdf(&[&long, &long, &long]));
    let text = desk.ok("Read", json!({ "file_path": "long.pdf" })).await;
    assert!(text.contains("PARTIAL: these are pages 1 to 1. Read on with pages \"2-3\""), "{text}");
}

#[tokio::test]
async fn nothing_is_shown_twice_while_it_stands() {
    let desk = Desk::new(&[("w/a.txt", "one\ntwo\n")]);
    desk.write("w/a.png", samples::png(8, 8));
    let read = async |input: Value| {
        let report = desk.call("Read", input).await;
        assert!(!report.outcome.is_error, "{report:?}");
        let text = format!("{:?}", report.outcome.content);
        text.contains("has not changed since you read it")
    };
    let whole = || json!({ "file_path": "a.txt" });
    let part = || json!({ "file_path": "a.txt", "offset": 2 });
    let picture = || json!({ "file_path": "a.png" });
    assert!(!read(whole()).await && read(whole()).await, "the same again");
    assert!(!read(part()).await && read(part()).await, "another part is another question");
    assert!(read(whole()).await, "and both are remembered");
    assert!(!read(picture()).await && read(picture()).await);
    desk.write("w/a.txt", "one\nthree\n");
    assert!(!read(whole()).await, "it says something else now");
    desk.write("w/a.png", samples::png(9, 9));
    assert!(!read(picture()).await && read(picture()).await);
    *desk.editor.forgets.lock().unwrap() = true;
    assert!(!read(whole()).await && !read(picture()).await, "what is gone is shown again");
}
