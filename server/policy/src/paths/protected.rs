//! Paths whose contents are run or obeyed by other programs. Writing one always asks a person,
//! in every mode and whatever the allow rules say, whether the file exists yet or not.

use std::path::Path;

/// Directories by name; `a/b` means `b` directly inside `a`.
const DIRECTORIES: [&str; 30] = [
    ".git",
    ".config/git",
    ".config/fish",
    ".vscode",
    ".idea",
    ".husky",
    ".cargo",
    ".devcontainer",
    ".yarn",
    ".mvn",
    ".claude",
    ".bowline",
    ".agents",
    ".codex",
    ".ssh",
    ".gnupg",
    ".aws",
    ".docker",
    ".config/nvim",
    ".config/helix",
    ".config/zed",
    ".config/emacs",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".config/direnv",
    ".local/bin",
    ".helix",
    ".zed",
    ".cursor",
];

/// The same for what programs of the workspace write in their everyday work, such as installing a
/// package: a person is asked about an edit, but no wall stands there.
const MADE_BY_WORK: [&str; 13] = [
    "node_modules/.bin",
    ".venv/bin",
    "venv/bin",
    ".virtualenv/bin",
    ".venv/scripts",
    "venv/scripts",
    "claude.md",
    "claude.local.md",
    "agents.md",
    "agents.override.md",
    "gemini.md",
    ".cursorrules",
    ".windsurfrules",
];

/// Files by name; a `*` at the end matches any ending.
const FILES: [&str; 57] = [
    ".gitconfig",
    ".gitmodules",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".xinitrc",
    ".xprofile",
    ".xsessionrc",
    ".pam_environment",
    ".envrc",
    ".npmrc",
    ".yarnrc*",
    ".pnp.*",
    ".pnpmfile.cjs",
    "bunfig.toml",
    ".bazel*",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    ".pre-commit-hooks.yaml",
    "lefthook.*",
    ".lefthook.*",
    "lefthook-local.*",
    ".lefthook-local.*",
    "gradle-wrapper.properties",
    "maven-wrapper.properties",
    ".devcontainer.json",
    ".ripgreprc",
    "pyrightconfig.json",
    ".mcp.json",
    ".claude.json",
    ".netrc",
    ".pgpass",
    "authorized_keys",
    "id_rsa",
    "id_ed25519",
    ".exrc",
    ".vimrc",
    ".gvimrc",
    ".nvimrc",
    ".nvim.lua",
    ".dir-locals*",
    ".emacs*",
    ".lsp.json",
];

/// The protected name in `path`, if any component is one, in whatever spelling.
pub(crate) fn protected(path: &Path) -> Option<&'static str> {
    let parts = path.components().map(|part| part.as_os_str());
    // Nearly no path has a name that is worth a closer look.
    if !parts.clone().any(|name| may_be_protected(name.as_encoded_bytes())) {
        return None;
    }
    let names: Vec<String> = parts.map(|name| fold(&name.to_string_lossy())).collect();
    let mut at = 0;
    while let Some(name) = names.get(at) {
        let next = names.get(at + 1).map(String::as_str);
        // Our worktrees live inside `.claude`, and work happens in them; their own `.git` and
        // friends are still found further along the path.
        if name == ".claude" && next == Some("worktrees") && names.len() > at + 2 {
            at += 2;
            continue;
        }
        let directory =
            DIRECTORIES.iter().chain(&MADE_BY_WORK).find(|known| match known.split_once('/') {
                Some((parent, child)) => {
                    is_name(parent, name) && next.is_some_and(|next| is_name(child, next))
                }
                None => is_name(known, name),
            });
        if let Some(known) = directory.or_else(|| FILES.iter().find(|known| is_file(known, name))) {
            return Some(known);
        }
        at += 1;
    }
    None
}

/// Whether a protected name is one that everyday work writes.
pub(crate) fn is_made_by_work(known: &str) -> bool {
    MADE_BY_WORK.contains(&known)
}

/// Whether a name is worth a closer look. Nearly none is, and folders have many.
pub(crate) fn may_be_protected(name: &[u8]) -> bool {
    if name.starts_with(b".") || !name.is_ascii() || name.contains(&b'~') {
        return true;
    }
    FILES.iter().chain(&MADE_BY_WORK).any(|known| {
        let start = &known.as_bytes()[..known.len().min(4)];
        name.get(..start.len()).is_some_and(|name| name.eq_ignore_ascii_case(start))
    })
}

fn is_file(known: &str, name: &str) -> bool {
    match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => is_name(known, name),
    }
}

fn is_name(known: &str, name: &str) -> bool {
    name == known || is_short_name(known, name)
}

/// Whether a name is what Windows may call `known` in eight letters and three: `CLAUDE~1` for
/// `.claude`, `MCP~1.JSO` for `.mcp.json`. Which number it got nobody can know.
fn is_short_name(known: &str, name: &str) -> bool {
    let Some((start, rest)) = name.split_once('~') else { return false };
    let (number, ending) = rest.split_once('.').unwrap_or((rest, ""));
    let known = known.trim_start_matches('.');
    let (stem, known_ending) = known.rsplit_once('.').unwrap_or((known, ""));
    let letters = |text: &str, most: usize| -> String {
        text.chars().filter(|c| !matches!(c, '.' | ' ')).take(most).collect()
    };
    // A high number leaves fewer letters of the name.
    !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit())
        && !start.is_empty()
        && start == letters(stem, 7_usize.saturating_sub(number.len()))
        && ending == letters(known_ending, 3)
}

/// One spelling for every name that some file system treats as the same: case, code points that
/// HFS ignores, and the trailing dots, blanks and streams that Windows sets apart. No protected name
/// has a letter that can be composed in two ways, so that composition makes no difference.
fn fold(name: &str) -> String {
    let visible = name.chars().filter(|c| !is_ignorable(*c));
    // Upper case first: it also folds letters such as the long s, which has no lower case twin.
    let folded: String =
        visible.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    let folded = folded.split(':').next().unwrap_or_default();
    folded.trim_end_matches(['.', ' ']).to_owned()
}

fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_names_are_found_in_any_spelling() {
        let check = |path: &str, expect: bool| {
            assert_eq!(protected(Path::new(path)).is_some(), expect, "{path}");
        };
        check("/w/.git/hooks/pre-commit", true);
        check("/w/.GIT/config", true);
        check("/w/.git./config", true);
        check("/w/.git ", true);
        check("/w/GIT~1/config", true);
        check("/w/git~23/config", true);
        check("/w/CLAUDE~1/settings.json", true);
        check("/w/gitcon~1", true);
        check("/w/MCP~1.JSO", true);
        check("/h/CONFIG~1/fish/x", true);
        check("/h/CONFIG~1/other/x", false);
        check("/w/notes~1/config", false);
        check("/w/git~/config", false);
        check("/w/~1/config", false);
        check("/w/.git:stream:$DATA", true);
        check("/w/.git\u{301}/config", false);
        check("/w/.git::$INDEX_ALLOCATION/config", true);
        check("/w/.g\u{200c}it/config", true);
        check("/w/.\u{17f}sh/id", true);
        check("/w/.github/workflows/a.yml", false);
        check("/w/.gitignore", false);
        check("/w/git/config", false);
        check("/h/.config/git/config", true);
        check("/h/.config/other/git", false);
        check("/h/.bashrc", true);
        check("/w/.yarnrc.yml", true);
        check("/w/.pnp.cjs", true);
        check("/w/.bazelrc", true);
        check("/w/lefthook.yml", true);
        check("/w/gradle/wrapper/gradle-wrapper.properties", true);
        check("/w/.claude/settings.json", true);
        check("/w/.claude/worktrees", true);
        check("/w/.claude/worktrees/a/src/x.rs", false);
        check("/w/.claude/worktrees/a/.git", true);
        check("/w/.claude/worktrees/.git/x", true);
        check("/w/.bowline/settings.json", true);
        check("/h/.ssh/config", true);
        check("/h/.aws/credentials", true);
        check("/w/.exrc", true);
        check("/w/.nvim.lua", true);
        check("/h/.vimrc", true);
        check("/h/.config/nvim/init.lua", true);
        check("/w/.dir-locals.el", true);
        check("/h/.emacs.d/init.el", true);
        check("/w/.helix/languages.toml", true);
        check("/w/.zed/tasks.json", true);
        check("/w/.cursor/mcp.json", true);
        check("/w/.lsp.json", true);
        check("/h/.config/systemd/user/x.service", true);
        check("/h/.config/autostart/x.desktop", true);
        check("/h/.config/environment.d/a.conf", true);
        check("/h/.config/direnv/direnvrc", true);
        check("/h/.xsessionrc", true);
        check("/h/.local/bin/x", true);
        check("/h/.local/share/x", false);
        check("/w/venv/bin/python", true);
        check("/w/.venv/bin/python3", true);
        check("/w/venv/lib/x.py", false);
        check("/w/node_modules/.bin/x", true);
        check("/w/node_modules/x/index.js", false);
        check("/w/CLAUDE.md", true);
        check("/w/sub/agents.MD", true);
        check("/w/docs/agents.rs", false);
        check("/w/bin/python", false);
        check("/w/src/main.rs", false);
    }
}
