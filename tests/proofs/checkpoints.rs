//! Work that an allowed git command throws away can be got back, with real git.

use kit::{Project, Stage};
use model::Scenario;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

fn repository(sandboxed: bool) -> Project {
    let project = Project::new("//- /a.txt\nfirst\n//- /.gitignore\nignored\n");
    if sandboxed {
        project.user_settings(&json!({ "sandbox": {} }));
    }
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "first"]);
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
        assert_eq!(project.git(&["status", "--porcelain"]), "", "{command}");
        project.git(&["restore", &format!("--source={kept}"), "--", "."]);
        assert_eq!(project.read("a.txt"), "never committed\n", "{command}");
        assert_eq!(project.read("new file.txt"), "unknown\n", "{command}");
        let names = project.git(&["ls-tree", "--name-only", &kept]);
        assert!(!names.lines().any(|name| name == "ignored"), "{names}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_and_stashes_can_be_found_again() {
    let project = repository(false);
    project.git(&["stash", "-q"]);
    project.git(&["checkout", "-qb", "side"]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "on the side"]);
    let (side, stash) = (project.git(&["rev-parse", "side"]), project.git(&["rev-parse", "stash"]));
    project.git(&["checkout", "-q", "main"]);
    let index = kit::files::bytes(&project.path(".git/index"));
    let (stage, kept) = run(project, "git branch -D side && git stash drop").await;
    let project = &stage.project;
    assert_eq!(kit::files::bytes(&project.path(".git/index")), index, "the index stays");
    let message = project.git(&["log", "-1", &kept]);
    assert!(message.contains(&format!("{} refs/heads/side", side.trim())), "{message}");
    assert!(message.contains(stash.trim()), "{message}");
    project.git(&["branch", "side", side.trim()]);
    project.git(&["merge-base", "--is-ancestor", stash.trim(), &kept]);
}
