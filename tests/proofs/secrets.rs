//! Keys: where they come from, and that they turn up nowhere else.

use std::path::Path;

use kit::{Bowline, Finished, Project, files, model};
use model::{Scenario, TestServer};
use serde_json::json;

const CANARY: &str = "canary-0f3b5d7a9c1e-key";
const TOKEN: &str = "canary-token-1234567890";

/// Everything that a run left behind: its outputs, its files, and what the model was told.
fn traces(project: &Project, model: &TestServer, done: &Finished) -> Vec<(String, String)> {
    let mut traces =
        vec![("stdout".into(), done.stdout.clone()), ("stderr".into(), done.stderr.clone())];
    for file in files::all(project.home()) {
        let text = String::from_utf8_lossy(&files::bytes(&file)).into_owned();
        traces.push((file.display().to_string(), text));
    }
    let requests = model.requests().into_iter();
    traces.extend(requests.map(|request| ("request".into(), request.body.to_string())));
    traces
}

fn assert_absent(secret: &str, traces: &[(String, String)]) {
    for (place, text) in traces {
        let line = text.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "{place}: {line:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_in_no_log_no_journal_no_child_and_no_request() {
    let project = Project::new(&format!("//- /.env\nSERVICE_TOKEN={TOKEN}\nPORT=3000\n"));
    let look = "env; echo \"[$ANTHROPIC_API_KEY]\"; cat .env";
    let script = Scenario::new()
        .tool("Bash", json!({ "command": look }))
        .tool("Read", json!({ "file_path": "{{cwd}}/.env" }))
        .answer()
        .text("Looked.")
        .answer()
        .error(400, "invalid_request_error", &format!("the key {CANARY} has no credit"));
    let model = model(script).await;
    let bowline = || {
        let bowline = Bowline::new(&project).model(&model).env("BOWLINE_LOG", "trace");
        bowline.env("ANTHROPIC_API_KEY", CANARY).env("AWS_SECRET_ACCESS_KEY", CANARY)
    };
    let args = ["-p", "look around", "--allowedTools", "Bash,Read"];
    let done = bowline().args(&args).run().await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Looked.\n"), "{done:?}");
    let requests = model.requests();
    assert_eq!(requests[0].headers["x-api-key"], CANARY);
    let told = requests[1].body.to_string();
    assert!(told.contains("[]") && told.contains("PORT=3000"), "{told}");
    assert!(told.contains("SERVICE_TOKEN=[secret]"), "{told}");
    assert!(done.stderr.contains("TRACE"), "the log is on");
    let traces = traces(&project, &model, &done);
    assert!(traces.iter().any(|(place, _)| place.ends_with(".jsonl")), "there is a journal");
    assert_absent(CANARY, &traces);
    assert_absent(TOKEN, &traces);

    let failed = bowline().args(&["-p", "again"]).run().await;
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stdout.contains("the key [secret] has no credit"), "{failed:?}");
    assert_absent(CANARY, &self::traces(&project, &model, &failed));
}

fn credentials(project: &Project) -> std::path::PathBuf {
    project.bowline_home().join("credentials.json")
}

async fn auth(project: &Project, model: &TestServer, args: &[&str], stdin: &str) -> Finished {
    let bowline = Bowline::new(project).env("ANTHROPIC_BASE_URL", model.url());
    bowline.args(&[&["auth"], args].concat()).run_with_stdin(stdin).await
}

async fn hello(project: &Project, model: &TestServer) -> Finished {
    let bowline = Bowline::new(project).env("ANTHROPIC_BASE_URL", model.url());
    bowline.args(&["-p", "hi"]).run().await
}

#[cfg(not(target_os = "macos"))]
#[tokio::test(flavor = "multi_thread")]
async fn a_stored_key_is_private_used_and_never_shown() {
    let project = Project::new("//- /a\n");
    let model = model(Scenario::new().forever().text("Hello.")).await;
    assert_eq!(auth(&project, &model, &["status"], "").await.code, Some(1));
    let done = auth(&project, &model, &["login"], &format!("{CANARY}\n")).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.stdout.contains(CANARY) && done.stdout.contains("credentials.json"), "{done:?}");
    let file = credentials(&project);
    assert_eq!(files::mode(&file) & 0o777, 0o600);
    let status = auth(&project, &model, &["status"], "").await;
    assert_eq!(status.code, Some(0), "{status:?}");
    assert!(status.stdout.contains("stored") && !status.stdout.contains(CANARY), "{status:?}");

    let done = hello(&project, &model).await;
    assert_eq!(done.stdout, "Hello.\n", "{done:?}");
    assert_eq!(model.requests()[0].headers["x-api-key"], CANARY);
    // It belongs to the server it was stored for.
    let other = kit::model(Scenario::new().forever().text("Hello.")).await;
    hello(&project, &other).await;
    assert!(other.requests().iter().all(|request| !request.headers.contains_key("x-api-key")));
    // Others may read it: it is not used.
    files::set_mode(&file, 0o644);
    let refused = hello(&project, &model).await;
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(said.contains("may be read by others"), "{refused:?}");
    assert_eq!(model.requests().len(), 1);
    files::set_mode(&file, 0o600);
    assert_eq!(auth(&project, &model, &["logout"], "").await.code, Some(0));
    assert!(!files::read(&file).contains(CANARY));
    for odd in ["", "two words", "k\u{e9}y"] {
        assert_eq!(auth(&project, &model, &["login"], odd).await.code, Some(1), "{odd}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_helper_is_the_users_and_not_the_projects() {
    let project = Project::new("//- /a\n");
    let mark = |path: &Path| format!("touch {}; echo {CANARY}", path.display());
    let (own, foreign) = (project.home().join("own"), project.home().join("foreign"));
    let model = model(Scenario::new().forever().text("Hello.")).await;
    project.write(".bowline/settings.json", json!({ "apiKeyHelper": mark(&foreign) }).to_string());
    project.user_settings(&json!({ "apiKeyHelper": mark(&own) }));
    let done = hello(&project, &model).await;
    assert!(done.stdout.starts_with("Hello."), "{done:?}");
    assert_eq!(model.requests()[0].headers["x-api-key"], CANARY);
    assert!(own.exists() && !foreign.exists());
    assert!(!done.stderr.contains(CANARY), "{done:?}");
}

/// It asks keychains by their sockets, and leaves alone what other programs obey.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_helper_stays_behind_the_walls_of_the_users_own_programs() {
    let project = Project::new("//- /a\n");
    let home = project.home().to_owned();
    files::write(&home.join(".profile"), "mine\n");
    let keychain = std::os::unix::net::UnixListener::bind(home.join("keychain")).unwrap();
    keychain.set_nonblocking(true).unwrap();
    let ask = format!(
        "echo x >> ~/.profile; python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{}\")' \
         && echo {CANARY}",
        home.join("keychain").display()
    );
    project.user_settings(&json!({ "apiKeyHelper": ask, "sandbox": {} }));
    let model = model(Scenario::new().forever().text("Hello.")).await;
    let done = hello(&project, &model).await;
    assert!(done.stdout.starts_with("Hello."), "{done:?}");
    assert_eq!(model.requests()[0].headers["x-api-key"], CANARY);
    assert!(keychain.accept().is_ok(), "the keychain was asked");
    assert_eq!(files::read(&home.join(".profile")), "mine\n");
}
