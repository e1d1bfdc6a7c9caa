//! `--worktree NAME`, with real git.

use kit::{Bowline, Finished, Project, files, model};
use model::{Scenario, TestServer};
use serde_json::json;

fn repository() -> Project {
    let project = Project::new("//- /a.txt\nfirst\n");
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "first"]);
    project
}

async fn run(project: &Project, model: &TestServer, name: &str) -> Finished {
    let bowline = Bowline::new(project).model(model);
    bowline.args(&["-p", "go", "-w", name, "--permission-mode", "acceptEdits"]).run().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worktree_goes_when_nothing_came_of_it_and_stays_otherwise() {
    let project = repository();
    let write = json!({"file_path": "{{cwd}}/new.txt", "content": "made\n"});
    let script = Scenario::new().text("nothing to do").answer().tool("Write", write);
    let model = model(script.answer().forever().text("done")).await;

    let refused = run(&project, &model, "fix").await;
    assert!(refused.code == Some(1) && refused.stderr.contains("not trusted"), "{refused:?}");
    project.trust();
    let idle = run(&project, &model, "fix").await;
    assert_eq!((idle.code, idle.stdout.trim()), (Some(0), "nothing to do"), "{idle:?}");
    assert!(idle.stderr.contains("gone again"), "{idle:?}");
    assert!(!project.exists(".claude/worktrees/fix"));
    assert_eq!(project.git(&["branch", "--list", "worktree-*"]), "");

    let busy = run(&project, &model, "fix").await;
    assert_eq!((busy.code, busy.stdout.trim()), (Some(0), "done"), "{busy:?}");
    assert!(busy.stderr.contains("branch worktree-fix"), "{busy:?}");
    assert_eq!(project.read(".claude/worktrees/fix/new.txt"), "made\n");
    assert!(!project.exists("new.txt"), "the user's own checkout is left alone");
    assert_eq!(project.git(&["status", "--porcelain"]), "", "git does not see worktrees");

    // The same name again goes on in it, and never takes it away.
    let again = run(&project, &model, "fix").await;
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(project.exists(".claude/worktrees/fix/new.txt"));
    let listed = Bowline::new(&project).args(&["sessions"]).run().await;
    assert!(listed.stdout.contains("[worktree-fix]"), "{listed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_or_a_link_cannot_lead_elsewhere() {
    let project = repository();
    project.trust();
    let model = model(Scenario::new().forever().text("hi")).await;
    for name in [".git", "../x", "a/b", "x.lock"] {
        let refused = run(&project, &model, name).await;
        assert!(
            refused.code == Some(1) && refused.stderr.contains("cannot be the name"),
            "{refused:?}"
        );
    }
    let elsewhere = project.home().join("elsewhere");
    files::make_folder(&elsewhere);
    files::link(&elsewhere, &project.path(".claude"));
    let refused = run(&project, &model, "fix").await;
    assert!(refused.code == Some(1) && refused.stderr.contains("leads elsewhere"), "{refused:?}");
    assert!(files::all(&elsewhere).is_empty());
}
