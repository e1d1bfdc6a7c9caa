//! Deletions nobody means: the root, the home folder, the workspace itself and whatever is above.

use std::path::{Path, PathBuf};

use super::program;
use super::suspect::Suspect;
use crate::paths::normalize;

/// The operand that would delete something irreplaceable, and the folder it stands for.
pub(crate) fn critical(
    suspect: &Suspect,
    cwds: &[PathBuf],
    roots: &[PathBuf],
    home: Option<&Path>,
) -> Option<String> {
    let starts = if suspect.runs_its_words { suspect.words.len() } else { 1 };
    suspect.words.iter().take(starts).enumerate().find_map(|(at, word)| {
        let rest = suspect.words.get(at + 1..).unwrap_or_default();
        let operands: Vec<&String> = match program(word) {
            "rm" | "rmdir" | "shred" => rest.iter().filter(|word| !word.starts_with('-')).collect(),
            "find" if rest.iter().any(|word| word == "-delete") => {
                rest.iter().take_while(|word| !word.starts_with('-')).collect()
            }
            _ => return None,
        };
        operands.into_iter().find_map(|operand| doomed(operand, cwds, roots, home))
    })
}

fn doomed(
    operand: &str,
    cwds: &[PathBuf],
    roots: &[PathBuf],
    home: Option<&Path>,
) -> Option<String> {
    if is_bare_variable(operand) {
        return Some(format!("`{operand}`"));
    }
    let folder = without_wildcard(operand);
    let folder = match (folder.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", home.display())
        }
        // Somebody's home folder, or ours under a name we do not know.
        (Some(rest), _) => {
            return (!rest.trim_end_matches('/').contains('/')).then(|| format!("`{operand}`"));
        }
        (None, _) => folder.to_owned(),
    };
    let paths = cwds.iter().map(|cwd| normalize(&cwd.join(&folder)));
    let mut fatal = paths.filter(|path| {
        path.components().count() <= 2
            || home.is_some_and(|home| home.starts_with(path))
            || roots.iter().chain(cwds).any(|root| root.starts_with(path))
    });
    fatal.next().map(|path| format!("`{operand}` ({})", path.display()))
}

/// `$VAR`, `$VAR/` or `$VAR/*`: empty, it is the root of the machine.
fn is_bare_variable(operand: &str) -> bool {
    let Some(rest) = operand.strip_prefix('$') else { return false };
    let rest = match rest.strip_prefix('{') {
        Some(inner) => inner.split_once('}').map_or("", |(_, after)| after),
        None => rest.trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric()),
    };
    matches!(rest, "" | "/" | "/*" | "/." | "/.*")
}

/// The folder whose whole contents `x/*` names; emptying it is as bad as removing it.
fn without_wildcard(operand: &str) -> &str {
    for ending in ["*", ".*", "**", "{*,.*}", ".[!.]*"] {
        match operand.strip_suffix(ending) {
            Some("") => return ".",
            Some(folder) if folder.ends_with('/') => {
                return if folder == "/" { folder } else { folder.trim_end_matches('/') };
            }
            _ => {}
        }
    }
    operand
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::suspect::suspects;

    #[test]
    fn irreplaceable_folders_are_recognised() {
        let (cwd, home) = (PathBuf::from("/home/u/w/sub"), Path::new("/home/u"));
        let roots = [PathBuf::from("/home/u/w")];
        let check = |text: &str, expect: bool| {
            let found = suspects(text, Some("/home/u")).commands;
            let hit = found
                .iter()
                .any(|one| critical(one, std::slice::from_ref(&cwd), &roots, Some(home)).is_some());
            assert_eq!(hit, expect, "{text}");
        };
        for text in [
            "rm -rf /",
            "rm -rf /*",
            "rm -rf ~",
            "rm -rf ~/",
            "rm -rf ~/*",
            "rm -rf $HOME",
            "rm -rf \"$HOME\"",
            "rm -rf .",
            "rm -rf ..",
            "rm -rf ./*",
            "rm -rf *",
            "rm -rf /tmp/../..",
            "rm -rf a /",
            "rm / -rf",
            "echo $(rm -rf /)",
            "rm -rf /etc",
            "rm -rf /home/u/w",
            "rm -rf $X/*",
            "rm -rf ${X}/",
            "rm -rf $X",
            "sudo rm -rf /",
            "/bin/rm -rf /",
            "bash -c 'rm -rf /'",
            "r''m -rf /",
            "rmdir /usr",
            "find / -delete",
            "rm -rf ~root",
            "rm -rf .*",
        ] {
            check(text, true);
        }
        for text in [
            "rm a",
            "rm -rf target",
            "rm -rf /tmp/x",
            "rm -rf /tmp/x/*",
            "rm -rf build/*",
            "rm -rf $X/build",
            "rm -rf ~/x/y",
            "echo rm -rf /",
            "find . -name x",
            "rm *.o",
        ] {
            check(text, false);
        }
    }
}
