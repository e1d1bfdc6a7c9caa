//! What is kept, and for how long.

use super::*;

fn stamp() -> Stamp {
    let file = tempfile::NamedTempFile::new().unwrap();
    workspace::stamp(file.path()).unwrap().unwrap()
}

#[test]
fn the_oldest_text_goes_first() {
    let mut reads = ReadLedger::with_cap(10);
    let stamp = stamp();
    let path = |name: &str| PathBuf::from(name);
    let mut keep = |name: &str, text: &str| {
        reads.note(&path(name), Fingerprint::of(text));
        reads.note_disk(&path(name), stamp, Some(Text::from(text)));
        let mut kept: Vec<_> = reads.kept.values().map(|path| path.display().to_string()).collect();
        kept.sort();
        let bytes: usize =
            kept.iter().map(|name| reads.disk_text(&path(name)).unwrap().len_bytes()).sum();
        assert_eq!(reads.bytes, bytes);
        assert!(reads.on_disk().all(|(_, known)| known == Some(stamp)), "stamps always stay");
        kept.join(" ")
    };
    assert_eq!(keep("a", "1234"), "a");
    assert_eq!(keep("b", "1234"), "a b");
    assert_eq!(keep("a", "123456"), "a b");
    assert_eq!(keep("c", "1"), "a c", "b is the oldest, since a was read again");
    assert_eq!(keep("d", "12345678901"), "a c", "too large to be kept at all");
    assert_eq!(keep("a", "12345678901"), "c");
    assert_eq!(reads.seen(&path("b")), Some(Fingerprint::of("1234")));
    reads.forget_disk(&path("c"));
    assert_eq!((reads.bytes, reads.kept.len()), (0, 0));
    reads.note_disk(&path("unknown"), stamp, Some(Text::from("x")));
    assert_eq!((reads.bytes, reads.seen(&path("unknown"))), (0, None));
}
