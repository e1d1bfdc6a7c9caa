//! Names that somebody may have meant.

/// How many names to offer.
const OFFERED: usize = 3;

/// The names most like the one that was not found, best first.
pub(crate) fn nearest(wanted: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let folded = wanted.to_lowercase();
    let mut scored: Vec<(usize, String)> =
        names.filter_map(|name| Some((distance(&folded, &name.to_lowercase())?, name))).collect();
    scored.sort();
    scored.truncate(OFFERED);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// How far two names are apart; nothing when they have too little in common to be worth offering.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    if wanted == name {
        return Some(0);
    }
    // The right name with another ending is a better guess than any slip of the keys.
    if stem(wanted) == stem(name) {
        return Some(1);
    }
    let allowed = (wanted.chars().count() / 3).clamp(1, 4);
    let slips = slips(wanted, name, allowed)?;
    Some(slips + 1)
}

fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// The number of characters to insert, remove or replace, if that is at most `allowed`.
fn slips(a: &str, b: &str, allowed: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().filter(|slips| *slips <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers() {
        let check = |wanted: &str, names: &str, expect: &str| {
            let found = nearest(wanted, names.split_whitespace().map(str::to_owned));
            assert_eq!(found.join(" "), expect, "{wanted} in {names}");
        };
        check("main.rs", "main.rs lib.rs", "main.rs");
        check("Main.rs", "main.rs", "main.rs");
        check("main.rs", "main.py other.rs", "main.py");
        check("mian.rs", "main.rs lib.rs", "main.rs");
        check(
            "config.json",
            "confg.json configs.json config.toml zzz",
            "config.toml confg.json configs.json",
        );
        check("a", "b", "b");
        check("completely", "different names", "");
        check("", "", "");
        check(".env", ".env.local .envrc", ".env.local");
    }
}
