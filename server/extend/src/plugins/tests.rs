//! Plugins as the settings see them: all parts, and what is wrong with one.

#![expect(clippy::disallowed_methods, reason = "tests set up the files they are about")]

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::hooks::HookAction;
use crate::settings::{Given, Locations, Settings, load};
use crate::trust::Standing;

/// A home with one installed plugin `tool@market`, and a project.
struct Home(tempfile::TempDir);

impl Home {
    fn new(files: &[(&str, &str)]) -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        home.write(".bowline/settings.json", r#"{"enabledPlugins": {"tool@market": true}}"#);
        fs::create_dir_all(home.at("p")).unwrap();
        fs::create_dir_all(home.at("tool")).unwrap();
        for (name, text) in files {
            home.write(&format!("tool/{name}"), text);
        }
        home.install("tool@market", "tool", "1.4.0");
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        files::real(self.0.path()).join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    fn locations(&self) -> Locations {
        Locations {
            bowline_home: self.at(".bowline"),
            home: Some(self.at("")),
            managed: self.at("etc"),
        }
    }

    fn install(&self, id: &str, folder: &str, version: &str) {
        let found = Installed {
            root: self.at(folder),
            version: Some(version.to_owned()),
            commit: None,
            foreign: false,
        };
        Store::load(&self.locations()).record_installed(&id.parse().unwrap(), found).unwrap();
    }

    fn settings(&self) -> Settings {
        load(&self.locations(), &self.at("p"), &Standing::default(), &Given::default())
    }

    fn problems(&self) -> String {
        let problems: Vec<_> = self.settings().problems.into_iter().map(|p| p.message).collect();
        problems.join("\n")
    }
}

const HOOKS: &str = r#"{"description": "x", "hooks": {"Stop": [{"hooks": [
    {"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}\"/stop.sh"},
    {"type": "command", "command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/x.js"]}
]}]}}"#;

#[test]
fn a_plugin_brings_all_its_parts() {
    let home = Home::new(&[
        (".claude-plugin/plugin.json", r#"{"name": "tool", "version": "1.4.0"}"#),
        ("skills/lint/SKILL.md", "Lint."),
        ("commands/go.md", "Go."),
        ("agents/ann.md", "Ann."),
        ("output-styles/terse.md", "Be terse."),
        ("hooks/hooks.json", HOOKS),
        (".mcp.json", r#"{"db": {"command": "${CLAUDE_PLUGIN_ROOT}/server", "args": ["--x"]}}"#),
        (".lsp.json", r#"{"zig": {"command": "zls", "extensionToLanguage": {".zig": "zig"}}}"#),
        ("themes/dark.json", "{}"),
    ]);
    let settings = home.settings();
    assert!(settings.problems.is_empty(), "{:?}", settings.problems);
    let [plugin] = &settings.plugins.loaded[..] else { panic!("{:?}", settings.plugins) };
    assert_eq!(plugin.skills, [home.at("tool/skills")]);
    assert_eq!(plugin.commands, [home.at("tool/commands")]);
    assert_eq!(plugin.agents, [home.at("tool/agents")]);
    assert_eq!(plugin.styles, [home.at("tool/output-styles")]);
    assert_eq!(plugin.notes, ["The folder `themes` is not used by Bowline."]);
    let root = home.at("tool").display().to_string();
    let [shell, plain] = &settings.hooks[..] else { panic!("{:?}", settings.hooks) };
    assert_eq!(shell.env.get("CLAUDE_PLUGIN_ROOT"), Some(&root));
    let HookAction::Command { args, .. } = &plain.handler.action else { panic!("{plain:?}") };
    assert_eq!(*args, Some(vec![format!("{root}/x.js")]));
    assert_eq!(plain.of.as_deref(), Some("the plugin tool@market"));
    let [servers] = &settings.mcp_servers[..] else { panic!("{:?}", settings.mcp_servers) };
    let servers: Value = serde_json::from_str(&servers.json).unwrap();
    let db = &servers["mcpServers"]["plugin:tool:db"];
    assert_eq!(db["command"], format!("{root}/server"));
    assert_eq!(db["env"]["CLAUDE_PLUGIN_ROOT"], root);
    assert_eq!(settings.language_servers[0].name, "zig");
}

#[test]
fn a_plugin_without_a_manifest_has_the_usual_folders() {
    let home = Home::new(&[("SKILL.md", "One skill."), ("commands/go.md", "Go.")]);
    let settings = home.settings();
    let [plugin] = &settings.plugins.loaded[..] else { panic!("{:?}", settings.problems) };
    assert_eq!(plugin.manifest.name, "tool");
    assert_eq!(plugin.skills, [home.at("tool")]);
}

#[test]
fn what_is_wrong_with_one_costs_only_itself() {
    let check = |files: &[(&str, &str)], expect: &str| {
        let home = Home::new(files);
        let settings = home.settings();
        assert!(settings.plugins.loaded.is_empty(), "{expect}");
        assert!(settings.hooks.is_empty() && settings.mcp_servers.is_empty(), "{expect}");
        assert!(!settings.broken, "{expect}");
        let problems = home.problems();
        assert!(problems.contains(expect), "{expect}: {problems}");
    };
    let manifest = ".claude-plugin/plugin.json";
    check(&[(manifest, "{")], "The manifest is not valid JSON");
    check(&[(manifest, r#"{"name": 1}"#)], "`name` must be a string");
    check(
        &[(manifest, r#"{"name": "tool", "skills": "./gone"}"#)],
        "names gone, which is not there",
    );
    check(&[("hooks/hooks.json", r#"{"hooks": {"Stop": 1}}"#)], "must be a list");
    check(&[("hooks/hooks.json", HOOKS), (".mcp.json", "[")], "not valid JSON");
    check(
        &[(manifest, r#"{"name": "tool", "hooks": "./gone.json"}"#)],
        "There is no file gone.json",
    );
    check(
        &[(manifest, r#"{"name": "tool", "dependencies": ["base"]}"#)],
        "It needs the plugin base, which is not switched on.",
    );
    check(
        &[(
            manifest,
            r#"{"name": "tool", "userConfig": {"key": {"type": "string", "title": "Key", "required": true}}}"#,
        )],
        "It needs `key` (Key); set pluginConfigs.\"tool@market\".options.key in your settings.",
    );
}

#[test]
fn a_link_out_of_a_plugin_is_not_followed() {
    let home = Home::new(&[]);
    home.write("secret/SKILL.md", "x");
    fs::create_dir_all(home.at("tool/.claude-plugin")).unwrap();
    home.write("tool/.claude-plugin/plugin.json", r#"{"name": "tool", "skills": "./more"}"#);
    symlink(home.at("secret"), home.at("tool/more")).unwrap();
    symlink(home.at("secret"), home.at("tool/commands")).unwrap();
    assert!(home.problems().contains("more leads out of the plugin"), "{}", home.problems());
}

#[test]
fn dependencies_have_versions() {
    let check = |range: &str, expect: usize| {
        let manifest = format!(
            r#"{{"name": "tool", "dependencies": [{{"name": "base", "version": "{range}"}}]}}"#
        );
        let home = Home::new(&[(".claude-plugin/plugin.json", &manifest)]);
        fs::create_dir_all(home.at("base")).unwrap();
        home.install("base@market", "base", "2.3.0");
        let both = r#"{"enabledPlugins": {"tool@market": true, "base@market": true}}"#;
        home.write(".bowline/settings.json", both);
        assert_eq!(home.settings().plugins.loaded.len(), expect, "{range}");
    };
    check("^2", 2);
    check("^3", 1);
}

#[test]
fn only_what_a_policy_lets_be() {
    let home = Home::new(&[("commands/go.md", "Go.")]);
    assert_eq!(home.settings().plugins.loaded.len(), 1);
    let policy = r#"{"strictKnownMarketplaces": [{"source": "github", "repo": "corp/market"}]}"#;
    home.write("etc/bowline/managed-settings.json", policy);
    assert!(home.settings().plugins.loaded.is_empty());
    assert!(home.problems().contains("a policy limits them"), "{}", home.problems());
    let source = PluginSource::typed("corp/market", Path::new("/")).unwrap();
    let known = Known { source, place: home.at("m"), updated: None, foreign: false };
    Store::load(&home.locations()).record_marketplace("market", known).unwrap();
    assert_eq!(home.settings().plugins.loaded.len(), 1);
    // The same words in the user's own file are not the administrator's.
    home.write("etc/bowline/managed-settings.json", "{}");
    home.write(
        ".bowline/settings.json",
        r#"{"enabledPlugins": {"tool@market": true}, "blockedMarketplaces": [7]}"#,
    );
    assert_eq!(home.settings().plugins.loaded.len(), 1);
}

#[test]
fn a_stronger_file_switches_off() {
    let home = Home::new(&[("commands/go.md", "Go.")]);
    home.write(
        "etc/bowline/managed-settings.json",
        r#"{"enabledPlugins": {"tool@market": false}}"#,
    );
    let settings = home.settings();
    assert!(settings.plugins.loaded.is_empty() && settings.problems.is_empty());
}

#[test]
fn a_plugin_that_is_not_installed_says_how() {
    let home = Home::new(&[]);
    home.write(
        ".bowline/settings.json",
        r#"{"enabledPlugins": {"new@market": true, "bad": true}}"#,
    );
    let problems = home.problems();
    assert!(problems.contains("run `bowline plugin install new@market`"), "{problems}");
    assert!(problems.contains("write PLUGIN@MARKETPLACE"), "{problems}");
}
