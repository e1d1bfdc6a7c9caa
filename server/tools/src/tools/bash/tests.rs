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

#[tokio::test]
async fn what_the_command_does_not_see() {
    let desk = Desk::new(&[]);
    *desk.editor.unsaved.lock().unwrap() = crate::world::Unsaved {
        saved: vec![desk.path("w/a.rs")],
        unseen: (0..12).map(|n| desk.path(&format!("w/{n:02}.rs"))).collect(),
    };
    let text = desk.ok("Bash", json!({"command": "echo hi"})).await;
    let unseen = "00.rs, 01.rs, 02.rs, 03.rs, 04.rs, 05.rs, 06.rs, 07.rs, 08.rs, 09.rs (+2 more)";
    assert_eq!(
        text,
        format!(
            "hi\n<system-reminder>Saved in the editor before this command: a.rs.</system-reminder>\n\
             <system-reminder>This command did not see the unsaved text of files that are open in \
             the editor: {unseen}. It saw the older text on the disk.</system-reminder>"
        )
    );
}

#[tokio::test]
async fn a_formatter_is_noticed_and_its_work_is_seen() {
    let desk = Desk::new(&[("w/a.rs", "fn  a(){}\n"), ("w/b.rs", "b\n"), ("w/c.rs", "c\n")]);
    for name in ["a.rs", "b.rs"] {
        desk.ok("Read", json!({"file_path": name})).await;
    }
    let format = "printf 'fn a() {\n}\\n' > a.rs; touch b.rs; echo new > c.rs";
    let text = desk.ok("Bash", json!({"command": format})).await;
    assert_eq!(
        text,
        "(no output)\n<system-reminder>This command changed files you have read: a.rs. Read them \
         again before you edit them.</system-reminder>"
    );
    let told: Vec<_> = desk.editor.rewritten.lock().unwrap().drain(..).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].path, desk.path("w/a.rs"));
    assert_eq!(told[0].before.to_string(), "fn  a(){}\n");
    assert_eq!(told[0].after.as_ref().unwrap().to_string(), "fn a() {\n}\n");
    let text = desk.ok("Read", json!({"file_path": "a.rs"})).await;
    assert_eq!(text, "     1\tfn a() {\n     2\t}\n");
    desk.ok("Bash", json!({"command": "true"})).await;
    assert!(desk.editor.rewritten.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_command_is_blamed_for_its_own_changes_only() {
    let desk = Desk::new(&[("w/a", "one\n"), ("w/b", "b\n")]);
    desk.ok("Read", json!({"file_path": "a"})).await;
    desk.ok("Read", json!({"file_path": "b"})).await;
    let edit = json!({"file_path": "a", "old_string": "one", "new_string": "two"});
    desk.ok("Edit", edit).await;
    desk.write("w/b", "by somebody else\n");
    assert_eq!(desk.ok("Bash", json!({"command": "true"})).await, "(no output)");
    let text = desk.ok("Bash", json!({"command": "echo three >> a; rm b"})).await;
    assert!(text.contains("changed files you have read: a, b."), "{text}");
    let told: Vec<_> = desk.editor.rewritten.lock().unwrap().drain(..).collect();
    let told = told.iter().map(|file| {
        let after = file.after.as_ref().map(ToString::to_string);
        (file.before.to_string(), after)
    });
    let mut told: Vec<_> = told.collect();
    told.sort();
    assert_eq!(
        told,
        [
            ("by somebody else\n".to_owned(), None),
            ("two\n".to_owned(), Some("two\nthree\n".to_owned()))
        ]
    );
    // What comes back was not known to be there.
    let text = desk.ok("Bash", json!({"command": "printf '\\0' > a; echo b > b"})).await;
    assert!(text.contains("changed files you have read: a, b."), "{text}");
    assert!(desk.editor.rewritten.lock().unwrap().is_empty(), "one is not text, one is new");
}

#[test]
fn titles_are_one_line() {
    let check = |command: &str, description: Option<&str>, expect: &str| {
        let description = description.map(str::to_owned);
        let input =
            Input { command: command.to_owned(), timeout: None, description, leave_sandbox: false };
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

#[tokio::test]
async fn how_a_command_runs_is_decided_by_what_keeps_it_in() {
    let shelter = |quiet, may_be_left| Shelter {
        description: "a sandbox".to_owned(),
        quiet,
        excluded: vec!["docker *".to_owned()],
        may_be_left,
    };
    let input = |command: &str, leave_sandbox| Input {
        command: command.to_owned(),
        timeout: None,
        description: None,
        leave_sandbox,
    };
    let check = |input: Input, shelter: Option<Shelter>, inside: bool, run: Run| {
        let staying = Staying::of(&input, shelter.as_ref()).unwrap();
        assert_eq!((staying.inside, staying.run), (inside, run), "{}", input.command);
    };
    check(input("ls", false), None, false, Run::Open);
    check(input("ls", true), None, false, Run::Open);
    check(input("ls", false), Some(shelter(true, true)), true, Run::Contained);
    check(input("ls", false), Some(shelter(false, true)), true, Run::Open);
    check(input("ls", true), Some(shelter(true, true)), false, Run::Escaping);
    check(input("docker ps", false), Some(shelter(true, true)), false, Run::Open);
    let locked = Staying::of(&input("ls", true), Some(&shelter(true, false)));
    assert!(locked.err().is_some_and(|problem| problem.to_string().contains("leave the sandbox")));
}

#[tokio::test]
async fn secrets_that_a_command_prints_reach_nobody() {
    let token = ["ghp_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    let desk = Desk::new(&[("w/.env", &format!("GITHUB_TOKEN={token}\nPORT=3000\n"))]);
    let text =
        desk.ok("Bash", json!({"command": "cat .env; printf 'tail %s' \"$(cat .env)\""})).await;
    assert!(text.contains("GITHUB_TOKEN=[secret]\nPORT=3000"), "{text}");
    let failed = desk.err("Bash", json!({"command": format!("echo {token}; exit 2")})).await;
    let printed = desk.printed.lock().unwrap().clone();
    assert!(printed.contains("PORT=3000\ntail GITHUB_TOKEN=[secret]"), "{printed}");
    for text in [text, failed, printed] {
        assert!(!text.contains(&token), "{text}");
    }
}
