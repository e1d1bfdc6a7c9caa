//! The one wildcard matcher: `*` stands for any run of characters, everything else for itself. And
//! its twin for the shell's patterns for file names, where `?` stands for one.

/// Linear in practice and never exponential: on a mismatch only the last `*` is retried.
pub fn wildcard(pattern: &str, text: &str) -> bool {
    let parts: Vec<Part<u8>> = pattern.bytes().map(|byte| Part::of(byte, b'*')).collect();
    fits(&parts, text.as_bytes())
}

/// Whether a part of a path with `*`, `?` or `[` in it may stand for the file `name`. Brackets
/// count for any one character, so this may say yes too often.
pub fn may_name(pattern: &str, name: &str) -> bool {
    let mut parts = Vec::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '?' => parts.push(Part::One),
            '[' => {
                // A bracket that stands first in the set belongs to it.
                let inside = rest.as_str();
                let from = inside.char_indices().nth(1).map_or(inside.len(), |(at, _)| at);
                match inside[from..].split_once(']') {
                    Some((_, after)) => {
                        parts.push(Part::One);
                        rest = after.chars();
                    }
                    None => parts.push(Part::This('[')),
                }
            }
            c => parts.push(Part::of(c, '*')),
        }
    }
    let hidden = name.starts_with('.') && !pattern.starts_with('.');
    !hidden && fits(&parts, &name.chars().collect::<Vec<_>>())
}

enum Part<T> {
    This(T),
    One,
    Run,
}

impl<T: PartialEq> Part<T> {
    fn of(unit: T, run: T) -> Part<T> {
        if unit == run { Part::Run } else { Part::This(unit) }
    }

    fn takes(&self, unit: &T) -> bool {
        match self {
            Part::This(mine) => mine == unit,
            Part::One => true,
            Part::Run => false,
        }
    }
}

fn fits<T: PartialEq>(pattern: &[Part<T>], text: &[T]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if matches!(pattern.get(p), Some(Part::Run)) {
            retry = Some((p, t));
            p += 1;
        } else if pattern.get(p).is_some_and(|part| part.takes(&text[t])) {
            p += 1;
            t += 1;
        } else if let Some((star, taken)) = retry {
            p = star + 1;
            t = taken + 1;
            retry = Some((star, t));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|part| matches!(part, Part::Run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_any_run_and_nothing_else_is_special() {
        let check =
            |pattern, text, expect| assert_eq!(wildcard(pattern, text), expect, "{pattern} {text}");
        check("", "", true);
        check("*", "", true);
        check("a*c", "abbc", true);
        check("a*c", "abbcd", false);
        check("*b*", "abc", true);
        check("a?c", "abc", false);
        check("a*b*c", "a_b_b_c", true);
        check("ab", "a", false);
        check("é*", "école", true);
    }

    #[test]
    fn patterns_for_file_names_are_read_widely() {
        let check =
            |pattern, name, expect| assert_eq!(may_name(pattern, name), expect, "{pattern} {name}");
        check("touc?", "touch", true);
        check("t[a-z]uch", "touch", true);
        check("[]x]a", "]a", true);
        check("[ab", "[ab", true);
        check("*", "link", true);
        check("*", ".link", false);
        check(".*", ".link", true);
        check("*.rs", "link", false);
        check("a[b]", "a", false);
        check(&"*a".repeat(500), &"a".repeat(400), false);
    }
}
