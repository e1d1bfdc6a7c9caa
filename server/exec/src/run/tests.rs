//! Real processes in temporary folders. Nothing here asserts a duration: where something must not
//! hang, the test itself would.

#![expect(clippy::disallowed_methods, reason = "the tests look at what the processes left behind")]

use std::ffi::OsStr;
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, test_kill_process};

use super::*;
use crate::shell::Shell;

const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn shell() -> Shell {
    Shell::find(OsStr::new(SEARCH_PATH)).unwrap()
}

fn spec(script: &str, cwd: &Path) -> Spec {
    let mut spec = shell().command(script, cwd, Walls::Open);
    spec.env.push(("PATH".into(), SEARCH_PATH.into()));
    spec
}

async fn finish(script: &str) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    run(spec(script, folder.path()), CancellationToken::new(), |_| {}).await.unwrap()
}

/// Waits until the process is gone; a zombie that nobody reaps would keep us here for good.
pub(crate) async fn gone(pid: i32) {
    let pid = Pid::from_raw(pid).unwrap();
    while test_kill_process(pid).is_ok() && !is_zombie(pid) {
        sleep(Duration::from_millis(10)).await;
    }
}

/// A grandchild is reaped by the init process, which in a container may be a lazy one.
fn is_zombie(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid()));
    stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")))
}

#[tokio::test]
async fn the_exit_code_and_both_outputs_come_back() {
    let done = finish("echo out; echo err >&2; exit 3").await;
    assert_eq!(done.status, Exit::Code(3));
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("out\n", "err\n"));
    assert_eq!(done.output.len(), 8);
    assert_eq!(finish("true").await.status, Exit::Code(0));
    assert_eq!(finish("if").await.status, Exit::Code(2));
    assert_eq!(finish("").await.status, Exit::Code(0));
}

#[tokio::test]
async fn input_is_read_as_far_as_somebody_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let given = async |script: &str, input: &str| {
        let mut spec = spec(script, folder.path());
        spec.input = input.as_bytes().to_vec();
        run(spec, CancellationToken::new(), |_| {}).await.unwrap()
    };
    // Far more than fits into a pipe.
    let long = "x".repeat(1 << 20);
    assert_eq!(given("wc -c", &long).await.stdout.trim(), long.len().to_string());
    assert_eq!(given("cat", "{\"a\": 1}").await.stdout, "{\"a\": 1}");
    assert_eq!(given("exec <&-; echo done", &long).await.stdout, "done\n");
    assert_eq!(given("cat", "").await.stdout, "");
}

#[tokio::test]
async fn arrival_order_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    // Each line waits until the one before it has been heard.
    let heard = "until [ -e heard$n ]; do sleep 0.01; done; n=$((n+1))";
    let script =
        format!("n=1; echo o1; {heard}; echo e1 >&2; {heard}; echo o2; {heard}; echo e2 >&2");
    let mut count = 0;
    let done = run(spec(&script, folder.path()), CancellationToken::new(), |_| {
        count += 1;
        std::fs::write(folder.path().join(format!("heard{count}")), "").unwrap();
    });
    assert_eq!(done.await.unwrap().output, "o1\ne1\no2\ne2\n");
}

#[tokio::test]
async fn a_signal_is_told_from_a_code() {
    assert_eq!(finish("kill -9 $$").await.status, Exit::Signal(9));
}

#[tokio::test]
async fn line_numbers_are_those_of_the_script() {
    let done = finish("true\nno-such-program-here").await;
    assert_eq!(done.status, Exit::Code(127));
    assert!(done.stderr.contains("line 2"), "{}", done.stderr);
}

#[tokio::test]
async fn a_program_runs_without_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::Argv {
        program: "/bin/echo".into(),
        arguments: vec!["$HOME".into(), "a b".into()],
    };
    let done =
        run(Spec::new(program, folder.path(), Walls::Open), CancellationToken::new(), |_| {})
            .await
            .unwrap();
    assert_eq!(done.stdout, "$HOME a b\n");
    assert_eq!(done.cwd_after, None);
}

#[tokio::test]
async fn only_the_given_environment_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::Argv { program: "/usr/bin/env".into(), arguments: vec![] };
    let mut spec = Spec::new(program, folder.path(), Walls::Open);
    spec.env = vec![("A".into(), "b c".into())];
    let done = run(spec, CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!(done.stdout, "A=b c\n");
}

#[tokio::test]
async fn standard_input_is_empty() {
    assert_eq!(finish("cat; echo end").await.stdout, "end\n");
}

#[tokio::test]
async fn the_last_folder_is_reported_and_the_status_kept() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let odd = real.join("a 'b'\nc");
    std::fs::create_dir_all(&odd).unwrap();
    for (script, status, expect) in [
        ("cd \"$D\"", Exit::Code(0), Some(odd.clone())),
        ("cd \"$D\"; exit 7", Exit::Code(7), Some(odd.clone())),
        ("cd \"$D\"; false", Exit::Code(1), Some(odd.clone())),
        ("set -eC; cd \"$D\"; false; cd /", Exit::Code(1), Some(odd.clone())),
        ("(cd \"$D\")", Exit::Code(0), Some(real.clone())),
        ("pwd() { echo /fake; }; cd \"$D\"", Exit::Code(0), Some(odd.clone())),
        ("cd \"$D\"; exec true", Exit::Code(0), None),
    ] {
        let mut spec = spec(script, &real);
        spec.env.push(("D".into(), odd.clone().into()));
        let done = run(spec, CancellationToken::new(), |_| {}).await.unwrap();
        assert_eq!(
            (done.status, done.cwd_after, done.output.as_str()),
            (status, expect, ""),
            "{script}"
        );
    }
}

#[tokio::test]
async fn no_report_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = spec("ls -A \"$TMPDIR\"", folder.path());
    spec.env.push(("TMPDIR".into(), folder.path().into()));
    let done = run(spec, CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!(done.stdout.lines().count(), 1, "the report lies in the script's own folder");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_timeout_ends_the_whole_group() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec =
        spec("sleep 1000 & echo $!; (trap '' TERM; sleep 1000) & echo $!; wait", folder.path());
    spec.timeout = Duration::from_secs(2);
    let done = run(spec, CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!(done.status, Exit::TimedOut);
    let pids: Vec<i32> = done.stdout.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(pids.len(), 2);
    for pid in pids {
        gone(pid).await;
    }
}

#[tokio::test]
async fn a_process_that_ignores_being_asked_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = spec("trap '' TERM; while :; do sleep 1; done", folder.path());
    spec.timeout = Duration::from_millis(200);
    let done = run(spec, CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!(done.status, Exit::TimedOut);
}

#[tokio::test]
async fn a_process_asked_to_end_may_clean_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = spec("trap 'echo cleaned; exit' TERM; sleep 1000 & wait", folder.path());
    spec.timeout = Duration::from_secs(2);
    let done = run(spec, CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!((done.status, done.stdout.as_str()), (Exit::TimedOut, "cleaned\n"));
}

#[tokio::test]
async fn cancelling_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = CancellationToken::new();
    let trigger = cancel.clone();
    let spec = spec("echo ready; sleep 1000", folder.path());
    let done = run(spec, cancel, |_| trigger.cancel()).await.unwrap();
    assert_eq!((done.status, done.stdout.as_str()), (Exit::Cancelled, "ready\n"));
}

#[tokio::test]
async fn dropping_the_run_ends_the_group() {
    let folder = tempfile::tempdir().unwrap();
    let seen = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&seen);
    let spec = spec("sleep 1000 & echo $!; echo $$; wait", folder.path());
    let ready = CancellationToken::new();
    let tell = ready.clone();
    let running = tokio::spawn(run(spec, CancellationToken::new(), move |text| {
        let mut heard = heard.lock().unwrap();
        heard.push_str(text);
        if heard.lines().count() == 2 && heard.ends_with('\n') {
            tell.cancel();
        }
    }));
    ready.cancelled().await;
    running.abort();
    let pids: Vec<i32> = seen.lock().unwrap().lines().map(|line| line.parse().unwrap()).collect();
    for pid in pids {
        gone(pid).await;
    }
}

#[tokio::test]
async fn a_background_child_that_holds_the_pipes_does_not_hang_us() {
    let done = finish("sleep 1000 & echo $!").await;
    assert_eq!(done.status, Exit::Code(0));
    gone(done.stdout.trim().parse().unwrap()).await;
}

#[tokio::test]
async fn neither_does_one_that_never_stops_talking() {
    let done = finish("yes & exit 4").await;
    assert_eq!(done.status, Exit::Code(4));
}

#[tokio::test]
async fn a_silent_background_child_ends_too() {
    let done = finish("sleep 1000 >/dev/null 2>&1 & echo $!").await;
    gone(done.stdout.trim().parse().unwrap()).await;
}

#[tokio::test]
async fn huge_output_is_capped_and_does_not_block() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = spec(
        "yes abcdefg | head -c 40000000; yes x | head -c 4000000 >&2; echo END",
        folder.path(),
    );
    spec.output_cap = 1000;
    let mut bytes = 0;
    let done = run(spec, CancellationToken::new(), |text| bytes += text.len()).await.unwrap();
    assert_eq!(done.status, Exit::Code(0));
    assert_eq!(bytes, 44_000_004);
    assert!(done.stdout.contains("… 39999004 bytes left out …"), "{}", done.stdout.len());
    assert!(done.stdout.starts_with("abcdefg\n") && done.stdout.ends_with("END\n"));
    assert!(done.stdout.len() < 1100 && done.stderr.len() < 1100 && done.output.len() < 1100);
}

#[tokio::test]
async fn bytes_that_are_not_text_do_not_stop_us() {
    let done = finish("printf 'a\\377b\\303'; printf '\\251'").await;
    assert_eq!(done.stdout, "a\u{fffd}bé");
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let none = folder.path().join("none");
    let start = |spec| run(spec, CancellationToken::new(), |_| {});
    let error = start(spec("true", &none)).await.unwrap_err();
    assert!(matches!(error, SpawnError::NoFolder(_)), "{error}");
    let missing = Program::Argv { program: none.clone().into(), arguments: vec![] };
    let error = start(Spec::new(missing, folder.path(), Walls::Open)).await.unwrap_err();
    assert!(matches!(error, SpawnError::NoProgram(_)), "{error}");
    let error = start(spec(&"#".repeat(200_000), folder.path())).await.unwrap_err();
    assert!(matches!(error, SpawnError::TooLong(200_000)), "{error}");
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "x").unwrap();
    let missing = Program::Argv { program: plain.into(), arguments: vec![] };
    let error = start(Spec::new(missing, folder.path(), Walls::Open)).await.unwrap_err();
    assert!(matches!(error, SpawnError::Failed { .. }), "{error}");
}

#[tokio::test]
async fn the_plain_shell_works_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let program = Program::Script { shell: "/bin/sh".into(), text: "cd /; exit 5".into() };
    let done =
        run(Spec::new(program, real, Walls::Open), CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!((done.status, done.cwd_after), (Exit::Code(5), Some(PathBuf::from("/"))));
}
