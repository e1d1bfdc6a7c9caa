//! What is kept, and for how long.

use super::*;

fn stamp() -> Stamp {
    let file = tempfile::NamedTempFile::new().unwrap();
    workspace::stamp(file.path()).unwrap().unwrap()
}

#[test]
fn what_is_known_of_a_file_goes_together() {
    let mut reads = ReadLedger::default();
    let (stamp, path) = (stamp(), Path::new("a"));
    reads.note_disk(path, stamp, Some(Text::from("x")));
    reads.keep_seen(path, Text::from("x"));
    assert!(reads.disk_text(path).is_none() && reads.seen_text(path).is_none(), "never read");
    let (one, two) = (Fingerprint::of("1"), Fingerprint::of("2"));
    reads.note(path, one);
    reads.keep_seen(path, Text::from("1"));
    reads.note_disk(path, stamp, Some(Text::from("1")));
    reads.tell(path, two);
    assert!(reads.was_told(path, two) && !reads.was_told(path, one));
    reads.note(path, one);
    assert!(reads.seen_text(path).is_some() && !reads.was_told(path, two), "read once more");
    reads.note(path, two);
    assert!(reads.seen_text(path).is_none(), "another text");
    assert_eq!((reads.seen(path), reads.disk_stamp(path)), (Some(two), Some(stamp)));
    reads.forget(path);
    assert_eq!((reads.seen(path), reads.disk_stamp(path)), (None, None));
    assert!(reads.disk_text(path).is_none());
}
