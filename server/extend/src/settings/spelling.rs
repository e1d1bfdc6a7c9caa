//! Finds the known name that a misspelt one was meant to be.

/// The nearest of `known`, when it is near enough to be a slip of the hand.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    // Two slips in a short word make another word.
    let allowed = |name: &str| if name.len() <= 4 { 1 } else { 2 };
    let word = word.to_ascii_lowercase();
    let distances = known.iter().map(|name| (distance(&word, &name.to_ascii_lowercase()), *name));
    let near = distances.filter(|(distance, name)| *distance <= allowed(name));
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// How many letters must be added, dropped, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // A name of any length may come from a file; one this different is no misspelling.
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let known = ["permissions", "model", "env", "allow", "ask", "deny", "defaultMode"];
        let check = |word: &str, expect: Option<&str>| {
            assert_eq!(nearest(word, &known), expect, "{word}");
        };
        check("permisions", Some("permissions"));
        check("permission", Some("permissions"));
        check("Permissions", Some("permissions"));
        check("dney", Some("deny"));
        check("denied", None);
        check("default_mode", Some("defaultMode"));
        check("defaultmode", Some("defaultMode"));
        check("models", Some("model"));
        check("agent", None);
        check("hooks", None);
        check("modelSettings", None);
        check("", None);
        check("é", None);
    }
}
