//! Which files are met, and what ends a walk.

use super::*;
use crate::disk::test::write;
use std::path::PathBuf;

fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    for (name, content) in files {
        write(&root.join(name), content.as_bytes());
    }
    (keep, root)
}

fn walked(root: &Path, filter: &Filter, limits: &Limits<'_>) -> (Vec<String>, Report) {
    let found = Mutex::new(Vec::new());
    let report = filter.walk(limits, || {
        |entry: DirEntry| {
            if entry.file_type().is_some_and(|kind| kind.is_file()) {
                let relative = entry.path().strip_prefix(root).unwrap();
                lock(&found).push(relative.to_string_lossy().into_owned());
            }
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    (found, report)
}

const FILES: &[(&str, &str)] = &[
    (".gitignore", "target/\n*.log\n!keep.log\n"),
    (".ignore", "vendored/\n"),
    (".rgignore", "generated.rs\n"),
    (".hidden/file", ""),
    (".git/config", ""),
    ("sub/.git/config", ""),
    ("a.log", ""),
    ("keep.log", ""),
    ("generated.rs", ""),
    ("src/main.rs", ""),
    ("src/.gitignore", "local.rs\n"),
    ("src/local.rs", ""),
    ("src/page.ts", ""),
    ("target/out", ""),
    ("vendored/x.c", ""),
];

#[test]
fn which_files_are_meant() {
    let (_keep, root) = world(FILES);
    let check = |ignored: Ignored, globs: &str, file_type: Option<&str>, expect: &str| {
        let filter = Filter::new(&root, ignored, &split_globs(globs), file_type).unwrap();
        let (found, report) = walked(&root, &filter, &Limits::NONE);
        assert_eq!(found.join(" "), expect, "{globs} {file_type:?}");
        assert_eq!(report, Report::default());
        // What is asked about one file alone must be what the walk does.
        for (name, _) in FILES {
            let admitted = filter.admits(&root, &root.join(name));
            assert_eq!(admitted, found.contains(&(*name).to_owned()), "{globs}: {name}");
        }
    };
    let all = ".gitignore .hidden/file .ignore .rgignore keep.log src/.gitignore src/main.rs \
               src/page.ts";
    check(Ignored::Skip, "", None, all);
    check(Ignored::Skip, "", Some("rust"), "src/main.rs");
    check(Ignored::Skip, "*.rs", None, "generated.rs src/local.rs src/main.rs");
    check(Ignored::Skip, "src/*.{rs,ts}", None, "src/local.rs src/main.rs src/page.ts");
    check(Ignored::Skip, "!*.ts !.*", None, "keep.log src/main.rs");
    let everything = ".gitignore .hidden/file .ignore .rgignore a.log generated.rs keep.log \
                      src/.gitignore src/local.rs src/main.rs src/page.ts target/out vendored/x.c";
    check(Ignored::Include, "", None, everything);
}

#[test]
fn a_filter_that_makes_no_sense() {
    let root = Path::new("/");
    let error = |globs: &[String], kind| Filter::new(root, Ignored::Skip, globs, kind).err();
    let message = error(&[], Some("rsut")).unwrap().to_string();
    assert!(message.starts_with("there is no file type \"rsut\"; did you mean"), "{message}");
    let glob = error(&["a[".to_owned()], None).unwrap();
    assert!(matches!(glob, FilterError::Glob { .. }), "{glob}");
}

#[test]
fn globs_in_one_string() {
    let check = |globs: &str, expect: &[&str]| assert_eq!(split_globs(globs), expect, "{globs}");
    check("", &[]);
    check("*.rs", &["*.rs"]);
    check("*.ts, *.tsx", &["*.ts", "*.tsx"]);
    check("*.{c,h} !x", &["*.{c,h}", "!x"]);
    check("{a,{b,c}},d", &["{a,{b,c}}", "d"]);
    check("}a b", &["}a", "b"]);
}

#[test]
fn what_ends_a_walk() {
    let names: Vec<String> = (0..50).map(|n| format!("f{n}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let (_keep, root) = world(&files);
    let filter = Filter::new(&root, Ignored::Skip, &[], None).unwrap();
    let stopped = |limits: &Limits<'_>| walked(&root, &filter, limits).1.stopped;
    assert_eq!(stopped(&Limits::NONE), None);
    assert_eq!(stopped(&Limits { cancelled: &|| true, ..Limits::NONE }), Some(Stopped::Cancelled));
    let past = Limits { deadline: Some(Instant::now()), ..Limits::NONE };
    assert_eq!(stopped(&past), Some(Stopped::Deadline));
    let few = Limits { max_files: 10, ..Limits::NONE };
    let (found, report) = walked(&root, &filter, &few);
    assert_eq!(report.stopped, Some(Stopped::TooManyFiles));
    assert!(found.len() <= 10, "{found:?}");
}

#[test]
fn a_folder_that_is_not_there_is_counted() {
    let filter = Filter::new(Path::new("/not/there"), Ignored::Skip, &[], None).unwrap();
    let (found, report) = walked(Path::new("/not/there"), &filter, &Limits::NONE);
    assert!(found.is_empty());
    assert_eq!(report, Report { unreadable: 1, stopped: None });
}
