//! Which options of a program are known to be harmless. Anything not listed is not.

use super::prove::Literal;

/// The options a program may be given. Abbreviated long options do not count as known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flags {
    /// Letters of options without a value; they may be run together.
    pub(crate) short: &'static str,
    /// Letters of options with a value, attached or as the next word. An option whose value names
    /// a file is never listed, so values need not be judged.
    pub(crate) valued: &'static str,
    /// Long options without their dashes; `=value` may follow.
    pub(crate) long: &'static [&'static str],
}

pub(crate) const NO_FLAGS: Flags = Flags { short: "", valued: "", long: &[] };

/// The arguments of a command, sorted.
#[derive(Debug, Default)]
pub(crate) struct Sorted<'a> {
    pub(crate) operands: Vec<&'a str>,
    /// Options as written, short ones one letter at a time (`-n`).
    pub(crate) seen: Vec<String>,
}

impl Sorted<'_> {
    pub(crate) fn has(&self, any_of: &[&str]) -> bool {
        self.seen.iter().any(|flag| any_of.contains(&flag.as_str()))
    }
}

/// `None` if any option is not known to be harmless.
pub(crate) fn sort<'a>(arguments: &'a [Literal], flags: &Flags) -> Option<Sorted<'a>> {
    let mut sorted = Sorted::default();
    let mut words = arguments.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        if word == "--" {
            sorted.operands.extend(words);
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            let name = long.split_once('=').map_or(long, |(name, _)| name);
            if !flags.long.contains(&name) {
                return None;
            }
            sorted.seen.push(format!("--{name}"));
        } else if let Some(cluster) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            for (at, letter) in cluster.char_indices() {
                sorted.seen.push(format!("-{letter}"));
                if flags.valued.contains(letter) {
                    // `head -5c x`: behind a number the letter is its unit, and `x` is a file.
                    if cluster[..at].contains(|c: char| c.is_ascii_digit()) {
                        return None;
                    }
                    let attached = at + letter.len_utf8() < cluster.len();
                    if !attached {
                        words.next();
                    }
                    break;
                }
                if !flags.short.contains(letter) {
                    return None;
                }
            }
        } else {
            sorted.operands.push(word);
        }
    }
    Some(sorted)
}

/// The options that are not known to be harmless.
pub(crate) fn unknown<'a>(arguments: &'a [String], flags: &Flags) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--" {
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or_default();
            found.extend((!flags.long.contains(&name)).then_some(word));
        } else if let Some(cluster) = word.strip_prefix('-') {
            let Some(at) = cluster.find(|letter| !flags.short.contains(letter)) else { continue };
            match cluster[at..].chars().next().filter(|letter| flags.valued.contains(*letter)) {
                Some(letter) if cluster.len() == at + letter.len_utf8() => drop(words.next()),
                Some(_) => {}
                None => found.push(word),
            }
        }
    }
    found
}

/// Whether a cluster of short options contains one of `letters`.
pub(crate) fn has_letter(word: &str, letters: &[char]) -> bool {
    word.strip_prefix('-')
        .is_some_and(|cluster| !cluster.starts_with('-') && cluster.contains(letters))
}
