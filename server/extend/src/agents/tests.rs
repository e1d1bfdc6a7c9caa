//! Which agents there are, what their heads say, and what is wrong with them.

#![expect(clippy::disallowed_methods, reason = "tests set up the files they are about")]

use std::fs;

use super::*;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn agent(&self, file: &str, head: &str, body: &str) {
        let path = self.at(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("---\n{head}\n---\n{body}\n")).unwrap();
    }

    fn load(&self, trusted: bool, given: Option<&str>, more: &[AgentRoot]) -> Agents {
        let locations = Locations {
            bowline_home: self.at("home/.bowline"),
            home: Some(self.at("home")),
            managed: self.at("etc"),
        };
        let cwd = self.at("p/sub");
        fs::create_dir_all(&cwd).unwrap();
        fs::create_dir_all(self.at("p/.git")).unwrap();
        Agents::load(&AgentQuery {
            locations: &locations,
            cwd: &cwd,
            trusted,
            only_plugins: false,
            given,
            more,
            built_in: true,
        })
    }
}

#[test]
fn the_strongest_of_a_name_counts() {
    let place = Place::new();
    let head = "name: pilot\ndescription: steers";
    place.agent("home/.claude/agents/a.md", head, "user");
    place.agent("p/.claude/agents/deep/er/pilot.md", head, "project");
    let prompt = |agents: Agents| agents.find("Pilot").map(|agent| agent.prompt.clone());
    assert_eq!(prompt(place.load(false, None, &[])).as_deref(), Some("user"));
    assert_eq!(prompt(place.load(true, None, &[])).as_deref(), Some("project"));
    place.agent("p/sub/.bowline/agents/pilot.md", head, "nearest");
    assert_eq!(prompt(place.load(true, None, &[])).as_deref(), Some("nearest"));
    let given = r#"{"pilot": {"description": "x", "prompt": "given", "tools": ["Read"]}}"#;
    assert_eq!(prompt(place.load(true, Some(given), &[])).as_deref(), Some("given"));
    place.agent("etc/bowline/agents/pilot.md", head, "managed");
    assert_eq!(prompt(place.load(true, Some(given), &[])).as_deref(), Some("managed"));
}

#[test]
fn every_field_is_read() {
    let place = Place::new();
    let head = "name: pilot\ndescription: Use when: it is foggy\ntools: Read, Agent(mate)\n\
                disallowedTools: [Bash]\nmodel: haiku\npermissionMode: acceptEdits\nmaxTurns: 7\n\
                skills: [charts]\nmcpServers: [tides]\nmemory: user\nbackground: true\n\
                effort: high\nisolation: worktree\ncolor: blue\ninitialPrompt: Ahoy\n\
                omitClaudeMd: true\nautoCompactWindow: 50000";
    place.agent("home/.bowline/agents/pilot.md", head, "You steer.");
    let agents = place.load(false, None, &[]);
    assert_eq!(agents.problems, []);
    let pilot = agents.find("pilot").unwrap();
    assert_eq!(pilot.description, "Use when: it is foggy");
    assert!(pilot.tools.allows("Read") && !pilot.tools.allows("Grep"));
    assert!(pilot.tools.allows("Write") && pilot.tools.allows("Edit"), "for its notes");
    assert_eq!((pilot.compact_window, pilot.color.as_deref()), (Some(50_000), Some("blue")));
    assert_eq!(pilot.tools.may_start(), Some(vec!["mate"]));
    assert_eq!((pilot.model.as_deref(), pilot.max_turns), (Some("haiku"), Some(7)));
    assert_eq!(pilot.permission_mode, Some(Mode::AcceptEdits));
    assert_eq!((pilot.memory, pilot.effort), (Some(AgentMemory::User), Some(Effort::High)));
    assert!(pilot.background && pilot.worktree && pilot.omit_instructions);
    assert_eq!(pilot.initial_prompt.as_deref(), Some("Ahoy"));
    assert_eq!((pilot.skills.len(), pilot.mcp_servers.len()), (1, 1));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let place = Place::new();
    let head = "name: pilot\ndescription: steers\nmaxTurns: many\nmemory: cloud\n\
                permissionMode: bypassPermissions\nhooks: {}\ncolor: sea\nautoCompactWindow: 3";
    place.agent("p/.claude/agents/pilot.md", head, "x");
    place.agent("p/.claude/agents/nameless.md", "description: who", "x");
    place.agent("p/.claude/agents/colon.md", "name: 'a:b'\ndescription: who", "x");
    fs::write(place.at("p/.claude/agents/README.md"), "No head at all.").unwrap();
    let agents = place.load(true, Some("{"), &[]);
    let told: Vec<String> = agents.problems.iter().map(ToString::to_string).collect();
    let says = |words: &str| told.iter().any(|problem| problem.contains(words));
    assert!(says("pilot.md:4: `maxTurns`"), "{told:?}");
    assert!(says("pilot.md:5: `memory`: there is no scope cloud"), "{told:?}");
    assert!(says("pilot.md:6: `permissionMode`: a project's agent cannot"), "{told:?}");
    assert!(says("pilot.md:7: `hooks`: not taken"), "{told:?}");
    assert!(says("pilot.md:8: `color`: there is no colour sea; there are red"), "{told:?}");
    assert!(says("pilot.md:9: `autoCompactWindow`: write a number from"), "{told:?}");
    assert!(says("nameless.md: an agent needs a `name`"), "{told:?}");
    assert!(says("colon.md:2: "), "{told:?}");
    assert!(says("--agents: it is no JSON"), "{told:?}");
    assert!(!says("README.md"), "{told:?}");
    let pilot = agents.find("pilot").unwrap();
    assert_eq!((pilot.permission_mode, pilot.max_turns), (None, None));
}

#[test]
fn agents_of_a_plugin_are_named_after_it() {
    let place = Place::new();
    let head = "name: pilot\ndescription: steers\npermissionMode: plan";
    place.agent("plug/agents/sea/pilot.md", head, "x");
    let root = AgentRoot {
        folder: place.at("plug/agents"),
        source: AgentSource::Plugin,
        namespace: Some("port".to_owned()),
    };
    let agents = place.load(false, None, &[root]);
    let pilot = agents.find("port:sea:pilot").unwrap();
    assert_eq!(pilot.permission_mode, None);
    assert_eq!(agents.problems.len(), 1);
}

#[test]
fn the_built_in_ones_are_there() {
    let agents = Place::new().load(false, None, &[]);
    let expect = [
        "general-purpose",
        "Explore",
        "Plan",
        "verification",
        "statusline-setup",
        "guide",
        "fork",
        "coordinator",
    ];
    assert_eq!(agents.names(), expect);
    assert!(!agents.find("Explore").unwrap().tools.allows("Edit"));
    assert!(agents.find("general-purpose").unwrap().tools.allows("Agent"));
    assert!(agents.list.iter().all(|agent| !agent.prompt.contains("  ")));
}

#[test]
fn a_file_that_comes_changes_or_goes_is_noticed() {
    let place = Place::new();
    let head = "name: pilot\ndescription: steers";
    place.agent("home/.claude/agents/deep/a.md", head, "one");
    let agents = place.load(false, None, &[]);
    assert!(!agents.is_stale());
    place.agent("home/.claude/agents/deep/b.md", "name: mate\ndescription: d", "two");
    assert!(agents.is_stale(), "a new one");
    let agents = place.load(false, None, &[]);
    place.agent("home/.claude/agents/deep/a.md", head, "another one");
    assert!(agents.is_stale(), "a changed one");
    let agents = place.load(false, None, &[]);
    fs::remove_file(place.at("home/.claude/agents/deep/a.md")).unwrap();
    assert!(agents.is_stale(), "one that went");
}
