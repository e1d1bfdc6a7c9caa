//! What a program may ask of a session that it drives: settings, hooks, servers, files, plugins, and what
//! it announces when it begins. Every answer is looked at; what cannot be done is an error.

use kit::{Bowline, Project, SdkHost, files, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

fn start(project: &Project, model: &TestServer, args: &[&str]) -> SdkHost {
    Bowline::new(project).model(model).sdk_host(args)
}

fn hello() -> Scenario {
    Scenario::new().forever().text("Hello.")
}

fn fixture(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mcp").join(name);
    path.display().to_string()
}

async fn ask(host: &mut SdkHost, request: Value) -> Value {
    let told = host.request(request.clone()).await;
    assert_eq!(told["subtype"], "success", "{request}: {told:#}");
    told["response"].clone()
}

async fn refused(host: &mut SdkHost, request: Value) -> String {
    let told = host.request(request.clone()).await;
    assert_eq!(told["subtype"], "error", "{request}: {told:#}");
    told["error"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_shown_and_changed() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let settings = json!({ "permissions": { "deny": ["WebFetch"] }, "env": { "TOKEN": "canary" } });
    project.user_settings(&settings);
    let touch = || json!({ "command": "touch made" });
    let script = Scenario::new().tool("Bash", touch()).answer().text("one").answer();
    let script = script.tool("Bash", touch()).answer().text("two");
    let model = model(script).await;
    let mut host = start(&project, &model, &["--settings", r#"{"model": "sonnet"}"#]);
    host.initialize(json!({})).await;
    let told = ask(&mut host, json!({ "subtype": "get_settings" })).await;
    assert_eq!(told["effective"]["model"], "sonnet", "{told:#}");
    assert_eq!(told["effective"]["permissions"]["deny"], json!(["WebFetch"]));
    let sources: Vec<_> =
        told["sources"].as_array().unwrap().iter().map(|it| &it["source"]).collect();
    assert_eq!(sources, ["flagSettings", "userSettings"]);
    assert!(!told.to_string().contains("canary"));

    host.prompt("go").await;
    host.result().await;
    assert!(!project.exists("made"), "nobody was asked, so it was denied");
    let allow = json!({ "permissions": { "allow": ["Bash(touch *)"] } });
    ask(&mut host, json!({ "subtype": "apply_flag_settings", "settings": allow })).await;
    host.prompt("again").await;
    host.result().await;
    assert!(project.exists("made"), "from now on a rule allows it");
    let clear = json!({ "subtype": "apply_flag_settings", "settings": { "permissions": null } });
    ask(&mut host, clear).await;
    let told = ask(&mut host, json!({ "subtype": "get_settings" })).await;
    assert_eq!(told["effective"]["permissions"].get("allow"), None, "{told:#}");
    let wrong = json!({ "subtype": "apply_flag_settings", "settings": { "permissions": 5 } });
    assert!(refused(&mut host, wrong).await.contains("permissions"));

    let style = json!({ "outputStyle": "Concise" });
    let write = |source: &str, settings: &Value| json!({ "subtype": "update_settings", "source": source, "settings": settings });
    ask(&mut host, write("localSettings", &style)).await;
    assert!(project.read(".bowline/settings.local.json").contains("Concise"));
    for (source, settings) in [
        ("localSettings", json!({ "hooks": {} })),
        ("userSettings", style),
        ("projectSettings", json!({ "outputStyle": "Concise" })),
    ] {
        refused(&mut host, write(source, &settings)).await;
    }
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_usage_and_what_has_no_meaning_here() {
    let project = Project::new("");
    let hook = json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": "true" }] });
    project.user_settings(&json!({ "hooks": { "PreToolUse": [hook] } }));
    let model = model(hello()).await;
    let mut host = start(&project, &model, &[]);
    host.initialize(json!({ "hooks": { "Stop": [{ "hookCallbackIds": ["hook_0"] }] } })).await;
    let told = ask(&mut host, json!({ "subtype": "get_hooks_listing" })).await;
    let rows: Vec<_> = told["hooks"].as_array().unwrap().iter().collect();
    let row = |event: &str| rows.iter().find(|row| row["event"] == event).unwrap();
    assert_eq!(
        (&row("PreToolUse")["type"], &row("PreToolUse")["matcher"]),
        (&json!("command"), &json!("Bash"))
    );
    assert_eq!(row("Stop")["type"], "callback");
    assert!(told["eventCatalog"].as_array().unwrap().len() > 30);
    assert_eq!(told["policy"]["managedOnly"], false);
    host.prompt("hi").await;
    let asked = host.asked("hook_callback").await;
    host.answer(&asked, json!({})).await;
    host.result().await;
    let usage = ask(&mut host, json!({ "subtype": "get_usage" })).await;
    assert!(usage["session"]["total_duration_ms"].as_u64().unwrap() > 0, "{usage:#}");
    assert!(!usage["session"]["model_usage"].as_object().unwrap().is_empty());
    assert_eq!(
        (&usage["rate_limits_available"], &usage["rate_limits"]),
        (&json!(false), &Value::Null)
    );
    let watched = json!({ "subtype": "set_has_subscribers", "has_subscribers": false });
    assert_eq!(ask(&mut host, watched).await, json!({}));
    assert!(
        refused(&mut host, json!({ "subtype": "set_color", "color": "red" }))
            .await
            .contains("colour")
    );
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_for_the_host_obey_the_rules() {
    let project =
        Project::new("//- /a.txt\nalpha\n//- /secret.txt\nhidden\n//- /lib/b.txt\nbeta\n");
    project.user_settings(&json!({ "permissions": { "deny": ["Read(./secret.txt)"] } }));
    let edit =
        json!({ "file_path": "{{cwd}}/a.txt", "old_string": "alpha", "new_string": "omega" });
    let model = model(Scenario::new().tool("Edit", edit).answer().text("done")).await;
    let mut host = start(&project, &model, &["--permission-mode", "acceptEdits"]);
    host.initialize(json!({})).await;
    let read = |path: &str| json!({ "subtype": "read_file", "path": path });
    let told = ask(&mut host, read("a.txt")).await;
    assert_eq!((&told["contents"], &told["lossy"]), (&json!("alpha\n"), &json!(false)), "{told:#}");
    let mut part = read("a.txt");
    part["max_bytes"] = 2.into();
    part["encoding"] = "base64".into();
    let told = ask(&mut host, part).await;
    assert_eq!((&told["contents"], &told["truncated"]), (&json!("YWw="), &json!(true)));
    assert!(refused(&mut host, read("secret.txt")).await.contains("may not be read"));
    refused(&mut host, read("/etc/passwd")).await;
    refused(&mut host, read("not-there")).await;

    // What the model has seen before may be changed, as long as it is still the same.
    let seed =
        |mtime: u64| json!({ "subtype": "seed_read_state", "path": "a.txt", "mtime": mtime });
    let modified = project.path("a.txt").metadata().unwrap().modified().unwrap();
    let millis = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let millis = u64::try_from(millis).unwrap();
    assert!(refused(&mut host, seed(millis - 5_000)).await.contains("has changed since"));
    ask(&mut host, seed(millis)).await;
    host.prompt("go").await;
    host.result().await;
    assert_eq!(project.read("a.txt"), "omega\n");

    let add = |folder: &str| json!({ "subtype": "register_repo_root", "directory": folder });
    ask(&mut host, add("lib")).await;
    assert!(refused(&mut host, add("lib")).await.contains("already"));
    assert!(refused(&mut host, add("/")).await.contains("below"));
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_servers_without_a_model() {
    let project = Project::new("");
    let server = json!({ "command": "python3", "args": [fixture("server.py")] });
    let denies = json!({ "permissions": { "deny": ["mcp__proof__write_note"] } });
    project.user_settings(
        &json!({ "mcpServers": { "proof": server }, "permissions": denies["permissions"] }),
    );
    let model = model(hello()).await;
    let mut host = start(&project, &model, &["--permission-prompt-tool", "stdio"]);
    host.initialize(json!({})).await;
    kit::within("a server", async {
        loop {
            let status = ask(&mut host, json!({ "subtype": "mcp_status" })).await;
            if status["mcpServers"][0]["status"] == "connected" {
                break;
            }
        }
    })
    .await;
    let call = |tool: &str, more: Value| {
        let mut call = json!({ "subtype": "mcp_call", "tool": format!("mcp__proof__{tool}"),
            "arguments": { "text": "hi" } });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let told = ask(&mut host, call("echo", json!({}))).await;
    assert_eq!(told["isError"], false, "{told:#}");
    assert!(told["content"][0]["text"].as_str().unwrap().contains("hi"), "{told:#}");
    assert!(
        refused(&mut host, call("write_note", json!({}))).await.starts_with("The tool did not run")
    );
    assert!(refused(&mut host, call("nothing", json!({}))).await.contains("There is no tool"));
    assert!(
        refused(&mut host, call("hang", json!({ "timeout_ms": 1000 }))).await.contains("longer")
    );
    // With a check it is asked about like any other call.
    let checked = call("echo", json!({ "check_permissions": true }));
    host.say(json!({ "type": "control_request", "request_id": "c1", "request": checked })).await;
    let asked = host.asked("can_use_tool").await;
    assert_eq!(asked["request"]["tool_name"], "mcp__proof__echo");
    host.answer(&asked, json!({ "behavior": "deny", "message": "Not now." })).await;
    let told = host.until("an answer", |line| line["response"]["request_id"] == "c1").await;
    assert!(told["response"]["error"].as_str().unwrap().contains("did not run"), "{told:#}");
    let read =
        |uri: &str| json!({ "subtype": "mcp_read_resource", "serverName": "proof", "uri": uri });
    let page = ask(&mut host, read("ui://page")).await;
    assert_eq!(page["contents"][0]["text"], "the words of ui://page");
    assert!(refused(&mut host, read("note://one")).await.contains("ui://"));
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_and_plugins_are_read_again() {
    let project = Project::new(
        "//- /plug/.claude-plugin/plugin.json\n{\"name\": \"plug\"}\n\
        //- /plug/commands/wave.md\nWave.\n//- /other/commands/bow.md\nBow.\n",
    );
    let model = model(hello()).await;
    let plugins = json!([{ "type": "local", "path": project.path("plug") }]);
    let mut host = start(&project, &model, &["--await-initialize"]);
    let begun = host.initialize(json!({ "plugins": plugins })).await;
    assert_eq!(begun["plugins_applied"], true, "{begun:#}");
    let has = |told: &Value, name: &str| {
        told.as_array().unwrap().iter().any(|command| command["name"] == name)
    };
    assert!(has(&begun["commands"], "plug:wave"), "{begun:#}");
    let skill = project.home().join(".claude/skills/knot/SKILL.md");
    files::write(&skill, "---\nname: knot\ndescription: ties knots\n---\nTie.\n");
    let told = ask(&mut host, json!({ "subtype": "reload_skills" })).await;
    assert!(has(&told["skills"], "knot"), "{told:#}");
    let more = json!([{ "type": "local", "path": project.path("other") }]);
    let told = ask(&mut host, json!({ "subtype": "reload_plugins", "add_plugins": more })).await;
    assert!(has(&told["commands"], "other:bow") && has(&told["commands"], "plug:wave"), "{told:#}");
    assert_eq!(told["plugins"].as_array().unwrap().len(), 2);
    let styles = ask(&mut host, json!({ "subtype": "reload_output_styles" })).await;
    assert!(styles["available_output_styles"].to_string().contains("Concise"));
    let wrong = json!([{ "type": "local", "path": "relative" }]);
    refused(&mut host, json!({ "subtype": "reload_plugins", "add_plugins": wrong })).await;
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_left_to_run() {
    let project = Project::new("");
    let wait = json!({ "command": "echo begun; while [ ! -e go ]; do sleep 0.1; done; echo over" });
    let script =
        Scenario::new().tool("Bash", wait).answer().text("Going on.").answer().text("Seen.");
    let model = model(script).await;
    let mut host = start(&project, &model, &["--allowedTools", "Bash"]);
    host.initialize(json!({})).await;
    host.prompt("go").await;
    let call = host
        .until("a call", |line| line["message"]["content"][0]["type"] == "tool_use")
        .await["message"]["content"][0]["id"]
        .clone();
    let left = json!({ "subtype": "background_tasks", "tool_use_id": call });
    // It may not have begun yet, so it is said until it counts.
    kit::within("the turn", async {
        loop {
            ask(&mut host, left.clone()).await;
            let settled = tokio::time::timeout(
                std::time::Duration::from_millis(300),
                host.until("a result", |line| line["type"] == "result"),
            );
            if settled.await.is_ok() {
                break;
            }
        }
    })
    .await;
    assert!(model.requests()[1].body.to_string().contains("does not want to wait"));
    project.write("go", "");
    host.until("its end", |line| line["subtype"] == "task_notification").await;
    host.end().await;
}
