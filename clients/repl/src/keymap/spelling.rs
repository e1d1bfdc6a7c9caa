//! The known word that somebody probably meant.

/// The nearest known word, if one is near enough to be a slip.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let allowed = if word.chars().count() <= 4 { 1 } else { 2 };
    let near = known.iter().map(|name| (steps(word, name), *name));
    near.filter(|(steps, _)| *steps <= allowed)
        .min_by_key(|(steps, _)| *steps)
        .map(|(_, name)| name)
}

/// How many letters must be changed, added or left out to get from one word to the other.
fn steps(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) =
        (one.to_lowercase().chars().collect(), other.to_lowercase().chars().collect());
    if one.len().abs_diff(other.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, wanted) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != wanted);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_other_words() {
        let known = ["chat:submit", "chat:undo", "up"];
        assert_eq!(nearest("chat:sumbit", &known), Some("chat:submit"));
        assert_eq!(nearest("Chat:Undo", &known), Some("chat:undo"));
        assert_eq!(nearest("upp", &known), Some("up"));
        assert_eq!(nearest("sideways", &known), None);
    }
}
