//! Globs over path components. Ours rather than a crate's because one is needed for every rule at
//! every decision, and compiling a regular expression each time costs more than all the rest.

use super::names::Names;

/// An absolute glob. `*`, `?` and `[…]` stay within a component; `**` is any number of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    parts: Vec<Part>,
    ignore_case: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// `**`
    Any,
    /// A name without wildcards, as nearly all are.
    Plain(String),
    Name(Vec<Piece>),
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Char(char),
    AnyChar,
    AnyRun,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Glob {
    /// `None` for a class that never closes or runs backwards.
    pub(crate) fn parse(text: &str, ignore_case: bool) -> Option<Glob> {
        let text = if ignore_case { text.to_lowercase() } else { text.to_owned() };
        let parts = text.split('/').filter(|part| !part.is_empty()).map(|part| match part {
            "**" => Some(Part::Any),
            name if !name.contains(['*', '?', '[', '\\']) => Some(Part::Plain(name.to_owned())),
            name => pieces(name).map(Part::Name),
        });
        Some(Glob { parts: parts.collect::<Option<_>>()?, ignore_case })
    }

    /// Whether the last component is a plain name.
    pub(crate) fn ends_in_a_name(&self) -> bool {
        match self.parts.last() {
            Some(Part::Name(pieces)) => pieces.iter().all(|piece| matches!(piece, Piece::Char(_))),
            Some(Part::Any) => false,
            Some(Part::Plain(_)) | None => true,
        }
    }

    /// Whether something below `folder` could match.
    pub(crate) fn reaches_below(&self, folder: &Names) -> bool {
        // Which parts may come next; `**` stays possible once it is reached.
        let mut next = self.after_runs(vec![0]);
        for name in folder.spelled(self.ignore_case) {
            let mut after = Vec::new();
            for at in next {
                match self.parts.get(at) {
                    Some(Part::Any) => after.push(at),
                    Some(part) if part.is(name) => after.push(at + 1),
                    _ => {}
                }
            }
            next = self.after_runs(after);
        }
        next.iter().any(|at| *at < self.parts.len())
    }

    /// The parts in `at`, and those behind a `**` that stands for nothing.
    fn after_runs(&self, mut at: Vec<usize>) -> Vec<usize> {
        let mut seen = 0;
        while let Some(one) = at.get(seen).copied() {
            let behind = one + 1;
            if matches!(self.parts.get(one), Some(Part::Any)) && !at.contains(&behind) {
                at.push(behind);
            }
            seen += 1;
        }
        at
    }

    /// Whether it is the path of these names, or a folder above it where `above` says so.
    pub(crate) fn matches(&self, names: &Names, above: bool) -> bool {
        let names = names.spelled(self.ignore_case);
        // Nearly every glob begins with a name that nearly no path begins with.
        if let (Some(Part::Plain(first)), Some(name)) = (self.parts.first(), names.first())
            && first != name
        {
            return false;
        }
        let least = if above { 0 } else { names.len() };
        (least..=names.len()).rev().any(|end| self.is(&names[..end]))
    }

    fn is(&self, names: &[String]) -> bool {
        let any = |part: &Part| matches!(part, Part::Any);
        // `**` at the end means what is in a folder, not the folder itself.
        let needs_more = self.parts.last().is_some_and(any);
        let fixed = self.parts.iter().filter(|part| !any(part)).count();
        !(needs_more && names.len() <= fixed)
            && runs_match(&self.parts, names, any, |part, name| part.is(name))
    }
}

impl Part {
    fn is(&self, name: &str) -> bool {
        match self {
            Part::Any => false,
            Part::Plain(plain) => plain == name,
            Part::Name(pieces) => name_matches(pieces, &name.chars().collect::<Vec<_>>()),
        }
    }
}

fn name_matches(pieces: &[Piece], name: &[char]) -> bool {
    let any = |piece: &Piece| matches!(piece, Piece::AnyRun);
    let same = |piece: &Piece, c: &char| match piece {
        Piece::Char(wanted) => wanted == c,
        Piece::AnyChar => true,
        Piece::AnyRun => false,
        Piece::Class { negated, ranges } => {
            ranges.iter().any(|(from, to)| (from..=to).contains(&c)) != *negated
        }
    };
    runs_match(pieces, name, any, same)
}

/// Matching with wildcards for runs, the same for characters of a name and names of a path. Only
/// the last wildcard is ever retried, so the cost stays bounded.
fn runs_match<P, T>(
    pattern: &[P],
    text: &[T],
    any: impl Fn(&P) -> bool,
    same: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry = None;
    while let Some(item) = text.get(t) {
        match pattern.get(p) {
            Some(piece) if any(piece) => {
                retry = Some((p, t));
                p += 1;
            }
            Some(piece) if same(piece, item) => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((star, taken)) = retry else { return false };
                p = star + 1;
                t = taken + 1;
                retry = Some((star, t));
            }
        }
    }
    pattern.iter().skip(p).all(any)
}

fn pieces(name: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::AnyRun,
            '?' => Piece::AnyChar,
            '\\' => Piece::Char(chars.next().unwrap_or('\\')),
            '[' => class(&mut chars)?,
            other => Piece::Char(other),
        });
    }
    Some(pieces)
}

fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Piece> {
    let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    loop {
        let from = match chars.next()? {
            ']' if !ranges.is_empty() => return Some(Piece::Class { negated, ranges }),
            '\\' => chars.next()?,
            c => c,
        };
        let mut to = from;
        if chars.peek() == Some(&'-') {
            chars.next();
            match chars.next()? {
                // A dash before the end is only a dash.
                ']' => {
                    ranges.extend([(from, from), ('-', '-')]);
                    return Some(Piece::Class { negated, ranges });
                }
                '\\' => to = chars.next()?,
                c => to = c,
            }
        }
        if from > to {
            return None;
        }
        ranges.push((from, to));
    }
}

/// The glob that matches `text` and nothing else.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '*' | '?' | '[' | '{' | '}' => escaped.extend(['[', c, ']']),
            '\\' => escaped.push_str("\\\\"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The globs that `{a,b}` stands for; `text` itself if it has no such part.
pub(crate) fn alternatives(text: &str) -> Vec<String> {
    /// Enough for any honest rule, and an end for the others.
    const MOST: usize = 256;
    let mut open = vec![text.to_owned()];
    let mut done = Vec::new();
    while let Some(one) = open.pop() {
        match first_choice(&one) {
            Some((before, choices, after)) if open.len() + done.len() < MOST => {
                open.extend(choices.iter().map(|choice| format!("{before}{choice}{after}")));
            }
            _ => done.push(one),
        }
    }
    done
}

/// The innermost-first `{…,…}` of a glob, taken apart. Braces inside `[…]` are plain.
fn first_choice(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let close = text.char_indices().find(|(at, c)| *c == '}' && !text[..*at].ends_with('['))?.0;
    let open = text[..close]
        .char_indices()
        .rev()
        .find(|(at, c)| *c == '{' && !text[..*at].ends_with('['))?
        .0;
    let choices: Vec<&str> = text[open + 1..close].split(',').collect();
    Some((&text[..open], choices, &text[close + 1..]))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use proptest::prelude::*;

    fn is(glob: &Glob, path: &Path) -> bool {
        glob.matches(&Names::of(path), false)
    }

    #[test]
    fn globs_match_components() {
        let check = |glob: &str, path: &str, expect: bool| {
            let parsed = Glob::parse(glob, false).unwrap();
            assert_eq!(is(&parsed, Path::new(path)), expect, "{glob} {path}");
        };
        check("/a/*.rs", "/a/b.rs", true);
        check("/a/*.rs", "/a/b/c.rs", false);
        check("/a/**", "/a/b/c", true);
        check("/a/**", "/a", false);
        check("/**/x", "/x", true);
        check("/**/x", "/a/b/x", true);
        check("/**/a/**/b", "/1/a/2/3/b", true);
        check("/**/a/**/b", "/1/a/2/3/c", false);
        check("/a/b?[c-e]", "/a/bxd", true);
        check("/a/b?[!c-e]", "/a/bxd", false);
        check("/a/[[]1].x", "/a/[1].x", true);
        check("/a/[]]", "/a/]", true);
        check("/a/[a-]", "/a/-", true);
        check("/a/\\*", "/a/*", true);
        check("/a/\\*", "/a/b", false);
        check("/**", "/a", true);
        assert!(Glob::parse("/[z-a]", false).is_none());
        assert!(Glob::parse("/[", false).is_none());
        assert!(is(&Glob::parse("/A/b", true).unwrap(), Path::new("/a/B")));
    }

    #[test]
    fn braces_are_alternatives() {
        let check = |text: &str, expect: &[&str]| {
            let mut found = alternatives(text);
            found.sort();
            assert_eq!(found, expect, "{text}");
        };
        check("a", &["a"]);
        check("*.{pem,key}", &["*.key", "*.pem"]);
        check("{a,b{c,d}}", &["a", "a", "bc", "bd"]);
        check("{a", &["{a"]);
        check("[{]a,b[}]", &["[{]a,b[}]"]);
    }

    proptest! {
        #[test]
        fn an_escaped_name_matches_itself_alone(name in "[^/\0]{1,12}", other in "[^/\0]{1,12}") {
            prop_assume!(name != "." && name != ".." && other != "." && other != "..");
            let glob = Glob::parse(&format!("/{}", escape(&name)), false).unwrap();
            prop_assert!(is(&glob, &Path::new("/").join(&name)));
            prop_assert_eq!(is(&glob, &Path::new("/").join(&other)), name == other);
        }

        #[test]
        fn no_glob_panics(text in any::<String>(), path in any::<String>()) {
            for one in alternatives(&text) {
                let _ = Glob::parse(&one, true).map(|glob| is(&glob, Path::new(&path)));
            }
        }
    }
}
