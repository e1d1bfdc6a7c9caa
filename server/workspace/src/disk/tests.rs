//! Reading and writing real files of every kind.

use super::test::{create_folder, mode, names, read, set_mode, write};
use super::*;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use text::{Encoding, Fingerprint, Format, Newline};

struct Folder {
    _keep: tempfile::TempDir,
    root: PathBuf,
}

impl Folder {
    fn new() -> Folder {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        Folder { _keep: keep, root }
    }

    fn join(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

fn pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode};
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

fn expecting(expected: Expected) -> WriteOptions {
    WriteOptions { expected: Some(expected), ..WriteOptions::default() }
}

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let folder = Folder::new();
    pipe(&folder.join("pipe"));
    let _socket = UnixListener::bind(folder.join("socket")).unwrap();
    let check = |path: &Path, expect: Kind| {
        match read_bytes(path, 100).unwrap_err() {
            ReadError::NotRegular { kind, .. } => assert_eq!(kind, expect, "{path:?}"),
            error => panic!("{error}"),
        }
        match write_atomic(path, b"x", &WriteOptions::default()).unwrap_err() {
            WriteError::NotRegular { kind, .. } => assert_eq!(kind, expect, "{path:?}"),
            error => panic!("{error}"),
        }
    };
    check(&folder.join("pipe"), Kind::Pipe);
    check(&folder.join("socket"), Kind::Socket);
    check(Path::new("/dev/zero"), Kind::Device);
    check(Path::new("/dev/null"), Kind::Device);
    assert!(matches!(read_bytes(&folder.root, 100), Err(ReadError::IsDirectory { .. })));
    let error = write_atomic(&folder.root, b"", &WriteOptions::default()).unwrap_err();
    assert!(matches!(error, WriteError::IsDirectory { .. }));
}

#[test]
fn reading_has_a_cap() {
    let folder = Folder::new();
    write(&folder.join("five"), b"12345");
    assert_eq!(read_bytes(&folder.join("five"), 5).unwrap().0, b"12345");
    let error = read_bytes(&folder.join("five"), 4).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { size: 5, cap: 4, .. }), "{error}");
    // A file of the kernel says it has no bytes, and has some.
    assert!(!read_bytes(Path::new("/proc/self/status"), 1 << 20).unwrap().0.is_empty());
    let error = read_bytes(Path::new("/proc/self/status"), 3).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { size: 4, .. }), "{error}");
}

#[test]
fn paths_that_lead_nowhere() {
    let folder = Folder::new();
    write(&folder.join("file"), b"");
    symlink("loop", folder.join("loop")).unwrap();
    for name in ["none", "none/deeper", "file/below"] {
        let error = read_bytes(&folder.join(name), 9).unwrap_err();
        assert!(matches!(error, ReadError::NotFound { .. }), "{name}: {error}");
    }
    for name in ["loop", "a\0b"] {
        let error = read_bytes(&folder.join(name), 9).unwrap_err();
        assert!(matches!(error, ReadError::Unresolvable(_)), "{name}: {error}");
        let error = write_atomic(&folder.join(name), b"", &WriteOptions::default()).unwrap_err();
        assert!(
            matches!(error, WriteError::Moved { .. } | WriteError::Failed { .. }),
            "{name}: {error}"
        );
    }
    assert!(matches!(read_bytes(Path::new("rel"), 9), Err(ReadError::Relative { .. })));
}

#[test]
fn a_write_replaces_the_bytes_and_keeps_the_rest() {
    let folder = Folder::new();
    let file = folder.join("file");
    for bits in [0o644, 0o755, 0o600, 0o664] {
        write(&file, b"old");
        set_mode(&file, bits);
        let stamp = write_atomic(&file, b"new", &WriteOptions::default()).unwrap();
        assert_eq!(read(&file), b"new");
        assert_eq!(mode(&file), bits);
        assert_eq!(super::stamp(&file).unwrap(), Some(stamp));
    }
    assert_eq!(names(&folder.root), ["file"], "nothing is left behind");
}

#[test]
fn a_new_file_gets_the_usual_mode() {
    let folder = Folder::new();
    write(&folder.join("by-the-system"), b"");
    write_atomic(&folder.join("by-us"), b"x", &WriteOptions::default()).unwrap();
    assert_eq!(mode(&folder.join("by-us")), mode(&folder.join("by-the-system")));
}

#[test]
fn a_link_is_not_followed_by_whoever_acts() {
    let folder = Folder::new();
    write(&folder.join("dir/target"), b"old");
    for (link, target) in [("link", "dir/target"), ("dangling", "dir/later"), ("way", "dir")] {
        symlink(target, folder.join(link)).unwrap();
    }
    let create = WriteOptions { create_parents: true, ..WriteOptions::default() };
    for name in ["link", "dangling", "way/target", "way/later", "way/deep/er/later"] {
        let path = folder.join(name);
        for options in [WriteOptions::default(), create] {
            let error = write_atomic(&path, b"new", &options).unwrap_err();
            assert!(matches!(error, WriteError::Moved { .. }), "{name}: {error}");
        }
        let error = remove(&path, Expected::Absent).unwrap_err();
        assert!(matches!(error, WriteError::Moved { .. }), "{name}: {error}");
        let error = read_real(&path, 9).unwrap_err();
        assert!(matches!(error, ReadError::Moved { .. }), "{name}: {error}");
    }
    assert!(list_real(&folder.join("way"), 9).is_err());
    assert_eq!(modified(&folder.join("way/target")), None);
    assert_eq!(kind_of_real(&folder.join("link")).unwrap(), Some(Kind::Link));
    assert_eq!(read(&folder.join("dir/target")), b"old");
    assert_eq!(names(&folder.root), ["dangling", "dir", "link", "way"]);
    assert_eq!(names(&folder.join("dir")), ["target"]);
    // For our own needs links are followed.
    assert_eq!(names(&folder.join("way")), ["target"]);
    assert_eq!(read_bytes(&folder.join("way/target"), 9).unwrap().0, b"old");
}

#[test]
fn a_hard_link_is_cut() {
    let folder = Folder::new();
    write(&folder.join("outside"), b"old");
    fs::hard_link(folder.join("outside"), folder.join("inside")).unwrap();
    let names = |name: &str| stamp(&folder.join(name)).unwrap().unwrap().links();
    assert_eq!((names("outside"), names("inside")), (2, 2));
    write_atomic(&folder.join("inside"), b"new", &WriteOptions::default()).unwrap();
    assert_eq!(read(&folder.join("outside")), b"old");
    assert_eq!(read(&folder.join("inside")), b"new");
    assert_eq!((names("outside"), names("inside")), (1, 1));
}

#[test]
fn what_the_writer_took_for_granted() {
    let folder = Folder::new();
    let file = folder.join("file");
    let stamp = write_atomic(&file, b"one", &expecting(Expected::Absent)).unwrap();
    let check = |expected: Expected, fits: bool| {
        let outcome = write_atomic(&file, b"one", &expecting(expected));
        assert_eq!(outcome.is_ok(), fits, "{expected:?}: {outcome:?}");
    };
    check(Expected::Stamp(stamp), true);
    check(Expected::Stamp(stamp), false);
    check(Expected::Text(Fingerprint::of("one")), true);
    check(Expected::Text(Fingerprint::of("two")), false);
    check(Expected::Absent, false);
    assert_eq!(read(&file), b"one");
    let missing = folder.join("missing");
    let error = write_atomic(&missing, b"", &expecting(Expected::Stamp(stamp))).unwrap_err();
    assert!(matches!(error, WriteError::Changed { .. }), "{error}");
    assert_eq!(names(&folder.root), ["file"]);
}

#[test]
fn folders_are_made_on_request_only() {
    let folder = Folder::new();
    let deep = folder.join("a/b/c.txt");
    let error = write_atomic(&deep, b"x", &WriteOptions::default()).unwrap_err();
    assert!(matches!(error, WriteError::NoFolder { .. }), "{error}");
    assert!(names(&folder.root).is_empty());
    let options = WriteOptions { create_parents: true, ..WriteOptions::default() };
    write_atomic(&deep, b"x", &options).unwrap();
    assert_eq!(read(&deep), b"x");
}

#[test]
fn a_folder_that_may_not_be_written() {
    let folder = Folder::new();
    let file = folder.join("locked/file");
    write(&file, b"old");
    set_mode(&folder.join("locked"), 0o555);
    let locked = fs::write(folder.join("locked/probe"), b"").is_err();
    let outcome = write_atomic(&file, b"new", &WriteOptions::default());
    set_mode(&folder.join("locked"), 0o755);
    // The superuser may write everywhere; the kernel's own file system refuses even him.
    if locked {
        assert!(matches!(outcome, Err(WriteError::Denied { .. })), "{outcome:?}");
        assert_eq!(read(&file), b"old");
    }
    let outcome = write_atomic(Path::new("/proc/new"), b"new", &WriteOptions::default());
    assert!(matches!(outcome, Err(WriteError::Denied { .. } | WriteError::Failed { .. })));
}

#[test]
fn a_file_that_is_read_only() {
    let folder = Folder::new();
    let file = folder.join("file");
    write(&file, b"old");
    set_mode(&file, 0o444);
    if fs::OpenOptions::new().write(true).open(&file).is_err() {
        let error = write_atomic(&file, b"new", &WriteOptions::default()).unwrap_err();
        assert!(matches!(error, WriteError::Denied { .. }), "{error}");
        assert_eq!(read(&file), b"old");
    }
}

#[test]
fn text_is_stored_as_its_format_says() {
    let folder = Folder::new();
    let check = |encoding: Encoding, text: &str, bytes: &[u8]| {
        let file = folder.join("file");
        let format = Format { encoding, newline: Newline::CrLf };
        write_text(&file, text, &format, &WriteOptions::default()).unwrap();
        assert_eq!(read(&file), bytes, "{encoding:?}");
    };
    check(Encoding::Utf8, "é\r\n", b"\xc3\xa9\r\n");
    check(Encoding::Utf8Bom, "a", b"\xef\xbb\xbfa");
    check(Encoding::Utf16Le, "a\r\n", b"\xff\xfea\0\r\0\n\0");
    check(Encoding::Utf16Be, "a", b"\xfe\xff\0a");
    check(Encoding::Latin1, "\u{e9}\n", b"\xe9\n");
    let latin = Format { encoding: Encoding::Latin1, newline: Newline::Lf };
    let error = write_text(&folder.join("file"), "😀", &latin, &WriteOptions::default());
    assert!(matches!(error, Err(WriteError::Encode { .. })));
    assert_eq!(read(&folder.join("file")), b"\xe9\n", "the old bytes are still there");
}

#[test]
fn any_name_a_file_can_have() {
    let folder = Folder::new();
    for name in [&b"\xff\xfe"[..], b"-rf", b"a\nb", b"$(touch x)", b"a b'\"", b"\xc3\xa9"] {
        let file = folder.root.join(OsStr::from_bytes(name));
        write_atomic(&file, name, &expecting(Expected::Absent)).unwrap();
        assert_eq!(read_bytes(&file, 99).unwrap().0, name);
        assert_eq!(kind(&file).unwrap(), Some(Kind::File));
    }
    assert_eq!(names(&folder.root).len(), 6);
}

#[test]
fn a_listing_has_an_order_and_a_cap() {
    let folder = Folder::new();
    for name in ["b", "c", "a"] {
        write(&folder.join(name), b"");
    }
    create_folder(&folder.join("d"));
    let listing = list(&folder.root, 10).unwrap();
    let found: Vec<_> = listing.entries.iter().map(|entry| (&*entry.name, entry.kind)).collect();
    let file = |name| (OsStr::new(name), Kind::File);
    assert_eq!(found, [file("a"), file("b"), file("c"), ("d".as_ref(), Kind::Folder)]);
    let capped = list(&folder.root, 3).unwrap();
    assert_eq!((capped.entries.len(), capped.truncated), (3, true));
    assert!(!list(&folder.root, 4).unwrap().truncated);
}
