//! What a `sed` script may do beyond changing the text that goes through it: run and write.

/// Options of sed and their commands that leave the text.
pub(super) fn dangers(rest: &[String]) -> Vec<&str> {
    const LONG: [&str; 9] = [
        "quiet",
        "silent",
        "regexp-extended",
        "in-place",
        "separate",
        "null-data",
        "unbuffered",
        "posix",
        "sandbox",
    ];
    let mut found = Vec::new();
    let mut told = rest.iter().any(|word| word.starts_with("-e") || is_cluster_with_script(word));
    let mut words = rest.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or_default();
            if !name.is_empty() && !LONG.contains(&name) {
                found.push(word);
            }
        } else if let Some(cluster) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            let odd = cluster.find(|c| !"nErsuz".contains(c));
            match odd.map(|at| (&cluster[at..=at], &cluster[at + 1..])) {
                None | Some(("i", _)) => {}
                Some(("e", "")) => found.extend(words.next().filter(|script| !stays(script))),
                Some(("e", script)) if stays(script) => {}
                Some(("l", "")) => drop(words.next()),
                _ => found.push(word),
            }
        } else if !told {
            told = true;
            found.extend(Some(word).filter(|script| !stays(script)));
        }
    }
    found
}

fn is_cluster_with_script(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|cluster| {
        !cluster.starts_with('-')
            && cluster.trim_start_matches(['n', 'E', 'r', 's', 'u', 'z']).starts_with('e')
    })
}

/// Whether a script neither runs nor reads nor writes anything else.
fn stays(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        if rest.is_empty() {
            return true;
        }
        let Some(after) = address(rest).and_then(command) else { return false };
        rest = after;
    }
}

/// What follows the address of a command: `3`, `$`, `/x/I`, `1,/x/`, `1~2`, `2!`.
fn address(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', ',', '~', '+', '!', '$']);
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        match rest.strip_prefix('/') {
            Some(inside) => rest = delimited(inside, '/')?.trim_start_matches(['I', 'M']),
            None if rest.starts_with([',', '~', '+', '!', '$', ' ']) => {}
            None => return Some(rest),
        }
    }
}

fn command(text: &str) -> Option<&str> {
    let name = text.chars().next()?;
    let rest = &text[name.len_utf8()..];
    match name {
        '{' | '}' => Some(rest),
        'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'z' => ends(rest),
        'q' | 'Q' | 'l' => ends(rest.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())),
        's' | 'y' => {
            let sign = rest.chars().next().filter(|c| !matches!(c, '\n' | '\\'))?;
            let rest = delimited(&rest[sign.len_utf8()..], sign)?;
            let rest = delimited(rest, sign)?;
            let flags = |c: char| "gpiIm".contains(c) || c.is_ascii_digit();
            ends(rest.trim_start_matches(flags))
        }
        // Text to the end of the line.
        'a' | 'i' | 'c' | '#' => Some(rest.split_once('\n').map_or("", |(_, after)| after)),
        'b' | 't' | 'T' | ':' => Some(rest.split_once([';', '\n']).map_or("", |(_, after)| after)),
        _ => None,
    }
}

/// The text behind a command that is over here.
fn ends(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    (rest.is_empty() || rest.starts_with([';', '\n', '}', '{', '#'])).then_some(rest)
}

/// The text behind the next `sign` that is not escaped.
fn delimited(text: &str, sign: char) -> Option<&str> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == sign {
            return Some(&text[at + c.len_utf8()..]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_only_change_text_are_told_apart() {
        for script in [
            "s/a/b/",
            "s/a/b/g",
            "s|a|b|2p",
            "1,20p",
            "/x/d",
            "$!N",
            "1~2d",
            "/a/,/b/{s/x/y/;p}",
            "s/a;w x/b/",
            "s/\\//x/g",
            "y/abc/def/",
            "a\\text w x",
            "5q",
            "s/a/b/;s/c/d/",
            "/x/I!d",
            ":a;N;$!ba;s/\n/ /g",
            "",
        ] {
            assert!(stays(script), "{script}");
        }
        for script in [
            "1e touch x",
            "e",
            "s/a/b/e",
            "s/a/b/w f",
            "w f",
            "1w f",
            "W f",
            "r f",
            "R f",
            "s/a/b/ge",
            "/x/w f",
            "s/a/b/;w f",
            "{w f",
            "s/a",
            "1,2e x",
            "F",
            "s/a/b/x",
            "p\nw f",
            "M",
        ] {
            assert!(!stays(script), "{script}");
        }
    }
}
