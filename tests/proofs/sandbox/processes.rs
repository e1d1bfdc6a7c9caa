//! Processes behind walls: what they know, what they may use up, and that they end.

#![expect(clippy::disallowed_methods, reason = "the tests look for processes that are left over")]

use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use exec::{Companion, Exit, Memory, Walls};
use kit::files;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use super::room::{best_rooms, rooms};

/// S-09.
#[tokio::test]
async fn no_descriptor_is_inherited() {
    for room in rooms(&[]) {
        let secret = room.outside.join("secret");
        files::write(&secret, "hidden\n");
        let open = std::fs::File::open(&secret).unwrap();
        rustix::io::fcntl_setfd(open.as_fd(), rustix::io::FdFlags::empty()).unwrap();
        let script = "for d in /proc/self/fd/* /proc/1/fd/* /proc/$PPID/fd/*; do readlink $d; done";
        let done = room
            .run(&format!("{script}; cat <&{} 2>&1", std::os::fd::AsRawFd::as_raw_fd(&open)))
            .await;
        assert!(!done.output.contains("hidden"), "{}", done.output);
        assert!(!done.output.contains("secret"), "{}", done.output);
        let done = room.run("ls /proc/self/fd | wc -l").await;
        assert_eq!(done.stdout.trim(), "4", "{:?}", room.kind());
    }
}

/// S-10.
#[tokio::test]
async fn only_the_given_environment_is_there() {
    for room in rooms(&[]) {
        let done = room
            .run("cat /proc/self/environ | tr '\\0' '\\n' | cut -d= -f1 | sort | tr '\\n' ' '")
            .await;
        assert_eq!(
            done.stdout.trim(),
            "HOME LC_ALL OUTSIDE PATH PWD SHLVL TMPDIR _",
            "{:?}",
            room.kind()
        );
    }
}

/// S-11.
#[tokio::test]
async fn other_processes_are_out_of_reach() {
    for room in rooms(&[]) {
        let us = std::process::id();
        for file in ["environ", "mem", "maps", "fd/0", "cwd/Cargo.toml", "root/etc/hostname"] {
            let done = room.run(&format!("head -c 1 /proc/{us}/{file} | wc -c")).await;
            assert_eq!(done.stdout.trim(), "0", "{:?}: {file}", room.kind());
        }
        let done = room.run(&format!("kill -0 {us}")).await;
        assert_ne!(done.status, Exit::Code(0), "{:?}", room.kind());
        let script = "import ctypes; l = ctypes.CDLL(None, use_errno=True); print(l.ptrace(0, 0, 0, 0), ctypes.get_errno())";
        let done = room.run(&format!("python3 -c '{script}'")).await;
        assert_eq!(done.stdout, "-1 1\n", "{}", done.output);
    }
}

/// S-13 and S-14.
#[tokio::test]
async fn no_namespace_and_no_privilege_is_gained() {
    for room in rooms(&[]) {
        for script in [
            "unshare -U true",
            "unshare -m true",
            "unshare -n true",
            "mount -t tmpfs x src",
            "chroot / true",
        ] {
            let done = room.run(script).await;
            assert_ne!(done.status, Exit::Code(0), "{:?}: {script}", room.kind());
        }
        let done = room.run("grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | cut -f2 | sort -u | tr '\\n' ' '").await;
        assert_eq!(done.stdout, "0000000000000000 1 2 ", "{:?}", room.kind());
    }
}

/// S-15 and B-094.
#[tokio::test]
async fn there_is_no_terminal() {
    for room in rooms(&[]) {
        let done = room.run("cat; read x < /dev/tty").await;
        assert_ne!(done.status, Exit::Code(0), "{:?}", room.kind());
        let script = "import fcntl, os, pty; m, s = pty.openpty(); fcntl.ioctl(s, 0x5412, b\"x\")";
        let done = room.run(&format!("python3 -c '{script}'")).await;
        // Where there are no mounts, there are no new terminals at all.
        let refused = ["PermissionError", "OSError"].iter().any(|word| done.output.contains(word));
        assert!(refused, "{:?}: {}", room.kind(), done.output);
    }
}

/// S-17 and B-097.
#[tokio::test]
async fn what_is_used_up_is_bounded() {
    for mut room in rooms(&[("src/big", "")]) {
        room.confinement.limits.file_size = 1024 * 1024;
        room.confinement.limits.memory = Memory::Bytes(512 * 1024 * 1024);
        let done = room.run("head -c 9000000 /dev/zero > src/big").await;
        assert_ne!(done.status, Exit::Code(0), "{:?}", room.kind());
        assert_eq!(room.root.join("src/big").metadata().unwrap().len(), 1024 * 1024);
        let done = room.run("python3 -c 'x = bytearray(1 << 30)'").await;
        assert!(done.output.contains("MemoryError"), "{:?}: {}", room.kind(), done.output);
        assert_eq!(room.run("ulimit -c").await.stdout, "0\n");
    }
    for mut room in best_rooms(&[]) {
        room.confinement.limits.processes = 60;
        let mut spec = room.spec("b() { b | b & }; b; sleep 1000");
        spec.timeout = Duration::from_secs(90);
        let done = exec::run(spec, CancellationToken::new(), |_| ()).await.unwrap();
        // Ended by us, or starved by the kernel until its time was over.
        assert_ne!(done.status, Exit::Code(0));
        assert_eq!(room.run("echo alive").await.stdout, "alive\n");
    }
}

/// B-091: also those that leave their group and their session, in every way out.
#[tokio::test]
async fn whoever_it_starts_ends_with_it() {
    for room in best_rooms(&[]) {
        let mark = format!("{}.{}", 400_000 + std::process::id(), 1);
        let script = format!(
            "setsid sleep {mark} & (setsid sh -c 'sleep {mark} & sleep {mark}' &) ; sleep {mark} & echo started"
        );
        assert_eq!(room.run(&script).await.output, "started\n");
        gone(&mark).await;
        let mut spec = room.spec(&format!("trap '' TERM; {script}; while :; do sleep 1; done"));
        spec.timeout = Duration::from_millis(500);
        let done = exec::run(spec, CancellationToken::new(), |_| ()).await.unwrap();
        assert_eq!(done.status, Exit::TimedOut);
        gone(&mark).await;
        let run =
            exec::run(room.spec(&format!("{script}; wait")), CancellationToken::new(), |_| ());
        drop(tokio::time::timeout(Duration::from_millis(500), run).await);
        gone(&mark).await;
        // Dropped, nobody waits for the last step; it comes all the same.
        while room.snapshot().len() > 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn a_command_that_is_asked_to_end_may_tidy_up() {
    for room in rooms(&[]) {
        let mut spec = room.spec("trap 'echo tidy; exit' TERM; echo up; sleep 1000 & wait");
        let cancel = CancellationToken::new();
        let asked = cancel.clone();
        spec.timeout = Duration::from_secs(100);
        let done = exec::run(spec, cancel, move |_| asked.cancel()).await.unwrap();
        assert_eq!(
            (done.status, done.stdout.as_str()),
            (Exit::Cancelled, "up\ntidy\n"),
            "{:?}",
            room.kind()
        );
    }
}

const VICTIM: &str = "BOWLINE_PROOF_VICTIM";

/// Not a test of its own: what the next one starts and kills.
#[tokio::test]
async fn victim() {
    let Some(mark) = std::env::var_os(VICTIM) else { return };
    for room in best_rooms(&[]) {
        let mark = mark.to_string_lossy();
        let script = format!("setsid sleep {mark} & sleep {mark} & echo > src/up; sleep {mark}");
        let ready = room.root.join("src/up");
        let run = room.run(&script);
        let tell = async {
            while !ready.exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            files::write(
                Path::new(&format!("/var/tmp/proof-{mark}")),
                room.root.display().to_string(),
            );
            std::future::pending::<()>().await;
        };
        tokio::join!(run, tell);
    }
}

#[tokio::test]
async fn if_we_are_killed_nothing_lives_on() {
    if best_rooms(&[]).is_empty() {
        return;
    }
    let mark = format!("{}.{}", 500_000 + std::process::id(), 2);
    let told = format!("/var/tmp/proof-{mark}");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["sandbox::processes::victim", "--exact"])
        .env(VICTIM, &mark)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !Path::new(&told).exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    gone(&mark).await;
    let root = files::read(Path::new(&told));
    std::fs::remove_dir_all(Path::new(&root).parent().unwrap()).unwrap();
    files::remove(Path::new(&told));
}

/// Waits until no process has this in its command line.
async fn gone(mark: &str) {
    while running(mark) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn running(mark: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let sleeping = format!("sleep\0{mark}\0");
    lines.any(|line| line == sleeping.as_bytes())
}

#[tokio::test]
async fn a_companion_lives_behind_walls_too() {
    for room in rooms(&[]) {
        let walls = Walls::Within(Arc::new(room.confinement.clone()));
        let script = "read x; echo \"got $x\"; echo y > \"$OUTSIDE/y\"; echo end >&2";
        let arguments = ["-c".into(), script.into()];
        let Companion { mut input, mut output, mut process } =
            Companion::start("sh", &arguments, &room.root, &room.env(), &walls).unwrap();
        input.write_all(b"word\n").await.unwrap();
        let mut said = String::new();
        output.read_to_string(&mut said).await.unwrap();
        assert_eq!(said, "got word\n");
        assert_eq!(process.ended().await, Exit::Code(0));
        assert_eq!(process.last_line(), "end");
        assert!(room.nothing_outside());
    }
}
