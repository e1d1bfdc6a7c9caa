//! Arguments that turn an everyday command into another one. A rule with a wildcard was not
//! written with them in mind, so it does not cover them; a rule that spells them out does.

use super::destructive::{Loss, loss};
use super::flags::has_letter;
use super::program;
use super::programs::SHELLS;

/// The word that makes the command more than its name says, if there is one.
pub(crate) fn danger(words: &[String]) -> Option<&str> {
    let (name, rest) = words.split_first()?;
    let any = |test: &dyn Fn(&str) -> bool| rest.iter().map(String::as_str).find(|word| test(word));
    match program(name) {
        "git" => git(words),
        "find" | "fd" | "fdfind" => any(&|word| {
            word.starts_with("-exec")
                || word.starts_with("-ok")
                || word.starts_with("-fprint")
                || matches!(word, "-delete" | "-fls" | "-x" | "-X" | "--exec" | "--exec-batch")
        }),
        "awk" | "gawk" | "mawk" | "nawk" => any(&|word| {
            ["system", "getline", "|", ">", "-f", "@load"].iter().any(|part| word.contains(part))
        }),
        "sed" => any(&|word| {
            word.starts_with("-f")
                || word.starts_with("--file")
                || word.starts_with("--expression=")
        }),
        "printf" => any(&|word| word == "-v"),
        "curl" | "wget" => any(&|word| {
            [
                "-o",
                "-O",
                "-K",
                "-T",
                "-d",
                "-F",
                "--output",
                "--config",
                "--upload",
                "--data",
                "--form",
                "--remote-name",
                "--post",
                "--use-askpass",
                "file:",
            ]
            .iter()
            .any(|start| word.starts_with(start))
        }),
        "rg" => any(&|word| word.starts_with("--pre") || word.starts_with("--hostname-bin")),
        "sort" => any(&|word| {
            word.starts_with("-o") || word.starts_with("--o") || word.starts_with("--compress")
        }),
        "tar" => any(&|word| {
            [
                "-I",
                "--to-command",
                "--use-compress",
                "--checkpoint-action",
                "--info-script",
                "--rsh-command",
            ]
            .iter()
            .any(|start| word.starts_with(start))
        }),
        "ssh" | "scp" => any(&|word| word.to_ascii_lowercase().contains("command")),
        "xargs" | "env" | "watch" | "setsid" | "ionice" | "flock" | "sudo" | "doas" => {
            any(&|_| true)
        }
        name if SHELLS.contains(&name) => any(&|word| word.trim().is_empty()),
        _ => None,
    }
}

/// Programs with options that run or write something else.
pub(crate) fn has_sharp_options(name: &str) -> bool {
    const SHARP: [&str; 14] = [
        "find", "fd", "fdfind", "rg", "sort", "tar", "awk", "gawk", "sed", "curl", "wget", "ssh",
        "scp", "rsync",
    ];
    SHARP.contains(&program(name))
}

/// What loses work, and what makes git run or fetch something else.
fn git(words: &[String]) -> Option<&str> {
    let (command, rest) = words.get(1..)?.split_first()?;
    if command.starts_with('-') {
        return Some(command);
    }
    if let Some(Loss::Work { word, .. }) = loss(words) {
        return Some(word);
    }
    let any = |test: &dyn Fn(&str) -> bool| rest.iter().map(String::as_str).find(|word| test(word));
    match command.as_str() {
        "config" | "restore" | "clean" | "daemon" | "submodule" | "bisect" => Some(command),
        "rebase" => any(&|word| word.starts_with("--exec") || has_letter(word, &['x'])),
        "grep" => any(&|word| word.starts_with("-O") || word.starts_with("--open")),
        "remote" => any(&|word| matches!(word, "add" | "set-url" | "remove" | "rename")),
        "log" | "show" | "diff" => {
            any(&|word| word.starts_with("--o") || word.starts_with("--ext"))
        }
        "fetch" | "pull" | "clone" | "ls-remote" => any(&|word| {
            word.starts_with("--up") || word.contains("ext::") || has_letter(word, &['u'])
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharp_arguments_are_found() {
        let check = |text: &str, expect: Option<&str>| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            assert_eq!(danger(&words), expect, "{text}");
        };
        check("git push origin main", None);
        check("git push -f origin", Some("-f"));
        check("git push --force-with-lease", Some("--force-with-lease"));
        check("git push origin +main", Some("+main"));
        check("git branch -dr x", Some("-dr"));
        check("git reset --hard", Some("--hard"));
        check("git reset HEAD a", None);
        check("git commit -m x", None);
        check("git -c a=b log", Some("-c"));
        check("git config core.hooksPath x", Some("config"));
        check("git clean -fdx", Some("clean"));
        check("find . -name x", None);
        check("find . -exec x", Some("-exec"));
        check("npm test", None);
    }
}
