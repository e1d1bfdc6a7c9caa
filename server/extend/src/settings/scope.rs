//! What a project's own files may not do, even when the folder is trusted: whoever can commit to
//! a repository can write them.

use std::path::{Component, Path, PathBuf};

use policy::{Behavior, Mode, Rule};

use super::parse::{At, Parsed};
use super::sandbox;
use crate::files;

/// That a person has agreed to the mode that asks nothing.
pub(super) const BYPASS_AGREED: &str = "skipDangerousModePermissionPrompt";

const SHELLS: [&str; 3] = ["Bash", "PowerShell", "Monitor"];

/// Single values that a project may set in one direction only: the key, the value it may not
/// have, and what to say.
const ONE_WAY: [(&str, bool, &str); 20] = [
    ("sandbox.enabled", false, "A project cannot turn the sandbox off"),
    ("sandbox.failIfUnavailable", false, "A project cannot let commands run without a sandbox"),
    ("sandbox.autoAllowBashIfSandboxed", true, "A project cannot decide that nothing is asked"),
    ("sandbox.allowUnsandboxedCommands", true, "A project cannot open the sandbox"),
    ("sandbox.limitMemory", false, "A project cannot give commands more memory"),
    ("sandbox.network.allowAllUnixSockets", true, "A project cannot open sockets"),
    ("sandbox.network.allowLocalBinding", true, "A project cannot open ports"),
    ("sandbox.filesystem.disabled", true, "A project cannot open the disk"),
    ("enableAllProjectMcpServers", true, "A project cannot approve its own MCP servers"),
    ("disableAllHooks", true, "A project cannot switch off hooks"),
    (BYPASS_AGREED, true, "A project cannot agree to a mode that asks nothing"),
    ("useAutoModeDuringPlan", true, "A project cannot loosen plan mode"),
    ("promptSuggestionEnabled", true, SPENDS),
    ("helpers.title", true, SPENDS),
    ("helpers.toolSummaries", true, SPENDS),
    ("helpers.magicDocs", true, SPENDS),
    ("helpers.awaySummary", true, SPENDS),
    ("helpers.sessionMemory", true, SPENDS),
    ("shareEditorFocus", true, "A project cannot share what you look at"),
    ("commandsInTerminal", true, "A project cannot take commands out of the sandbox"),
];
const SPENDS: &str = "A project cannot have your model asked";
/// Lists and texts that a project may not set at all.
const NEVER: [(&str, &str); 14] = [
    ("allowedHttpHookUrls", "A project cannot say where hooks send things"),
    ("httpHookAllowedEnvVars", "A project cannot say what hooks send along"),
    ("sandbox.excludedCommands", "A project cannot take commands out of the sandbox"),
    ("sandbox.network.allowedDomains", "A project cannot open the network"),
    ("sandbox.network.allowUnixSockets", "A project cannot open sockets"),
    ("sandbox.filesystem.allowRead", "A project cannot open what is closed to reading"),
    ("autoMode.allow", "A project cannot tell the auto mode what to allow"),
    ("autoMode.environment", "A project cannot tell the auto mode what to believe"),
    ("enabledMcpjsonServers", "A project cannot approve its own MCP servers"),
    ("apiKeyHelper", "A project cannot name the command that prints your key"),
    ("webSearch.url", "A project cannot choose who searches the web"),
    ("webSearch.headers", "A project cannot choose who searches the web"),
    ("sandbox.bwrapPath", "A project cannot choose the sandbox's programs"),
    ("sandbox.socatPath", "A project cannot choose the sandbox's programs"),
];
/// The same for numbers, and for what is kept as it is written.
const NEVER_EITHER: [(&str, &str); 3] = [
    (sandbox::HTTP_PORT, "A project cannot choose the proxy of commands"),
    (sandbox::SOCKS_PORT, "A project cannot choose the proxy of commands"),
    (sandbox::IGNORED, "A project cannot hide what the sandbox refused"),
];
/// Only the administrator may say these.
const ONLY_MANAGED: [&str; 6] = [
    super::plugins_only::KEY,
    "allowedProviders",
    "allowManagedPermissionRulesOnly",
    "allowManagedHooksOnly",
    "sandbox.network.allowManagedDomainsOnly",
    "sandbox.filesystem.allowManagedReadPathsOnly",
];
const MOVE: &str = "put it into your user settings if you want it.";

/// Takes out of anybody's settings but the administrator's what only the administrator may set.
pub(super) fn only_managed(parsed: &mut Parsed) {
    for key in ONLY_MANAGED {
        let flag = parsed.bools.remove(key).map(|found| found.at);
        let list = parsed.lists.remove(key).map(|list| list.first().map(|found| found.at));
        let Some(at) = flag.map(Some).or(list) else { continue };
        parsed.forget_key(key);
        let message = format!("`{key}` counts in the managed policy only; remove it here.");
        parsed.problems.push((at, message));
    }
}

/// Takes out of settings that come with a command what only a file says: whoever can start us could
/// agree in the user's place.
pub(super) fn not_by_flag(parsed: &mut Parsed) {
    if let Some(found) = parsed.bools.remove(BYPASS_AGREED) {
        parsed.forget(found.at);
        let message = format!(
            "`{BYPASS_AGREED}` does not count on the command line; put it into your user settings."
        );
        parsed.problems.push((Some(found.at), message));
    }
}

/// Takes out of a project's settings what only the user or the administrator may set.
pub(super) fn restrict(parsed: &mut Parsed, cwd: &Path, home: Option<&Path>) {
    let mut refused: Vec<(At, String)> = Vec::new();
    if let Some(env) = parsed.env.take_if(|env| !env.value.is_empty()) {
        refused.push((
            env.at,
            "`env` is ignored in a project's settings; move it to your user settings.".to_owned(),
        ));
        parsed.forget_key("env");
    }
    let alone =
        |mode: Mode| matches!(mode, Mode::BypassPermissions | Mode::Auto | Mode::AcceptEdits);
    if let Some(mode) = parsed.mode.take_if(|mode| alone(mode.value)) {
        let message = format!(
            "A project cannot turn on {}; choose the mode yourself when you start.",
            mode.value
        );
        refused.push((mode.at, message));
    }
    for (key, value, what) in ONE_WAY {
        if parsed.bools.get(key).is_some_and(|found| found.value == value)
            && let Some(found) = parsed.bools.remove(key)
        {
            refused.push((found.at, format!("{what}; {MOVE}")));
        }
    }
    for (key, what) in NEVER {
        let texts = parsed.lists.remove(key).into_iter().flatten();
        let found: Vec<_> = texts.chain(parsed.texts.remove(key)).map(|found| found.at).collect();
        refused.extend(found.first().map(|at| (*at, format!("{what}; {MOVE}"))));
        parsed.forget_key(key);
    }
    for (key, what) in NEVER_EITHER {
        let number = parsed.numbers.remove(key).is_some();
        if parsed.raw.remove(key).is_some() || number {
            parsed.problems.push((None, format!("{what} (`{key}`); {MOVE}")));
            parsed.forget_key(key);
        }
    }
    refused.extend(outside(parsed, cwd, home));
    rules_and_folders(parsed, cwd, home, &mut refused);
    refused.iter().for_each(|(at, _)| parsed.forget(*at));
    parsed.problems.extend(refused.into_iter().map(|(at, message)| (Some(at), message)));
}

/// What a project wants to write outside of itself. Inside it everything is writable anyway.
fn outside(parsed: &mut Parsed, cwd: &Path, home: Option<&Path>) -> Vec<(At, String)> {
    let list = parsed.lists.remove("sandbox.filesystem.allowWrite").unwrap_or_default();
    let outside = list
        .into_iter()
        .filter(|located| !sandbox::path(&located.value, cwd, home).starts_with(cwd));
    let message = |written: &str| {
        format!(
            "A project cannot make `{}` writable, which is outside of it; {MOVE}",
            written.escape_debug()
        )
    };
    outside.map(|located| (located.at, message(&located.value))).collect()
}

fn rules_and_folders(
    parsed: &mut Parsed,
    cwd: &Path,
    home: Option<&Path>,
    refused: &mut Vec<(At, String)>,
) {
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
