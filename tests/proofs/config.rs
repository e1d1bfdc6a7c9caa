//! `bowline config`: what is set, where it comes from, and changing it, with the real binary.

use kit::{Bowline, Finished, Profile, Project, Server, files};
use serde_json::{Value, json};

async fn config(project: &Project, args: &[&str]) -> Finished {
    Bowline::new(project).args(&[&["config"], args].concat()).run().await
}

/// What a call prints on both pipes, without the temporary folder; and its exit code.
#[track_caller]
fn check(project: &Project, done: &Finished, code: i32, stdout: &str, stderr: &str) {
    let base = format!("{}/", project.root().parent().unwrap().display());
    let plain = |text: &str| text.replace(&base, "");
    assert_eq!(done.code, Some(code), "{done:?}");
    assert_eq!(plain(&done.stdout), stdout, "{done:?}");
    assert_eq!(plain(&done.stderr), stderr, "{done:?}");
}

async fn trust(project: &Project) {
    let server = Server::start(project, None);
    let mut client = server.connect(Profile::VS_CODE).await;
    let cwd = project.root().display().to_string();
    client.trust(&cwd).await;
}

const PROJECT: &str = "//- /.bowline/settings.json
{
  // for everybody
  \"model\": \"project\",
  \"permissions\": {\"deny\": [\"Bash(rm *)\"]}
}
";

#[tokio::test(flavor = "multi_thread")]
async fn every_value_says_where_it_comes_from() {
    let project = Project::new(PROJECT);
    project.user_settings(&json!({
        "model": "user",
        "env": { "TOKEN": "secret" },
        "permissions": { "deny": ["Read(x)"] },
        "sandbox": {},
    }));
    let untrusted = "bowline: The settings of this folder are not read, because it is not trusted; \
                     run `bowline` here to decide about it.\n";
    let user = "    the user settings, ~/.bowline/settings.json:1\n";
    let hidden = "env.TOKEN = (hidden; `bowline config get` shows it)\n";
    check(
        &project,
        &config(&project, &[]).await,
        0,
        &format!("{hidden}{user}model = \"user\"\n{user}permissions.deny[0] = \"Read(x)\"\n{user}"),
        untrusted,
    );
    trust(&project).await;
    let own = "    the project settings, .bowline/settings.json";
    let before = user.replace("    the", "    before the");
    check(
        &project,
        &config(&project, &["list"]).await,
        0,
        &format!(
            "{hidden}{user}model = \"project\"\n{own}:3\n{before}\
             permissions.deny[0] = \"Bash(rm *)\"\n{own}:4\npermissions.deny[1] = \"Read(x)\"\n{user}"
        ),
        "",
    );
    let done = config(&project, &["list", "--json"]).await;
    assert!(!done.stdout.contains("secret"), "{done:?}");
    let whole: Value = serde_json::from_str(&done.stdout).unwrap();
    let model = whole["values"].as_array().unwrap().iter().find(|v| v["key"] == "model").unwrap();
    assert_eq!(model["origin"]["source"], "project");
    assert_eq!(model["origin"]["line"], 3);
    assert_eq!(model["shadowed"][0]["value"], "user");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_value_and_its_absence() {
    let project = Project::new("");
    project.user_settings(&json!({
        "model": "m", "env": { "A": "1" }, "permissions": { "deny": ["A", "B"] },
    }));
    let cases: [(&[&str], i32, &str, &str); 6] = [
        (&["get", "model"], 0, "m\n", ""),
        (&["get", "model", "--json"], 0, "\"m\"\n", ""),
        (&["get", "env.A"], 0, "1\n", ""),
        (
            &["get", "permissions"],
            0,
            "permissions.deny[0] = \"A\"\npermissions.deny[1] = \"B\"\n",
            "",
        ),
        (&["get", "permissions.deny[1]"], 0, "B\n", ""),
        (&["get", "mod"], 1, "", "bowline: `mod` is not set.\n"),
    ];
    for (args, code, stdout, stderr) in cases {
        check(&project, &config(&project, args).await, code, stdout, stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_is_checked_and_written_where_it_says() {
    let project = Project::new(PROJECT);
    let user = "home/.bowline/settings.json";
    let say = |file: &str| format!("Written to {file}.\n");
    let file = project.bowline_home().join("settings.json");
    files::make_folder(project.bowline_home());
    let done = config(&project, &["set", "model", "opus"]).await;
    // The project is not trusted, so its model does not count.
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.ends_with("home/.bowline/settings.json.\n"), "{done:?}");
    assert_eq!(files::read(&file), "{\n  \"model\": \"opus\"\n}\n");

    trust(&project).await;
    let done = config(&project, &["set", "maxTurns", "5", "--scope", "project"]).await;
    check(&project, &done, 0, &say("project/.bowline/settings.json"), "");
    let text = project.read(".bowline/settings.json");
    assert!(text.contains("// for everybody") && text.contains("\"maxTurns\": 5"), "{text}");
    let done = config(&project, &["set", "model", "haiku"]).await;
    let note = "bowline: Another value counts: the project settings, .bowline/settings.json:3 says \
                \"project\".\n";
    check(&project, &done, 0, &say(user), note);
    let done = config(&project, &["set", "model", "haiku"]).await;
    check(&project, &done, 0, &format!("{user} already says so.\n"), note);

    for (args, problem) in [
        (
            ["set", "maxTurns", "many"],
            "`maxTurns` must be a whole number from 1 up, but it is a string; write it as one.",
        ),
        (["set", "modle", "x"], "There is no key `modle`, so it is ignored; write `model`."),
        (
            ["set", "model..x", "x"],
            "`model..x` is no key; write names with dots between them, such as permissions.defaultMode.",
        ),
    ] {
        check(&project, &config(&project, &args).await, 1, "", &format!("bowline: {problem}\n"));
    }
    let done = config(&project, &["set", "sandbox.enabled", "false", "--scope", "local"]).await;
    let problem = "bowline: A project cannot turn the sandbox off; put it into your user settings if \
                   you want it.\n";
    check(&project, &done, 1, "", problem);
    assert!(!project.exists(".bowline/settings.local.json"));

    let rules = r#"["Bash(npm test)"]"#;
    let done = config(&project, &["set", "permissions.allow", rules, "--scope", "local"]).await;
    let unused = "bowline: Not used until you approve it: this folder allows without asking: \
                  Bash(npm test)\n";
    check(&project, &done, 0, &say("project/.bowline/settings.local.json"), unused);
    trust(&project).await;

    let done = config(&project, &["unset", "model"]).await;
    check(&project, &done, 0, &say(user), note);
    let done = config(&project, &["unset", "model"]).await;
    check(&project, &done, 1, "", &format!("bowline: `model` is not set in {user}.\n"));
    assert_eq!(config(&project, &["set", "model"]).await.code, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_file_is_seen_and_left_alone() {
    let project = Project::new("");
    let file = project.bowline_home().join("settings.json");
    files::write(&file, "{\n  \"permissions\": {\"dney\": []}\n}");
    let done = config(&project, &[]).await;
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr.contains("settings.json:2:19: There is no key `dney`; write `deny`"),
        "{done:?}"
    );
    files::write(&file, "{ broken");
    let done = config(&project, &["set", "model", "m"]).await;
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("is not written; mend it first"), "{done:?}");
    assert_eq!(files::read(&file), "{ broken");
}

/// B-074.
#[tokio::test(flavor = "multi_thread")]
async fn fifty_processes_write_one_file() {
    let project = Project::new("");
    files::write(&project.bowline_home().join("settings.json"), "{ // mine\n}\n");
    let keys: Vec<_> = (0..50).map(|number| format!("env.V{number}")).collect();
    let children: Vec<_> = keys
        .iter()
        .map(|key| Bowline::new(&project).args(&["config", "set", key, "\"x\""]).spawn())
        .collect();
    for child in children {
        let done = kit::finished(child).await;
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    }
    let done = config(&project, &["get", "env", "--json"]).await;
    let all: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(all.as_object().unwrap().len(), 50, "{done:?}");
    assert!(files::read(&project.bowline_home().join("settings.json")).starts_with("{ // mine\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_lines_settings_count_for_sessions() {
    let project = Project::new("//- /a.txt\nalpha\n");
    project.write("mine.json", r#"{"permissions": {"allow": ["Bash(touch *)"]}}"#);
    let script = || {
        model::Scenario::new()
            .tool("Bash", json!({ "command": "touch made" }))
            .answer()
            .text("done")
    };
    for settings in ["mine.json", r#"{"permissions": {"allow": ["Bash(touch *)"]}}"#] {
        let model = kit::model(script()).await;
        let args = ["-p", "go", "--settings", settings];
        let done = Bowline::new(&project).model(&model).args(&args).run().await;
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(project.exists("made"), "{done:?}");
        files::remove(&project.path("made"));
    }
    // A value that looks like a flag stays a value.
    let done =
        Bowline::new(&project).args(&["-p", "go", "--settings=--trust-workspace"]).run().await;
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("There is no file --trust-workspace"), "{done:?}");
    let done = Bowline::new(&project).args(&["-p", "go", "--setting-sources", "all"]).run().await;
    assert_eq!(done.code, Some(2), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_change_nothing_are_told() {
    let project = Project::new("");
    project.user_settings(&json!({
        "spinnerVerbs": { "mode": "append", "verbs": ["a", "b"] },
        "sandbox": { "enableWeakerNestedSandbox": true },
        "cleanupPeriodDays": 7,
    }));
    let done = config(&project, &[]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let idle = |key: &str| format!("`{key}` is set, but Bowline does not use it");
    for key in ["spinnerVerbs", "sandbox.enableWeakerNestedSandbox"] {
        assert_eq!(done.stderr.matches(&idle(key)).count(), 1, "{done:?}");
    }
    assert!(!done.stderr.contains("cleanupPeriodDays"), "{done:?}");
    let done = config(&project, &["list", "--json"]).await;
    let whole: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(whole["unused"].as_array().unwrap().len(), 2, "{whole}");
    let done = config(&project, &["set", "viewMode", "focus"]).await;
    assert!(done.stderr.contains(&idle("viewMode")), "{done:?}");
    assert!(!done.stderr.contains("spinnerVerbs"), "only what was set is told: {done:?}");
}
