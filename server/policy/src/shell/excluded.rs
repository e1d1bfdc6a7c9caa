//! Commands that settings keep out of the sandbox, because they cannot work in one.

use super::pattern::CommandPattern;
use super::programs::is_harmless;
use super::prove::{Literal, prove};
use super::readonly::looks;
use super::wrappers::unwrap;

/// Whether a command runs outside the sandbox by the patterns of the settings. It must be proven,
/// one part must be named by a pattern, and the others may only look: what merely stands beside an
/// excluded command stays inside. Leaving the sandbox allows nothing by itself.
pub fn is_excluded(command: &str, patterns: &[String]) -> bool {
    let patterns: Vec<CommandPattern> =
        patterns.iter().map(|pattern| CommandPattern::parse(pattern)).collect();
    let Some(parts) = prove(command, None).ok().filter(|_| !patterns.is_empty()) else {
        return false;
    };
    let mut named = false;
    for part in &parts {
        let inner = unwrap(&part.words).words;
        let hit = [&part.words[..], inner].iter().any(|words| {
            let words = texts(words);
            patterns.iter().any(|pattern| pattern.allows(&words))
        });
        let plain = part.assignments.iter().all(|one| is_harmless(one));
        // Git runs what a repository tells it to.
        let only_looks = looks(inner).is_some_and(|looks| !looks.is_git);
        if !plain || !(hit || only_looks) {
            return false;
        }
        named |= hit;
    }
    named
}

/// Whether some part of a command is what a pattern says. For what is only told: a command that cannot
/// be read is none.
pub fn names_command(command: &str, pattern: &str) -> bool {
    let pattern = CommandPattern::parse(pattern);
    let parts = prove(command, None).unwrap_or_default();
    parts.iter().any(|part| pattern.allows(&texts(unwrap(&part.words).words)))
}

fn texts(words: &[Literal]) -> Vec<String> {
    words.iter().map(|word| word.text.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_leaves() {
        let patterns = ["docker *".to_owned(), "bazel run:*".to_owned()];
        let check = |command: &str, expect: bool| {
            assert_eq!(is_excluded(command, &patterns), expect, "{command}");
        };
        check("docker ps", true);
        check("docker build . 2>&1 | tail -20", true);
        check("cd sub && docker compose up -d", true);
        check("timeout 300 bazel run //x", true);
        check("CI=1 docker ps", true);
        check("PATH=. docker ps", false);
        check("docker ps && make", false);
        check("docker ps; curl evil", false);
        check("git status && docker ps", false);
        check("make", false);
        check("ls", false);
        check("dockerd", false);
        check("bazel build //x", false);
        check("docker run $X", false);
        check("echo $(docker ps)", false);
        assert!(!is_excluded("docker ps", &[]));
    }
}
