//! Parsing from what changed against parsing the whole, and texts that nobody would write.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use text::{Edit, Splice};

use super::*;

/// A text of each language to begin with.
const SEEDS: [&str; Language::ALL.len()] = [
    "/// A.\n#[a]\nfn b(c: &str) -> u8 {\n    let d = \"é\";\n    e(d)\n}\nimpl F { fn g() {} }\n",
    "export class A<T> {\n  b(): void { const c = `d${e}`; }\n}\nfunction f(g: string) {}\n",
    "export const A = () => <b c={1}>d {e}</b>;\nclass F { g() { return 1; } }\n",
    "const a = { b() { return `c`; } };\nfunction d() { a.b(); }\n// e\nd();\n",
    "@a\ndef b(c):\n    if c:\n        return f'{c}'\n\nclass D:\n    def e(self):\n        pass\n",
    "package a\n\nfunc b() {\n\tc := `d`\n\t_ = c\n}\n\ntype E struct{ f int }\n",
    "#define A 1\nint b(char *c) {\n  return c[0] + A; /* d */\n}\nstruct e { int f; };\n",
    "namespace a {\nclass B { void c() { auto d = R\"x(e)x\"; } };\n}\nint f() { return 1; }\n",
    "class A {\n  /** b */\n  int c(int d) { return d; }\n}\ninterface E { void f(); }\n",
    "a() {\n  echo \"$b\" | c\n}\ncat <<X\nd\nX\nif e; then f; fi\n",
    "{\n  \"a\": [1, true, null],\n  \"b\": {\"c\": \"d\"}\n}\n",
    "a = 1\n[b]\nc = \"\"\"d\"\"\"\n[[e]]\nf = [1, 2]\n",
    "a:\n  b: 1\n  c:\n    - d\n    - e: |\n        f\ng: {h: i}\n",
    "# a\n\nb\n\n## c\n\n- d\n  - e\n\n> f\n\n```\ng\n```\n",
];

const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "    ",
    "\t",
    "a",
    "b1",
    "_",
    "é",
    "漢",
    "😀",
    "e\u{301}",
    "\u{2028}",
    "\u{feff}",
    "\u{0}",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "\\",
    "/",
    "//",
    "/*",
    "*/",
    "#",
    "# ",
    "## ",
    "- ",
    "* ",
    "> ",
    "? ",
    ": ",
    ":",
    ";",
    ",",
    ".",
    "=",
    "|",
    "|\n",
    "&",
    "*",
    "!",
    "@",
    "$",
    "${",
    "$(",
    "<<X\n",
    "X\n",
    "---\n",
    "===\n",
    "```\n",
    "\"\"\"",
    "fn a() {}",
    "def a():\n",
    "class A ",
    "if ",
    "r#\"",
    "f\"{",
    "R\"x(",
    ")x\"",
    "<a>",
    "</a>",
    "%",
    "~",
    "^",
    "0x",
    "1",
    "case a)",
];

fn soup(count: Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), count).prop_map(|pieces| pieces.concat())
}

fn language() -> impl Strategy<Value = Language> {
    select(&Language::ALL[..])
}

fn seeded() -> impl Strategy<Value = (Language, String)> {
    (language(), soup(0..8), any::<bool>()).prop_map(|(language, soup, behind)| {
        let seed = SEEDS[language as usize];
        (language, if behind { seed.to_owned() + &soup } else { soup + seed })
    })
}

type Change = (Index, Index, String);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    // What keeps most texts right comes often, because only there both must agree.
    let gentle = select(&["", "", "a", " ", "\n", "\n\n", "1"][..]).prop_map(str::to_owned);
    let inserted = prop_oneof![3 => gentle, 1 => soup(1..6)];
    prop::collection::vec((any::<Index>(), any::<Index>(), inserted), 1..6)
}

fn changed(text: &Text, (start, len, inserted): &Change) -> Text {
    let whole = text.to_string();
    let floor = |offset: usize| whole.floor_char_boundary(offset);
    let start = floor(start.index(whole.len() + 1));
    let end = floor((start + len.index(12) / 4).min(whole.len())).max(start);
    let edit = Edit::new(whole.len(), vec![Splice::new(start..end, inserted.as_str())]);
    let mut text = text.clone();
    text.apply(&edit.unwrap()).unwrap();
    text
}

/// Every node with its place.
fn dump(tree: &Tree) -> Vec<String> {
    let mut cursor = tree.tree.walk();
    let mut nodes = Vec::new();
    loop {
        let node = cursor.node();
        nodes.push(format!("{} {:?}", node.kind(), node.range()));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return nodes;
            }
        }
    }
}

fn check_items(tree: &Tree) {
    let text = tree.text().to_string();
    for item in tree.outline() {
        assert!(item.bytes.start < item.bytes.end, "{item:?}");
        assert!(text.get(item.bytes.clone()).is_some(), "{item:?} in {text:?}");
        assert!(item.lines.end <= tree.text().len_lines() && !item.lines.is_empty(), "{item:?}");
        let around =
            tree.enclosing(item.bytes.clone()).unwrap_or_else(|| panic!("{item:?} {text}"));
        assert!(around.bytes.len() <= item.bytes.len(), "{item:?} {around:?}");
    }
}

proptest! {
    #[test]
    fn an_update_is_a_parse((language, text) in seeded(), changes in changes()) {
        let mut text = Text::from(text);
        let mut tree = Tree::parse(language, &text).unwrap();
        for change in &changes {
            text = changed(&text, change);
            tree = tree.update(&text).unwrap();
            let whole = Tree::parse(language, &text).unwrap();
            // Where the text is wrong, both may guess in their own way.
            if whole.has_error() {
                check_items(&tree);
            } else {
                prop_assert_eq!(dump(&tree), dump(&whole), "{:?} {:?}", language, text);
            }
        }
    }

    #[test]
    fn nothing_breaks_the_parser(language in language(), text in soup(0..300)) {
        if let Some(tree) = Tree::parse(language, &Text::from(text)) {
            check_items(&tree);
        }
    }
}

#[test]
fn seeds_are_good() {
    for language in Language::ALL {
        let seed = Text::from(SEEDS[language as usize]);
        let tree = Tree::parse(language, &seed).unwrap();
        assert!(!tree.has_error(), "{language:?}: {}", tree.tree.root_node().to_sexp());
        check_items(&tree);
    }
}

#[test]
fn nobody_waits_for_long() {
    let text = Text::from("fn a() {}\n".repeat(10_000));
    assert!(parse(Language::Rust, &text, None, Duration::ZERO).is_none());
}
