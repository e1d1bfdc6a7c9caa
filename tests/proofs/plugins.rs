//! Plugins: installed from marketplaces with the real binary, and used in sessions.

use std::os::unix::fs::{PermissionsExt, symlink};

use kit::{Bowline, Finished, Project, Stage, files};
use model::Scenario;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

/// A marketplace in the project, with a plugin that needs another one.
const MARKET: &str = r#"//- /market/.claude-plugin/marketplace.json
{
  "name": "tools", "owner": {"name": "Ann"},
  "plugins": [
    {"name": "guard", "source": "./guard", "description": "Keeps Bash away"},
    {"name": "base", "source": "./base", "version": "1.2.0", "strict": false},
    {"name": "broken", "source": "./broken"},
    {"name": "moon", "source": {"source": "moon"}}
  ]
}
//- /market/guard/.claude-plugin/plugin.json
{"name": "guard", "version": "1.0.0", "description": "Keeps Bash away",
 "dependencies": [{"name": "base", "version": "^1.0"}], "colour": "red"}
//- /market/guard/hooks/hooks.json
{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "echo no shell today >&2; exit 2"}]}]}}
//- /market/base/commands/hello.md
Say hello to $ARGUMENTS.
//- /market/broken/.claude-plugin/plugin.json
{"name": "broken", "hooks": {"PreToolUse": 7}}
"#;

async fn plugin(project: &Project, args: &[&str]) -> Finished {
    Bowline::new(project).args(&[&["plugin"], args].concat()).run().await
}

pub async fn works(project: &Project, args: &[&str]) -> String {
    let done = plugin(project, args).await;
    assert_eq!(done.code, Some(0), "{args:?}: {done:?}");
    done.stdout
}

async fn fails(project: &Project, args: &[&str], words: &str) {
    let done = plugin(project, args).await;
    assert_eq!(done.code, Some(1), "{args:?}: {done:?}");
    assert!(done.stderr.contains(words), "{args:?}: {words}: {done:?}");
}

pub async fn list(project: &Project) -> Vec<(String, bool)> {
    let rows: Value = serde_json::from_str(&works(project, &["list", "--json"]).await).unwrap();
    let row =
        |row: &Value| (row["id"].as_str().unwrap().to_owned(), row["enabled"].as_bool().unwrap());
    rows.as_array().unwrap().iter().map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_life_of_a_plugin() {
    let project = Project::new(MARKET);
    fails(&project, &["install", "guard"], "no marketplace either").await;
    let added = works(&project, &["marketplace", "add", "./market"]).await;
    assert!(added.contains("tools is added; it has 3 plugins"), "{added}");
    let offered = works(&project, &["list", "--available"]).await;
    assert!(offered.contains("guard@tools\n    Keeps Bash away"), "{offered}");

    let installed = works(&project, &["install", "guard"]).await;
    assert!(installed.contains("Installed guard@tools (1.0.0): hooks"), "{installed}");
    assert!(installed.contains("Installed base@tools"), "{installed}");
    let both = |guard: bool, base: bool| {
        vec![("base@tools".to_owned(), base), ("guard@tools".to_owned(), guard)]
    };
    assert_eq!(list(&project).await, both(true, true));
    // A second time is no harm.
    works(&project, &["install", "guard@tools"]).await;

    works(&project, &["disable", "base"]).await;
    assert_eq!(list(&project).await, both(true, false));
    let told = Bowline::new(&project).args(&["config"]).run().await;
    assert!(told.stderr.contains("It needs the plugin base ^1.0"), "{told:?}");
    works(&project, &["enable", "base"]).await;

    assert!(works(&project, &["update"]).await.contains("guard@tools is up to date."));
    let newer = r#"{"name": "guard", "version": "1.1.0", "dependencies": ["base"]}"#;
    project.write("market/guard/.claude-plugin/plugin.json", newer);
    let updated = works(&project, &["update", "guard"]).await;
    assert!(updated.contains("guard@tools: 1.0.0 → 1.1.0"), "{updated}");
    let cache = project.bowline_home().join("plugins/cache/tools/guard");
    assert!(cache.join("1.1.0").is_dir() && !cache.join("1.0.0").exists());

    fails(&project, &["uninstall", "base"], "guard@tools depends on it").await;
    fails(&project, &["marketplace", "remove", "tools"], "uninstall base@tools").await;
    works(&project, &["uninstall", "guard"]).await;
    works(&project, &["uninstall", "base"]).await;
    works(&project, &["marketplace", "remove", "tools"]).await;
    assert!(list(&project).await.is_empty());
    assert!(!cache.join("1.1.0").exists());
    let settings = files::read(&project.bowline_home().join("settings.json"));
    assert!(!settings.contains("guard"), "{settings}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_told_and_changes_nothing() {
    let project = Project::new(MARKET);
    works(&project, &["marketplace", "add", "./market"]).await;
    fails(&project, &["install", "broken"], "must be a list").await;
    fails(&project, &["install", "moon@tools"], "has a kind nobody knows: `moon`").await;
    fails(&project, &["install", "gurd"], "did you mean guard?").await;
    fails(&project, &["install", "x@tols"], "did you mean tools?").await;
    fails(&project, &["install", "../x@tools"], "is no name").await;
    fails(&project, &["enable", "guard"], "bowline plugin install guard@tools").await;
    symlink("/etc/passwd", project.path("market/base/commands/link.md")).unwrap();
    fails(&project, &["install", "base"], "is a link").await;
    fails(&project, &["install", "guard"], "is a link").await;
    assert!(list(&project).await.iter().all(|(id, _)| id != "base@tools"));
    let left = std::fs::read_dir(project.bowline_home().join("plugins")).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with(".staging")), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_is_checked_before_it_is_shared() {
    let project = Project::new(MARKET);
    let fine = works(&project, &["validate", "market/guard"]).await;
    assert_eq!(fine, "guard has hooks.\nnote: `colour` is not known.\n");
    fails(&project, &["validate", "market/broken"], "must be a list").await;
    fails(&project, &["validate", "market"], "`moon` cannot be used").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_of_a_plugin_guards_until_it_is_switched_off() {
    let project = Project::new(MARKET);
    works(&project, &["marketplace", "add", "./market"]).await;
    works(&project, &["install", "guard"]).await;
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "touch made" }))
        .answer()
        .text("refused")
        .answer()
        .tool("Bash", json!({ "command": "touch made" }))
        .answer()
        .text("made");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
    assert!(turned.call().text.contains("no shell today"), "{:?}", turned.call());
    // Switched off, it is off in the session that is open, too.
    works(&stage.project, &["disable", "guard"]).await;
    stage.client.prompt(&stage.session, "again").await;
    let (question, _) = stage.client.permission().await;
    stage.client.allow(question);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Completed);
}

/// git and npm are the user's own; a repository that is elsewhere stands here, and npm is a script.
#[tokio::test(flavor = "multi_thread")]
async fn plugins_come_from_repositories_and_packages() {
    let project = Project::new(
        r#"//- /far/market/.claude-plugin/marketplace.json
{"name": "far", "owner": {"name": "Ann"}, "plugins": [
  {"name": "inner", "source": "./inner"},
  {"name": "sub", "source": {"source": "git-subdir", "url": "https://far.example/market.git", "path": "inner"}},
  {"name": "pack", "source": {"source": "npm", "package": "@acme/pack", "version": "2.0.0"}}
]}
//- /far/market/inner/commands/go.md
Go.
//- /pack/package/commands/stop.md
Stop.
"#,
    );
    let market = project.path("far/market").display().to_string();
    for words in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "x"]] {
        project.git(&[&["-C", &market], words].concat());
    }
    let far = format!("[url \"{market}\"]\n\tinsteadOf = https://far.example/market.git\n");
    files::write(&project.home().join(".gitconfig"), far);
    let bin = project.path("bin");
    files::make_folder(&bin);
    let npm = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do [ \"$1\" = --pack-destination ] && to=$2; shift; done\n\
               [ \"$2\" = @acme/pack@2.0.0 ] || exit 1\n\
               tar -czf \"$to/acme-pack-2.0.0.tgz\" -C \"$PACK\" package\n\
               echo '[{\"filename\": \"acme-pack-2.0.0.tgz\"}]'\n";
    files::write(&bin.join("npm"), npm);
    std::fs::set_permissions(bin.join("npm"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let run = async |args: &[&str]| {
        let call = Bowline::new(&project).env("PATH", &path);
        let call = call.env("PACK", &project.path("pack").display().to_string());
        let done = call.args(&[&["plugin"], args].concat()).run().await;
        assert_eq!(done.code, Some(0), "{args:?}: {done:?}");
        done.stdout
    };
    run(&["marketplace", "add", "https://far.example/market.git"]).await;
    for name in ["inner", "sub", "pack"] {
        let told = run(&["install", name]).await;
        assert!(told.contains("commands"), "{told}");
    }
    assert_eq!(list(&project).await.len(), 3);
    run(&["marketplace", "update"]).await;
    run(&["update"]).await;
}

/// A plugin with a hook that keeps something, and a program.
const KIT: &str = r#"//- /market/.claude-plugin/marketplace.json
{"name": "tools", "owner": {"name": "Ann"}, "plugins": [{"name": "kit", "source": "./kit"}]}
//- /market/kit/.claude-plugin/plugin.json
{"name": "kit", "version": "1.0.0"}
//- /market/kit/hooks/hooks.json
{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh \"$CLAUDE_PLUGIN_ROOT/seen.sh\""}]}]}}
//- /market/kit/seen.sh
echo seen >> "$CLAUDE_PLUGIN_DATA/log"
//- /market/kit/bin/hail
#!/bin/sh
echo ahoy
//- /market/kit/bin/ls
#!/bin/sh
echo not the real one
"#;

/// Bowline's own folder is closed to commands, and what a plugin brings is open all the same.
#[tokio::test(flavor = "multi_thread")]
async fn behind_the_walls_a_plugin_has_its_files_its_data_and_its_programs() {
    let project = Project::new(KIT);
    for name in ["hail", "ls"] {
        let program = project.path("market/kit/bin").join(name);
        std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
    }
    project.user_settings(&json!({ "sandbox": { "enabled": true } }));
    works(&project, &["marketplace", "add", "./market"]).await;
    works(&project, &["install", "kit"]).await;
    let own = project.bowline_home().display().to_string();
    let command = format!("hail; ls {own}/settings.json");
    let script = Scenario::new()
        .tool("Bash", json!({ "command": command }))
        .answer()
        .text("hailed")
        .answer()
        .tool("Bash", json!({ "command": "hail" }))
        .answer()
        .text("gone");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let call = turned.call();
    assert!(call.text.contains("ahoy"), "{call:?}");
    assert!(!call.text.contains("not the real one"), "the user's programs come first: {call:?}");
    assert_eq!(call.status, ToolStatus::Failed, "the settings are not there: {call:?}");
    let data = stage.project.bowline_home().join("plugins/data");
    let logs: Vec<_> = files::all(&data).into_iter().filter(|it| it.ends_with("log")).collect();
    assert_eq!(files::read(&logs[0]), "seen\n", "the hook ran, and kept something");
    // Switched off, its program is not found any more.
    works(&stage.project, &["disable", "kit"]).await;
    let turned = stage.client.ask(&stage.session, "again").await;
    assert!(turned.call().text.contains("not found"), "{:?}", turned.call());
}

/// A folder among the user's own skills that has a manifest is a plugin, and one can be switched off.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_skills_with_a_manifest_is_a_plugin() {
    let project = Project::new("");
    let folder = project.home().join(".claude/skills/ship");
    files::write(&folder.join(".claude-plugin/plugin.json"), r#"{"name": "ship"}"#);
    files::write(&folder.join("SKILL.md"), "---\ndescription: Sails.\n---\nSail.\n");
    files::write(&folder.join("commands/anchor.md"), "Drop the anchor.\n");
    let plain = project.home().join(".claude/skills/row/SKILL.md");
    files::write(&plain, "---\ndescription: Rows.\n---\nRow.\n");
    assert_eq!(list(&project).await, [("ship@skills-dir".to_owned(), true)]);
    let mut stage = Stage::set(project, Scenario::new().text("ok"), Mode::Default).await;
    let names = advertised(&mut stage).await;
    for name in ["ship:ship", "ship:anchor", "row"] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
    assert!(!names.contains(&"ship".to_owned()), "it counts once: {names:?}");
    works(&stage.project, &["disable", "ship"]).await;
    assert_eq!(list(&stage.project).await, [("ship@skills-dir".to_owned(), false)]);
    stage.session = stage.client.session().await;
    let names = advertised(&mut stage).await;
    assert!(!names.iter().any(|name| name.starts_with("ship")), "{names:?}");
    // Where only plugins that the administrator lets in may bring something, this is none.
    works(&stage.project, &["enable", "ship"]).await;
    stage.project.managed_settings(&json!({ "strictPluginOnlyCustomization": true }));
    stage.session = stage.client.session().await;
    let names = advertised(&mut stage).await;
    assert!(!names.iter().any(|name| name.starts_with("ship")), "{names:?}");
}

/// The commands of the session that was opened last.
async fn advertised(stage: &mut Stage) -> Vec<String> {
    let session = stage.session.clone();
    let is_it = |event: &protocol::Event| {
        event.session_id == session && matches!(event.body, protocol::EventBody::CommandsUpdated(_))
    };
    let known = stage.client.log.iter().rev().find(|event| is_it(event)).cloned();
    let event = match known {
        Some(event) => event,
        None => stage.client.next_event("commands", is_it).await,
    };
    let protocol::EventBody::CommandsUpdated(updated) = event.body else { unreachable!() };
    updated.commands.into_iter().map(|command| command.name).collect()
}

/// A plugin that asks for a name and for a key.
const ASKS: &str = r#"//- /market/.claude-plugin/marketplace.json
{"name": "tools", "owner": {"name": "Ann"}, "plugins": [{"name": "asks", "source": "./asks"}]}
//- /market/asks/.claude-plugin/plugin.json
{"name": "asks", "userConfig": {
  "ship": {"type": "string", "title": "The ship", "required": true},
  "key": {"type": "string", "title": "The key", "sensitive": true, "required": true}}}
//- /market/asks/hooks/hooks.json
{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command":
  "echo \"$CLAUDE_PLUGIN_OPTION_SHIP with $CLAUDE_PLUGIN_OPTION_KEY\""}]}]}}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_plugin_asks_for_is_given_and_what_is_secret_stays_so() {
    let project = Project::new(ASKS);
    project.user_settings(&json!({}));
    works(&project, &["marketplace", "add", "./market"]).await;
    works(&project, &["install", "asks"]).await;
    fails(&project, &["set", "asks", "sails", "3"], "it asks for ship, key").await;
    works(&project, &["set", "asks", "ship", "Argo"]).await;
    let secret = "canary-4711-golden-fleece";
    fails(&project, &["set", "asks", "key", secret], "is seen by others").await;
    let set = Bowline::new(&project).args(&["plugin", "set", "asks", "key"]);
    let done = set.run_with_stdin(&format!("{secret}\n")).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.stdout.contains(secret) && !done.stderr.contains(secret), "{done:?}");
    let kept = project.bowline_home().join("plugin-credentials.json");
    assert_eq!(files::mode(&kept) & 0o777, 0o600);
    let settings = files::read(&project.bowline_home().join("settings.json"));
    assert!(settings.contains("Argo") && !settings.contains(secret), "{settings}");
    let mut stage = Stage::set(project, Scenario::new().text("ok"), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    let told = stage.model.requests()[0].body["messages"].to_string();
    assert!(told.contains("Argo with"), "the hook has both: {told}");
    assert!(!told.contains(secret), "the model does not read it: {told}");
    // Without it the plugin is not used, and says what it needs.
    works(&stage.project, &["set", "asks", "key", "--unset"]).await;
    assert!(!files::read(&kept).contains(secret));
    stage.client.prompt(&stage.session, "go on").await;
    stage.client.notice_with("It needs `key`").await;
}
