//! What a decision costs: a typical command of five parts beside the rules of a busy project.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use policy::{Behavior, Entry, Mode, Request, Rules, Run, Source, Subject, Verdict};

use super::Outcome;
use crate::contenders::{Contender, Role};
use crate::stage::Stage;
use crate::table::percentile;

const COMMAND: &str = "cd src && grep -rn \"fn main\" . --include='*.rs' | head -20 && cargo test -p core 2>&1 | tail -40";
const ALLOWED: &[&str] = &[
    "Bash(cargo test:*)",
    "Bash(cargo build:*)",
    "Bash(npm run test)",
    "Bash(git commit:*)",
    "Bash(git add:*)",
    "Bash(make *)",
    "Edit(/src/**)",
    "Read(//usr/share/**)",
    "WebFetch(domain:docs.rs)",
    "mcp__github__*",
];
const DENIED: &[&str] = &["Bash(curl:*)", "Bash(sudo *)", "Read(~/.ssh/**)", "Edit(/vendor/**)"];

/// In this process, because no message could be timed as finely.
pub fn command(_: &Stage, contender: &Contender) -> Outcome {
    if contender.role != Role::Bowline {
        return Ok(None);
    }
    let lists = [(Behavior::Allow, ALLOWED), (Behavior::Deny, DENIED)];
    let mut rules = Rules::default();
    for (behavior, texts) in lists {
        for text in texts {
            let rule = text.parse::<policy::Rule>().context("a rule")?;
            rules.add(Entry { behavior, rule, source: Source::Project });
        }
    }
    let roots = [PathBuf::from("/w/proj")];
    let home = Some(Path::new("/home/u"));
    let context = policy::Context { mode: Mode::Default, rules: &rules, roots: &roots, home };
    let command = COMMAND.to_owned();
    let subjects = [Subject::Command { command, cwd: roots[0].clone(), run: Run::Open }];
    let request = Request { tool: "Bash", subjects: &subjects, params: &[] };
    let mut times = Vec::new();
    for _ in 0..500 {
        let started = Instant::now();
        let decision = policy::decide(&request, &context);
        times.push(started.elapsed().as_secs_f64() * 1e6);
        ensure!(decision.verdict == Verdict::Allow, "not allowed: {}", decision.reason);
    }
    Ok(Some(vec![percentile(&mut times, 0.5), percentile(&mut times, 0.99)]))
}
