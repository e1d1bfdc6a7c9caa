//! Deletions nobody means: the root, the home folder, the workspace itself and whatever is above.

use std::path::{Path, PathBuf};

use super::flags::has_letter;
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
        let mut lost = removed(program(word), rest).into_iter();
        lost.find_map(|operand| doomed(operand, cwds, roots, home))
    })
}

/// What a program removes or takes away as a whole.
fn removed<'a>(name: &str, rest: &'a [String]) -> Vec<&'a str> {
    let operands = || rest.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    match name {
        "rm" | "rmdir" | "shred" | "unlink" => {
            let whole = rest.iter().any(|word| {
                has_letter(word, &['r', 'R']) || word.starts_with("--r") || word == "--recursive"
            });
            // `rm $(ls x)` names some files; with `-r` it may be anything.
            operands().filter(|word| whole || !is_substitution(word)).collect()
        }
        // All but the last, which is where they go; what a pattern names is not the folder itself.
        "mv" => {
            let sources = operands().count().saturating_sub(1);
            operands().take(sources).filter(|word| !word.contains('*')).collect()
        }
        "rsync" if rest.iter().any(|word| word.starts_with("--del")) => {
            operands().next_back().into_iter().collect()
        }
        "find" => searched_for_removal(rest),
        _ => Vec::new(),
    }
}

/// The folders in which `find` deletes, unless it is told what to look for.
fn searched_for_removal(rest: &[String]) -> Vec<&str> {
    let is_remover = |word: &String| matches!(program(word), "rm" | "rmdir" | "shred" | "unlink");
    let runs = rest.windows(2).any(|pair| {
        (pair[0].starts_with("-exec") || pair[0].starts_with("-ok")) && is_remover(&pair[1])
    });
    let narrow = |word: &String| {
        [
            "-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-mtime", "-newer", "-size",
            "-empty",
        ]
        .contains(&word.as_str())
    };
    let told = rest.iter().any(narrow);
    let deletes = rest.iter().any(|word| word == "-delete");
    let folders = rest.iter().map(String::as_str).take_while(|word| !word.starts_with('-'));
    if deletes || (runs && !told) { folders.collect() } else { Vec::new() }
}

fn is_substitution(operand: &str) -> bool {
    operand.starts_with("$(") || operand.starts_with('`')
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

/// `$VAR`, `$VAR/` or `$VAR/*`: empty, it is the root of the machine. `$(pwd)` is as good.
fn is_bare_variable(operand: &str) -> bool {
    if is_substitution(operand) {
        return operand.trim_end_matches(['/', '*', '.']).ends_with([')', '`']);
    }
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
            "rm -rf \"$(pwd)\"",
            "rm -rf `pwd`",
            "rm -r $(git rev-parse --show-toplevel)/",
            "find ~ -exec rm {} \\;",
            "find / -type f -exec rm -f {} +",
            "find . -execdir rm -rf {} +",
            "mv ~ x",
            "mv a .. x",
            "rsync -a --delete x/ ~/",
            "rsync -a --delete-after x/ .",
            "unlink ~",
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
            "rm $(ls *.o)",
            "rm -rf $(pwd)/build",
            "find . -name '*.o' -exec rm {} +",
            "find sub -exec cat {} +",
            "mv a ..",
            "mv ./* x",
            "rsync -a x/ ~/",
            "rsync -a --delete x/ y/",
        ] {
            check(text, false);
        }
    }
}
