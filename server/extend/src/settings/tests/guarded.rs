//! What guards: the sandbox, hooks, limits, and what a project may say about them.

use std::time::Duration;

use super::*;

/// The sandbox settings that are not empty, a word each.
fn sandbox(machine: &Machine, settings: &Settings) -> String {
    let text = format!("{:?}", settings.sandbox);
    let here = format!("{}/", machine.path("").display().to_string().trim_end_matches('/'));
    text.replace(&here, "")
}

#[track_caller]
fn check_sandbox(files: &[(&str, &str)], expect: &SandboxSettings, problems: &[&str]) {
    let machine = Machine::new(files);
    let settings = machine.load_in("work", true);
    let found: Vec<_> = settings.problems.iter().map(|p| p.message.clone()).collect();
    assert_eq!(found, problems);
    let expect = Settings { sandbox: expect.clone(), ..Settings::default() };
    assert_eq!(sandbox(&machine, &settings), sandbox(&machine, &expect));
}

fn paths(list: &[&str]) -> Vec<PathBuf> {
    list.iter().map(PathBuf::from).collect()
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

const EVERYTHING: &str = r#"{"sandbox": {
  "enabled": false, "failIfUnavailable": false, "autoAllowBashIfSandboxed": true,
  "allowUnsandboxedCommands": true, "excludedCommands": ["docker *"],
  "network": {"allowedDomains": ["a.com"], "deniedDomains": ["b.com"]},
  "filesystem": {"allowWrite": ["//srv/x", "./in", "~/y"], "denyWrite": ["dist"],
                 "denyRead": ["~/.ssh"], "allowRead": ["~/.ssh/config"]}}}"#;

#[test]
fn the_user_says_how_the_sandbox_is() {
    check_sandbox(
        &[(USER, EVERYTHING)],
        &SandboxSettings {
            enabled: Some(false),
            fail_if_unavailable: Some(false),
            auto_allow: Some(true),
            allow_unsandboxed: Some(true),
            excluded_commands: texts(&["docker *"]),
            allowed_domains: texts(&["a.com"]),
            denied_domains: texts(&["b.com"]),
            allow_write: paths(&["/srv/x", "bowline/in", "home/y"]),
            deny_write: paths(&["bowline/dist"]),
            deny_read: paths(&["home/.ssh"]),
            allow_read: paths(&["home/.ssh/config"]),
            ..SandboxSettings::default()
        },
        &[],
    );
}

#[test]
fn whoever_says_strict_is_heard_and_secrets_are_named() {
    let strict = r#"{"sandbox": {"network": {"strictAllowlist": true}, "credentials": {
        "files": [{"path": "~/.tok", "mode": "deny"}, {"path": "k", "mode": "mask"}],
        "envVars": [{"name": "MY_VAR"}]}}}"#;
    let loose = r#"{"sandbox": {"network": {"strictAllowlist": false}}}"#;
    let masked = "`sandbox.credentials.files` cannot be masked here, so commands do not see it at \
                  all; write \"mode\": \"deny\".";
    check_sandbox(
        &[(MANAGED, loose), (PROJECT, strict)],
        &SandboxSettings {
            only_allowed_domains: true,
            credential_files: paths(&["home/.tok", "work/k"]),
            credential_variables: texts(&["MY_VAR"]),
            ..SandboxSettings::default()
        },
        &[masked],
    );
    let check = |credentials: &str, problem: &str, broken: bool| {
        let text = format!(r#"{{"sandbox": {{"credentials": {credentials}}}}}"#);
        let settings = Machine::new(&[(USER, &text)]).load_in("work", true);
        let told: Vec<_> = settings.problems.iter().map(|p| p.message.as_str()).collect();
        assert_eq!(told, [problem.replace("UNTIL", UNTIL)], "{credentials}");
        assert_eq!(settings.broken, broken, "{credentials}");
    };
    let path = "An entry of `sandbox.credentials.files` needs a string `path`, UNTIL.";
    check(r#"{"files": [{"file": "x"}]}"#, path, true);
    check(r#"{"files": [{"path": " "}]}"#, path, true);
    check(
        r#"{"file": []}"#,
        "`sandbox.credentials` has no `file`; write `files` or `envVars`, UNTIL.",
        true,
    );
    check(
        r#"{"files": "x"}"#,
        "`sandbox.credentials.files` must be a list of objects, but it is a string; write it as \
         one, UNTIL.",
        true,
    );
    check(
        r#"{"awsPairs": []}"#,
        "`sandbox.credentials.awsPairs` is not done here: secrets are hidden from commands and \
         never put back; remove it.",
        false,
    );
}

#[test]
fn what_the_administrator_reserves_counts_from_the_administrator_only() {
    let reserved = r#"{"permissions": {"allow": ["WebFetch(domain:m.com)"]}, "sandbox": {
        "network": {"allowManagedDomainsOnly": true, "allowedDomains": ["m.com"]},
        "filesystem": {"allowManagedReadPathsOnly": true, "allowRead": ["//m"]}}}"#;
    let own = r#"{"permissions": {"allow": ["WebFetch(domain:u.com)", "Read(x)"]}, "sandbox": {
        "network": {"allowedDomains": ["u.com"], "deniedDomains": ["d.com"]},
        "filesystem": {"allowRead": ["//u"]}}}"#;
    let machine = Machine::new(&[(MANAGED, reserved), (USER, own)]);
    let settings = machine.load_in("work", true);
    let rules: Vec<_> = settings.rules.iter().map(|entry| entry.rule.to_string()).collect();
    assert_eq!(rules, ["WebFetch(domain:m.com)", "Read(x)"]);
    let sandbox = settings.sandbox;
    assert_eq!(sandbox.allowed_domains, texts(&["m.com"]));
    assert_eq!(sandbox.denied_domains, texts(&["d.com"]));
    assert_eq!(sandbox.allow_read, paths(&["/m"]));
    assert!(sandbox.only_allowed_domains && settings.limits.managed_hosts_only);
}

const NEARBY: &str = r#"{"sandbox": {
  "network": {"allowAllUnixSockets": true, "allowUnixSockets": ["//run/a"], "allowLocalBinding": true,
              "httpProxyPort": 8080, "socksProxyPort": 1080},
  "filesystem": {"disabled": true}, "ignoreViolations": {"npm *": ["/etc"], "*": ["x", "y"]}}}"#;

#[test]
fn the_user_opens_sockets_ports_and_the_disk_and_a_project_does_not() {
    let ignored = [("npm *", &["/etc"][..]), ("*", &["x", "y"])];
    let ignored = ignored.map(|(pattern, parts)| (pattern.to_owned(), texts(parts))).to_vec();
    check_sandbox(
        &[(USER, NEARBY)],
        &SandboxSettings {
            all_unix_sockets: Some(true),
            unix_sockets: paths(&["/run/a"]),
            local_binding: Some(true),
            proxy_ports: [Some(8080), Some(1080)],
            open_disk: Some(true),
            ignored,
            ..SandboxSettings::default()
        },
        &[],
    );
    let machine = Machine::new(&[("work/.claude/settings.json", NEARBY)]);
    let settings = machine.load_in("work", true);
    assert_eq!(settings.sandbox, SandboxSettings::default());
    let found: Vec<_> = settings.problems.iter().map(|p| p.message.clone()).collect();
    for part in
        ["open sockets", "open ports", "open the disk", "the proxy of commands", "hide what"]
    {
        assert!(found.iter().any(|problem| problem.contains(part)), "{part}: {found:?}");
    }
    let only = r#"{"sandbox": {"network": {"allowManagedDomainsOnly": true}}}"#;
    let machine = Machine::new(&[(MANAGED, only), (USER, NEARBY)]);
    let ports = machine.load_in("work", true).sandbox.proxy_ports;
    assert_eq!(ports, [None, None], "a proxy of one's own would open hosts");
    for (wrong, expect) in [
        (r#"{"sandbox": {"ignoreViolations": {"a": "b"}}}"#, "an object of lists of strings"),
        (r#"{"sandbox": {"network": {"socksProxyPort": 70000}}}"#, "a port from 1 to 65535"),
    ] {
        let machine = Machine::new(&[(USER, wrong)]);
        let problems = machine.load_in("work", true).problems;
        assert!(problems[0].message.contains(expect), "{problems:?}");
    }
}

#[test]
fn a_project_can_only_narrow_the_sandbox() {
    let own = "put it into your user settings if you want it.";
    let problems = [
        format!("A project cannot turn the sandbox off; {own}"),
        format!("A project cannot let commands run without a sandbox; {own}"),
        format!("A project cannot decide that nothing is asked; {own}"),
        format!("A project cannot open the sandbox; {own}"),
        format!("A project cannot take commands out of the sandbox; {own}"),
        format!("A project cannot open the network; {own}"),
        format!("A project cannot open what is closed to reading; {own}"),
        format!("A project cannot make `//srv/x` writable, which is outside of it; {own}"),
        format!("A project cannot make `~/y` writable, which is outside of it; {own}"),
    ];
    for file in [PROJECT, LOCAL, "work/.claude/settings.json"] {
        check_sandbox(
            &[(file, EVERYTHING)],
            &SandboxSettings {
                denied_domains: texts(&["b.com"]),
                deny_write: paths(&["work/dist"]),
                deny_read: paths(&["home/.ssh"]),
                ..SandboxSettings::default()
            },
            &problems.each_ref().map(String::as_str),
        );
    }
    let narrow = r#"{"sandbox": {"enabled": true, "failIfUnavailable": true,
        "autoAllowBashIfSandboxed": false, "allowUnsandboxedCommands": false}}"#;
    check_sandbox(
        &[(PROJECT, narrow), (USER, r#"{"sandbox": {"enabled": false}}"#)],
        &SandboxSettings {
            enabled: Some(true),
            fail_if_unavailable: Some(true),
            auto_allow: Some(false),
            allow_unsandboxed: Some(false),
            ..SandboxSettings::default()
        },
        &[],
    );
}

#[test]
fn a_broken_file_opens_nothing() {
    let broken = EVERYTHING.replace("\"b.com\"", "5");
    let problem = format!(
        "`sandbox.network.deniedDomains` must be a list of nothing but strings, but it is a \
         number; write it as one, {UNTIL}."
    );
    check_sandbox(
        &[(USER, &broken)],
        &SandboxSettings {
            deny_write: paths(&["bowline/dist"]),
            deny_read: paths(&["home/.ssh"]),
            ..SandboxSettings::default()
        },
        &[&problem],
    );
    check_sandbox(
        &[(USER, r#"{"sandbox": {"enabeld": true}}"#)],
        &SandboxSettings::default(),
        &[&format!("There is no key `enabeld`; write `enabled`, {UNTIL}.")],
    );
}

const HOOKS: &str = r#"{"hooks": {
  "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [
     {"type": "command", "command": "./check.sh", "timeout": 2.5, "if": "Bash(git *)"},
     {"type": "http", "url": "https://x.test"}]}],
  "Stop": [{"matcher": "*", "hooks": [{"type": "prompt", "prompt": "done?"}]}],
  "FutureThing": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}]}]}}"#;

#[test]
fn hooks_are_kept_as_data() {
    let machine = Machine::new(&[(USER, HOOKS), ("home/.claude/settings.json", HOOKS)]);
    let settings = machine.load_in("work", true);
    let shown: Vec<_> = settings
        .hooks
        .iter()
        .map(|hook| {
            let HookSetting { event_name, matcher, handler, line, .. } = hook;
            let (kind, about, timeout) = (handler.kind(), handler.about(), handler.timeout);
            let condition = handler.definition.get("if").and_then(|rule| rule.as_str());
            format!("{line} {event_name} {matcher:?} {kind:?} {about} {timeout:?} {condition:?}")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "3 PreToolUse Some(\"Bash|Edit\") Command ./check.sh Some(2.5s) Some(\"Bash(git *)\")",
            "4 PreToolUse Some(\"Bash|Edit\") Http https://x.test None None",
            "5 Stop None Prompt done? None None",
            "6 FutureThing None McpTool s/t None None",
        ]
    );
    assert_eq!(settings.hooks[0].handler.timeout, Some(Duration::from_millis(2500)));
    assert!(settings.problems.is_empty() && settings.hooks[0].hash.starts_with("sha256:"));
}

#[test]
fn a_hook_that_cannot_be_read_is_a_lost_restriction() {
    let check = |hooks: &str, at: &str, message: &str| {
        let text = format!(r#"{{"permissions": {{"allow": ["Edit"]}}, "hooks": {hooks}}}"#);
        let problem = format!("! {USER}:{at}: {message}, {UNTIL}.");
        check(&[(USER, &text)], &[&problem]);
    };
    let one = |handler: &str| format!(r#"{{"PreToolUse": [{{"hooks": [{handler}]}}]}}"#);
    check("[]", "1:47", "`hooks` must be an object of events, but it is a list; write it as one");
    check(
        r#"{"PreToolUse": {}}"#,
        "1:62",
        "The hooks of `PreToolUse` must be a list, such as [{\"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}]",
    );
    check(r#"{"PreTooluse": []}"#, "1:48", "There is no event `PreTooluse`; write `PreToolUse`");
    for (handler, what) in [
        ("1", "needs a `type`, such as \"command\""),
        (r#"{"type": "comand"}"#, "needs a `type` of command, http, prompt, agent or mcp_tool"),
        (r#"{"type": "command"}"#, "needs a `command`"),
        (r#"{"type": "command", "command": " "}"#, "needs a `command`"),
        (r#"{"type": "http", "url": 1}"#, "needs a `url`"),
        (
            r#"{"type": "command", "command": "x", "timeout": -1}"#,
            "needs a `timeout` in seconds, from more than 0 to a day",
        ),
        (
            r#"{"type": "command", "command": "x", "args": "y"}"#,
            "needs `args` that are a list of strings",
        ),
    ] {
        let message = format!("A hook of `PreToolUse` {what}; mend it here");
        check(&one(handler), "1:74", &message);
    }
}

#[test]
fn who_may_switch_hooks_off() {
    let off = r#"{"disableAllHooks": true}"#;
    let hooks = |event: &str| {
        format!(
            r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "x"}}]}}]}}}}"#
        )
    };
    let (managed, project, user) = (hooks("Stop"), hooks("Setup"), hooks("PreCompact"));
    let check = |more: &[(&str, &str)], expect: &[&str]| {
        let mut files = vec![
            ("etc/claude-code/managed-settings.json", &*managed),
            (PROJECT, &*project),
            ("home/.claude/settings.json", &*user),
        ];
        files.extend(more);
        let settings = Machine::new(&files).load_in("work", true);
        let events: Vec<_> = settings.hooks.iter().map(|hook| hook.event_name.as_str()).collect();
        assert_eq!(events, expect, "{more:?}");
    };
    check(&[], &["Stop", "Setup", "PreCompact"]);
    check(&[(USER, off)], &["Stop"]);
    check(&[(MANAGED, off)], &[]);
    check(&[(LOCAL, off)], &["Stop", "Setup", "PreCompact"]);
    check(&[(MANAGED, r#"{"allowManagedHooksOnly": true}"#)], &["Stop"]);
    check(&[(USER, r#"{"allowManagedHooksOnly": true}"#)], &["Stop", "Setup", "PreCompact"]);
}

#[test]
fn the_stricter_word_counts() {
    let limits = |files: &[(&str, &str)]| Machine::new(files).load_in("work", true).limits;
    let none = PermissionLimits::default();
    assert_eq!(limits(&[]), none);
    let on = r#"{"permissions": {"disableBypassPermissionsMode": "disable",
        "denyInsteadOfPrompting": true, "blockReadsOutsideWorkingDirectories": true}}"#;
    let off = r#"{"permissions": {"denyInsteadOfPrompting": false,
        "blockReadsOutsideWorkingDirectories": false}}"#;
    let strict = PermissionLimits {
        no_bypass: true,
        deny_instead_of_asking: true,
        block_reads_outside: true,
        ..none
    };
    for (strong, weak) in
        [(MANAGED, PROJECT), (PROJECT, USER), (USER, "home/.claude/settings.json")]
    {
        assert_eq!(limits(&[(strong, off), (weak, on)]), strict, "{weak}");
        assert_eq!(limits(&[(strong, on), (weak, off)]), strict, "{weak}");
    }
    let auto = PermissionLimits { no_auto: true, ..none };
    assert_eq!(limits(&[(USER, r#"{"disableAutoMode": "disable"}"#)]), auto);
    assert_eq!(limits(&[(PROJECT, r#"{"permissions": {"disableAutoMode": true}}"#)]), auto);

    // A mode that is switched off is not the one to start with.
    let bypass = r#"{"permissions": {"defaultMode": "bypassPermissions"}}"#;
    let settings = Machine::new(&[(USER, bypass), (PROJECT, on)]).load_in("work", true);
    assert_eq!(settings.default_mode, None);
}

#[test]
fn only_the_administrators_allow_rules() {
    let rules = |n: u32| {
        format!(r#"{{"permissions": {{"allow": ["Read(a{n})"], "deny": ["Read(d{n})"]}}}}"#)
    };
    check(
        &[
            (MANAGED, r#"{"allowManagedPermissionRulesOnly": true}"#),
            ("etc/claude-code/managed-settings.json", &rules(1)),
            (PROJECT, &rules(2)),
            (USER, &rules(3)),
        ],
        &[
            "Allow Read(a1) (Managed)",
            "Deny Read(d1) (Managed)",
            "Deny Read(d2) (Project)",
            "Deny Read(d3) (User)",
        ],
    );
    let text = "{\"allowManagedPermissionRulesOnly\": true}";
    let problem = format!(
        "! {USER}:1:37: `allowManagedPermissionRulesOnly` counts in the managed policy only; remove it here."
    );
    check(&[(USER, text)], &[&problem]);
}

#[test]
fn a_project_does_not_choose_the_auto_mode_or_the_key_helper() {
    let text = "{\"apiKeyHelper\": \"x\",\n\"permissions\": {\"defaultMode\": \"auto\"},\n\
                \"autoMode\": {\"allow\": [\"all\"], \"environment\": [\"safe\"], \"hard_deny\": [\"push\"]}}";
    let machine = Machine::new(&[(PROJECT, text), (USER, text)]);
    let settings = machine.load_in("work", true);
    let lines: Vec<_> = settings.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [Some(2), Some(3), Some(3), Some(1)]);
    assert!(settings.problems.iter().all(|problem| problem.file.starts_with(machine.path("work"))));
    assert_eq!(settings.default_mode, Some(Mode::Auto));
    assert_eq!(settings.api_key_helper.as_deref(), Some("x"));
    let AutoMode { allow, soft_deny, hard_deny, environment } = settings.auto_mode;
    let lists = [allow, soft_deny, hard_deny, environment];
    assert_eq!(lists.map(|list| list.join(",")), ["all", "", "push", "safe"]);
    let alone = Machine::new(&[(PROJECT, text)]).load_in("work", true);
    assert_eq!((alone.default_mode, alone.api_key_helper), (None, None));
}

#[test]
fn only_a_file_of_the_user_agrees_to_a_mode_that_asks_nothing() {
    let agrees = r#"{"skipDangerousModePermissionPrompt": true}"#;
    let check = |file: &str, expect: bool| {
        let settings = Machine::new(&[(file, agrees)]).load_in("work", true);
        assert_eq!(
            (settings.bypass_agreed, settings.problems.is_empty()),
            (expect, expect),
            "{file}"
        );
    };
    check(USER, true);
    check("home/.claude/settings.json", true);
    check(MANAGED, true);
    check(PROJECT, false);
    check(LOCAL, false);
    let machine = Machine::new(&[]);
    let given = Given::new(Some(agrees), None, Path::new("/")).unwrap();
    let standing = Standing::untrusted();
    let settings = load(&machine.locations(), &machine.path("work"), &standing, &given);
    assert!(!settings.bypass_agreed && !settings.problems.is_empty(), "{:?}", settings.problems);
}

#[test]
fn a_project_does_not_choose_who_searches_the_web() {
    let text = "{\"webSearch\": {\"url\": \"https://s.example\", \"headers\": [\"X-Key: a\"]},\n\
                \"toolSearch\": \"true\", \"taskTools\": true}";
    let user = Machine::new(&[(USER, text)]).load_in("work", true);
    let service = user.tools.web_search.clone().unwrap();
    assert_eq!(
        (service.url.as_str(), service.headers),
        ("https://s.example", texts(&["X-Key: a"]))
    );
    assert_eq!((user.tools.search.as_deref(), user.tools.tasks), (Some("true"), Some(true)));
    let project = Machine::new(&[(PROJECT, text)]).load_in("work", true);
    assert_eq!(project.tools.web_search, None);
    assert_eq!(project.problems.len(), 2, "{:?}", project.problems);
}
