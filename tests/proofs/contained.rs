//! Commands in the sandbox, from the user's seat: what it keeps in needs no question, what it
//! refuses is told, and getting out is asked for.

use std::path::Path;

use kit::{Project, Stage};
use model::Scenario;
use protocol::permission::{PermissionRules, PermissionRulesParams, RuleOp, Subject};
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

fn project(sandbox: Value) -> Project {
    let project = Project::new("//- /a.txt\nold\n");
    project.user_settings(&json!({ "sandbox": sandbox }));
    project
}

fn run(command: &str) -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": command })).answer().text("ok")
}

/// One command; nobody is asked.
async fn quietly(project: Project, command: &str) -> (Stage, kit::Called) {
    let mut stage = Stage::set(project, run(command), Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let call = turned.call();
    (stage, call)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_sandbox_keeps_in_needs_no_question() {
    let command =
        "for i in 1 2; do echo $i >> \"$(echo made)\"; done; mktemp >/dev/null && cat made";
    let (stage, call) = quietly(project(json!({})), command).await;
    assert_eq!(call.status, ToolStatus::Completed, "{call:?}");
    assert_eq!(stage.project.read("made"), "1\n2\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_refuses_is_told_by_path() {
    // Not below /tmp, which is another folder inside.
    let outside = Path::new("/usr/bowline-proof");
    let command = format!("sh -c 'echo x > {}'", outside.display());
    let (mut stage, call) = quietly(project(json!({})), &command).await;
    assert_eq!(call.status, ToolStatus::Failed, "{call:?}");
    assert!(!outside.exists());
    let (result, _) = stage.last_results().remove(0);
    let told = format!("The sandbox refused: write {}", outside.display());
    assert!(result.contains(&told) && result.contains("dangerouslyDisableSandbox"), "{result}");
    let params = PermissionRulesParams {
        op: RuleOp::List,
        rule: None,
        behavior: None,
        scope: None,
        session_id: Some(stage.session.clone()),
    };
    let denials = stage.client.request::<PermissionRules>(params).await.denials.unwrap();
    assert!(denials[0].reason.contains("The sandbox refused"), "{denials:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_would_obey_is_taken_away_and_told() {
    let command = "mkdir sub && cd sub && python3 -c \"open('.np'+'mrc','w').write('x')\"";
    let (stage, call) = quietly(project(json!({})), command).await;
    assert_eq!(call.status, ToolStatus::Completed, "{call:?}");
    assert!(!stage.project.exists("sub/.npmrc"));
    let (result, _) = stage.last_results().remove(0);
    assert!(result.contains("sub/.npmrc, moved to "), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn getting_out_is_asked_for_each_time() {
    let input = json!({ "command": "touch made", "dangerouslyDisableSandbox": true });
    let script = Scenario::new().tool("Bash", input.clone()).answer().text("ok");
    let mut stage = Stage::set(project(json!({})), script, Mode::BypassPermissions).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert!(request.reason.contains("outside the sandbox"), "{}", request.reason);
    assert!(request.options.iter().all(|option| option.rule.is_none()), "{:?}", request.options);
    let Subject::Command(command) = &request.subject else { panic!("{request:?}") };
    assert_eq!(command.sandbox, None);
    stage.client.allow(asked);
    stage.client.turn_ended(&stage.session).await;
    assert!(stage.project.exists("made"));

    let script = Scenario::new().tool("Bash", input).answer().text("ok");
    let locked = project(json!({ "allowUnsandboxedCommands": false }));
    let mut stage = Stage::set(locked, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Failed);
    assert!(!stage.project.exists("made"));
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_files_and_lost_work_are_still_asked_about() {
    for command in ["echo x > .git/hooks/pre-commit", "git reset --hard", "rm -rf ~"] {
        let mut stage = Stage::set(project(json!({})), run(command), Mode::Default).await;
        stage.client.prompt(&stage.session, "go").await;
        let (asked, request) = stage.client.permission().await;
        let Subject::Command(subject) = &request.subject else { panic!("{request:?}") };
        assert!(subject.sandbox.is_some(), "{command}: {subject:?}");
        stage.client.deny(asked, None);
        stage.client.turn_ended(&stage.session).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_files_stay_hidden() {
    let project = project(json!({}));
    project.user_settings(&json!({
        "sandbox": {}, "permissions": { "deny": ["Read(.env)"] },
    }));
    project.write(".env", "KEY=canary\n");
    project.write("sub/.env", "KEY=canary\n");
    kit::files::write(&project.home().join(".ssh/id_ed25519"), "canary\n");
    let command = "python3 -c \"import glob,os\nfor p in ['.e'+'nv','sub/.e'+'nv',os.path.expanduser('~/.s'+'sh/id_ed25519')]:\n  print(open(p).read() if os.path.exists(p) else 'gone')\"";
    let mut stage = Stage::set(project, run(command), Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    if let Some((asked, _)) = stage.client.turn_or_question(&stage.session).await {
        stage.client.allow(asked);
        stage.client.turn_ended(&stage.session).await;
    }
    let results = stage.last_results();
    assert!(!results[0].0.contains("canary"), "{results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_nobody_named_is_asked_about() {
    let command = "curl -sS --max-time 20 http://nobody.invalid/";
    let mut stage = Stage::set(project(json!({})), run(command), Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let Subject::Host(host) = &request.subject else { panic!("{request:?}") };
    assert_eq!((host.host.as_str(), host.port), ("nobody.invalid", 80));
    let scopes: Vec<_> = request.options.iter().map(|option| option.scope.as_str()).collect();
    assert_eq!(scopes, ["once", "turn", "session", "user", "once"]);
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;
    let (result, _) = stage.last_results().remove(0);
    assert!(result.contains("connect to nobody.invalid:80"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_of_the_settings_is_reached_and_no_other() {
    let upstream = kit::model(Scenario::new().text("hello")).await;
    let port: u16 =
        upstream.url().rsplit(':').next().unwrap().trim_end_matches('/').parse().unwrap();
    let settings = json!({ "network": { "allowedDomains": ["127.0.0.1"] } });
    let command = format!(
        "curl -sS --noproxy '' --max-time 20 -o /dev/null -w '%{{http_code}}' http://127.0.0.1:{port}/; \
         curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:{port}/ 2>&1"
    );
    let (stage, _) = quietly(project(settings), &command).await;
    let (result, _) = stage.last_results().remove(0);
    assert!(!result.contains("000"), "the proxy lets it through: {result}");
    assert!(result.contains("curl: ("), "without the proxy there is no way: {result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strict_list_of_hosts_asks_nobody() {
    let command = "curl -sS --max-time 20 http://nobody.invalid/";
    let (stage, _) =
        quietly(project(json!({ "network": { "strictAllowlist": true } })), command).await;
    let (result, _) = stage.last_results().remove(0);
    assert!(result.contains("connect to nobody.invalid:80"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_denied_to_web_fetch_is_denied_to_commands_without_a_question() {
    let project = Project::new("");
    project.user_settings(&json!({
        "sandbox": { "network": { "allowedDomains": ["nobody.invalid"] } },
        "permissions": { "deny": ["WebFetch(domain:nobody.invalid)"] },
    }));
    let (stage, _) = quietly(project, "curl -sS --max-time 20 http://nobody.invalid/").await;
    let (result, _) = stage.last_results().remove(0);
    assert!(result.contains("connect to nobody.invalid:80"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_administrator_alone_opens_hosts_and_files_when_the_policy_says_so() {
    let project = Project::new("");
    kit::files::write(&project.home().join(".netrc"), "canary\n");
    let open = json!({
        "network": { "allowedDomains": ["nobody.invalid"] },
        "filesystem": { "allowRead": ["~/.netrc"] },
    });
    project.user_settings(&json!({ "sandbox": open }));
    project.managed_settings(&json!({ "sandbox": {
        "network": { "allowManagedDomainsOnly": true },
        "filesystem": { "allowManagedReadPathsOnly": true },
    }}));
    let command = "curl -sS --max-time 20 http://nobody.invalid/; python3 -c \"import os\nprint(open(os.path.expanduser('~/.net'+'rc')).read())\"";
    let (stage, _) = quietly(project, command).await;
    let (result, _) = stage.last_results().remove(0);
    assert!(result.contains("connect to nobody.invalid:80"), "{result}");
    assert!(!result.contains("canary"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_of_the_settings_are_kept_from_commands() {
    let project = project(json!({
        "credentials": {
            "files": [{ "path": "~/vault", "mode": "mask" }],
            "envVars": [{ "name": "PLAIN_NAME" }, { "name": "SHELL" }],
        },
        "filesystem": { "allowRead": ["~"] },
    }));
    kit::files::write(&project.home().join("vault/token"), "canary\n");
    let command = "python3 -c \"import os\np=os.path.expanduser('~/vau'+'lt/token')\nprint(os.path.exists(p), os.environ.get('SHELL'), os.environ.get('HOME') is not None)\"";
    let (stage, _) = quietly(project, command).await;
    let (result, _) = stage.last_results().remove(0);
    assert!(result.contains("False None True"), "{result}");
}

/// What the model was told of one command; nobody was asked.
async fn told(sandbox: Value, command: &str) -> String {
    let (stage, _) = quietly(project(sandbox), command).await;
    stage.last_results().remove(0).0
}

#[tokio::test(flavor = "multi_thread")]
async fn unix_sockets_are_open_where_the_user_says_so() {
    let service = tempfile::Builder::new().prefix("bowline-").tempdir_in("/var/tmp").unwrap();
    let socket = service.path().join("socket");
    let _service = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let command = format!(
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{}\"); print(\"asked\")'",
        socket.display()
    );
    let result = told(json!({}), &command).await;
    assert!(!result.contains("asked\n") && result.contains("PermissionError"), "{result}");
    let result = told(json!({ "network": { "allowAllUnixSockets": true } }), &command).await;
    assert!(result.starts_with("asked"), "{result}");
}

/// The user's own proxy decides: ours asks nobody.
#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_of_the_users_own_takes_the_place_of_ours() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let own = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = own.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = own.accept().await.unwrap();
        let mut head = [0; 4096];
        let length = stream.read(&mut head).await.unwrap();
        stream.write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nproxy\n").await.unwrap();
        String::from_utf8_lossy(&head[..length]).into_owned()
    });
    let settings = json!({ "network": { "httpProxyPort": port } });
    let result = told(settings, "curl -sS --max-time 20 http://nobody.invalid/x").await;
    assert!(result.starts_with("proxy"), "{result}");
    let head = serving.await.unwrap();
    assert!(head.starts_with("GET http://nobody.invalid/x "), "{head}");
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_that_the_user_does_not_want_to_hear_of_are_not_told() {
    let command = "sh -c 'echo x > /usr/bowline-proof'; true";
    let known = json!({ "ignoreViolations": { "*": ["/usr/bowline-proof"] } });
    let result = told(known, command).await;
    assert!(!result.contains("The sandbox refused"), "{result}");
    let other = json!({ "ignoreViolations": { "npm *": ["/usr/bowline-proof"], "*": ["/opt"] } });
    let result = told(other, command).await;
    assert!(result.contains("The sandbox refused: write /usr/bowline-proof"), "{result}");
}

/// Then what is not known to be harmless is asked about, as without a sandbox.
#[tokio::test(flavor = "multi_thread")]
async fn the_disk_is_open_where_the_user_says_so_but_for_what_others_obey() {
    let project = project(json!({ "filesystem": { "disabled": true } }));
    let home = project.home().to_owned();
    kit::files::write(&home.join(".bashrc"), "mine\n");
    let command = "echo x > ~/made; sh -c \"echo x >> ~/.bash\"\"rc\"; \
                   curl -sS --max-time 5 --noproxy '*' http://127.0.0.1:9/ || true";
    let mut stage = Stage::set(project, run(command), Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    stage.client.turn_ended(&stage.session).await;
    let (result, _) = stage.last_results().remove(0);
    assert!(home.join("made").exists(), "{result}");
    assert_eq!(kit::files::read(&home.join(".bashrc")), "mine\n", "{result}");
}

/// A folder that is only looked at is as it was, also to those who look at it meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_only_looks_finds_and_leaves_the_folder_as_it_is() {
    let result = told(json!({}), "ls -A && cat a.txt").await;
    assert_eq!(result.trim(), "a.txt\nold");
    // One that may write sees what stands in for missing names.
    let result = told(json!({}), "ls -A; touch b.txt").await;
    assert!(result.contains(".mcp.json"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_server_left_in_the_folder_is_gone_with_the_next_session() {
    let project = project(json!({}));
    let model = kit::model(run("touch begun; sleep 1000")).await;
    let mut serving = kit::Bowline::new(&project).model(&model).serve(kit::Profile::VS_CODE);
    serving.client.initialize().await;
    let session = serving.client.session().await;
    serving.client.prompt(&session, "go").await;
    while !project.exists("begun") {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(project.exists(".vscode"));
    serving.kill().await;
    let mut serving = kit::Bowline::new(&project).model(&model).serve(kit::Profile::VS_CODE);
    serving.client.initialize().await;
    serving.client.session().await;
    for name in [".vscode", ".mcp.json", ".git", ".envrc"] {
        assert!(!project.exists(name), "{name}");
    }
    serving.client.leave().await;
}
