//! The one wildcard matcher: `*` stands for any run of characters, everything else for itself.

/// Linear in practice and never exponential: on a mismatch only the last `*` is retried.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
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
    pattern[p..].iter().all(|byte| *byte == b'*')
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
}
