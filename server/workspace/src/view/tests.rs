//! What a reader sees with buffers open, files on the disk, and both.

use super::*;
use crate::disk::test::write;
use crate::documents::{Change, Documents};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use text::PositionEncoding;

struct World {
    _keep: tempfile::TempDir,
    root: PathBuf,
    documents: Documents,
}

impl World {
    fn new(files: &[(&str, &[u8])]) -> World {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        for (name, bytes) in files {
            write(&root.join(name), bytes);
        }
        World { _keep: keep, root, documents: Documents::default() }
    }

    fn open(&mut self, name: &str, text: &str) -> DocumentUri {
        let uri = DocumentUri::from_path(&self.root.join(name)).unwrap();
        self.documents.open(uri.clone(), "text".to_owned(), 1, text);
        uri
    }

    fn view(&self) -> View {
        View::new(self.documents.snapshot())
    }

    fn read(&self, name: &str) -> Result<FileText, ReadError> {
        self.view().read(&self.root.join(name))
    }

    fn follow(&self, name: &str) -> Result<FileText, ReadError> {
        self.view().follow(&self.root.join(name))
    }
}

#[test]
fn the_disk_where_nothing_is_open() {
    let check = |bytes: &[u8], text: &str, encoding: Encoding, newline: Newline| {
        let world = World::new(&[("f", bytes)]);
        let file = world.read("f").unwrap();
        assert_eq!(file.text, *text);
        assert_eq!(file.format, Format { encoding, newline });
        assert!(matches!(file.origin, Origin::Disk { .. }));
        assert_eq!(file.fingerprint(), Fingerprint::of(text));
    };
    check(b"", "", Encoding::Utf8, Newline::None);
    check(b"a\nb\n", "a\nb\n", Encoding::Utf8, Newline::Lf);
    check(b"a\r\n", "a\r\n", Encoding::Utf8, Newline::CrLf);
    check(b"\xef\xbb\xbfa", "a", Encoding::Utf8Bom, Newline::None);
    check(b"\xff\xfea\0\n\0", "a\n", Encoding::Utf16Le, Newline::Lf);
    check(b"caf\xe9\n", "café\n", Encoding::Latin1, Newline::Lf);
}

#[test]
fn what_is_no_text() {
    let check = |bytes: &[u8], expect: &str| {
        let world = World::new(&[("f", bytes)]);
        match world.read("f").unwrap_err() {
            ReadError::Binary { kind, .. } => assert_eq!(kind, expect),
            error => panic!("{error}"),
        }
    };
    check(b"\x89PNG\r\n\x1a\n\0\0", "a PNG image");
    check(b"\x7fELF\x02\0\0", "a compiled program (ELF)");
    check(b"abc\0def", "binary data");
    check(b"%PDF-1.7\n\xe2 long enough to look like text", "a PDF document");
    check(b"\xff\xfea", "text with broken characters");
}

#[test]
fn the_buffer_first() {
    let mut world = World::new(&[("f", b"stale on disk")]);
    let uri = world.open("f", "in the buffer\r\n");
    let file = world.read("f").unwrap();
    assert_eq!(file.text, *"in the buffer\r\n");
    assert_eq!(file.format.newline, Newline::CrLf);
    let expect = Origin::Buffer {
        uri: uri.clone(),
        version: 1,
        dirty: false,
        in_sync: true,
        disk: DiskSide::Unknown,
    };
    assert_eq!(file.origin, expect);

    let nonsense = text::Position { line: 99, column: 0 };
    let change = Change { range: Some(nonsense..nonsense), text: String::new() };
    let encoding = PositionEncoding::Utf16;
    world.documents.change(&uri, 2, vec![change], encoding).unwrap_err();
    assert!(matches!(world.read("f").unwrap().origin, Origin::Buffer { in_sync: false, .. }));

    world.documents.close(&uri).unwrap();
    assert_eq!(world.read("f").unwrap().text, *"stale on disk");
}

#[test]
fn a_buffer_is_found_through_links() {
    let mut world = World::new(&[("real/f", b"stale")]);
    symlink("real", world.root.join("link")).unwrap();
    symlink("real/f", world.root.join("leaf")).unwrap();
    world.open("link/f", "opened through a link");
    world.open("link/new", "not saved yet");
    for name in ["real/f", "link/f", "leaf", "link/../real/./f"] {
        assert_eq!(world.follow(name).unwrap().text, *"opened through a link", "{name}");
    }
    assert_eq!(world.read("real/f").unwrap().text, *"opened through a link");
    assert_eq!(world.read("real/new").unwrap().text, *"not saved yet");
    for name in ["link/f", "leaf"] {
        assert!(matches!(world.read(name), Err(ReadError::Moved { .. })), "{name}");
    }
}

#[test]
fn a_document_that_was_opened_through_a_link_is_not_what_stands_there_later() {
    let mut world = World::new(&[("secret", b"secret"), ("later", b"later")]);
    symlink("secret", world.root.join("f")).unwrap();
    world.open("f", "secret");
    assert_eq!(world.read("secret").unwrap().text, *"secret");
    disk::test::rename(&world.root.join("later"), &world.root.join("f"));
    assert_eq!(world.read("f").unwrap().text, *"later");
}

#[test]
fn of_two_names_the_one_that_was_changed() {
    let mut world = World::new(&[("real", b"stale")]);
    for name in ["a", "b", "c"] {
        symlink("real", world.root.join(name)).unwrap();
    }
    world.open("a", "clean");
    let changed = world.open("b", "clean");
    let change = Change { range: None, text: "changed".to_owned() };
    world.documents.change(&changed, 2, vec![change], PositionEncoding::Utf8).unwrap();
    assert_eq!(world.follow("c").unwrap().text, *"changed");
    assert_eq!(world.read("real").unwrap().text, *"changed");
    let snapshot = world.documents.snapshot();
    assert_eq!(snapshot.by_real_path()[&world.root.join("real")].text, *"changed");
}

#[test]
fn a_name_that_may_be_meant() {
    let mut world = World::new(&[("src/main.rs", b""), ("src/other.py", b"")]);
    world.open("src/brand_new.rs", "");
    let check = |name: &str, expect: &[&str]| match world.read(name).unwrap_err() {
        ReadError::NotFound { nearest, .. } => assert_eq!(nearest, expect, "{name}"),
        error => panic!("{error}"),
    };
    check("src/mian.rs", &["main.rs"]);
    check("src/other.pyi", &["other.py"]);
    check("src/brandnew.rs", &["brand_new.rs"]);
    check("src/zzzzzzzzzz", &[]);
    check("nowhere/main.rs", &[]);
    let message = world.read("src/mian.rs").unwrap_err().to_string();
    assert!(message.ends_with("does not exist; did you mean main.rs?"), "{message}");
}

#[test]
fn what_is_where() {
    let mut world = World::new(&[("dir/f", b"")]);
    world.open("dir/unsaved", "");
    let view = world.view();
    let kind = |name: &str| view.kind(&world.root.join(name)).unwrap();
    assert_eq!(kind("dir"), Some(Kind::Folder));
    assert_eq!(kind("dir/f"), Some(Kind::File));
    assert_eq!(kind("dir/unsaved"), Some(Kind::File));
    assert_eq!(kind("dir/none"), None);
    assert!(view.exists(&world.root.join("dir/unsaved")).unwrap());
    let listing = view.list_dir(&world.root.join("dir")).unwrap();
    let names: Vec<_> = listing.entries.iter().map(|entry| entry.name.to_owned()).collect();
    assert_eq!(names, ["f", "unsaved"]);
    let error = view.list_dir(&world.root.join("dir/f")).unwrap_err();
    assert!(matches!(error, ReadError::NotRegular { kind: Kind::File, .. }));
    assert!(matches!(view.read(Path::new("relative")), Err(ReadError::Relative { .. })));
    assert!(matches!(view.read(&world.root), Err(ReadError::IsDirectory { .. })));
}
