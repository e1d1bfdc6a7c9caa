//! A folder with files, and the two homes that go with it, all gone after the test.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::files;

/// ```text
/// //- /src/main.rs
/// fn main() {}
/// //- /README
/// text
/// ```
pub struct Project {
    root: PathBuf,
    home: PathBuf,
    bowline_home: PathBuf,
    sandboxed: AtomicBool,
    _temp: TempDir,
}

const MARK: &str = "//- /";

impl Project {
    /// `//- /path` begins a file. Everything in between is its text, to the byte.
    pub fn new(fixture: &str) -> Self {
        let temp = tempfile::tempdir().unwrap();
        // Where the temporary folder is a link, the server shows where it leads.
        let base = temp.path().canonicalize().unwrap();
        let project = Self {
            root: base.join("project"),
            home: base.join("home"),
            bowline_home: base.join("home/.bowline"),
            sandboxed: AtomicBool::new(false),
            _temp: temp,
        };
        files::make_folder(&project.root);
        files::make_folder(&project.home);
        for (path, text) in parse(fixture) {
            project.write(path, text);
        }
        project
    }

    /// What the user does with their own git, in the project.
    #[expect(clippy::disallowed_methods, reason = "a user's own git, not the product's")]
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=x", "-c", "user.email=x@x"]).args(arguments);
        command.current_dir(&self.root).env("HOME", &self.home);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn bowline_home(&self) -> &Path {
        &self.bowline_home
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    pub fn uri(&self, relative: &str) -> String {
        format!("file://{}", self.path(relative).display())
    }

    pub fn read(&self, relative: &str) -> String {
        files::read(&self.path(relative))
    }

    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        files::write(&self.path(relative), content);
    }

    pub fn exists(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// The user's own settings. Where they say nothing about the sandbox it is off, so that what is
    /// asked does not depend on the machine; proofs of the sandbox turn it on.
    pub fn user_settings(&self, settings: &Value) {
        self.sandboxed.store(settings.get("sandbox").is_some(), Ordering::Relaxed);
        let mut settings = settings.clone();
        if settings.get("sandbox").is_none() {
            settings["sandbox"] = json!({ "enabled": false });
        }
        files::write(&self.bowline_home.join("settings.json"), settings.to_string());
    }

    /// The user has agreed to the mode that asks nothing, on this machine.
    pub fn agree_to_bypass(&self) {
        let agreed = json!({ "skipDangerousModePermissionPrompt": true });
        files::write(&self.home.join(".claude/settings.json"), agreed.to_string());
    }

    /// The administrator's settings.
    pub fn managed_settings(&self, settings: &Value) {
        files::write(&self.managed().join("bowline/managed-settings.json"), settings.to_string());
    }

    /// Stands in for `/etc`.
    pub(crate) fn managed(&self) -> PathBuf {
        self.home.join("nothing-managed")
    }

    /// Whether the user's settings speak of the sandbox.
    pub(crate) fn is_sandboxed(&self) -> bool {
        self.sandboxed.load(Ordering::Relaxed)
    }

    /// The real binary knows only files: without any it gets one that turns the sandbox off.
    pub(crate) fn settle(&self) {
        if !self.bowline_home.exists() {
            self.user_settings(&json!({}));
        }
    }

    /// The user trusts the folder as it is.
    pub fn trust(&self) {
        let locations = extend::Locations {
            bowline_home: self.bowline_home.clone(),
            home: Some(self.home.clone()),
            managed: self.managed(),
        };
        let (mut store, _) = extend::TrustStore::load(&self.bowline_home, Some(&self.home));
        store.set(&self.root, extend::Decision::Trust, 7).unwrap();
        let items = extend::bring(&locations, &self.root).items;
        store.approve(&self.root, items.into_iter().map(|item| item.hash)).unwrap();
    }

    /// The journals of all sessions, without those of their agents.
    pub fn journals(&self) -> Vec<PathBuf> {
        let mut files = files::all(&self.bowline_home.join("sessions"));
        files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
        files.retain(|file| !file.parent().is_some_and(|folder| folder.ends_with("agents")));
        files
    }

    /// The records of the only journal.
    pub fn journal(&self) -> Vec<Value> {
        let journals = self.journals();
        assert_eq!(journals.len(), 1, "{journals:?}");
        let text = files::read(&journals[0]);
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A clean environment: nothing of the machine that runs the test but its `PATH`.
    pub fn env(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.display().to_string();
        vec![
            ("PATH".to_owned(), machine_path()),
            ("HOME".to_owned(), text(&self.home)),
            ("BOWLINE_HOME".to_owned(), text(&self.bowline_home)),
            ("SHELL".to_owned(), "/bin/sh".to_owned()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            // Nobody waits in a test.
            ("BOWLINE_RETRY_DELAY_MS".to_owned(), "1".to_owned()),
        ]
    }
}

#[expect(clippy::disallowed_methods, reason = "commands that a test runs must be found")]
fn machine_path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

fn parse(fixture: &str) -> Vec<(&str, &str)> {
    let mut files = Vec::new();
    let mut rest = fixture.trim_start_matches('\n');
    while let Some(after) = rest.strip_prefix(MARK) {
        let (path, text) = after.split_once('\n').unwrap_or((after, ""));
        let end = text.find(&format!("\n{MARK}")).map_or(text.len(), |at| at + 1);
        let empty = text.starts_with(MARK);
        let (text, left) = if empty { ("", text) } else { text.split_at(end) };
        files.push((path.trim(), text));
        rest = left;
    }
    assert!(rest.is_empty(), "a fixture begins with `{MARK}path`: {rest:?}");
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_is_files() {
        assert_eq!(parse(""), []);
        assert_eq!(parse("//- /a\n"), [("a", "")]);
        assert_eq!(parse("//- /a\n//- /b/c\nx\n\ny"), [("a", ""), ("b/c", "x\n\ny")]);
        assert_eq!(parse("\n//- /a\n1\r\n//- /b\n2\n"), [("a", "1\r\n"), ("b", "2\n")]);
    }
}
