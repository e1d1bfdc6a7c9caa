//! The command line as a person meets it: help that teaches, completions, the manual, the doctor, and
//! what happens to a misspelt command. All with the real binary.

use std::collections::VecDeque;

use kit::{Bowline, Finished, Project};
use serde_json::{Value, json};

async fn call(project: &Project, args: &[&str]) -> Finished {
    Bowline::new(project).args(args).run().await
}

/// The commands that a help page lists, with what it says about each.
fn commands(help: &str) -> Vec<(String, String)> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let rows = list.take_while(|line| line.starts_with("  "));
    // What a long description goes on with is further to the right.
    let rows = rows.filter(|line| !line.starts_with("   "));
    let split = |row: &str| {
        let (name, about) = row.trim().split_once(' ').unwrap_or((row.trim(), ""));
        (name.to_owned(), about.trim().to_owned())
    };
    rows.map(split).filter(|(name, _)| name != "help").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_of_help_describes_and_shows_an_example() {
    let project = Project::new("");
    let mut waiting = VecDeque::from([Vec::<String>::new()]);
    let mut seen = 0;
    while let Some(path) = waiting.pop_front() {
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let done = call(&project, &args).await;
        let place = path.join(" ");
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{place}");
        let about = done.stdout.lines().next().unwrap_or_default();
        assert!(!about.is_empty() && !about.starts_with("Usage"), "{place}: {}", done.stdout);
        let example = done.stdout.lines().skip_while(|line| !line.starts_with("Example")).nth(1);
        let shows = example.is_some_and(|line| line.starts_with("  ") && line.contains("bowline"));
        assert!(shows, "no example: {place}\n{}", done.stdout);
        // A page below a command leans on the exit codes of the command itself.
        let codes = done.stdout.contains("Exit codes:");
        assert!(codes || path.len() > 1, "no exit codes: {place}\n{}", done.stdout);
        for (name, about) in commands(&done.stdout) {
            let long = done.stdout.contains(&format!("{name}\n"));
            assert!(!about.is_empty() || long, "{place} {name} has no description");
            waiting.push_back([path.clone(), vec![name]].concat());
        }
        seen += 1;
    }
    assert!(seen > 45, "only {seen} pages");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelt_command_is_not_taken_for_a_prompt() {
    let project = Project::new("");
    for line in [&["sesions"][..], &["sesions", "list"], &["sesions", "--all"]] {
        let done = call(&project, line).await;
        let expect = "bowline: There is no command `sesions`; did you mean `bowline sessions`? As a \
                      prompt it is `bowline -- sesions`.\n";
        assert_eq!((done.code, done.stderr.as_str()), (Some(2), expect), "{line:?}");
        assert_eq!(done.stdout, "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn completions_and_manual_pages_know_every_command() {
    let project = Project::new("");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = call(&project, &["completions", shell]).await;
        assert_eq!(done.code, Some(0), "{done:?}");
        for word in ["sessions", "doctor", "permission-mode"] {
            assert!(done.stdout.contains(word), "{shell} does not know {word}");
        }
    }
    let done = call(&project, &["completions", "tcsh"]).await;
    assert_eq!(done.code, Some(2), "{done:?}");
    let done = call(&project, &["man"]).await;
    assert!(done.stdout.contains(".TH bowline 1"), "{done:?}");
    let done = call(&project, &["man", "--output", "pages/man1"]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    for page in ["bowline.1", "bowline-sessions.1", "bowline-sessions-export.1"] {
        let text = project.read(&format!("pages/man1/{page}"));
        assert!(text.contains(".TH "), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agents_of_a_folder_are_listed_with_their_files() {
    let project = Project::new(
        "//- /.bowline/agents/reviewer.md\n---\nname: reviewer\ndescription: reads diffs\n---\nRead.\n",
    );
    let done = call(&project, &["agents"]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("Explore") && !done.stdout.contains("reviewer"), "{done:?}");
    assert!(done.stderr.contains("is not trusted"), "{done:?}");
    project.trust();
    let done = call(&project, &["agents", "--json"]).await;
    let agents: Value = serde_json::from_str(&done.stdout).unwrap();
    let agents = agents.as_array().unwrap();
    let own = agents.iter().find(|agent| agent["name"] == "reviewer").unwrap();
    assert_eq!((&own["source"], &own["description"]), (&json!("project"), &json!("reads diffs")));
}

fn state_of<'a>(findings: &'a [Value], about: &str) -> &'a Value {
    findings.iter().find(|found| found["about"] == about).unwrap_or(&Value::Null)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let project = Project::new("");
    let done = call(&project, &["doctor", "--json"]).await;
    let found: Vec<Value> = serde_json::from_str(&done.stdout).unwrap();
    for about in ["version", "search", "settings", "mcp", "state"] {
        assert_eq!(state_of(&found, about)["state"], "ok", "{about}: {}", done.stdout);
    }
    let model = state_of(&found, "model");
    assert_eq!(model["state"], "note", "{model}");
    assert!(model["fix"].as_str().unwrap().contains("bowline auth login"), "{model}");
    assert_eq!(state_of(&found, "network"), &Value::Null, "nobody is asked without a key");

    // A server that is not there, a slip in the settings, a server without a command.
    project.user_settings(&json!({ "modle": "opus", "mcpServers": { "broken": {} } }));
    let key = "sk-ant-canary-0123456789abcdef";
    let sick = || {
        Bowline::new(&project)
            .env("ANTHROPIC_API_KEY", key)
            .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    };
    let done = sick().args(&["doctor"]).run().await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(!done.stdout.contains(key), "the key is shown");
    for text in [
        "ANTHROPIC_API_KEY in the environment",
        "problem  network",
        "problem  settings",
        "`model`",
        "problem  mcp",
        "→ mend that line",
    ] {
        assert!(done.stdout.contains(text), "{text} is not in\n{}", done.stdout);
    }
    let done = sick().args(&["doctor", "--offline"]).run().await;
    assert!(!done.stdout.contains("network"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn state_of_a_newer_bowline_is_left_alone() {
    let project = Project::new("");
    let version = project.bowline_home().join("version");
    let before = |form: &str| kit::files::write(&version, form);
    before("1\n");
    let done = call(&project, &["sessions"]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    before("999\n");
    for line in [&["sessions"][..], &["-p", "hi"], &["auth", "login"]] {
        let done = call(&project, line).await;
        assert_eq!(done.code, Some(1), "{line:?}: {done:?}");
        assert!(done.stderr.contains("was written by a newer Bowline (form 999"), "{done:?}");
        assert!(done.stderr.contains("update this one"), "{done:?}");
    }
    assert_eq!(kit::files::read(&version), "999\n");
    assert!(project.journals().is_empty());
}
