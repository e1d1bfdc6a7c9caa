//! Patterns of `Bash(…)` rules, matched on parsed words rather than on text.
//!
//! `*` stands for anything, blanks included. A trailing ` *`, or `:*`, ends at a word: `ls *`
//! matches `ls` and `ls -la` but not `lsof`.

use super::lex::{Token, lex};
use super::program;
use crate::wildcard::{may_name, wildcard};

/// Between words. No command that is proven contains it.
const BREAK: &str = "\u{1f}";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    written: String,
    words: Vec<String>,
    open: bool,
}

impl CommandPattern {
    pub(crate) fn parse(spec: &str) -> CommandPattern {
        let spec = spec.trim();
        let body = spec.strip_suffix(":*").or_else(|| spec.strip_suffix(" *"));
        let open = body.is_some();
        let body = body.unwrap_or(spec);
        CommandPattern { written: spec.to_owned(), words: words_of(body), open }
    }

    /// For allow rules: the words are matched exactly as they are.
    pub(crate) fn allows(&self, words: &[String]) -> bool {
        !self.words.is_empty() && self.matches(words)
    }

    /// Whether the rule itself spells out `word`, so that its author must have meant it.
    pub(crate) fn spells(&self, word: &str) -> bool {
        self.words.iter().any(|mine| mine == word)
    }

    /// Whether the rule names one exact command and nothing else.
    pub(crate) fn is_exact(&self) -> bool {
        !self.written.contains('*')
    }

    /// Whether arguments that are not known yet are covered.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// For deny and ask rules: any reading of the words counts.
    pub(crate) fn catches(&self, words: &[String]) -> bool {
        let Some(first) = words.first() else { return false };
        if self.words.is_empty() {
            return self.open;
        }
        let catches = |words: &[String]| {
            self.matches(words)
                || self.matches_text(words)
                || (self.words.len() > 1 && self.words.first() == words.first())
                    && without_options(words).any(|words| self.matches(&words))
        };
        if catches(words) {
            return true;
        }
        let name = program(first);
        if name == first {
            return false;
        }
        let mut renamed = words.to_vec();
        renamed[0] = name.to_owned();
        catches(&renamed)
    }

    /// Whether a pattern for file names may turn into the program that the rule is about.
    pub(crate) fn may_be_named_by(&self, glob: &str) -> bool {
        let Some(mine) = self.words.first().filter(|mine| !mine.contains('*')) else {
            return false;
        };
        let glob = program(glob);
        let says_something = glob.contains(|c: char| c.is_ascii_alphanumeric());
        says_something && may_name(glob, program(mine))
    }

    fn matches(&self, words: &[String]) -> bool {
        // Most patterns start with a plain program name, which settles most questions.
        if let (Some(mine), Some(theirs)) = (self.words.first(), words.first())
            && !mine.contains('*')
            && mine != theirs
        {
            return false;
        }
        let text = words.join(BREAK);
        let pattern = self.words.join(BREAK);
        wildcard(&pattern, &text) || (self.open && wildcard(&format!("{pattern}{BREAK}*"), &text))
    }

    fn matches_text(&self, words: &[String]) -> bool {
        let plain = self.written.strip_suffix(":*").or_else(|| self.written.strip_suffix(" *"));
        let start = plain.unwrap_or(&self.written);
        let literal = start.split(['*', ' ']).next().unwrap_or_default();
        if !words
            .first()
            .is_some_and(|first| first.starts_with(literal) || literal.starts_with(first.as_str()))
        {
            return false;
        }
        let text = words.join(" ");
        wildcard(start, &text) || (self.open && wildcard(&format!("{start} *"), &text))
    }
}

/// Options of the program itself that may stand before its command.
const MOST_OPTIONS: usize = 12;
/// Words behind them that are looked at, so that very many take no time.
const MOST_WORDS: usize = 1_000;

/// The command without the options before it: `git -C . push` is `git push`. Whether a word is the
/// value of the option before it nobody can tell, so both readings are tried.
fn without_options(words: &[String]) -> impl Iterator<Item = Vec<String>> {
    let is_option = |at: usize| words.get(at).is_some_and(|word| word.starts_with(['-', '+']));
    let skipped = move |at: &usize| is_option(*at) || (*at > 1 && is_option(at - 1));
    let ends = (1..words.len().min(MOST_OPTIONS)).take_while(skipped).map(|at| at + 1);
    ends.filter_map(|end| {
        let rest = words.get(end..).filter(|rest| !rest.is_empty())?;
        Some(words.iter().take(1).chain(rest.iter().take(MOST_WORDS)).cloned().collect())
    })
}

/// The words of a pattern; quotes group as they do in the commands it is compared with.
fn words_of(body: &str) -> Vec<String> {
    let lexed = lex(body, None);
    let words: Option<Vec<String>> = lexed
        .tokens
        .iter()
        .map(|token| match token {
            Token::Word(word) if !word.dynamic => Some(word.text()),
            _ => None,
        })
        .collect();
    match words {
        Some(words) if !lexed.unfinished && !body.contains('#') => words,
        _ => body.split_whitespace().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        words_of(text)
    }

    #[test]
    fn patterns_match_words() {
        let check = |pattern: &str, command: &str, expect: bool| {
            let pattern_read = CommandPattern::parse(pattern);
            assert_eq!(pattern_read.allows(&words(command)), expect, "{pattern} / {command}");
            assert_eq!(pattern_read.catches(&words(command)), expect, "{pattern} / {command}");
        };
        check("ls", "ls", true);
        check("ls", "ls -la", false);
        check("ls *", "ls", true);
        check("ls *", "ls -la", true);
        check("ls *", "lsof", false);
        check("ls*", "lsof", true);
        check("ls:*", "ls -la", true);
        check("ls:*", "lsof", false);
        check("git log:*", "git log --oneline", true);
        check("git log:*", "git logout", false);
        check("git * main", "git push origin main", true);
        check("git * main", "git push origin main2", false);
        check("* --version", "cargo --version", true);
        check("git commit -m \"a b\"", "git commit -m 'a b'", true);
        check("git   commit *", "git commit -m x", true);
    }

    #[test]
    fn allowing_needs_the_same_words_and_denying_any_reading() {
        let one_word = vec!["git log".to_owned()];
        assert!(!CommandPattern::parse("git log").allows(&one_word));
        assert!(CommandPattern::parse("git log").catches(&one_word));
        let push = CommandPattern::parse("git push:*");
        for text in ["git -C . push", "git --no-pager push -f", "/bin/git -c a=b -C x push"] {
            assert!(push.catches(&words(text)), "{text}");
            assert!(!push.allows(&words(text)), "{text}");
        }
        assert!(!push.catches(&words("git commit -m push")));
        assert!(CommandPattern::parse("cargo publish *").catches(&words("cargo +nightly publish")));
        assert!(CommandPattern::parse("kubectl delete").catches(&words("kubectl -n x delete")));
        let elsewhere = words("/usr/bin/touch x");
        assert!(!CommandPattern::parse("touch *").allows(&elsewhere));
        assert!(CommandPattern::parse("touch *").catches(&elsewhere));
    }
}
