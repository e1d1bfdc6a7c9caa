//! Programs that only change how another one runs, taken off before a command is matched.

use super::prove::Literal;

/// More layers than this are not unwrapped, and so not allowed.
const DEEPEST: usize = 8;

/// The command behind its wrappers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unwrapped<'a> {
    pub(crate) words: &'a [Literal],
    /// More arguments come from standard input.
    pub(crate) open: bool,
}

/// Takes off wrappers whose every option is understood; stops at the first that is not.
pub(crate) fn unwrap(words: &[Literal]) -> Unwrapped<'_> {
    let mut inner = Unwrapped { words, open: false };
    for _ in 0..DEEPEST {
        let Some((wrapper, rest)) = inner.words.split_first() else { break };
        let skipped = match wrapper.text.as_str() {
            "time" => skip(rest, &["-p"], &[]),
            "nohup" | "builtin" | "command" => Some(0),
            "nice" => skip(rest, &[], &["-n"]),
            "stdbuf" => skip_stdbuf(rest),
            "timeout" => skip(rest, &["--foreground", "--preserve-status", "-v"], &["-k", "-s"])
                .filter(|at| rest.get(*at).is_some_and(is_duration))
                .map(|at| at + 1),
            "xargs" => Some(0),
            _ => None,
        };
        let next = skipped.and_then(|at| rest.get(at..)).filter(|next| {
            next.first().is_some_and(|first| !first.glob && !first.text.starts_with('-'))
        });
        let Some(next) = next else { break };
        inner = Unwrapped { words: next, open: inner.open || wrapper.text == "xargs" };
    }
    inner
}

/// How many leading words are options: `plain` ones alone, `valued` ones with the next word.
fn skip(words: &[Literal], plain: &[&str], valued: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        if plain.contains(&word.text.as_str()) {
            at += 1;
        } else if valued.contains(&word.text.as_str()) {
            words.get(at + 1)?;
            at += 2;
        } else {
            return None;
        }
    }
    Some(at)
}

fn skip_stdbuf(words: &[Literal]) -> Option<usize> {
    let attached = |word: &&Literal| {
        let text = word.text.as_str();
        ["-o", "-e", "-i"].iter().any(|flag| text.strip_prefix(flag).is_some_and(is_buffering))
    };
    Some(words.iter().take_while(attached).count())
}

fn is_buffering(mode: &str) -> bool {
    mode == "L" || (!mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_duration(word: &Literal) -> bool {
    let number = word.text.trim_end_matches(['s', 'm', 'h', 'd']);
    !word.glob
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::prove::prove;

    #[test]
    fn known_wrappers_come_off() {
        let check = |text: &str, expect: &str, open: bool| {
            let commands = prove(text, None).unwrap();
            let inner = unwrap(&commands[0].words);
            let words: Vec<&str> = inner.words.iter().map(|word| word.text.as_str()).collect();
            assert_eq!((words.join(" ").as_str(), inner.open), (expect, open), "{text}");
        };
        check("timeout 5 npm test", "npm test", false);
        check("timeout -k 1s 5m nice -n 5 make", "make", false);
        check("timeout --odd 5 make", "timeout --odd 5 make", false);
        check("timeout make", "timeout make", false);
        check("nohup stdbuf -o0 -eL time -p ls", "ls", false);
        check("command -v ls", "command -v ls", false);
        check("xargs grep x", "grep x", true);
        check("xargs -n1 grep x", "xargs -n1 grep x", false);
        check("env ls", "env ls", false);
    }
}
