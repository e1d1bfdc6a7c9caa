//! Phrases against what they mean.

use super::Command as C;
use super::*;

fn check(prompt: &str, expect: &[C]) {
    assert_eq!(parse(prompt), expect, "{prompt:?}");
}

fn s(text: &str) -> String {
    text.to_owned()
}

fn some(text: &str) -> Option<String> {
    Some(s(text))
}

fn unknown(text: &str) -> C {
    C::Unknown { text: s(text) }
}

#[test]
fn looking() {
    for prompt in [
        "read src/main.rs",
        "Please read the file src/main.rs.",
        "could you show me the contents of `src/main.rs`?",
        "open @src/main.rs",
        "Now read \"src/main.rs\"",
    ] {
        check(prompt, &[C::Read { file: s("src/main.rs") }]);
    }
    let search = |pattern: &str, path: Option<&str>| C::Search {
        pattern: s(pattern),
        path: path.map(str::to_owned),
    };
    check("search TODO", &[search("TODO", None)]);
    check("search for \"fn main()\" in src", &[search(r"fn main\(\)", Some("src"))]);
    check("grep /a.*b/ in src/x.rs", &[search("a.*b", Some("src/x.rs"))]);
    check("find usages of parse_line", &[search("parse_line", None)]);
    check("find \"main.rs\"", &[search(r"main\.rs", None)]);
    let find =
        |glob: &str, path: Option<&str>| C::Find { glob: s(glob), path: path.map(str::to_owned) };
    check("find *.rs", &[find("**/*.rs", None)]);
    check("find main.rs", &[find("**/main.rs", None)]);
    check("find src/*.rs", &[find("src/*.rs", None)]);
    check("list files", &[find("**/*", None)]);
    check("list all files in src", &[find("**/*", Some("src"))]);
    check("show me the files", &[find("**/*", None)]);
    check("ls src", &[find("**/*", Some("src"))]);
    check("explain src/a.rs", &[C::Explain { target: s("src/a.rs"), is_path: true }]);
    check(
        "what does the function parse_line do?",
        &[C::Explain { target: s("parse_line"), is_path: false }],
    );
    check("Explain `Turn`", &[C::Explain { target: s("Turn"), is_path: false }]);
}

#[test]
fn changing() {
    let replace = |old: &str, new: &str, file: Option<&str>| C::Replace {
        old: s(old),
        new: s(new),
        file: file.map(str::to_owned),
    };
    for prompt in [
        "replace \"a b\" with \"c\" in x.txt",
        "Please change `a b` to `c` in the file x.txt.",
        "replace all occurrences of 'a b' by 'c' in `x.txt`",
        "replace “a b” with “c” in x.txt",
    ] {
        check(prompt, &[replace("a b", "c", Some("x.txt"))]);
    }
    check("replace foo with bar in x.txt", &[replace("foo", "bar", Some("x.txt"))]);
    check("replace \"with\" with \"in\" in x", &[replace("with", "in", Some("x"))]);
    check("replace \"a\" with \"\" in x.txt", &[replace("a", "", Some("x.txt"))]);
    check("replace \"a\\n\" with \"b\\\"\"", &[replace("a\n", "b\"", None)]);
    check("remove \"debug\" from x.txt", &[replace("debug", "", Some("x.txt"))]);
    let rename = |symbol: &str, new: &str, path: Option<&str>| C::Rename {
        symbol: s(symbol),
        new: s(new),
        path: path.map(str::to_owned),
    };
    check("rename foo to bar", &[rename("foo", "bar", None)]);
    check("rename the function `foo` to `bar` in src/", &[rename("foo", "bar", Some("src/"))]);
    check("rename a.txt to b.txt", &[C::Run { command: s("mv -n -- 'a.txt' 'b.txt'") }]);
    let create = |file: &str, text: &str| C::Create { file: s(file), text: s(text) };
    check("create a.txt with \"hi\"", &[create("a.txt", "hi")]);
    check("create a file notes.md containing hello world", &[create("notes.md", "hello world")]);
    check("write \"hi\" to a.txt", &[create("a.txt", "hi")]);
    check(
        "create a.rs with:\n```rust\nfn a() {}\n\nthen\n```",
        &[create("a.rs", "fn a() {}\n\nthen\n")],
    );
    check("touch empty.txt", &[create("empty.txt", "")]);
    check("append \"x\" to a.txt", &[C::Append { file: s("a.txt"), text: s("x") }]);
    check(
        "add `use x;` to the file src/a.rs",
        &[C::Append { file: s("src/a.rs"), text: s("use x;") }],
    );
}

#[test]
fn doing() {
    let run = |command: &str| C::Run { command: s(command) };
    check("run cargo test --all", &[run("cargo test --all")]);
    check("$ echo \"a  b\" | wc -l", &[run("echo \"a  b\" | wc -l")]);
    check("run `ls -la`", &[run("ls -la")]);
    check("please run the command `ls`.", &[run("ls")]);
    check("$ if true; then echo a; fi", &[run("if true; then echo a; fi")]);
    check("first read a.txt\nrun echo  'x y'", &[C::Read { file: s("a.txt") }, run("echo  'x y'")]);
    let todo = |items: &[&str]| C::Todo { items: items.iter().map(|item| s(item)).collect() };
    check("todo: a; b c; d", &[todo(&["a", "b c", "d"])]);
    check("make a todo list: a, b and c", &[todo(&["a", "b and c"])]);
    check("make a todo list for one, two, and three.", &[todo(&["one", "two", "three"])]);
    check("todo:\n- read a.txt\n- ship it", &[todo(&["read a.txt", "ship it"])]);
    check("fix src/a.rs", &[C::Fix { file: some("src/a.rs") }]);
    check("fix this diagnostic:\nsrc/a.rs is broken\nsomehow", &[C::Fix { file: None }]);
    check("say 1000 words", &[C::SayWords { count: 1000 }]);
    check("say hello there", &[C::Echo { text: s("hello there") }]);
}

#[test]
fn steps_and_strangers() {
    let read = |file: &str| C::Read { file: s(file) };
    check("read a.txt then read b.txt", &[read("a.txt"), read("b.txt")]);
    check("Read a.txt, and then read b.txt", &[read("a.txt"), read("b.txt")]);
    check("1. read a.txt\n2. read b.txt", &[read("a.txt"), read("b.txt")]);
    check("- read a.txt\n\n- read b.txt", &[read("a.txt"), read("b.txt")]);
    check("say \"now then you\"", &[C::Echo { text: s("now then you") }]);
    check("help", &[C::Help]);
    check("?", &[C::Help]);
    check("Hello!", &[C::Help]);
    check("what can you do?", &[C::Help]);
    check("refactor everything", &[unknown("refactor everything")]);
    check("dance\nand sing", &[unknown("dance\nsing")]);
    check("rename", &[unknown("rename")]);
    check("", &[]);
    check("\n \n", &[]);
}

mod never_panics {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn on_any_text(text in "\\PC{0,200}") {
            super::parse(&text);
        }

        #[test]
        fn on_words_of_the_language(
            text in "((please|read|replace|rename|create|run|todo:|then|with|to|in|\"|`|'|```|\n|a\\.rs|ü|;|,) ?){0,30}"
        ) {
            super::parse(&text);
        }
    }
}
