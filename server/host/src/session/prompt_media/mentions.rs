//! Files that a prompt names: `@shot.png`, `@"a picture.png"`.

/// The names behind each `@`, in order. Whether they are files is for others to find out.
pub(in crate::session) fn of(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut before = None;
    for (at, letter) in text.char_indices() {
        let begins =
            before.is_none_or(|before: char| before.is_whitespace() || "([{\"'".contains(before));
        before = Some(letter);
        if letter != '@' || !begins {
            continue;
        }
        let rest = &text[at + 1..];
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split(['"', '\n']).next(),
            None => rest.split(char::is_whitespace).next().map(without_stops),
        };
        names.extend(name.filter(|name| !name.is_empty()));
    }
    names
}

/// A sentence goes on or ends after a name.
fn without_stops(name: &str) -> &str {
    name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_text() {
        let check = |text: &str, expect: &[&str]| assert_eq!(of(text), expect, "{text}");
        check("look at @shot.png, please", &["shot.png"]);
        check("@a.png@b.png", &["a.png@b.png"]);
        check("(@a.pdf) and @\"my shot.png\" and @~/x.gif?", &["a.pdf", "my shot.png", "~/x.gif"]);
        check("mail me@home.png", &[]);
        check("@ @\"\" @... \"@a\"", &["a"]);
        check("ü\n@ü.png\n@b", &["ü.png", "b"]);
    }
}
