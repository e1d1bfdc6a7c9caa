//! Temporary files of a server that was killed: none is left once the next session has begun.

use std::path::PathBuf;

use kit::{Bowline, Dice, Profile, Project, files, model};
use model::Scenario;
use protocol::session::Mode;
use serde_json::json;

const KILLS: u64 = 12;

fn temporaries(project: &Project) -> Vec<PathBuf> {
    let is_temporary = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with(".bowline-") && name.ends_with(".tmp")
    };
    files::all(project.root()).into_iter().filter(is_temporary).collect()
}

/// One file after the other is replaced, while the server is killed at random moments.
#[tokio::test(flavor = "multi_thread")]
async fn killed_servers_leave_no_temporary_files() {
    let project = Project::new("//- /deep/down/a.txt\nold\n");
    // What the user has under such a name, and what a process left that is known to be gone.
    project.write(".bowline-notes.tmp", "mine");
    let gone = ".bowline-7fffffff-1-";
    project.write(&format!("deep/down/{gone}5.tmp"), "left");
    let record = project.bowline_home().join("temporaries").join(gone);
    let folder = format!("{}\0", project.path("deep/down").display());
    files::write(&record, folder);
    let mut dice = Dice::new(0x7e4f);
    let path = "{{cwd}}/deep/down/a.txt";
    let write = |text: &str| json!({ "file_path": path, "content": text.repeat(50_000) });
    let script = Scenario::new().when("go").forever().tool("Read", json!({ "file_path": path }));
    let script = script.answer().forever().tool("Write", write("one\n"));
    let script = script.tool("Write", write("two\n")).tool("Write", write("three\n"));
    let script = model(script).await;
    for kill in 0..KILLS {
        let mut serving = Bowline::new(&project).model(&script).serve(Profile::VS_CODE);
        let client = &mut serving.client;
        client.initialize().await;
        let session = client.session_with(kit::session_in(Mode::AcceptEdits)).await;
        let left = temporaries(&project);
        assert_eq!(left, [project.path(".bowline-notes.tmp")], "after {kill} kills");
        client.prompt(&session, "go").await;
        for _ in 0..dice.below(60) {
            client.wait_for_anything("something of a turn").await;
        }
        serving.kill().await;
    }
    assert!(!record.exists());
    assert_eq!(project.read(".bowline-notes.tmp"), "mine");
}
