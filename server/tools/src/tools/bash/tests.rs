//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use super::*;
use crate::command::Staying;
use crate::pipeline::CallStatus;
use crate::testing::Desk;
use crate::world::Shelter;
use policy::Run;
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
    assert!(text.len() < 31_000 && text.starts_with("1\n2\n") && text.contains("\n100000\n"));
    assert!(text.contains("bytes left out"), "{text}");
    let whole = "The whole output, 588895 bytes, is in $/tasks/t1.output.";
    assert!(text.contains(whole), "{text}");
    assert!(desk.on_disk("tasks/t1.output").ends_with("99999\n100000\n"));
    let range = json!({"file_path": desk.path("tasks/t1.output"), "offset": 77_777, "limit": 1});
    assert_eq!(desk.ok("Read", range).await.trim(), "77777\t77777");
    let failed = desk.err("Bash", json!({"command": "seq 2000; exit 1"})).await;
    assert!(failed.len() < 11_000, "{}", failed.len());
    let slow = json!({"command": "git --version; echo before; sleep 60", "timeout": 300});
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
        let input = Input {
            command: command.to_owned(),
            timeout: None,
            description,
            run_in_background: false,
            leave_sandbox: false,
        };
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
        untold: Vec::new(),
        may_be_left,
    };
    let check = |(command, leave): (&str, bool), shelter: Option<Shelter>, inside, run: Run| {
        let staying = Staying::of(command, leave, shelter.as_ref()).unwrap();
        assert_eq!((staying.inside, staying.run), (inside, run), "{command}");
    };
    check(("ls", false), None, false, Run::Open);
    check(("ls", true), None, false, Run::Open);
    check(("ls", false), Some(shelter(true, true)), true, Run::Contained);
    check(("ls", false), Some(shelter(false, true)), true, Run::Watched);
    check(("ls", true), Some(shelter(true, true)), false, Run::Escaping);
    check(("docker ps", false), Some(shelter(true, true)), false, Run::Open);
    let locked = Staying::of("ls", true, Some(&shelter(true, false)));
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

#[tokio::test]
async fn a_command_in_the_background_is_left_to_run() {
    let desk = Desk::new(&[("w/a", "one\n")]);
    desk.ok("Read", json!({"file_path": "a"})).await;
    let command = "while [ ! -e go ]; do sleep 0.02; done; echo two > a; echo done; exit 3";
    let input = json!({"command": command, "run_in_background": true, "description": "Wait"});
    let text = desk.ok("Bash", input).await;
    let expect = "The command runs in the background as task t1. What it prints goes to \
                  $/tasks/t1.output; read that file when you need it. You will be told when it \
                  ends. TaskStop stops it.";
    assert_eq!(text, expect);
    desk.write("w/go", "");
    let end = desk.editor.errands.end_of("t1").await;
    assert_eq!((end.state, end.exit_code), (TaskState::Failed, Some(3)));
    assert_eq!(end.how, "ended with exit code 3");
    assert!(end.notes[0].contains("changed files you have read: a."), "{:?}", end.notes);
    assert_eq!(desk.on_disk("tasks/t1.output"), "done\n");
    assert_eq!(desk.editor.rewritten.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_command_that_takes_too_long_goes_on_in_the_background() {
    let desk = Desk::new(&[]);
    let command = "echo early; while [ ! -e go ]; do sleep 0.02; done; echo late";
    let text = desk.ok("Bash", json!({"command": command, "timeout": 200})).await;
    let expect =
        "The command took longer than 0.2 seconds and goes on in the background as task t1";
    assert!(text.starts_with(expect), "{text}");
    desk.write("w/go", "");
    let end = desk.editor.errands.end_of("t1").await;
    assert_eq!((end.state, end.exit_code), (TaskState::Completed, Some(0)));
    assert_eq!(desk.on_disk("tasks/t1.output"), "early\nlate\n");
}

#[tokio::test]
async fn a_task_is_stopped_by_its_id() {
    let desk = Desk::new(&[]);
    let text = desk.err("TaskStop", json!({"task_id": "t1"})).await;
    assert!(text.contains("Nothing runs in the background."), "{text}");
    desk.ok("Bash", json!({"command": "sleep 60", "run_in_background": true})).await;
    let text = desk.err("TaskStop", json!({"task_id": "t9"})).await;
    assert!(text.contains("These run: t1."), "{text}");
    let text = desk.ok("TaskStop", json!({"shell_id": "t1"})).await;
    assert_eq!(text, "Task t1 was stopped: sleep 60");
    assert_eq!(desk.editor.errands.end_of("t1").await.state, TaskState::Stopped);
    let text = desk.err("TaskStop", json!({"task_id": "t1"})).await;
    assert!(text.contains("does not run any more: stopped"), "{text}");
}

#[tokio::test]
async fn what_may_go_on_by_itself() {
    let desk = Desk::new(&[]);
    let check = |command: &str, expect: bool| {
        let cwd = desk.path("w");
        let staying = Staying { inside: false, run: Run::Open };
        let looked = Looked { command: command.to_owned(), cwd, staying, terminal: None };
        assert_eq!(may_move(&looked, &desk.context()), expect, "{command}");
    };
    check("make test", true);
    check("cargo build && ./run", true);
    check("sleep 100", false);
    check("make && git commit -m x", false);
    check("/usr/bin/git status", false);
}
