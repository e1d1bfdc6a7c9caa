//! What git says about the folder when the session begins: branch, changes, the last commits. It is
//! found out beside everything else and then stays as it was, so that the system prompt does too.
//!
//! Git runs only in a folder that is trusted; of any other only the name of the branch is known, read
//! from the repository's own files.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::Session;
use super::shelter::Shelter;
use crate::git::Git;
use crate::repository;

/// Git in a very large repository is not waited for longer.
const WITHIN: Duration = Duration::from_secs(10);
/// The first prompt waits so long for what is not known yet. What comes later is told later.
const PATIENCE: Duration = Duration::from_secs(1);
/// More changes, and longer lines, say nothing more about where the work stands.
const MOST_LINES: usize = 40;
const LONGEST_LINE: usize = 200;

/// Submodules are repositories of their own, with settings that nobody looked at.
const STATUS: [&str; 4] = ["status", "--short", "--branch", "--ignore-submodules=all"];
/// Signatures would be checked by a program that the repository may name.
const LOG: [&str; 6] =
    ["log", "-n5", "--format=%h %s", "--no-color", "--no-decorate", "--no-show-signature"];

/// What is being found out, until it is known.
#[derive(Default)]
pub(super) struct GitState {
    coming: Option<oneshot::Receiver<Option<String>>>,
    /// The system prompt was sent.
    is_sent: bool,
}

/// What is asked, and how.
struct Question {
    cwd: PathBuf,
    trusted: bool,
    shelter: Arc<Shelter>,
    home: Option<OsString>,
}

impl Session {
    /// Begins to find out, unless the user does without it.
    pub(super) fn look_at_git(&mut self) {
        let off = |name: &str| self.host.var(name).is_some_and(|value| value == "1");
        let unwanted = self.briefing.prompting().git == Some(false)
            || off("BOWLINE_DISABLE_GIT_INSTRUCTIONS")
            || off("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS");
        if unwanted {
            return;
        }
        let question = Question {
            cwd: self.state.cwd().to_owned(),
            trusted: self.trusted,
            shelter: self.shelter.clone(),
            home: self.host.home().map(PathBuf::into_os_string),
        };
        let (said, coming) = oneshot::channel();
        self.git.coming = Some(coming);
        tokio::spawn(async move {
            // Nobody waits any more when the session is over.
            let _ = said.send(question.ask().await);
        });
    }

    /// Before a turn: what was found out becomes part of the system prompt, or, when that was sent
    /// already, a note.
    pub(super) async fn take_git_state(&mut self) -> Option<String> {
        let first = !std::mem::replace(&mut self.git.is_sent, true);
        let mut coming = self.git.coming.take()?;
        let patience = if first { PATIENCE } else { Duration::ZERO };
        let Ok(known) = tokio::time::timeout(patience, &mut coming).await else {
            self.git.coming = Some(coming);
            return None;
        };
        let said = known.ok().flatten()?;
        let said = self.state.redactor().redact(&said).into_owned();
        if first {
            self.briefing.git = Some(said);
            self.rebuild_system();
            return None;
        }
        Some(format!("What git says about the folder:\n{said}"))
    }
}

impl Question {
    async fn ask(self) -> Option<String> {
        let Question { cwd, trusted, shelter, home } = self;
        let look = move || {
            let root = repository::around(&cwd)?;
            let (branch, default) = (repository::branch(&root), repository::default_branch(&root));
            let walls = if trusted { Some(shelter.of_helper(exec::Disk::Closed)) } else { None };
            Some((root, branch, default, walls))
        };
        let (root, branch, default, walls) =
            tokio::task::spawn_blocking(look).await.ok().flatten()?;
        let Some(Ok(walls)) = walls else { return branch.map(|name| format!("Branch: {name}")) };
        let git = |words: &[&str]| {
            let git = Git {
                repository: root.clone(),
                walls: walls.clone(),
                within: WITHIN,
                env: Vec::new(),
            };
            git.run(home.clone(), words.iter().map(OsString::from).collect())
        };
        let (status, log) = tokio::join!(git(&STATUS), git(&LOG));
        let said = Said { branch, default, status: status.ok(), log: log.ok() };
        said.describe()
    }
}

/// What is known; git may have failed, or taken too long.
#[derive(Default)]
struct Said {
    branch: Option<String>,
    default: Option<String>,
    status: Option<String>,
    log: Option<String>,
}

impl Said {
    fn describe(&self) -> Option<String> {
        let status = self.status.as_deref().unwrap_or_default();
        let (head, changes) = status.split_once('\n').unwrap_or((status, ""));
        let head = head.strip_prefix("## ").or(self.branch.as_deref());
        let mut text = format!("Branch: {}", cut(head?));
        if let Some(default) = &self.default {
            text.push_str(&format!("\nDefault branch: {default}"));
        }
        if self.status.is_some() {
            text.push_str(&section("Changes", changes, "none"));
        }
        if let Some(log) = &self.log {
            text.push_str(&section("Last commits", log, "none"));
        }
        Some(text)
    }
}

fn section(name: &str, lines: &str, nothing: &str) -> String {
    let lines: Vec<&str> = lines.lines().collect();
    if lines.is_empty() {
        return format!("\n{name}: {nothing}");
    }
    let mut text = format!("\n{name}:");
    for line in lines.iter().take(MOST_LINES) {
        text.push_str(&format!("\n{}", cut(line)));
    }
    match lines.len().saturating_sub(MOST_LINES) {
        0 => text,
        more => format!("{text}\n… and {more} more"),
    }
}

fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(LONGEST_LINE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_is_short() {
        let some = |text: &str| Some(text.to_owned());
        let check = |said: Said, expect: Option<&str>| {
            assert_eq!(said.describe().as_deref(), expect);
        };
        check(Said::default(), None);
        check(Said { branch: some("main"), ..Said::default() }, Some("Branch: main"));
        let whole = Said {
            branch: some("rig"),
            default: some("main"),
            status: some("## rig...origin/rig [ahead 1]\n M a.rs\n?? b.rs\n"),
            log: some("ab12 Cast off\n"),
        };
        let expect = "Branch: rig...origin/rig [ahead 1]\nDefault branch: main\nChanges:\n M a.rs\n\
                      ?? b.rs\nLast commits:\nab12 Cast off";
        check(whole, Some(expect));
        let clean = Said { status: some("## main\n"), log: some(""), ..Said::default() };
        check(clean, Some("Branch: main\nChanges: none\nLast commits: none"));
        let many = format!("## main\n{}", "?? x\n".repeat(50));
        let text = Said { status: Some(many), ..Said::default() }.describe().unwrap();
        assert!(text.ends_with("?? x\n… and 10 more"), "{text}");
        let long = format!("## main\n?? {}é", "x".repeat(196));
        let text = Said { status: Some(long), ..Said::default() }.describe().unwrap();
        assert!(text.ends_with("xxx"), "{text}");
    }
}
