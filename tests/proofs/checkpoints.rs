//! Work that an allowed git command throws away can be got back, with real git.

use kit::{Project, Stage};
use model::Scenario;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

#[expect(clippy::disallowed_methods, reason = "a user looks, with the user's own git")]
fn git(project: &Project, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=x", "-c", "user.email=x@x"]).args(arguments);
    command.current_dir(project.root()).env("HOME", project.home());
    let done = command.output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

fn repository(sandboxed: bool) -> Project {
    let project = Project::new("//- /a.txt\nfirst\n//- /.gitignore\nignored\n");
    if sandboxed {
        project.user_settings(&json!({ "sandbox": {} }));
    }
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    project.write("a.txt", "never committed\n");
    project.write("new file.txt", "unknown\n");
    project.write("ignored", "x\n");
    project
}

/// Runs a command that the user allows; says what is kept.
async fn run(project: Project, command: &str) -> (Stage, String) {
    let script = Scenario::new().tool("Bash", json!({ "command": command })).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Completed, "{turned:?}");
    let (result, _) = stage.last_results().remove(0);
    let kept = format!("refs/bowline/checkpoints/{}/1", stage.session);
    assert!(result.contains(&kept), "{result}");
    (stage, kept)
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_a_command_threw_away_come_back() {
    for (sandboxed, command) in [
        (false, "git reset --hard -q && git clean -fdq"),
        (true, "git reset --hard -q && git clean -fq -- 'new file.txt'"),
        (false, "git checkout -- . && git clean -fd"),
        (false, "git restore . && git clean -fd"),
    ] {
        let (stage, kept) = run(repository(sandboxed), command).await;
        let project = &stage.project;
        assert_eq!(project.read("a.txt"), "first\n", "{command}");
        assert!(!project.exists("new file.txt"), "{command}");
        assert_eq!(git(project, &["status", "--porcelain"]), "", "{command}");
        git(project, &["restore", &format!("--source={kept}"), "--", "."]);
        assert_eq!(project.read("a.txt"), "never committed\n", "{command}");
        assert_eq!(project.read("new file.txt"), "unknown\n", "{command}");
        let names = git(project, &["ls-tree", "--name-only", &kept]);
        assert!(!names.lines().any(|name| name == "ignored"), "{names}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_and_stashes_can_be_found_again() {
    let project = repository(false);
    git(&project, &["stash", "-q"]);
    git(&project, &["checkout", "-qb", "side"]);
    git(&project, &["commit", "-q", "--allow-empty", "-m", "on the side"]);
    let (side, stash) =
        (git(&project, &["rev-parse", "side"]), git(&project, &["rev-parse", "stash"]));
    git(&project, &["checkout", "-q", "main"]);
    let index = kit::files::bytes(&project.path(".git/index"));
    let (stage, kept) = run(project, "git branch -D side && git stash drop").await;
    let project = &stage.project;
    assert_eq!(kit::files::bytes(&project.path(".git/index")), index, "the index stays");
    let message = git(project, &["log", "-1", &kept]);
    assert!(message.contains(&format!("{} refs/heads/side", side.trim())), "{message}");
    assert!(message.contains(stash.trim()), "{message}");
    git(project, &["branch", "side", side.trim()]);
    git(project, &["merge-base", "--is-ancestor", stash.trim(), &kept]);
}
