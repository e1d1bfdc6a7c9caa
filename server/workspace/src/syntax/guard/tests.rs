//! Texts that bring a scanner down when they reach it, and those that only look like them.

use super::*;

fn nested(depth: usize, line: &str) -> String {
    (0..depth).map(|level| format!("{}{line}\n", " ".repeat(level))).collect()
}

#[test]
fn too_deep_for_the_scanner() {
    let check = |language: Language, text: &str, expect: bool| {
        let shown: String = text.chars().take(40).collect();
        assert_eq!(is_bearable(language, &Text::from(text)), expect, "{language:?}: {shown}");
    };
    check(Language::Python, &nested(100, "if x:"), true);
    check(Language::Python, &nested(520, "if x:"), false);
    check(Language::Python, &nested(520, ""), true);
    check(Language::Python, &format!("x = {}1", "(".repeat(5_000)), true);
    check(Language::Yaml, &nested(50, "a:"), true);
    check(Language::Yaml, &nested(260, "a:"), false);
    check(Language::Yaml, &nested(260, "# a"), true);
    check(Language::Yaml, &"- a: b\n".repeat(5_000), true);
    check(Language::Yaml, &format!("{}a", "- ".repeat(260)), false);
    check(Language::Yaml, &format!("a: {}", "- ? : ".repeat(90)), false);
    check(Language::Yaml, &format!("a: {{{}}}", "b: c, ".repeat(500)), true);
    check(Language::Yaml, &"a: |\n  b\n".repeat(500), true);
    check(Language::Yaml, &format!("%\n{}", " |\n".repeat(260)), false);
    // The same shapes do no harm elsewhere.
    check(Language::Markdown, &nested(520, "- a"), true);
}

#[test]
fn indentations_as_python_counts_them() {
    let check = |text: &str, expect: usize| {
        assert_eq!(indentations(text.bytes()), expect, "{text:?}");
    };
    check("", 0);
    check("\n  \n", 0);
    check("a\n b\n  c\n b\n", 3);
    check("a\n\tb\n        c\n", 2);
    check(" \x0ca\nb", 1);
    check("a\n \\\n b", 2);
    check("a\n \\\r\n b", 2);
}

#[test]
fn bash_reads_letters() {
    assert_eq!(*twin(Language::Bash, "é=1".as_bytes()), *b"xx=1");
    assert_eq!(*twin(Language::Rust, "é".as_bytes()), *"é".as_bytes());
}
