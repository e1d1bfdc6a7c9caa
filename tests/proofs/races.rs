//! Links that are bent between the decision and the act: whatever they lead to, the tools touch what
//! was decided about or nothing.

#![expect(clippy::disallowed_methods, reason = "an attacker does what it likes with files")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use kit::{Project, Stage, files};
use model::Scenario;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

const CANARY: &str = "canary";
/// All swappers together do at least so many while the tools work.
const SWAPS: usize = 100_000;
const TURNS: usize = 30;

/// A project, and a folder outside of it that nobody may see or change.
fn project() -> (Project, PathBuf) {
    let project = Project::new("//- /dir/file\ninside\n//- /file\ninside\n//- /plain\ninside\n");
    let outside = project.root().with_file_name("outside");
    files::write(&outside.join("file"), CANARY);
    files::write(&outside.join("canary-name"), CANARY);
    (project, outside)
}

fn assert_untouched(outside: &Path) {
    let mut names: Vec<_> =
        files::all(outside).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["canary-name", "file"]);
    for name in names {
        assert_eq!(files::read(&outside.join(name)), CANARY);
    }
}

fn exchange(a: &Path, b: &Path) {
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
}

/// Swaps folders and files for links to the outside until it is told to stop.
fn attack(root: &Path, outside: &Path, stop: &Arc<AtomicBool>, swaps: &Arc<AtomicUsize>) {
    symlink(outside, root.join("dir.link")).unwrap();
    symlink(outside.join("file"), root.join("file.link")).unwrap();
    let swapper = |swap: Box<dyn Fn(usize) + Send>| {
        let (stop, swaps) = (Arc::clone(stop), Arc::clone(swaps));
        std::thread::spawn(move || {
            for turn in 0.. {
                swap(turn);
                swaps.fetch_add(1, Ordering::Relaxed);
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
    };
    let (a, b) = (root.join("dir"), root.join("dir.link"));
    swapper(Box::new(move |_| exchange(&a, &b)));
    let (a, b) = (root.join("file"), root.join("file.link"));
    swapper(Box::new(move |_| exchange(&a, &b)));
    let (plain, target) = (root.join("plain"), outside.join("file"));
    swapper(Box::new(move |turn| {
        // The tools write it too, so that any of these may fail.
        let _ = fs::remove_file(&plain);
        let _ = match turn % 2 {
            0 => symlink(&target, &plain),
            _ => fs::write(&plain, "inside\n"),
        };
    }));
}

/// One turn of a model that reads, searches and writes where the links are bent.
fn turn(script: Scenario, number: usize) -> Scenario {
    let path = |name: &str| format!("{{{{cwd}}}}/{name}");
    let mut script = script;
    for name in ["dir/file", "file", "plain", "dir/canary-nam"] {
        script = script.tool("Read", json!({ "file_path": path(name) }));
    }
    for at in ["dir", "", "plain"] {
        let input = json!({ "pattern": ".", "path": path(at), "output_mode": "content" });
        script = script.tool("Grep", input);
    }
    script = script.tool("Glob", json!({ "pattern": "**/*" }));
    script = script.tool("Glob", json!({ "pattern": "dir/*" }));
    for name in ["dir/file", "file", "plain"] {
        let edit =
            json!({ "file_path": path(name), "old_string": "inside", "new_string": "inside." });
        script = script.tool("Edit", edit);
    }
    for name in [format!("dir/new-{number}"), format!("dir/deep-{number}/new")] {
        let write = json!({ "file_path": path(&name), "content": "inside" });
        script = script.tool("Write", write);
    }
    script.answer().text("done").answer()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_outside_is_seen_or_touched() {
    let (project, outside) = project();
    let edits = format!("Edit(/{}/**)", project.root().display());
    project.user_settings(&json!({ "permissions": { "allow": [edits] } }));
    let script = (0..TURNS).fold(Scenario::new(), turn).text("done").forever();
    let root = project.root().to_owned();
    let mut stage = Stage::set(project, script, Mode::DontAsk).await;
    let (stop, swaps) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    attack(&root, &outside, &stop, &swaps);
    let mut worked = std::collections::BTreeSet::new();
    let mut turns = 0;
    while turns < TURNS || swaps.load(Ordering::Relaxed) < SWAPS {
        for call in stage.client.ask(&stage.session, "go on").await.calls() {
            assert!(!call.text.contains(CANARY) || call.text.contains("canary-nam "), "{call:?}");
            if call.status == ToolStatus::Completed {
                worked.insert(call.name);
            }
        }
        turns += 1;
    }
    stop.store(true, Ordering::Relaxed);
    assert_untouched(&outside);
    let worked: Vec<_> = worked.iter().map(String::as_str).collect();
    assert_eq!(
        worked,
        ["Edit", "Glob", "Grep", "Read", "Write"],
        "all of them get through at times"
    );
}

/// A question stands, somebody does something about the file, and the user says yes.
async fn bent(tool: &str, input: Value, bend: impl FnOnce(&Path, &Path)) {
    let (project, outside) = project();
    files::write(&project.root().with_file_name("beside"), "beside\n");
    symlink("dir", project.path("link")).unwrap();
    let script = Scenario::new().tool(tool, input).answer().text("ok");
    let root = project.root().to_owned();
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (question, _) = stage.client.permission().await;
    bend(&root, &outside);
    stage.client.allow(question);
    // The yes was for another place, so it is asked about again, or refused at once.
    let again = stage.client.turn_or_question(&stage.session).await;
    if let Some((question, _)) = again {
        stage.client.deny(question, None);
        let call = stage.client.turn_ended(&stage.session).await.call();
        assert_eq!(call.status, ToolStatus::Denied, "{call:?}");
    }
    let journal = format!("{:?}", stage.project.journal());
    assert!(!journal.contains(CANARY), "{journal}");
    assert_untouched(&outside);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_is_bent_while_the_question_stands() {
    let write = |name: &str| json!({ "file_path": format!("{{{{cwd}}}}/{name}"), "content": "x" });
    let in_place = |name: &'static str, target: &'static str| {
        move |root: &Path, outside: &Path| {
            let _ = fs::rename(root.join(name), root.join("old"));
            symlink(outside.join(target), root.join(name)).unwrap();
        }
    };
    bent("Write", write("link/new"), in_place("link", "")).await;
    bent("Write", write("dir/new"), in_place("dir", "")).await;
    bent("Write", write("dir/deep/new"), in_place("dir/deep", "")).await;
    bent("Write", write("new"), in_place("new", "file")).await;
    let read = || json!({ "file_path": "{{cwd}}/../beside" });
    bent("Read", read(), in_place("../beside", "file")).await;
    // Another name of the same file is no link that one could see.
    bent("Read", read(), |root, outside| {
        let beside = root.with_file_name("beside");
        fs::rename(&beside, root.join("old")).unwrap();
        fs::hard_link(outside.join("file"), beside).unwrap();
    })
    .await;
}

/// A file with a second name is asked about even where edits are accepted, and the other name keeps
/// its text.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_name_is_asked_about() {
    let (project, outside) = project();
    fs::hard_link(outside.join("file"), project.path("twin")).unwrap();
    let path = "{{cwd}}/twin";
    let edit = json!({ "file_path": path, "old_string": CANARY, "new_string": "changed" });
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .tool("Edit", edit)
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    stage.client.prompt(&stage.session, "go").await;
    let (question, asked) = stage.client.permission().await;
    assert!(format!("{asked:?}").contains("has 2 names"), "{asked:?}");
    stage.client.allow(question);
    stage.client.turn_ended(&stage.session).await;
    assert_eq!(stage.project.read("twin"), "changed");
    assert_untouched(&outside);
}
