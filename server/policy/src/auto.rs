//! The mode auto, as far as it needs no model: which allow rules are set aside in it, which tools
//! need no judging, and when so much was refused that a person is asked again.

use crate::rules::{Behavior, Entry, Rules};
use crate::shell::program;
use crate::shell::programs::{NEVER_SUGGESTED, RUNNERS, SHELLS};

/// Tools that run commands.
const COMMAND_TOOLS: [&str; 3] = ["Bash", "Monitor", "PowerShell"];

/// Programs that reach other machines or steer them.
const REMOTE: &[&str] = &[
    "ssh", "scp", "sftp", "rsync", "telnet", "gh", "kubectl", "aws", "gcloud", "gsutil", "az",
    "docker", "podman",
];

/// Programs that run scripts of the project by name.
const PACKAGE_RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "deno", "cargo", "uv", "poetry"];

/// The rules as the mode auto uses them, and the allow rules that were set aside because they would
/// let the model run anything without being judged. Rules for one exact command stay.
pub fn strip(rules: &Rules) -> (Rules, Vec<Entry>) {
    let mut kept = rules.clone();
    let aside: Vec<Entry> = rules.with(Behavior::Allow).filter(|e| is_broad(e)).cloned().collect();
    for entry in &aside {
        kept.remove(entry);
    }
    (kept, aside)
}

fn is_broad(entry: &Entry) -> bool {
    if !COMMAND_TOOLS.iter().any(|tool| entry.rule.names(tool)) {
        return false;
    }
    let Some(spec) = entry.rule.spec() else { return true };
    if !spec.contains('*') {
        return false;
    }
    let plain = spec.replace(":*", " *");
    let mut words = plain.split_whitespace();
    let first = words.next().unwrap_or("*");
    let name = program(first.trim_end_matches('*'));
    let second = words.next().unwrap_or("*");
    let runs_anything = [&SHELLS[..], RUNNERS, NEVER_SUGGESTED, REMOTE]
        .iter()
        .any(|list| list.contains(&unversioned(name)) || list.contains(&name));
    let runs_scripts = PACKAGE_RUNNERS.contains(&name)
        && (second.starts_with('*') || matches!(second, "run" | "exec" | "x" | "dlx"));
    let whole_git = name == "git" && second.starts_with('*');
    first.starts_with('*') || name.is_empty() || runs_anything || runs_scripts || whole_git
}

/// `python3.12` is `python`.
fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Whether the calls of a tool need no model to judge them: they touch nothing but the session.
/// Tools that read files are not among them, since what is still asked about leaves the workspace.
pub fn is_safe_tool(tool: &str) -> bool {
    const SAFE: [&str; 16] = [
        "TodoWrite",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskUpdate",
        "TaskOutput",
        "TaskStop",
        "AskUserQuestion",
        "EnterPlanMode",
        "ExitPlanMode",
        "ToolSearch",
        "Sleep",
        "ListAgents",
        "ListMcpResourcesTool",
        "SendUserMessage",
        "StructuredOutput",
    ];
    SAFE.contains(&tool)
}

/// How often the model's calls were refused in the mode auto.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Denials {
    in_a_row: u32,
    in_all: u32,
}

impl Denials {
    const MOST_IN_A_ROW: u32 = 3;
    const MOST_IN_ALL: u32 = 20;

    pub fn denied(&mut self) {
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.in_all = self.in_all.saturating_add(1);
    }

    /// A call went through; only the count in a row starts anew.
    pub fn allowed(&mut self) {
        self.in_a_row = 0;
    }

    /// Whether a person should be asked from here on.
    pub fn too_many(&self) -> bool {
        self.in_a_row >= Self::MOST_IN_A_ROW || self.in_all >= Self::MOST_IN_ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Source;

    #[test]
    fn rules_that_allow_anything_are_set_aside() {
        let check = |rule: &str, kept: bool| {
            let rule = rule.parse().unwrap();
            let entry = Entry { behavior: Behavior::Allow, rule, source: Source::User };
            let rules: Rules = [entry.clone()].into_iter().collect();
            let (left, aside) = strip(&rules);
            assert_eq!(left.iter().count() == 1, kept, "{}", entry.rule);
            assert_eq!(aside.len(), usize::from(!kept), "{}", entry.rule);
        };
        for rule in [
            "Bash",
            "Bash(*)",
            "Bash(python:*)",
            "Bash(python3.12 *)",
            "Bash(node*)",
            "Bash(npm run:*)",
            "Bash(npm *)",
            "Bash(yarn dlx *)",
            "Bash(bash -c *)",
            "Bash(/bin/sh *)",
            "Bash(sudo *)",
            "Bash(env *)",
            "Bash(xargs *)",
            "Bash(ssh *)",
            "Bash(curl *)",
            "Bash(gh api *)",
            "Bash(git *)",
            "Bash(* --version)",
            "Bash(eval:*)",
            "Monitor",
            "PowerShell(*)",
        ] {
            check(rule, false);
        }
        for rule in [
            "Bash(npm test:*)",
            "Bash(cargo build *)",
            "Bash(git commit *)",
            "Bash(python manage.py test)",
            "Bash(npm run build)",
            "Read",
            "Edit(src/**)",
            "WebFetch(domain:x.io)",
            "mcp__git__*",
        ] {
            check(rule, true);
        }
    }

    #[test]
    fn denies_stay() {
        let entry = Entry {
            behavior: Behavior::Deny,
            rule: "Bash(python *)".parse().unwrap(),
            source: Source::User,
        };
        let rules: Rules = [entry].into_iter().collect();
        assert_eq!(strip(&rules), (rules.clone(), Vec::new()));
    }

    #[test]
    fn three_in_a_row_or_twenty_in_all_are_too_many() {
        let mut denials = Denials::default();
        denials.denied();
        denials.denied();
        assert!(!denials.too_many());
        denials.allowed();
        denials.denied();
        denials.denied();
        assert!(!denials.too_many());
        denials.denied();
        assert!(denials.too_many());
        let mut denials = Denials::default();
        for _ in 0..19 {
            denials.denied();
            denials.allowed();
        }
        assert!(!denials.too_many());
        denials.denied();
        assert!(denials.too_many());
    }

    #[test]
    fn tools_that_leave_the_session_are_judged() {
        assert!(is_safe_tool("TodoWrite"));
        assert!(["Bash", "Read", "Edit", "WebFetch", "Agent"].iter().all(|t| !is_safe_tool(t)));
    }
}
