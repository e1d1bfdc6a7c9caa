//! A pasted name of a picture or a PDF, as terminals paste a file that is dropped on them, becomes a
//! mention, so that the file goes along with the prompt.

const ENDINGS: [&str; 6] = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"];

/// The mention that a pasted text stands for.
pub(super) fn mention(text: &str) -> Option<String> {
    let text = text.trim();
    let quoted = ['\'', '"'].iter().find_map(|q| text.strip_prefix(*q)?.strip_suffix(*q));
    let name = match quoted {
        Some(name) => name.to_owned(),
        // Outside of quotes, what is odd in a name is marked.
        None => text.replace("\\ ", " ").replace("\\(", "(").replace("\\)", ")"),
    };
    let absolute = ["/", "~/", "file:///"].iter().any(|start| name.starts_with(start));
    let lower = name.to_lowercase();
    let is_one = absolute
        && ENDINGS.iter().any(|ending| lower.ends_with(ending))
        && !name.contains(['\n', '\r', '"'])
        // Two names, or a sentence that ends with one.
        && !name.contains(" /");
    is_one.then(|| match name.contains(char::is_whitespace) {
        true => format!("@\"{name}\" "),
        false => format!("@{name} "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pictures() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(mention(text).as_deref(), expect, "{text}");
        };
        check("/tmp/shot.png", Some("@/tmp/shot.png "));
        check("  '/tmp/my shot.PNG'\n", Some("@\"/tmp/my shot.PNG\" "));
        check("/tmp/my\\ shot\\ \\(2\\).jpg", Some("@\"/tmp/my shot (2).jpg\" "));
        check("~/paper.pdf", Some("@~/paper.pdf "));
        check("file:///tmp/a%20b.webp", Some("@file:///tmp/a%20b.webp "));
        for other in
            ["shot.png", "/tmp/main.rs", "see /a.png", "/a.png\n/b.png", "/a.png /b.png", ""]
        {
            check(other, None);
        }
    }
}
