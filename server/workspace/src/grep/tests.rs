//! Queries over a small tree, and the order and bounds of what comes back.

use super::*;
use crate::disk::test::{set_modified, write};
use crate::documents::{Change, Documents};
use crate::uri::DocumentUri;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Instant;
use text::PositionEncoding;

struct World {
    _keep: tempfile::TempDir,
    root: PathBuf,
    documents: Documents,
}

impl World {
    /// The files are made in order, each newer than the one before.
    fn new(files: &[(&str, &[u8])]) -> World {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        for (age, (name, content)) in (1_000..).zip(files) {
            write(&root.join(name), content);
            set_modified(&root.join(name), age);
        }
        World { _keep: keep, root, documents: Documents::default() }
    }

    fn open(&mut self, name: &str, text: &str) -> DocumentUri {
        let uri = DocumentUri::from_path(&self.root.join(name)).unwrap();
        self.documents.open(uri.clone(), String::new(), 1, text);
        uri
    }

    fn query(&self, pattern: &str, mode: Mode) -> Query {
        Query { mode, ..Query::new(pattern, &self.root) }
    }

    fn run(&self, query: &Query) -> GrepResult {
        grep(&self.documents.snapshot(), query, &Limits::NONE).unwrap()
    }

    fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// One line per entry, as ripgrep would print it.
    fn printed(&self, query: &Query) -> String {
        let lines: Vec<String> = match self.run(query).output {
            Output::Files { paths, .. } => paths.iter().map(|path| self.relative(path)).collect(),
            Output::Counts { counts, .. } => {
                let line =
                    |(path, count): &(PathBuf, u64)| format!("{}:{count}", self.relative(path));
                counts.iter().map(line).collect()
            }
            Output::Content(lines) => lines.iter().map(|line| self.print(line)).collect(),
        };
        lines.join("\n")
    }

    fn print(&self, line: &Line) -> String {
        let Line { path, number, text, .. } = line;
        let path = self.relative(path);
        match line.kind {
            LineKind::Match => format!("{path}:{number}:{text}"),
            LineKind::Context => format!("{path}-{number}-{text}"),
            LineKind::Break => "--".to_owned(),
        }
    }
}

fn small() -> World {
    World::new(&[
        ("b.rs", b"fn one() {}\nfn two() {}\n// end\n"),
        ("a/deep.rs", b"let ONE = 1;\r\nlet two = 2;\r\n"),
        ("a.txt", b"nothing\none and one\n"),
        (".hidden", b"one\n"),
        ("ignored.log", b"one\n"),
        (".gitignore", b"*.log\n"),
        (".git/config", b"one\n"),
        ("image", b"one\0two\n"),
        ("wide", b"\xff\xfeo\0n\0e\0\n\0"),
    ])
}

#[test]
fn the_three_modes() {
    let world = small();
    let check = |query: Query, expect: &str| assert_eq!(world.printed(&query), expect);
    check(world.query("one", Mode::FilesWithMatches), "wide\n.hidden\na.txt\nb.rs");
    check(world.query("one", Mode::Count), ".hidden:1\na.txt:1\nb.rs:1\nwide:1");
    check(
        world.query("one", Mode::Content),
        ".hidden:1:one\na.txt:2:one and one\nb.rs:1:fn one() {}\nwide:1:one",
    );
    check(world.query("nowhere to be found", Mode::Content), "");
    let result = world.run(&world.query("one", Mode::Count));
    assert!(matches!(result.output, Output::Counts { files: 4, matches: 4, .. }));
    assert_eq!((result.binary, result.unreadable, result.truncated), (1, 0, false));
}

#[test]
fn what_a_query_can_ask_for() {
    let world = small();
    let check = |change: &dyn Fn(&mut Query), expect: &str| {
        let mut query = world.query("one", Mode::Content);
        change(&mut query);
        assert_eq!(world.printed(&query), expect);
    };
    check(&|q| q.glob = Some("*.rs".into()), "b.rs:1:fn one() {}");
    check(&|q| q.glob = Some("!*.rs, !.*, !wide".into()), "a.txt:2:one and one");
    check(&|q| q.file_type = Some("rust".into()), "b.rs:1:fn one() {}");
    check(
        &|q| {
            q.case_insensitive = true;
            q.file_type = Some("rust".into());
        },
        "a/deep.rs:1:let ONE = 1;\nb.rs:1:fn one() {}",
    );
    check(
        &|q| {
            q.only_matching = true;
            q.glob = Some("*.txt".into());
        },
        "a.txt:2:one\na.txt:2:one",
    );
    check(
        &|q| {
            q.after = 1;
            q.glob = Some("*.{rs,txt}".into());
        },
        "a.txt:2:one and one\n--\nb.rs:1:fn one() {}\nb.rs-2-fn two() {}",
    );
    check(
        &|q| {
            q.pattern = "end|one".into();
            q.root.push("b.rs");
            q.before = 0;
        },
        "b.rs:1:fn one() {}\nb.rs:3:// end",
    );
    check(
        &|q| {
            q.pattern = "one.*end".into();
            q.multiline = true;
        },
        "b.rs:1:fn one() {}\nb.rs:2:fn two() {}\nb.rs:3:// end",
    );
    check(
        &|q| {
            q.pattern = r"one\(\) \{\}\nfn".into();
            q.multiline = true;
            q.only_matching = true;
        },
        "b.rs:1:one() {}\nb.rs:2:fn",
    );
    check(&|q| q.pattern = "^let two = 2;.$".into(), "a/deep.rs:2:let two = 2;");
    check(
        &|q| {
            q.pattern = r"o|\n".into();
            q.mode = Mode::Count;
            q.multiline = true;
            q.glob = Some("*.txt".into());
        },
        "a.txt:5",
    );
}

#[test]
fn context_has_breaks() {
    let world = World::new(&[("f", b"x\n1\n2\n3\nx\n4\n5\n")]);
    let query = Query { before: 1, after: 1, ..world.query("x", Mode::Content) };
    assert_eq!(world.printed(&query), "f:1:x\nf-2-1\n--\nf-4-3\nf:5:x\nf-6-4");
}

#[test]
fn a_part_of_the_result_is_always_the_same_part() {
    let names: Vec<String> = (0..200).map(|n| format!("d{}/f{n:03}", n % 7)).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), b"hit\nhit\nhit\n".as_slice())).collect();
    let world = World::new(&files);
    for mode in [Mode::Content, Mode::FilesWithMatches, Mode::Count] {
        let all = world.printed(&world.query("hit", mode));
        let all: Vec<&str> = all.lines().collect();
        for (offset, limit) in [(0, 1), (0, 10), (7, 5), (0, 200), (195, 10), (599, 5), (700, 1)] {
            let query = Query { offset, head_limit: Some(limit), ..world.query("hit", mode) };
            let from = offset.min(all.len());
            let to = (offset + limit).min(all.len());
            for _ in 0..3 {
                let result = world.run(&query);
                assert_eq!(result.truncated, to < all.len(), "{mode:?} {offset} {limit}");
                assert_eq!(world.printed(&query), all[from..to].join("\n"), "{mode:?}");
            }
        }
    }
}

#[test]
fn unsaved_text_is_searched_and_stale_text_is_not() {
    let mut world = World::new(&[
        (".gitignore", b"*.log\n"),
        ("a", b"stale needle\n"),
        ("b", b"other\n"),
        ("c", b"needle\n"),
        ("x.log", b"needle\n"),
    ]);
    let changed = world.open("a", "was");
    let change = Change { range: None, text: "gone\n".to_owned() };
    world.documents.change(&changed, 2, vec![change], PositionEncoding::Utf8).unwrap();
    world.open("b", "one\nneedle in the buffer\n");
    world.open("new/never-saved", "needle");
    world.open("y.log", "needle in a file that is ignored");
    world.open("x.log", "needle in a file that is ignored");
    world.open(".git/x", "needle");
    assert_eq!(
        world.printed(&world.query("needle", Mode::Content)),
        "b:2:needle in the buffer\nc:1:needle\nnew/never-saved:1:needle"
    );
    let files = world.printed(&world.query("needle", Mode::FilesWithMatches));
    assert_eq!(files, "new/never-saved\nc\nb");
    assert_eq!(world.printed(&world.query("stale", Mode::Content)), "");
    let mut only = world.query("needle", Mode::Content);
    only.root = world.root.join("new/never-saved");
    assert_eq!(world.printed(&only), "new/never-saved:1:needle");
    only.root = world.root.join("x.log");
    assert_eq!(world.printed(&only), "x.log:1:needle in a file that is ignored");
}

#[test]
fn long_lines_are_shown_around_the_match() {
    let long = format!("{}needle{}", "é".repeat(2_000), "ü".repeat(2_000));
    let world = World::new(&[("f", long.as_bytes())]);
    let shown = world.printed(&world.query("needle", Mode::Content));
    assert!(shown.starts_with("f:1:…éé") && shown.ends_with("üü…"), "{shown}");
    assert!(shown.contains("needle") && shown.len() < 530, "{} bytes", shown.len());
    let start = World::new(&[("f", format!("needle{}", "x".repeat(9_999)).as_bytes())]);
    let shown = start.printed(&start.query("needle", Mode::Content));
    assert!(shown.starts_with("f:1:needlexx") && shown.ends_with("x…"), "{shown}");
}

#[test]
fn links_and_what_may_not_be_seen() {
    let world = World::new(&[("dir/a", b"x\n"), ("secret", b"x\n")]);
    symlink("dir", world.root.join("link")).unwrap();
    symlink("secret", world.root.join("to-secret")).unwrap();
    let hidden = world.root.join("secret");
    let limits = Limits { admits: &|path| path != hidden, ..Limits::NONE };
    let found = |root: &str| {
        let shown = world.root.join(root);
        let root = crate::real_path(&shown).unwrap();
        let query = Query { shown: Some(shown), ..Query::new("x", root) };
        match grep(&Snapshot::default(), &query, &limits).unwrap().output {
            Output::Files { paths, .. } => paths,
            output => panic!("{output:?}"),
        }
    };
    assert_eq!(found(""), [world.root.join("dir/a")]);
    assert_eq!(found("link"), [world.root.join("link/a")]);
    assert!(found("to-secret").is_empty());
    for link in ["link", "link/a", "to-secret"] {
        let query = Query::new("x", world.root.join(link));
        let outcome = grep(&Snapshot::default(), &query, &Limits::NONE);
        // What is not found out before the search is not followed by it.
        assert!(outcome.is_err(), "{link}: {outcome:?}");
    }
}

#[test]
fn what_cannot_be_searched() {
    let world = small();
    let error = |pattern: &str, root: &str| {
        let query = Query::new(pattern, world.root.join(root));
        grep(&Snapshot::default(), &query, &Limits::NONE).unwrap_err().to_string()
    };
    let check = |pattern: &str, expect: &str| {
        let message = error(pattern, "");
        assert!(message.contains(expect), "{message}");
    };
    check("foo(", "is not a regular expression: unclosed group at character 4; escape");
    check("interface{}", "a valid decimal at character 11");
    check("é*[", "unclosed character class at character 3");
    check("a\\nb", "contains a line break; set multiline");
    check("", "the pattern is empty");
    check(r"(\w{100}){100}", "too large");
    assert!(error("x", "none").contains("does not exist"));
    let device = Query::new("x", "/dev/zero");
    let error = grep(&Snapshot::default(), &device, &Limits::NONE).unwrap_err();
    assert!(matches!(error, GrepError::NotSearchable { kind: Kind::Device, .. }));
}

#[test]
fn a_search_that_is_called_off() {
    let world = small();
    let query = world.query("one", Mode::Content);
    let late = Limits { deadline: Some(Instant::now()), ..Limits::NONE };
    let result = grep(&Snapshot::default(), &query, &late).unwrap();
    assert_eq!(result.stopped, Some(Stopped::Deadline));
    assert_eq!(result.unreadable, 0);
}
