//! Where links of every kind lead, and that the kernel agrees.

use super::*;
use std::os::unix::fs::symlink;

/// A folder with a file, links of every kind, and nothing else.
fn fixture() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    disk::test::create_folder(&root.join("dir/inner"));
    disk::test::write(&root.join("dir/file"), b"x");
    for (link, target) in [
        ("link-to-file", "dir/file"),
        ("link-to-dir", "dir"),
        ("dir/inner/up", "../.."),
        ("dangling", "dir/not-yet/new"),
        ("chain", "dangling"),
        ("loop-a", "loop-b"),
        ("loop-b", "loop-a"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    symlink(root.join("dir"), root.join("absolute")).unwrap();
    (folder, root)
}

#[test]
fn where_paths_lead() {
    let (_folder, root) = fixture();
    let check = |path: &str, expect: &str| {
        let real = real_path(&root.join(path)).unwrap();
        assert_eq!(real, root.join(expect), "{path}");
    };
    check("dir/file", "dir/file");
    check("./dir/./file", "dir/file");
    check("link-to-file", "dir/file");
    check("link-to-dir/file", "dir/file");
    check("link-to-dir/../dir/file", "dir/file");
    check("absolute/file", "dir/file");
    check("dir/inner/up/dir/file", "dir/file");
    // `..` after a link leaves the folder the link leads to, not the one it stands in.
    let outside = real_path(&root.join("dir/inner/up/..")).unwrap();
    assert_eq!(Some(outside.as_path()), root.parent());
    check("new", "new");
    check("dir/a/b/c", "dir/a/b/c");
    check("dir/a/../b", "dir/b");
    check("dir/a/../../link-to-file", "dir/file");
    check("dangling", "dir/not-yet/new");
    check("chain", "dir/not-yet/new");
    check("link-to-dir/new", "dir/new");
}

#[test]
fn what_cannot_be_found_out_is_an_error() {
    let (_folder, root) = fixture();
    let error = |path: &Path| real_path(path).unwrap_err();
    assert!(matches!(error(&root.join("loop-a")), ResolveError::TooManyLinks { .. }));
    assert!(matches!(error(&root.join("dir/file/x")), ResolveError::UnderFile { .. }));
    assert!(matches!(error(Path::new("dir/file")), ResolveError::Relative { .. }));
    let long = root.join("n".repeat(300));
    assert!(matches!(error(&long), ResolveError::Unreadable { .. }));
    assert!(matches!(error(&root.join("a\0b")), ResolveError::Unreadable { .. }));
}

#[test]
fn the_root_has_no_parent() {
    assert_eq!(real_path(Path::new("/../..")).unwrap(), Path::new("/"));
}

#[test]
fn what_is_there() {
    let (_folder, root) = fixture();
    let file = locate(&root.join("dir/file")).unwrap().stamp;
    assert_eq!(file, disk::stamp(&root.join("dir/file")).unwrap());
    for name in ["link-to-file", "link-to-dir/../dir/file", "absolute/./file"] {
        assert_eq!(locate(&root.join(name)).unwrap().stamp, file, "{name}");
    }
    for name in ["new", "dangling", "dir/a/../b", "dir/file/.."] {
        let stamp = locate(&root.join(name)).map(|located| located.stamp);
        assert!(matches!(stamp, Ok(None) | Err(_)), "{name}: {stamp:?}");
    }
}

#[test]
fn long_ways_end_at_once() {
    let (_folder, root) = fixture();
    for n in 0..10_000 {
        symlink(format!("c{}", n + 1), root.join(format!("c{n}"))).unwrap();
    }
    let error = real_path(&root.join("c0")).unwrap_err();
    assert!(matches!(error, ResolveError::TooManyLinks { .. }), "{error}");
    let check = |path: PathBuf| {
        let error = real_path(&path).unwrap_err();
        assert!(matches!(error, ResolveError::TooLong { .. }), "{error}");
    };
    check(root.join("a/".repeat(1_000_000)));
    check(root.join("../".repeat(1_000_000)));
    check(root.join("x".repeat(5_000)));
    // Each link is short enough, and what they lead to together is not.
    let deep = "n/".repeat(1_500);
    disk::test::create_folder(&root.join(&deep));
    symlink(&deep, root.join("down")).unwrap();
    check(root.join("down").join(&deep));
}

#[cfg(target_os = "linux")]
#[test]
fn links_of_the_kernel_lead_nowhere() {
    let (_folder, root) = fixture();
    symlink("/proc/self/root/etc/passwd", root.join("out")).unwrap();
    symlink("/proc/self/cwd", root.join("here")).unwrap();
    for path in [
        Path::new("/proc/self/root/etc/passwd"),
        Path::new("/proc/self/fd/0"),
        Path::new("/dev/fd/0"),
        Path::new("/proc/thread-self/exe"),
        &root.join("out"),
        &root.join("here/x"),
    ] {
        let error = real_path(path).unwrap_err();
        assert!(matches!(error, ResolveError::Magic { .. }), "{path:?}: {error}");
    }
    // Those at the top are plain ones.
    assert!(real_path(Path::new("/proc/self/status")).is_ok());
    assert!(real_path(Path::new("/proc/mounts")).is_ok());
}

mod kernel {
    use super::*;
    use proptest::prelude::*;

    /// A tree of folders, files and links with few names, so that paths meet them often.
    #[derive(Debug, Clone)]
    enum Thing {
        Folder(Vec<usize>),
        File(Vec<usize>),
        Link(Vec<usize>, String),
    }

    const NAMES: [&str; 3] = ["a", "b", "c"];

    fn place() -> impl Strategy<Value = Vec<usize>> {
        prop::collection::vec(0..NAMES.len(), 1..4)
    }

    /// Never with a slash or a dot at the end, by which the kernel tells a folder from a file.
    fn spelling() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec!["a", "b", "c", "..", ".", "a/", "c//"]);
        let way = prop::collection::vec(part, 0..5);
        let end = prop::sample::select(vec!["a", "b", "c", ".."]);
        (way, end)
            .prop_map(|(way, end)| format!("{}/{end}", way.join("/")))
            .prop_map(|path| path.trim_start_matches('/').to_owned())
    }

    fn thing() -> impl Strategy<Value = Thing> {
        let target = (spelling(), any::<bool>())
            .prop_map(|(path, absolute)| if absolute { format!("ROOT/{path}") } else { path });
        prop_oneof![
            place().prop_map(Thing::Folder),
            place().prop_map(Thing::File),
            (place(), target).prop_map(|(place, target)| Thing::Link(place, target)),
        ]
    }

    fn build(root: &Path, things: &[Thing]) {
        let path = |place: &[usize]| {
            let names: Vec<&str> = place.iter().map(|name| NAMES[*name]).collect();
            root.join(names.join("/"))
        };
        // What does not fit is left out.
        for thing in things {
            let _ = match thing {
                Thing::Folder(place) => std::fs::create_dir(path(place)),
                Thing::File(place) => std::fs::File::create_new(path(place)).map(drop),
                Thing::Link(place, target) => {
                    let target = target.replace("ROOT", &root.display().to_string());
                    symlink(target, path(place))
                }
            };
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        /// What exists for the kernel is where we say it is; and the path we give out has no link
        /// in it, so that opening it without following any gives the same file.
        #[test]
        fn agrees(things in prop::collection::vec(thing(), 1..12), path in spelling()) {
            let keep = tempfile::tempdir().unwrap();
            let root = keep.path().canonicalize().unwrap().join("x/y/z");
            disk::test::create_folder(&root);
            build(&root, &things);
            let path = root.join(path);
            let ours = real_path(&path);
            match path.canonicalize() {
                Ok(theirs) => {
                    let ours = ours.unwrap();
                    prop_assert_eq!(&ours, &theirs);
                    prop_assert_eq!(follow(&path).unwrap().path, theirs);
                    let stamp = disk::glance(&ours);
                    prop_assert!(stamp.is_none() || stamp == disk::stamp(&path).unwrap());
                }
                // What is not there may be made; what is made must be where we said.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if let Ok(ours) = ours {
                        prop_assert!(disk::glance(&ours).is_none() || ours != path);
                        if disk::test::try_write(&path, b"made") {
                            prop_assert_eq!(path.canonicalize().unwrap(), ours);
                        }
                    }
                }
                Err(_) => prop_assert!(ours.is_err(), "{:?}", ours),
            }
        }
    }
}
