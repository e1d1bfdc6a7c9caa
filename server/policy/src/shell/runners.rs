//! Programs that run what they are given: their words, texts inside their words, or what comes in.

use super::flags::has_letter;
use super::lex::Word;
use super::program;
use super::programs::{RUNNERS, SHELLS};

/// Programs that run their words only behind one of these.
const BEHIND: &[(&str, &[&str])] = &[
    ("npm", &["exec", "x"]),
    ("pnpm", &["exec", "dlx", "x"]),
    ("yarn", &["exec", "dlx"]),
    ("bun", &["x", "exec"]),
    ("uv", &["run", "tool"]),
    ("poetry", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("pipenv", &["run"]),
    ("conda", &["run"]),
    ("bundle", &["exec"]),
    ("direnv", &["exec"]),
    ("mise", &["exec", "x"]),
    ("asdf", &["exec"]),
    ("rbenv", &["exec"]),
    ("pyenv", &["exec"]),
    ("rustup", &["run"]),
    ("nix", &["run", "shell", "develop"]),
    ("op", &["run"]),
    ("git", &["bisect", "submodule", "rebase", "filter-branch", "difftool", "for-each-repo"]),
];

/// Whether any tail of the words may be a command of its own.
pub(crate) fn runs_its_words(name: &str, words: &[Word]) -> bool {
    if is_runner(name) {
        return true;
    }
    let behind = BEHIND.iter().find(|(known, _)| *known == name);
    behind.is_some_and(|(_, commands)| {
        let mut texts = words.iter().skip(1).map(Word::text);
        texts.any(|text| commands.contains(&text.as_str()))
    })
}

pub(crate) fn is_runner(name: &str) -> bool {
    // GNU programs have a `g` before their name where the system has its own.
    let plain = name.strip_prefix('g').unwrap_or(name);
    RUNNERS.contains(&name)
        || RUNNERS.contains(&plain)
        || SHELLS.contains(&name)
        || name.starts_with("ld-linux")
        || name.starts_with("ld-musl")
        || name.starts_with("ld.so")
        || name.starts_with("ld64.so")
}

/// The scripts among the arguments of a program.
pub(crate) fn scripts_of(name: &str, arguments: &[String]) -> Vec<String> {
    let mut found = evaluated(name, arguments);
    if name == "git" {
        found.extend(given_to_git(arguments));
    }
    found.extend(arguments.iter().filter_map(|text| glued(name, text)));
    found
}

/// What is glued to an option of a runner and is a command: `env -Sx`, `su --command=x`, `fd -xy`.
fn glued(name: &str, option: &str) -> Option<String> {
    const LONG: [&str; 4] = ["command", "split-string", "coreutils-prog", "exec"];
    let letters = match name {
        "env" | "genv" => "S",
        "su" | "runuser" | "script" | "flock" | "sg" => "c",
        "fd" | "fdfind" => "xX",
        "coreutils" => "",
        _ => return None,
    };
    let value = match option.strip_prefix("--") {
        Some(long) => {
            let (given, value) = long.split_once('=')?;
            LONG.iter().any(|known| known.starts_with(given)).then_some(value)
        }
        None => {
            let cluster = option.strip_prefix('-')?;
            let at = cluster.find(|c| letters.contains(c))?;
            cluster.get(at + 1..)
        }
    };
    value.filter(|value| !value.is_empty()).map(str::to_owned)
}

/// Texts that a builtin evaluates although they are quoted, as scripts that evaluate them: `let
/// 'a[$(x)]'`, `printf -v 'a[$(x)]'`.
fn evaluated(name: &str, texts: &[String]) -> Vec<String> {
    let has = |flags: &[&str]| texts.iter().any(|text| flags.contains(&text.as_str()));
    let evaluates = match name {
        "let" | "unset" | "read" | "declare" | "typeset" | "local" | "export" | "readonly"
        | "getopts" | "[[" | "wait" => true,
        "printf" => texts.iter().any(|text| text.starts_with("-v")),
        "test" | "[" => has(&["-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"]),
        _ => false,
    };
    let suspicious = |text: &&String| text.contains("$(") || text.contains('`');
    let script = |text: &String| format!(": {text}");
    if evaluates { texts.iter().filter(suspicious).map(script).collect() } else { Vec::new() }
}

/// What git is told to run: `-c alias.x=!cmd`, `--upload-pack=cmd`, `-x cmd`, `ext::cmd`.
fn given_to_git(texts: &[String]) -> Vec<String> {
    const LONG: [&str; 6] = [
        "--exec",
        "--upload-pack",
        "--receive-pack",
        "--extcmd",
        "--config",
        "--open-files-in-pager",
    ];
    const SHORT: [&str; 4] = ["-c", "-x", "-u", "-O"];
    let mut found = Vec::new();
    let mut before = "";
    for text in texts {
        if LONG.contains(&before) || SHORT.contains(&before) {
            found.push(text.as_str());
        }
        let glued = SHORT.iter().find_map(|flag| text.strip_prefix(flag));
        found.extend(glued.filter(|rest| !rest.is_empty()));
        found.extend(text.split_once("ext::").map(|(_, rest)| rest));
        let long = text
            .split_once('=')
            .filter(|(name, _)| name.len() > 2 && LONG.iter().any(|known| known.starts_with(name)));
        found.extend(long.map(|(_, value)| value));
        before = text;
    }
    // Of a setting the value, and of an alias what comes after the sign.
    let command = |text: &str| match text.split_once('=').filter(|(key, _)| key.contains('.')) {
        Some((_, value)) => value.trim_start_matches('!').to_owned(),
        None => text.to_owned(),
    };
    found.into_iter().map(command).collect()
}

/// Whether what runs comes from somewhere that is not looked at: a shell that reads a pipe, a program
/// that is put together from input.
pub(crate) fn runs_its_input(name: &str, words: &[Word]) -> bool {
    let arguments: Vec<String> = words.iter().skip(1).map(Word::text).collect();
    let has = |test: &dyn Fn(&str) -> bool| arguments.iter().any(|word| test(word));
    match name {
        "source" | "." => {
            let file = arguments.first();
            file.is_none_or(|file| file.starts_with("/dev/") || file.starts_with("/proc/"))
                || words.get(1).is_some_and(|word| word.dynamic)
        }
        "xargs" | "gxargs" | "parallel" => {
            let replaces = has(&|word| {
                word.starts_with("-I") || word.starts_with("-i") || word.starts_with("--re")
            });
            replaces || takes_its_program(name, &arguments)
        }
        "find" => arguments.windows(2).any(|pair| {
            (pair[0].starts_with("-exec") || pair[0].starts_with("-ok")) && pair[1].contains("{}")
        }),
        // A builtin out of a library.
        "enable" => has(&|word| has_letter(word, &['f'])),
        name if SHELLS.contains(&name) => reads_its_script(&arguments),
        _ => false,
    }
}

/// `xargs env`, `xargs -0 sh -c`, `parallel`: the program itself is among what comes in.
fn takes_its_program(name: &str, arguments: &[String]) -> bool {
    let is_setting = |text: &String| {
        text.starts_with('-')
            || text.contains('=')
            || text.trim_end_matches(['s', 'm', 'h', 'd', 'k', '%']).parse::<f64>().is_ok()
    };
    let last = arguments.iter().rposition(|text| !is_setting(text));
    match last.and_then(|at| arguments.get(at)) {
        None => name == "parallel",
        Some(text) => is_runner(program(text)),
    }
}

fn reads_its_script(arguments: &[String]) -> bool {
    let has = |test: &dyn Fn(&str) -> bool| arguments.iter().any(|word| test(word));
    let plain = |word: &str| !word.starts_with(['-', '+']);
    let told = arguments.iter().position(|word| has_letter(word, &['c']));
    match told {
        // `-c` without a text behind it gets one from whoever starts the shell.
        Some(at) => !arguments.iter().skip(at + 1).any(|word| plain(word)),
        None => {
            !has(&plain)
                || has(&|word| word.starts_with("/dev/") || word.starts_with("/proc/"))
                || has(&|word| has_letter(word, &['s']))
        }
    }
}
