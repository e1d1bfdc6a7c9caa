//! Files that the user changed since the model read them.

use std::path::Path;

use tools::{ChangedFile, HowChanged};

/// So many files that are not shown are named.
const NAMED: usize = 20;

pub(super) fn note(cwd: &Path, files: &[ChangedFile]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let mut text =
        "Since you last saw them, files were changed by the user or by a program, not by \
                    your edits. That is meant so: build on it, and do not put back what was there."
            .to_owned();
    let name = |file: &ChangedFile| {
        let path = file.path.strip_prefix(cwd).unwrap_or(&file.path);
        path.display().to_string()
    };
    for file in files {
        if let HowChanged::Diff(diff) = &file.how {
            text.push_str(&format!("\n\n{}:\n{}", name(file), diff.trim_end()));
        }
    }
    let much: Vec<String> =
        files.iter().filter(|file| file.how == HowChanged::Much).map(name).collect();
    let gone: Vec<String> =
        files.iter().filter(|file| file.how == HowChanged::Gone).map(name).collect();
    text.push_str(&named("Changed, and to be read again before you go by it: ", &much));
    text.push_str(&named("Gone: ", &gone));
    Some(text)
}

fn named(what: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let shown = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => format!("\n\n{what}{shown}"),
        more => format!("\n\n{what}{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_and_the_rest_is_named() {
        let file = |path: &str, how: HowChanged| ChangedFile { path: path.into(), how };
        let check = |files: &[ChangedFile], expect: &[&str]| {
            let note = note(Path::new("/w"), files);
            let parts: Vec<_> = note.iter().flat_map(|note| note.split("\n\n").skip(1)).collect();
            assert_eq!(parts, expect);
        };
        check(&[], &[]);
        let diff = HowChanged::Diff("@@ -1,1 +1,1 @@\n-a\n+b\n".into());
        check(&[file("/w/a", diff.clone())], &["a:\n@@ -1,1 +1,1 @@\n-a\n+b"]);
        let many = [
            file("/w/b", HowChanged::Much),
            file("/w/a", diff),
            file("/x/c", HowChanged::Gone),
            file("/w/d", HowChanged::Much),
        ];
        let expect = [
            "a:\n@@ -1,1 +1,1 @@\n-a\n+b",
            "Changed, and to be read again before you go by it: b, d",
            "Gone: /x/c",
        ];
        check(&many, &expect);
        let lots: Vec<_> = (0..22).map(|_| file("/w/x", HowChanged::Gone)).collect();
        let text = note(Path::new("/w"), &lots).unwrap();
        assert!(text.ends_with("x, x and 2 more"), "{text}");
    }
}
