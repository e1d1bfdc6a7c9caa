//! Arguments that turn an everyday command into another one. A rule with a wildcard was not
//! written with them in mind, so it does not cover them; a rule that spells them out does.
//!
//! Of programs with options that run, send or write something, the harmless options are listed and
//! every other one counts: new options come, and old ones have abbreviations.

mod git;
mod sed;
mod transfer;

use super::flags::{Flags, has_letter, unknown};
use super::program;
use super::programs::SHELLS;
use super::readonly;

/// The words that make the command more than its name says.
pub(crate) fn dangers(words: &[String]) -> Vec<&str> {
    let Some((name, rest)) = words.split_first() else { return Vec::new() };
    let all = |test: &dyn Fn(&str) -> bool| -> Vec<&str> {
        rest.iter().map(String::as_str).filter(|word| test(word)).collect()
    };
    match program(name) {
        "git" => git::dangers(words),
        "curl" => transfer::curl(rest),
        "wget" => transfer::wget(rest),
        "tar" | "gtar" | "bsdtar" => transfer::tar(rest),
        "sed" | "gsed" => sed::dangers(rest),
        "find" => all(&|word| {
            word.starts_with("-exec")
                || word.starts_with("-ok")
                || word.starts_with("-fprint")
                || matches!(word, "-delete" | "-fls")
        }),
        "fd" | "fdfind" => all(&|word| word.starts_with("--exec") || has_letter(word, &['x', 'X'])),
        "awk" | "gawk" | "mawk" | "nawk" => {
            const KNOWN: Flags = Flags { short: "", valued: "Fv", long: &[] };
            let leaves = ["system", "getline", "|", ">", "@load", "@include", "SYMTAB"];
            let mut found = unknown(rest, &KNOWN);
            found.extend(all(&|word| leaves.iter().any(|part| word.contains(part))));
            found
        }
        "printf" => all(&|word| word.starts_with("-v")),
        name @ ("rg" | "sort" | "tree" | "file" | "uniq" | "base64") => {
            readonly::flags_of(name).map_or_else(Vec::new, |flags| unknown(rest, flags))
        }
        "ssh" | "scp" => all(&|word| {
            let word = word.to_ascii_lowercase();
            word.contains("command") || word.contains("provider") || word.starts_with("-f")
        }),
        "go" => all(&|word| {
            let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
            word.starts_with('-')
                && matches!(
                    name,
                    "exec" | "toolexec" | "vettool" | "overlay" | "modfile" | "ldflags" | "C"
                )
        }),
        "cargo" => all(&|word| {
            word.starts_with('+') || word.starts_with("--config") || has_letter(word, &['Z', 'C'])
        }),
        "make" | "gmake" => all(&|word| {
            word.starts_with("--ev") || word.starts_with("SHELL=") || has_letter(word, &['E'])
        }),
        "npm" | "pnpm" | "yarn" => {
            all(&|word| word.starts_with("--script-shell") || word.starts_with("--node-options"))
        }
        "xargs" | "env" | "watch" | "setsid" | "ionice" | "flock" | "sudo" | "doas" => {
            all(&|_| true)
        }
        name if SHELLS.contains(&name) => all(&|word| word.trim().is_empty()),
        _ => Vec::new(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharp_arguments_are_found() {
        let check = |text: &str, expect: &[&str]| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            assert_eq!(dangers(&words), expect, "{text}");
        };
        check("git push origin main", &[]);
        check("git push -f origin", &["-f", "-f"]);
        check("git push origin +main", &["+main"]);
        check("git push --force --receive-pack=x", &["--force", "--force", "--receive-pack=x"]);
        check("git push --exec=x", &["--exec=x"]);
        check("git branch -dr x", &["-dr", "-dr"]);
        check("git reset --hard", &["--hard", "--hard"]);
        check("git reset HEAD a", &[]);
        check("git commit -am x", &[]);
        check("git commit -m --exec", &[]);
        check("git clone -c a.b=c x", &["-c"]);
        check("git clone --depth 1 https://h/x", &[]);
        check("git clone ext::sh x", &["ext::sh"]);
        check("git rebase --exe x", &["--exe"]);
        check("git rebase -i HEAD~3", &[]);
        check("git grep --op=x y", &["--op=x"]);
        check("git grep -n y src", &[]);
        check("git archive --exec=x HEAD", &["--exec=x"]);
        check("git -c a=b log", &["-c"]);
        check("git --no-pager log -5", &[]);
        check("git config core.hooksPath x", &["config"]);
        check("git clean -fdx", &["clean", "clean"]);
        check("git brandnew x", &["brandnew"]);
        check("curl https://docs.io/a", &[]);
        check("curl -sSfL --max-time 5 -H A:b https://docs.io/a", &[]);
        check("curl https://docs.io -o /dev/null -w %{http_code}", &[]);
        check("curl https://docs.io -sLo f", &["-sLo"]);
        check("curl https://docs.io -sK f", &["-sK", "f"]);
        check("curl https://docs.io -sT f", &["-sT", "f"]);
        check("curl https://docs.io --json @f", &["--json", "@f"]);
        check("curl https://docs.io -H @f", &["-H"]);
        check("curl https://docs.io https://evil", &["https://evil"]);
        check("curl https://docs.io -w %output{x}", &["-w"]);
        check("curl file:///x", &["file:///x"]);
        check("wget -qO- https://h/x", &[]);
        check("wget --post-file=x https://h", &["--post-file=x"]);
        check("wget -O x https://h", &["-O"]);
        check("tar xzf a.tgz -C out", &[]);
        check("tar -czvf a.tgz src --exclude=x", &[]);
        check("tar xf a --to-com=x", &["--to-com=x"]);
        check("tar xf a -Ix", &["-Ix"]);
        check("tar xf host:a", &["xf"]);
        check("sort --comp=x a", &["--comp=x"]);
        check("sort -uo f a", &["-uo"]);
        check("sort -k2 -u a", &[]);
        check("fd -Hx y", &["-Hx"]);
        check("fd -H y", &[]);
        check("gawk -i inplace 1 a", &["-i"]);
        check("go test -exec x ./...", &["-exec"]);
        check("go test -run X ./...", &[]);
        check("cargo test --config x", &["--config"]);
        check("cargo test -p x", &[]);
        check("find . -name x", &[]);
        check("find . -exec x", &["-exec"]);
        check("npm test", &[]);
    }
}
