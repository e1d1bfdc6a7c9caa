//! The sandbox contains: each row is done for real, behind each kind of wall that is here, with the
//! real program as the helper. Skipped is only what the machine does not have.

#![expect(clippy::disallowed_methods, reason = "the tests play the attacker and the bystander")]

mod own;
mod processes;
mod reach;
mod room;

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use exec::{Denial, Exit, Kind, SpawnError};
use kit::files;
use room::{Room, best_rooms, rooms};

/// Every one of these fails, and the project is as it was afterwards.
async fn refuses(room: &Room, scripts: &[&str]) {
    let before = room.snapshot();
    for script in scripts {
        let done = room.run(script).await;
        assert_ne!(done.status, Exit::Code(0), "{:?}: {script}: {}", room.kind(), done.output);
        assert_eq!(room.snapshot(), before, "{:?}: {script}: {}", room.kind(), done.output);
    }
    assert!(room.nothing_outside());
}

/// S-01.
#[tokio::test]
async fn only_the_workspace_and_a_private_folder_are_written() {
    for room in rooms(&[("src/a", "")]) {
        let done = room.run("echo in > src/a; echo t > \"$TMPDIR/t\"; cat \"$TMPDIR/t\"").await;
        assert_eq!(
            (done.status, done.output.as_str()),
            (Exit::Code(0), "t\n"),
            "{:?}",
            room.kind()
        );
        assert_eq!(room.read("src/a"), "in\n");
        refuses(&room, &["echo x > \"$OUTSIDE/x\"", "mkdir \"$OUTSIDE/d\"", "rmdir \"$OUTSIDE\""])
            .await;
        refuses(&room, &["echo x > /etc/bowline-was-here", "echo x > ~root/x", "mkdir /opt/x"])
            .await;
        for script in ["echo x > \"$OUTSIDE/x\"", "echo x > \"$OUTSIDE/x\"; ls"] {
            let done = room.run(script).await;
            assert_eq!(done.denials, [Denial::Write(room.outside.join("x"))], "{}", done.output);
        }
    }
}

const REPOSITORY: [(&str, &str); 7] = [
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".git/config", "[core]\n"),
    (".git/hooks/pre-commit", "exit 0\n"),
    (".npmrc", "a\n"),
    (".claude/settings.json", "{}"),
    ("sub/deep/.git/config", "[core]\n"),
    ("sub/deep/.envrc", "b\n"),
];

/// S-02 and S-03: what other programs obey stays as it is, existing or not.
#[tokio::test]
async fn protected_names_stay_as_they_are() {
    for room in rooms(&REPOSITORY) {
        refuses(
            &room,
            &[
                "echo x >> .git/hooks/pre-commit",
                "echo x > .git/hooks/post-checkout",
                "echo x >> .git/config",
                "rm .git/config",
                "mv .git/config .git/x",
                "echo x > .git/config.worktree",
                "mkdir -p .git/info && echo x > .git/info/attributes",
                "echo /evil > .git/commondir",
                "echo x > .npmrc",
                "rm -f .npmrc",
                "echo '{}' > .claude/settings.json",
                "echo '{}' > .claude/settings.local.json",
                "mkdir .vscode && echo x > .vscode/tasks.json",
                "echo x > .vscode/tasks.json",
                "echo x > .mcp.json",
                "echo x > .envrc",
                "ln -s /etc .idea",
                "echo x > sub/deep/.git/hooks",
                "echo x >> sub/deep/.git/config",
                "rm sub/deep/.envrc",
            ],
        )
        .await;
    }
}

/// S-05: nobody moves a folder away to build another in its place.
#[tokio::test]
async fn the_folders_above_a_protected_name_cannot_be_moved() {
    for room in rooms(&REPOSITORY) {
        for script in [
            "mv sub z; mkdir -p sub/deep/.git && echo x > sub/deep/.git/config",
            "mv sub/deep z; mkdir -p sub/deep/.git && echo x > sub/deep/.git/config",
            "mv sub/deep/.git sub/deep/z; mkdir sub/deep/.git; echo x > sub/deep/.git/config",
            "mv .git z; mkdir .git; echo x > .git/config",
            "mv .claude z; mkdir .claude; echo x > .claude/settings.json",
            "rm -rf .git sub .npmrc; echo x > .git/config",
        ] {
            room.run(script).await;
            for (path, text) in REPOSITORY.iter().filter(|(path, _)| *path != ".git/HEAD") {
                assert_eq!(room.read(path), *text, "{:?}: {script}", room.kind());
            }
        }
    }
}

/// S-06 (the sandbox's half of it) and S-30.
#[tokio::test]
async fn links_lead_nowhere_else() {
    for room in rooms(&[("shared/tasks.json", "a\n"), ("src/a", "")]) {
        symlink("shared", room.root.join(".vscode")).unwrap();
        refuses(&room, &["echo x > .vscode/tasks.json", "echo x > shared/tasks.json"]).await;
        refuses(&room, &["rm .vscode", "ln -sfn src .vscode", "mv .vscode build"]).await;
        refuses(
            &room,
            &["ln -s \"$OUTSIDE\" src/out; echo x > src/out/x; s=$?; rm -f src/out; exit $s"],
        )
        .await;
        // One that appears while nothing runs is found before the next command.
        symlink("src", room.root.join(".idea")).unwrap();
        refuses(&room, &["echo x > .idea/x", "echo x > src/x"]).await;
    }
}

/// S-07: what is swapped while the walls are built is noticed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_swapped_for_a_link_gives_nothing_away() {
    for room in rooms(&[("a/.git/config", "")]) {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (swapped, real, outside) =
                (room.root.join("a"), room.root.join("real"), room.outside.clone());
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let _ = std::fs::rename(&swapped, &real);
                    let _ = symlink(&outside, &swapped);
                    std::thread::yield_now();
                    let _ = std::fs::remove_file(&swapped);
                    let _ = std::fs::rename(&real, &swapped);
                }
            });
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(async {
                    for _ in 0..40 {
                        drop(room.try_run("echo x > a/x; mkdir a/d").await);
                    }
                });
            });
            stop.store(true, Ordering::Relaxed);
        });
        assert!(room.nothing_outside(), "{:?}", room.kind());
    }
}

/// S-22.
#[tokio::test]
async fn seven_hundred_denied_paths_still_start() {
    let names: Vec<String> = (0..700).map(|n| format!("src/tree{n}/.env")).collect();
    let paths: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "secret\n")).collect();
    for mut room in rooms(&paths) {
        room.confinement.deny_read = names.iter().map(|name| room.root.join(name)).collect();
        let done = room.run("cat src/tree0/.env src/tree699/.env; echo ok").await;
        assert_eq!((done.stdout.as_str(), done.status), ("ok\n", Exit::Code(0)), "{}", done.output);
        let done = room.run("mv src/tree5/.env src/x; cat src/x").await;
        assert!(!done.output.contains("secret"), "{:?}: {}", room.kind(), done.output);
        assert_eq!(room.read("src/tree5/.env"), "secret\n");
    }
}

#[tokio::test]
async fn denied_folders_look_empty_and_denials_are_named() {
    for mut room in rooms(&[("keys/id", "secret\n"), (".env", "secret\n")]) {
        room.confinement.deny_read = vec![room.root.join("keys"), room.root.join(".env")];
        let done = room.run("cat keys/id .env").await;
        assert_ne!(done.status, Exit::Code(0));
        assert!(!done.output.contains("secret"), "{}", done.output);
        assert!(done.denials.contains(&Denial::Read(room.root.join(".env"))), "{:?}", done.denials);
    }
}

/// What other programs obey does not stay, wherever and however it was made.
#[tokio::test]
async fn what_others_would_obey_is_moved_aside() {
    for room in rooms(&[("src/a", "1")]) {
        let script = "cd src && git init -q evil && git init -q plain && cd evil && git config core.fsmonitor ./x && printf '#!/bin/sh\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && cd .. && echo x > .npmrc && mkdir -p deep/er/and/deeper && echo x > deep/er/and/deeper/.envrc && echo y > y && mv y lefthook.yml";
        let done = room.run(script).await;
        assert_eq!(done.status, Exit::Code(0), "{:?}: {}", room.kind(), done.output);
        let mut made: Vec<String> = Vec::new();
        for denial in &done.denials {
            let Denial::Obeyed { path, aside: Some(aside), .. } = denial else {
                panic!("{denial:?}")
            };
            assert!(aside.exists() && !path.exists(), "{denial:?}");
            made.push(path.strip_prefix(&room.root).unwrap().display().to_string());
        }
        made.sort();
        let expect = [
            "src/.npmrc",
            "src/deep/er/and/deeper/.envrc",
            "src/evil/.git/config",
            "src/evil/.git/hooks/pre-commit",
            "src/lefthook.yml",
        ];
        assert_eq!(made, expect, "{:?}", room.kind());
        // What is left is a repository like any other.
        let done = room
            .run("cd src/plain && git status --porcelain && git -C ../evil status --porcelain")
            .await;
        assert_eq!((done.status, done.denials), (Exit::Code(0), Vec::new()), "{}", done.output);
    }
}

/// S-26.
#[tokio::test]
async fn nothing_is_left_in_the_project() {
    for room in rooms(&[("src/a", "1")]) {
        room.prepare("git init -q .").await;
        let before = room.snapshot();
        let (one, two) =
            tokio::join!(room.run("sleep 0.2; ls -A"), room.run("git status --porcelain"));
        assert_eq!(
            (one.status, two.status),
            (Exit::Code(0), Exit::Code(0)),
            "{} {}",
            one.output,
            two.output
        );
        assert_eq!(two.output, "?? src/\n", "{:?}", room.kind());
        assert_eq!(room.snapshot(), before, "{:?}", room.kind());
        let mut cut = room.spec("sleep 1000");
        cut.timeout = std::time::Duration::from_millis(200);
        let done =
            exec::run(cut, tokio_util::sync::CancellationToken::new(), |_| ()).await.unwrap();
        assert_eq!(done.status, Exit::TimedOut);
        assert_eq!(room.snapshot(), before, "{:?}", room.kind());
    }
}

/// What people do all day works.
#[tokio::test]
async fn git_works_in_a_repository_and_in_a_work_tree() {
    for mut room in best_rooms(&[("src/a", "1\n")]) {
        room.prepare("git init -q -b main . && git config user.email a@b && git config user.name n && git add . && git commit -qm one && git worktree add -q ../tree -b tree").await;
        let work = "echo 2 >> src/a && git add -A && git commit -qm two && git checkout -qb b$RANDOM && git checkout -q - && git stash list && git log --oneline | wc -l && git status --porcelain";
        let done = room.run(work).await;
        assert_eq!((done.status, done.output.as_str()), (Exit::Code(0), "2\n"));
        let tree = room.root.with_file_name("tree");
        room.confinement.roots = vec![tree.clone()];
        let main = room.root.clone();
        room.root = tree;
        let done = room.run(work).await;
        // What all work trees share is packed elsewhere: git says so, and goes on.
        assert_eq!((done.status, done.stdout.trim()), (Exit::Code(0), "2"), "{}", done.output);
        let script = format!(
            "echo x > {0}/src/a; echo x > {0}/.git/config; echo x > {0}/.git/hooks/x",
            main.display()
        );
        refuses(&room, &[&script]).await;
        assert_eq!(files::read(&main.join("src/a")), "1\n2\n");
    }
}

#[tokio::test]
async fn ordinary_work_works() {
    for room in rooms(&[("src/a", "b\na\n"), ("build/x", "")]) {
        let check = |script: &'static str, expect: &'static str| {
            let room = &room;
            async move {
                let done = room.run(script).await;
                assert_eq!(
                    (done.output.as_str(), done.status),
                    (expect, Exit::Code(0)),
                    "{:?}: {script}",
                    room.kind()
                );
            }
        };
        check("sort src/a | tee build/y; rm build/y", "a\nb\n").await;
        check("f=$(mktemp) && echo t > $f && cat $f", "t\n").await;
        check(
            "mkdir -p build/d && cp src/a build/d/b && mv build/d/b build/c && cat build/c",
            "b\na\n",
        )
        .await;
        check("diff <(echo a) <(echo a) && echo same", "same\n").await;
        check("echo x > /dev/null && echo y > /dev/stderr", "y\n").await;
        check("(sleep 0.1; echo child) & wait; echo end", "child\nend\n").await;
        check("python3 -c 'import subprocess, tempfile, threading, os; t = tempfile.mkstemp(); subprocess.check_call([\"true\"]); print(sum(range(4)))'", "6\n").await;
        check("cd build && pwd >/dev/null", "").await;
        let done = room.run("cd build").await;
        assert_eq!(done.cwd_after, Some(room.root.join("build")));
        // A temporary folder that is lost between commands would be no help.
        room.run("echo kept > \"$TMPDIR/kept\"").await;
        check("cat \"$TMPDIR/kept\"", "kept\n").await;
    }
}

/// Package managers work, and leave the user's own caches alone.
#[tokio::test]
async fn caches_are_private_and_stay() {
    for mut room in rooms(&[("src/package.json", r#"{"name": "a", "version": "1.0.0"}"#)]) {
        let cache = room.root.with_file_name("cache");
        room.confinement.cache = Some(cache.clone());
        let done = room.run("echo $npm_config_cache $PIP_CACHE_DIR; mkdir $PIP_CACHE_DIR").await;
        let expect = format!("{0}/npm {0}/pip\n", cache.display());
        assert_eq!((done.output, done.status), (expect, Exit::Code(0)), "{:?}", room.kind());
        assert_eq!(room.run("rmdir $PIP_CACHE_DIR").await.status, Exit::Code(0));
        let script = "command -v npm >/dev/null || exit 0; cd src && npm pack --silent >/dev/null && npm cache add ./a-1.0.0.tgz && npm cache ls | wc -l";
        let done = room.run(script).await;
        assert_eq!(done.status, Exit::Code(0), "{:?}: {}", room.kind(), done.output);
        let script = "command -v node >/dev/null || exit 0; node -e 'new Array(1e6).fill(1); new WebAssembly.Memory({ initial: 1 }); console.log(1)'";
        let done = room.run(script).await;
        assert_eq!(done.status, Exit::Code(0), "{:?}: {}", room.kind(), done.output);
    }
}

#[tokio::test]
async fn what_does_not_start_says_why() {
    for room in rooms(&[]) {
        let start = |program: &str, cwd: &std::path::Path| {
            let mut spec = room.spec("");
            spec.program = exec::Program::Argv { program: program.into(), arguments: Vec::new() };
            cwd.clone_into(&mut spec.cwd);
            exec::run(spec, tokio_util::sync::CancellationToken::new(), |_| ())
        };
        let error = start("no-such-program", &room.root).await.unwrap_err();
        assert!(matches!(error, SpawnError::NoProgram(_)), "{error}");
        let error = start("true", &room.root.join("none")).await.unwrap_err();
        assert!(matches!(error, SpawnError::NoFolder(_)), "{error}");
        let error = start("/etc/passwd", &room.root).await.unwrap_err();
        assert!(matches!(error, SpawnError::Failed { .. }), "{error}");
    }
}

#[tokio::test]
async fn rules_of_the_kernel_alone_refuse_more_and_say_so() {
    for room in rooms(&[("src/a", "")]) {
        let limits = room.confinement.sandbox.limits();
        assert_eq!(limits.is_some(), room.kind() == Kind::Landlock);
        let is_root = rustix::process::geteuid().is_root();
        assert_eq!(
            limits.is_some_and(|limits| limits.contains("is not bounded")),
            is_root && room.kind() == Kind::Landlock
        );
        let done = room.run("echo x > new").await;
        assert_eq!(
            done.status == Exit::Code(0),
            room.kind() == Kind::Bubblewrap,
            "{}",
            done.output
        );
    }
}
