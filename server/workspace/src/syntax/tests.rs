//! What an outline shows and what lies around a place, language by language.

use std::ops::Range;

use text::Text;

use super::*;

mod outlines;

fn tree(language: Language, text: &str) -> Tree {
    let tree = Tree::parse(language, &Text::from(text)).unwrap();
    assert!(!tree.has_error(), "{language:?}: {text}");
    tree
}

/// The place of `‸`, or the range between two of them, and the text without them.
fn marked(text: &str) -> (String, Range<usize>) {
    let mark = '‸';
    let start = text.find(mark).unwrap();
    let text = text.replacen(mark, "", 1);
    let end = text.find(mark).unwrap_or(start);
    (text.replacen(mark, "", 1), start..end)
}

fn check_enclosing(language: Language, text: &str, expect: Option<(&str, &str)>) {
    let (text, range) = marked(text);
    let found = tree(language, &text).enclosing(range);
    let found = found.map(|item| (item.name, text[item.bytes].to_owned()));
    let found = found.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
    assert_eq!(found, expect, "{text}");
}

#[test]
fn the_smallest_item_around_a_place() {
    let check = |text: &str, expect| check_enclosing(Language::Rust, text, expect);
    check("fn a() {}\nfn b() { ‸ }\n", Some(("b", "fn b() {  }")));
    check("fn a() {‸}\nfn b() {}‸\n", None);
    check("‸", None);
    check("use x;‸\nfn a() {}", None);
    // A method, then what is around two of them.
    let two = "impl A {\n    fn x() { ONE }\n    fn y() { TWO }\n}";
    let method = two.replace("ONE", "‸").replace("TWO", "");
    check(&method, Some(("x", "fn x() {  }")));
    let both = two.replace("ONE", "‸").replace("TWO", "‸");
    let whole = marked(&both).0;
    check(&both, Some(("A", &whole)));
    // Whole lines, and the blanks around an item.
    check("fn a() {}\n‸fn b() {}\n‸fn c() {}", Some(("b", "fn b() {}")));
    check("mod m {\n‸    fn b() {}\n‸}", Some(("b", "fn b() {}")));
    check("mod m {\n‸    fn b() {}\n}", Some(("b", "fn b() {}")));
    check("fn a() {}  ‸  \nfn b() {}", Some(("a", "fn a() {}")));
    check("fn a() {\n\n‸\n\n}", Some(("a", "fn a() {\n\n\n\n}")));
    check("fn a() {}\n‸\n\nfn b() {}", None);
}

#[test]
fn what_stands_in_front_is_part_of_it() {
    let check = |text: &str, expect| check_enclosing(Language::Rust, text, expect);
    let whole = "/// Says\n// more\n#[test]\nfn a() {}";
    check(&format!("{}\n", whole.replace("Says", "Sa‸ys")), Some(("a", whole)));
    check(&format!("{}\n", whole.replace("tes", "t‸es")), Some(("a", whole)));
    check("//! The file.\nfn a() {‸}", Some(("a", "fn a() {}")));
    check("// Something else.\n\nfn a() {‸}", Some(("a", "fn a() {}")));
    check("use x; // Of this line.\nfn a() {‸}", Some(("a", "fn a() {}")));
    check("use x;\n/* Of a. */ fn a() {‸}", Some(("a", "/* Of a. */ fn a() {}")));
    check("#[x] fn a() {} #[y] fn b() {‸}", Some(("b", "#[y] fn b() {}")));

    let check = |text: &str, expect| check_enclosing(Language::Python, text, expect);
    let whole = "# Why.\n@cached\n@of(1)\ndef a():\n    pass";
    check(&format!("x = 1\n{}\n", whole.replace("pass", "pa‸ss")), Some(("a", whole)));
    check("#!/usr/bin/python\ndef a(): p‸ass", Some(("a", "def a(): pass")));
    check("class A:\n    @b\n    def c(self):‸ pass\n", Some(("c", "@b\n    def c(self): pass")));

    let check = |text: &str, expect| check_enclosing(Language::TypeScript, text, expect);
    let whole = "/** Why. */\nexport const a = () => {};";
    check(&whole.replace("{}", "{‸}"), Some(("a", whole)));
    check("const a = 1, b = () => {‸};", Some(("b", "b = () => {}")));
    check("class A {\n  @x()\n  b() {‸}\n}", Some(("b", "@x()\n  b() {}")));
    let whole = "@x()\nexport class A { b = 1; }";
    check(&whole.replace("1", "‸1"), Some(("A", whole)));

    let whole = "// Why.\ntype A struct{ b int }";
    check_enclosing(
        Language::Go,
        &format!("package a\n\n{whole}\n").replace("int", "i‸nt"),
        Some(("A", whole)),
    );
    let whole = "// Why.\ntemplate <class T>\nT a(T b) { return b; }";
    check_enclosing(Language::Cpp, &whole.replace("re", "‸re"), Some(("a", whole)));
    let whole = "/** Why. */\n@Override\npublic void b() {}";
    check_enclosing(
        Language::Java,
        &format!("class A {{\n{whole}\n}}").replace("{}", "{‸}"),
        Some(("b", whole)),
    );
}

#[test]
fn too_large() {
    let large = Text::from("fn a() {}\n".repeat(BYTES / 10 + 1));
    assert!(Tree::parse(Language::Rust, &large).is_none());
    let small = tree(Language::Rust, "fn a() {}");
    assert!(small.update(&large).is_none());
    // Many items are enough items.
    let many = Tree::parse(Language::Json, &Text::from(r#"{"a":1}"#.repeat(11_000))).unwrap();
    assert_eq!(many.outline().len(), 10_000);
}

#[test]
fn lines_and_places() {
    let tree =
        tree(Language::Rust, "// é\r\nfn a() {\r\n}\r\n\r\nmod b {\r\n    fn c() {}\r\n}\r\n");
    let found: Vec<_> = tree.outline().into_iter().map(|item| (item.name, item.lines)).collect();
    let expect = [("a", 0..3), ("b", 4..7), ("c", 5..6)];
    assert_eq!(found, expect.map(|(name, lines)| (name.to_owned(), lines)));
    // Places past the end are the end.
    assert_eq!(tree.enclosing(5_000..6_000), None);
    let whole = tree.enclosing(30..usize::MAX).unwrap();
    assert_eq!(whole.name, "b");
}
