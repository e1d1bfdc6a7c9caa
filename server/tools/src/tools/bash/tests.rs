//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use super::*;
use crate::pipeline::CallStatus;
use crate::testing::Desk;
use serde_json::json;

#[tokio::test]
async fn what_a_command_prints() {
    let desk = Desk::new(&[]);
    let report = desk.call("Bash", json!({"command": "echo out; echo err >&2; exit 3"})).await;
    let text = desk.words(&report);
    assert!(text.starts_with("Exit code 3\n"), "{text}");
    assert!(text.contains("out") && text.contains("err"), "{text}");
    assert_eq!((report.exit_code, report.status), (Some(3), CallStatus::Failed));
    assert!(desk.printed.lock().unwrap().contains("out"), "output is shown while it comes");
    assert_eq!(desk.ok("Bash", json!({"command": "true"})).await, "(no output)");
    let text = desk.ok("Bash", json!({"command": "grep nothing .keep"})).await;
    assert_eq!(text, "Exit code 1", "no match is an answer");
    let asked = desk.user.asked();
    assert_eq!(asked[0].title, "echo out; echo err >&2; exit 3");
}

#[tokio::test]
async fn the_folder_stays_and_variables_do_not() {
    let desk = Desk::new(&[("w/sub/x", ""), ("outside/x", "")]);
    desk.ok("Bash", json!({"command": "cd sub && export V=1"})).await;
    assert_eq!(desk.ok("Bash", json!({"command": "pwd; echo [$V]"})).await, "$/w/sub\n[]");
    let text = desk.ok("Bash", json!({"command": "cd ../../outside && pwd"})).await;
    let expect = "$/outside\n<system-reminder>Shell cwd was reset to $/w</system-reminder>";
    assert_eq!(text, expect);
    assert_eq!(desk.ok("Bash", json!({"command": "pwd"})).await, "$/w");
    desk.ok("Bash", json!({"command": "mkdir gone && cd gone && rmdir ../gone"})).await;
    assert_eq!(desk.ok("Bash", json!({"command": "pwd"})).await, "$/w");
}

#[tokio::test]
async fn long_output_and_long_commands() {
    let desk = Desk::new(&[]);
    let text = desk.ok("Bash", json!({"command": "seq 100000"})).await;
    assert!(text.len() < 31_000 && text.starts_with("1\n2\n") && text.ends_with("100000"));
    assert!(text.contains("bytes left out"), "{text}");
    let failed = desk.err("Bash", json!({"command": "seq 100000; exit 1"})).await;
    assert!(failed.len() < 11_000, "{}", failed.len());
    let slow = json!({"command": "echo before; sleep 60", "timeout": 300});
    let text = desk.err("Bash", slow).await;
    assert!(text.starts_with("The command was stopped after 0.3 seconds."), "{text}");
    assert!(text.ends_with("before"), "{text}");
    let text = desk.err("Bash", json!({"command": "  "})).await;
    assert!(text.contains("The command is empty"), "{text}");
}

#[tokio::test]
async fn a_command_that_is_called_off() {
    let desk = Desk::new(&[]);
    let cancel = desk.cancel.clone();
    let printed = std::sync::Arc::clone(&desk.printed);
    let stop = async move {
        while printed.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let call = desk.call("Bash", json!({"command": "echo started; sleep 60"}));
    let (report, ()) = tokio::join!(call, stop);
    let text = desk.words(&report);
    assert!(report.outcome.is_error && text.contains("interrupted"), "{text}");
}

#[test]
fn titles_are_one_line() {
    let check = |command: &str, description: Option<&str>, expect: &str| {
        let description = description.map(str::to_owned);
        let input = Input { command: command.to_owned(), timeout: None, description };
        assert_eq!(Bash::title(&input, Path::new("/")), expect);
    };
    check("make test", None, "make test");
    check("make test", Some("Run the tests"), "Run the tests");
    check("make test", Some(" "), "make test");
    check("one\ntwo", None, "one …");
    check("", None, "");
    check(&"é".repeat(150), None, &format!("{} …", "é".repeat(100)));
}

#[test]
fn programs_that_say_no() {
    let check = |command: &str, expect: bool| assert_eq!(says_no(command), expect, "{command}");
    check("grep x y", true);
    check("cat a | rg x", true);
    check("cd src && diff a b", true);
    check("git diff --exit-code", true);
    check("[ -f x ]", true);
    check("git status", false);
    check("grep x y; make", false);
    check("", false);
}

#[tokio::test]
async fn a_link_does_not_lead_out_unasked() {
    let desk = Desk::new(&[("w/plain", "in"), ("outside/secret", "out")]);
    std::os::unix::fs::symlink(desk.path("outside/secret"), desk.path("w/link")).unwrap();
    assert_eq!(desk.ok("Bash", json!({"command": "cat plain"})).await, "in");
    assert!(desk.user.asked().is_empty(), "reading inside the workspace is not asked about");
    desk.ok("Bash", json!({"command": "cat link"})).await;
    assert_eq!(desk.user.asked().len(), 1, "the link leads outside");
}
