//! Writes single values into settings files, and leaves the rest as people wrote it: comments,
//! order, indentation.
//!
//! Readers see the old file or the new one, never half of one. Other processes that write wait for
//! each other. A file that cannot be read is not written: nobody knows what would be lost.

#[cfg(test)]
mod tests;
mod tree;

use std::io;
use std::path::{Path, PathBuf};

use policy::{Behavior, Rule};
use serde_json::Value;

use crate::files::{self, Stamp};
use crate::settings::{self, Locations};

/// Which of the three files that people share out their settings to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere, for this user.
    User,
    /// For everybody who works on the project.
    Project,
    /// In this project, for this user.
    Local,
}

/// A settings file that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub file: PathBuf,
    /// The project whose file it is; it must stay inside. `None` for the user's own.
    project: Option<PathBuf>,
}

impl Target {
    /// The file of a scope, for a session in `cwd`.
    pub fn new(scope: Scope, locations: &Locations, cwd: &Path) -> Target {
        let of_project = |name: &str| Target {
            file: cwd.join(".bowline").join(name),
            project: Some(cwd.to_owned()),
        };
        match scope {
            Scope::Project => of_project("settings.json"),
            Scope::Local => of_project("settings.local.json"),
            Scope::User => Target::user(locations.bowline_home.join("settings.json")),
        }
    }

    /// The project's file of MCP servers.
    pub fn mcp_json(cwd: &Path) -> Target {
        Target { file: cwd.join(".mcp.json"), project: Some(cwd.to_owned()) }
    }

    /// A file of the user's own.
    pub fn user(file: PathBuf) -> Target {
        Target { file, project: None }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("{file} {why}, so it is not written; mend it first.")]
    Broken { file: PathBuf, why: String },
    #[error("{file} leads out of the project, so it is not written; remove the link.")]
    Outside { file: PathBuf },
    #[error("{file} is a link to nowhere, so it is not written; make or remove its target.")]
    Nowhere { file: PathBuf },
    #[error("{0}")]
    Invalid(String),
    #[error("{file} cannot be written ({error}); check who owns it and how full the disk is.")]
    Write { file: PathBuf, error: io::Error },
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The real file, behind any links.
    pub file: PathBuf,
    /// `false` when it already said so.
    pub changed: bool,
    /// How the file looks now, to tell our own write from somebody else's.
    pub stamp: Option<Stamp>,
}

/// Adds a permission rule; one that is there is not repeated.
pub fn add_rule(target: &Target, behavior: Behavior, rule: &Rule) -> Result<Written, EditError> {
    let text = Value::from(rule.to_string());
    change(target, |root| tree::add(root, &["permissions", list(behavior)], &text))
}

/// Takes a permission rule out; `changed` says whether it was there.
pub fn remove_rule(target: &Target, behavior: Behavior, rule: &Rule) -> Result<Written, EditError> {
    let same = |value: &Value| {
        value.as_str().and_then(|text| text.parse::<Rule>().ok()).is_some_and(|one| one == *rule)
    };
    if !files::exists(&target.file) {
        return Ok(nothing(target));
    }
    change(target, |root| tree::take_out(root, &["permissions", list(behavior)], &same))
}

/// Sets the value of a key such as `permissions.defaultMode`.
pub fn set_value(target: &Target, key: &str, value: &Value) -> Result<Written, EditError> {
    set_at(target, &path(key)?, value)
}

/// Adds a text to the list of a key such as `sandbox.network.allowedDomains`; one that is there is
/// not repeated.
pub fn add_to_list(target: &Target, key: &str, text: &str) -> Result<Written, EditError> {
    let path = path(key)?;
    change(target, |root| tree::add(root, &path, &Value::from(text)))
}

/// Takes a key and its value out; `changed` says whether it was there.
pub fn remove_value(target: &Target, key: &str) -> Result<Written, EditError> {
    remove_at(target, &path(key)?)
}

/// There is no file, and none is made to take something out of it.
fn nothing(target: &Target) -> Written {
    Written { file: target.file.clone(), changed: false, stamp: None }
}

fn list(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Allow => "allow",
        Behavior::Ask => "ask",
        Behavior::Deny => "deny",
    }
}

/// Sets the value at names that may hold dots themselves.
pub fn set_at(target: &Target, path: &[&str], value: &Value) -> Result<Written, EditError> {
    change(target, |root| tree::set(root, path, value))
}

/// Takes out what is at names that may hold dots themselves.
pub fn remove_at(target: &Target, path: &[&str]) -> Result<Written, EditError> {
    if !files::exists(&target.file) {
        return Ok(nothing(target));
    }
    change(target, |root| Ok(tree::remove(root, path)))
}

fn path(key: &str) -> Result<Vec<&str>, EditError> {
    let path: Vec<_> = key.split('.').collect();
    match path.iter().any(|name| name.is_empty() || name.contains(['[', ']'])) {
        true => Err(EditError::Invalid(format!(
            "`{}` is no key; write names with dots between them, such as permissions.defaultMode.",
            key.escape_debug()
        ))),
        false => Ok(path),
    }
}

/// Reads, changes and writes, while nobody else writes. The error of `how` is a sentence.
fn change(
    target: &Target,
    how: impl FnOnce(&tree::Root) -> Result<bool, String>,
) -> Result<Written, EditError> {
    let failed = |error| EditError::Write { file: target.file.clone(), error };
    let folder = target.file.parent().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    match &target.project {
        Some(_) => files::create_dir(folder),
        None => files::create_private_dir(folder),
    }
    .map_err(failed)?;
    let file = real_file(target)?;
    // Linked files may lie elsewhere, and others write them there.
    let _lock = files::lock(file.parent().unwrap_or(folder)).map_err(failed)?;
    let broken = |why: String| EditError::Broken { file: target.file.clone(), why };
    let old = files::read(&file).map_err(|error| broken(error.to_string()))?;
    let text = old.clone().unwrap_or_else(|| "{}\n".to_owned());
    let new = changed_text(&text, how, &broken, target.project.is_some())?;
    let changed = old.as_ref() != Some(&new) && new != text;
    if changed {
        let private = target.project.is_none();
        files::write_keeping_mode(&file, &new, private).map_err(failed)?;
    }
    Ok(Written { stamp: files::stamp(&file), file, changed })
}

fn changed_text(
    text: &str,
    how: impl FnOnce(&tree::Root) -> Result<bool, String>,
    broken: &dyn Fn(String) -> EditError,
    project: bool,
) -> Result<String, EditError> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let root = tree::Root::parse(body).map_err(broken)?;
    if !how(&root).map_err(EditError::Invalid)? {
        return Ok(text.to_owned());
    }
    let new = format!("{mark}{root}");
    // What is written must be understood, and must not be worse than what was there.
    let before = settings::problems_of(text, project);
    let mut after = settings::problems_of(&new, project).into_iter();
    match after.find(|problem| !before.contains(problem)) {
        Some(problem) => Err(EditError::Invalid(problem)),
        None => Ok(new),
    }
}

/// The file behind the links. One of a project must lie in the project.
fn real_file(target: &Target) -> Result<PathBuf, EditError> {
    let file = files::real(&target.file);
    let nowhere = || EditError::Nowhere { file: target.file.clone() };
    if files::is_link(&file) {
        return Err(nowhere());
    }
    let place = match files::exists(&file) {
        true => file,
        // A new file: its folder is there, and may be behind a link.
        false => {
            let name = file.file_name().ok_or_else(nowhere)?;
            files::real(file.parent().ok_or_else(nowhere)?).join(name)
        }
    };
    match &target.project {
        Some(project) if !place.starts_with(files::real(project)) => {
            Err(EditError::Outside { file: target.file.clone() })
        }
        _ => Ok(place),
    }
}
