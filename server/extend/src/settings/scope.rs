//! What a project's own files may not do, even when the folder is trusted: whoever can commit to
//! a repository can write them.

use std::path::{Component, Path, PathBuf};

use policy::{Behavior, Mode, Rule};

use super::parse::{At, Parsed};
use crate::files;

const SHELLS: [&str; 3] = ["Bash", "PowerShell", "Monitor"];

/// Takes out of a project's settings what only the user or the administrator may set.
pub(super) fn restrict(parsed: &mut Parsed, cwd: &Path, home: Option<&Path>) {
    let mut refused: Vec<(At, String)> = Vec::new();
    if let Some(env) = parsed.env.take_if(|env| !env.value.is_empty()) {
        refused.push((
            env.at,
            "`env` is ignored in a project's settings; move it to your user settings.".to_owned(),
        ));
    }
    if let Some(mode) = parsed.mode.take_if(|mode| mode.value == Mode::BypassPermissions) {
        refused.push((
            mode.at,
            "A project cannot turn on bypassPermissions; choose the mode yourself when you start."
                .to_owned(),
        ));
    }
    parsed.rules.retain(|located| {
        let (behavior, rule) = &located.value;
        let broad = *behavior == Behavior::Allow && is_broad(rule);
        if broad {
            let message = format!(
                "A project cannot allow `{rule}`, which is every command there is; name the \
                 commands, or allow it in your user settings."
            );
            refused.push((located.at, message));
        }
        !broad
    });
    parsed.directories.retain(|located| {
        let wide = is_wide(&absolute(&located.value, cwd, home), home);
        if wide {
            let message = format!(
                "A project cannot add `{}`, which is your home or all of the disk; name the \
                 folder it needs.",
                located.value.escape_debug()
            );
            refused.push((located.at, message));
        }
        !wide
    });
    parsed.problems.extend(refused.into_iter().map(|(at, message)| (Some(at), message)));
}

/// Whether a rule allows whatever a shell can do.
fn is_broad(rule: &Rule) -> bool {
    let shell = SHELLS.contains(&rule.tool()) || rule.tool().chars().all(|c| c == '*');
    let everything = |spec: &str| spec.chars().all(|c| matches!(c, '*' | ':') || c.is_whitespace());
    shell && rule.spec().is_none_or(everything)
}

/// Looks through links, because a project can bring its own.
fn is_wide(folder: &Path, home: Option<&Path>) -> bool {
    let folder = files::real(folder);
    folder.parent().is_none() || home.is_some_and(|home| files::real(home).starts_with(&folder))
}

/// A path as settings write it: absolute, below the home directory, or below `cwd`. `.` and `..`
/// are resolved as they are written.
pub(super) fn absolute(written: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    let written = Path::new(written);
    let joined = match (written.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => cwd.join(written),
    };
    let mut path = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_every_command_are_broad() {
        let check = |rule: &str, expect: bool| {
            assert_eq!(is_broad(&rule.parse().unwrap()), expect, "{rule}");
        };
        check("Bash", true);
        check("Bash(*)", true);
        check("Bash(**)", true);
        check("Bash(:*)", true);
        check("Bash(* *)", true);
        check("PowerShell", true);
        check("*", true);
        check("Bash(git *)", false);
        check("Read", false);
        check("mcp__git__*", false);
    }

    #[test]
    fn paths_are_resolved_as_written() {
        let check = |written: &str, expect: &str| {
            let found = absolute(written, Path::new("/work/a"), Some(Path::new("/home/ann")));
            assert_eq!(found, Path::new(expect), "{written}");
        };
        check("/srv/x", "/srv/x");
        check("../b", "/work/b");
        check("./b/./c", "/work/a/b/c");
        check("~", "/home/ann");
        check("~/x/../y", "/home/ann/y");
        check("../../../..", "/");
        check("~ben", "/work/a/~ben");
        assert_eq!(absolute("~/x", Path::new("/w"), None), Path::new("/w/~/x"));
    }
}
