//! The table of buffer, disk and base, and the stories that lead through it.

use super::*;
use crate::disk::test::{delete, write};
use crate::documents::{Change, Documents};
use crate::glob::Glob;
use crate::grep::{Mode, Output, Query, grep};
use crate::uri::DocumentUri;
use crate::view::{FileText, Origin, View};
use crate::walk::{Ignored, Limits};
use proptest::prelude::*;
use std::path::PathBuf;
use text::PositionEncoding;

/// An editor with one file, told from what the editor does and from what others do to the disk.
struct Desk {
    _keep: tempfile::TempDir,
    root: PathBuf,
    path: PathBuf,
    uri: DocumentUri,
    documents: Documents,
    version: i32,
}

impl Desk {
    fn new(disk: Option<&str>) -> Desk {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        let path = root.join("f.txt");
        let uri = DocumentUri::from_path(&path).unwrap();
        let documents = Documents::default();
        let desk = Desk { _keep: keep, root, path, uri, documents, version: 1 };
        if let Some(text) = disk {
            desk.disk(text.as_bytes());
        }
        desk
    }

    /// A file and the editor that has just opened it.
    fn opened(disk: &str) -> Desk {
        let mut desk = Desk::new(Some(disk));
        desk.open(disk);
        desk
    }

    fn disk(&self, bytes: &[u8]) {
        write(&self.path, bytes);
    }

    fn open(&mut self, text: &str) {
        self.documents.open(self.uri.clone(), String::new(), self.version, text);
        self.find_base();
    }

    /// What the host does after opening and saving, away from the loop.
    fn find_base(&mut self) {
        let text = self.documents.snapshot().by_uri(&self.uri).unwrap().text.clone();
        let base = common_base(&self.path, &text);
        self.documents.set_base(&self.uri, base);
    }

    fn types(&mut self, text: &str) {
        self.version += 1;
        let change = Change { range: None, text: text.to_owned() };
        let encoding = PositionEncoding::Utf16;
        self.documents.change(&self.uri, self.version, vec![change], encoding).unwrap();
    }

    /// The editor writes the file and says so.
    fn saves(&mut self) {
        let text = self.documents.snapshot().by_uri(&self.uri).unwrap().text.to_string();
        self.disk(text.as_bytes());
        self.documents.save(&self.uri, None).unwrap();
    }

    fn read(&self) -> FileText {
        View::new(self.documents.snapshot()).read(&self.path).unwrap()
    }

    #[track_caller]
    fn check(&self, text: &str, dirty: bool, disk: &str) {
        let file = self.read();
        assert_eq!(file.text.to_string(), text);
        let Origin::Buffer { dirty: found, disk: side, .. } = &file.origin else {
            panic!("{:?}", file.origin)
        };
        assert_eq!((*found, name(side)), (dirty, disk), "{text:?}");
    }

    /// Waits until the next write of the file is sure to give another stamp.
    fn settle(&self) {
        while disk::settled_stamp(&self.path).is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Whether Grep finds it.
    fn finds(&self, pattern: &str) -> bool {
        let query = Query { mode: Mode::Count, ..Query::new(pattern, &self.root) };
        match grep(&self.documents.snapshot(), &query, &Limits::NONE).unwrap().output {
            Output::Counts { files, .. } => files > 0,
            output => panic!("{output:?}"),
        }
    }

    fn globbed(&self) -> Vec<PathBuf> {
        let glob = Glob::new("*.txt", &self.root).unwrap();
        let snapshot = self.documents.snapshot();
        let found = glob.find(&glob.root, &snapshot, Ignored::Skip, 10, &Limits::NONE);
        found.unwrap().paths
    }
}

fn name(side: &DiskSide) -> &'static str {
    match side {
        DiskSide::Same => "same",
        DiskSide::Newer => "newer",
        DiskSide::Merged => "merged",
        DiskSide::Conflict(_) => "conflict",
        DiskSide::Missing => "missing",
        DiskSide::Gone => "gone",
        DiskSide::Replaced(what) => what,
        DiskSide::Unknown => "unknown",
    }
}

const BASE: &str = "one\ntwo\nthree\nfour\nfive\n";
const TYPED: &str = "ONE\ntwo\nthree\nfour\nfive\n";
const FORMATTED: &str = "one\ntwo\nthree\nfour\nFIVE\n";
const BOTH: &str = "ONE\ntwo\nthree\nfour\nFIVE\n";
const OTHER: &str = "eins\ntwo\nthree\nfour\nfive\n";

/// One row of the table: what the editor has, what the disk has by now, and what everybody sees.
struct Row {
    /// The buffer, if the file is open: what it was opened with, and what was typed then.
    buffer: Option<(&'static str, Option<&'static str>)>,
    before: Option<&'static str>,
    after: Option<&'static str>,
    sees: &'static str,
    side: &'static str,
}

#[test]
fn the_table() {
    let row = |buffer, before, after, sees, side| Row { buffer, before, after, sees, side };
    let clean = Some((BASE, None));
    let dirty = Some((BASE, Some(TYPED)));
    let rows = [
        row(None, Some(BASE), Some(BASE), BASE, "disk"),
        row(None, Some(BASE), Some(FORMATTED), FORMATTED, "disk"),
        row(clean, Some(BASE), Some(BASE), BASE, "same"),
        row(clean, Some(BASE), Some(FORMATTED), FORMATTED, "newer"),
        row(dirty, Some(BASE), Some(BASE), TYPED, "same"),
        row(dirty, Some(BASE), Some(FORMATTED), BOTH, "merged"),
        row(dirty, Some(BASE), Some(OTHER), TYPED, "conflict"),
        row(dirty, Some(BASE), Some(TYPED), TYPED, "same"),
        // A new file, and one that somebody else made meanwhile.
        row(Some(("", Some(TYPED))), None, None, TYPED, "missing"),
        row(Some((TYPED, None)), None, None, TYPED, "missing"),
        row(Some(("", Some(TYPED))), None, Some(OTHER), TYPED, "conflict"),
        row(Some(("", None)), None, Some(OTHER), OTHER, "newer"),
        // Deleted while it is open.
        row(clean, Some(BASE), None, BASE, "gone"),
        row(dirty, Some(BASE), None, TYPED, "gone"),
        // Text that the editor restored, which was never on the disk.
        row(Some((TYPED, None)), Some(BASE), Some(BASE), TYPED, "same"),
        row(Some((TYPED, None)), Some(BASE), Some(FORMATTED), BOTH, "merged"),
    ];
    for (number, row) in rows.into_iter().enumerate() {
        check_row(number, &row);
    }
}

fn check_row(number: usize, row: &Row) {
    let mut desk = Desk::new(row.before);
    if let Some((opened, typed)) = row.buffer {
        desk.open(opened);
        typed.into_iter().for_each(|text| desk.types(text));
    }
    match row.after {
        Some(text) => desk.disk(text.as_bytes()),
        None if row.before.is_some() => delete(&desk.path),
        None => {}
    }
    let file = desk.read();
    assert_eq!(file.text.to_string(), row.sees, "row {number}");
    let side = match &file.origin {
        Origin::Buffer { disk, .. } => name(disk),
        Origin::Disk { .. } => "disk",
    };
    assert_eq!(side, row.side, "row {number}");
    assert_eq!(desk.globbed(), [desk.path.clone()], "row {number}");
    for word in ["one", "ONE", "eins", "five", "FIVE"] {
        assert_eq!(desk.finds(word), row.sees.contains(word), "{word} in row {number}");
    }
    // A change computed on what is seen is a change of what the editor has.
    let edit = text::diff(row.sees, &format!("{}more", row.sees));
    let whole = file.for_buffer(&edit).apply(file.buffer()).unwrap();
    assert_eq!(whole.to_string(), format!("{}more", row.sees), "row {number}");
    let (opened, typed) = row.buffer.unwrap_or((row.sees, None));
    assert_eq!(file.buffer().to_string(), typed.unwrap_or(opened), "row {number}");
}

#[test]
fn a_conflict_says_where() {
    let mut desk = Desk::opened(BASE);
    desk.types(TYPED);
    desk.disk(OTHER.as_bytes());
    let Origin::Buffer { disk: DiskSide::Conflict(conflict), .. } = desk.read().origin else {
        panic!("no conflict")
    };
    assert_eq!((conflict.places[0].line, conflict.places.len()), (1, 1));
    assert!(conflict.places[0].theirs.contains("eins"));
}

#[test]
fn without_a_base_the_buffer_wins() {
    let mut desk = Desk::new(Some(BASE));
    let (uri, language) = (desk.uri.clone(), String::new());
    desk.documents.open(uri.clone(), language.clone(), 1, TYPED);
    desk.check(TYPED, false, "unknown");
    // One that says the same is a base that a reader found.
    desk.documents.open(uri, language, 1, BASE);
    desk.check(BASE, false, "same");
    desk.disk(FORMATTED.as_bytes());
    desk.check(FORMATTED, false, "newer");
}

#[test]
fn restored_text_is_unsaved() {
    let mut desk = Desk::new(Some(BASE));
    desk.open(TYPED);
    assert!(desk.documents.snapshot().by_uri(&desk.uri).unwrap().dirty);
    desk.check(TYPED, true, "same");
    desk.types(BASE);
    desk.check(BASE, false, "same");
}

#[test]
fn an_editor_that_loads_what_a_formatter_wrote() {
    let mut desk = Desk::opened(BASE);
    desk.disk(FORMATTED.as_bytes());
    desk.check(FORMATTED, false, "newer");
    desk.types(FORMATTED);
    desk.check(FORMATTED, false, "same");
    // The formatted text is the base now, so this is no conflict, though the line is the same.
    let typed = FORMATTED.replace("FIVE", "FIVE!");
    desk.types(&typed);
    desk.check(&typed, true, "same");
    desk.disk(FORMATTED.replace("one", "eins").as_bytes());
    desk.check(&typed.replace("one", "eins"), true, "merged");
}

#[test]
fn a_reload_that_nobody_saw() {
    let mut desk = Desk::opened(BASE);
    desk.disk(FORMATTED.as_bytes());
    desk.types(FORMATTED);
    let typed = FORMATTED.replace("FIVE", "FIVE!");
    desk.types(&typed);
    desk.check(&typed, true, "same");
}

#[test]
fn typing_while_the_editor_saves() {
    let mut desk = Desk::opened(BASE);
    desk.types(TYPED);
    desk.disk(TYPED.as_bytes());
    desk.types(BOTH);
    desk.documents.save(&desk.uri.clone(), None).unwrap();
    desk.check(BOTH, true, "same");
    desk.find_base();
    assert!(desk.documents.snapshot().by_uri(&desk.uri).unwrap().dirty);
    desk.check(BOTH, true, "same");
    // Saved for good, and put back to the text of before by somebody else.
    desk.saves();
    desk.find_base();
    desk.disk(TYPED.as_bytes());
    desk.check(TYPED, false, "newer");
}

#[test]
fn after_a_save() {
    let check = |known: bool| {
        let mut desk = Desk::opened(BASE);
        desk.types(TYPED);
        desk.saves();
        if known {
            desk.find_base();
        }
        desk.disk(BOTH.as_bytes());
        desk.check(BOTH, false, "newer");
        // A look that comes too late takes nothing for agreed.
        desk.find_base();
        desk.check(BOTH, false, "newer");
        desk.types(&TYPED.replace("two", "TWO"));
        desk.check(&BOTH.replace("two", "TWO"), true, "merged");
    };
    check(true);
    check(false);
}

#[test]
fn typed_and_taken_back() {
    let mut desk = Desk::opened(BASE);
    desk.types(TYPED);
    desk.types(BASE);
    desk.check(BASE, false, "same");
    desk.disk(FORMATTED.as_bytes());
    desk.check(FORMATTED, false, "newer");
    desk.documents.set_dirty(&desk.uri.clone(), false);
    desk.check(FORMATTED, false, "newer");
}

#[test]
fn what_editors_hide_is_no_difference() {
    let check = |disk: &[u8], buffer: &str, changed: &[u8], sees: &str| {
        let mut desk = Desk::new(None);
        desk.disk(disk);
        desk.open(buffer);
        desk.check(buffer, false, "same");
        desk.disk(disk);
        desk.check(buffer, false, "same");
        desk.disk(changed);
        desk.check(sees, false, "newer");
    };
    check(b"\xef\xbb\xbfa\n", "a\n", b"\xef\xbb\xbfb\n", "b\n");
    check(b"\xef\xbb\xbfa\n", "\u{feff}a\n", b"\xef\xbb\xbfb\n", "\u{feff}b\n");
    check(b"\xff\xfea\0", "a", b"\xff\xfeb\0", "b");
    check(b"a\r\nb\r\n", "a\nb\n", b"a\r\nc\r\n", "a\nc\n");
    check(b"a\nb\r\nc\n", "a\r\nb\r\nc\r\n", b"x\nb\r\nc\n", "x\r\nb\r\nc\r\n");
    check(b"a\rb\r", "a\rb\r", b"a\nc\n", "a\rc\r");
    check(b"caf\xe9\n", "caf\u{e9}\n", b"caf\xe9s\n", "caf\u{e9}s\n");
}

#[test]
fn an_end_that_the_editor_adds_when_it_saves() {
    let check = |buffer: &str, disk: &[u8]| {
        let mut desk = Desk::opened("before\n");
        desk.types(buffer);
        desk.disk(disk);
        desk.documents.save(&desk.uri.clone(), None).unwrap();
        desk.check(buffer, false, "same");
        desk.find_base();
        desk.check(buffer, false, "same");
    };
    check("a\nb", b"a\nb\n");
    check("a\r\nb", b"a\r\nb\r\n");
    check("a\nb\n", b"a\nb");
}

#[test]
fn what_the_editor_reads_in_its_own_way() {
    // Windows-1251, which passes for Latin-1 here and says something else there.
    let disk: &[u8] = b"int n; // \xf7\xe8\xf1\xeb\xee\n";
    let buffer = "int n; // число\n";
    let mut desk = Desk::new(None);
    desk.disk(disk);
    desk.open(buffer);
    desk.check(buffer, false, "same");
    let typed = format!("{buffer}int m;\n");
    desk.types(&typed);
    desk.disk(&[disk, b"int m;\n"].concat());
    desk.documents.save(&desk.uri.clone(), None).unwrap();
    desk.check(&typed, false, "same");
    desk.find_base();
    desk.settle();
    desk.check(&typed, false, "same");
    desk.disk(b"int n; // \xf7\xe8\n");
    desk.check(&typed, false, "unknown");
}

#[test]
fn what_cannot_be_compared() {
    let check = |bytes: &[u8], expect: &str| {
        let mut desk = Desk::opened(BASE);
        desk.settle();
        desk.check(BASE, false, "same");
        desk.disk(bytes);
        desk.check(BASE, false, expect);
        desk.types(TYPED);
        desk.check(TYPED, true, expect);
    };
    check(b"binary\0", "a binary file");
    check(b"\xff\xfea", "a binary file");
    check(b"caf\xe9 in another encoding than before", "unknown");
    let large = Desk::opened(BASE);
    disk::test::set_len(&large.path, crate::READ_CAP + 1);
    large.check(BASE, false, "unknown");
}

#[test]
fn a_text_that_is_not_the_users() {
    let mut desk = Desk::opened(BASE);
    let nowhere = text::Position { line: 99, column: 0 };
    let change = Change { range: Some(nowhere..nowhere), text: String::new() };
    desk.documents.change(&desk.uri.clone(), 2, vec![change], PositionEncoding::Utf8).unwrap_err();
    desk.disk(FORMATTED.as_bytes());
    desk.check(BASE, false, "unknown");
    // Saved without saying what: nothing is known until the whole text comes.
    desk.documents.save(&desk.uri.clone(), None).unwrap();
    assert_eq!(desk.documents.snapshot().by_uri(&desk.uri).unwrap().base, None);
    desk.documents.replace(&desk.uri.clone(), 3, FORMATTED).unwrap();
    desk.check(FORMATTED, false, "same");
}

#[test]
fn equal_text_is_shared() {
    let large = "line of text\n".repeat(10_000);
    let text = Text::from(large.as_str());
    let desk = Desk::new(Some(&large));
    let base = common_base(&desk.path, &text);
    assert_eq!((&base.text, base.encoding), (&text, Some(Encoding::Utf8)));
    let (ours, theirs) = (text.chunks().next().unwrap(), base.text.chunks().next().unwrap());
    assert!(std::ptr::eq(ours, theirs));
    let missing = common_base(&desk.root.join("none"), &text);
    assert!(missing.text.is_empty() && missing.stamp.is_none());
    let folder = common_base(&desk.root, &text);
    assert_eq!((folder.text, folder.encoding), (text, None));
}

#[test]
fn the_encoding_of_an_open_file_is_known() {
    let mut desk = Desk::new(None);
    desk.disk(b"caf\xe9\n");
    desk.open("café\n");
    assert_eq!(desk.read().format.encoding, Encoding::Latin1);
    desk.types("cafés\n");
    assert_eq!(desk.read().format.encoding, Encoding::Latin1);
}

#[test]
fn an_edit_for_another_text_does_not_apply() {
    let desk = Desk::opened(BASE);
    desk.disk(FORMATTED.repeat(2).as_bytes());
    let file = desk.read();
    let foreign = Edit::identity(7);
    assert!(file.for_buffer(&foreign).apply(file.buffer()).is_err());
}

/// Lines that are often the same, so that all rows of the table come up.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a\n", "b\n", "é\n", "😀\n", "long line\n"]);
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_unsaved_is_ever_lost(
        base in lines(), typed in lines(), disk in lines(), crlf: bool, looked: bool,
    ) {
        let stored = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let mut desk = Desk::new(Some(&stored(&base)));
        desk.open(&base);
        // Without a line there is no end of a line that the editor would show.
        prop_assume!(!base.is_empty() || !typed.is_empty());
        if looked {
            desk.check(&base, false, "same");
        }
        if typed != base {
            desk.types(&typed);
        }
        desk.disk(stored(&disk).as_bytes());
        let file = desk.read();
        prop_assert_eq!(file.buffer().to_string(), typed.clone());
        let Origin::Buffer { disk: side, .. } = &file.origin else { panic!("{:?}", file.origin) };
        let seen = file.text.to_string();
        match side {
            DiskSide::Same => prop_assert_eq!(&seen, &typed),
            DiskSide::Newer => prop_assert_eq!((&seen, &typed), (&disk, &base)),
            DiskSide::Merged => {
                let edit = text::merge(&base, &typed, &disk).unwrap();
                prop_assert_eq!(&seen, &edit.apply(&Text::from(typed.as_str())).unwrap().to_string());
            }
            DiskSide::Conflict(_) => {
                prop_assert_eq!(&seen, &typed);
                prop_assert!(typed != base && disk != base && typed != disk);
            }
            side => panic!("{side:?}"),
        }
        let edit = text::diff(&seen, "other\n");
        let changed = file.for_buffer(&edit).apply(file.buffer()).unwrap();
        prop_assert_eq!(changed.to_string(), "other\n");
    }
}
