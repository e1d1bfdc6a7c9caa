//! Commands that look, and commands that only seem to.

use super::*;
use crate::shell::prove::prove;

fn check(text: &str, expect: Option<&[&str]>) {
    let commands = prove(text, None).unwrap_or_else(|unproven| panic!("{text}: {}", unproven.why));
    let found = looks(&commands[0].words).map(|looks| looks.paths);
    let expect = expect.map(|paths| paths.iter().map(|path| (*path).to_owned()).collect());
    assert_eq!(found, expect, "{text}");
}

#[test]
fn looking_is_recognised() {
    check("ls -la src", Some(&["src"]));
    check("cat -n a b", Some(&["a", "b"]));
    check("head -n 20 a", Some(&["a"]));
    check("head -20 a", Some(&["a"]));
    check("grep -rn 'x y' src", Some(&["src"]));
    check("grep -e x a", Some(&["a"]));
    check("rg --files src", Some(&["src"]));
    check("rg -A3 -t rust 'fn main'", Some(&[]));
    check("find . -name '*.rs' -mtime -3 \\( -type f \\)", Some(&[".", "*.rs", "-3", "f"]));
    check("sort -k2 -u a", Some(&["a"]));
    check("cut -d / -f1 a", Some(&["a"]));
    check("sort -t / a", Some(&["a"]));
    check("paste -d / a b", Some(&["a", "b"]));
    check("awk '{print $1}' a", Some(&["a"]));
    check("awk -F: 'NR>1' a", None);
    check("awk -F, 'NR==2 {print $2, $3}' a b", Some(&["a", "b"]));
    check("jq -r '.a[] | .b' a.json", Some(&["a.json"]));
    check("nl -ba a", Some(&["a"]));
    check("sed -n '1,20p' a", Some(&["a"]));
    check("sed -n 5,\\$p a", Some(&["a"]));
    check("date +%F", Some(&[]));
    check("node --version", Some(&[]));
    check("od -s a", Some(&["a"]));
    check("od -A x -t x1 -N 16 a", Some(&["a"]));
    check("hexdump -C -n 16 -s 4 a", Some(&["a"]));
    check("strings -n 8 a", Some(&["a"]));
    check("fmt -t a", Some(&["a"]));
    check("fmt -w 60 a", Some(&["a"]));
    check("expand -t 4 a", Some(&["a"]));
    check("head -c 999 a", Some(&["a"]));
    check("git diff -U a b", Some(&["a", "b"]));
    check("git diff -U5 b", Some(&["b"]));
    check("command -v ls", Some(&[]));
    check("test -f a", Some(&["a"]));
    check("echo anything -at --all", Some(&[]));
    check("ls *.rs", Some(&["*.rs"]));
}

#[test]
fn everything_else_is_not() {
    for text in [
        "sort -o f a",
        "sort -of a",
        "sort --compress-program=sh",
        "sort --outpu=f a",
        "sort *",
        "find . -delete",
        "find . -exec x",
        "find . -fprint f",
        "find . -fls f",
        "find -L .",
        "find . -de\\lete",
        "find . -del*",
        "find . -files0-from x",
        "rg --pre sh p",
        "rg --pre=sh p",
        "rg -z p",
        "rg --hostname-bin x p",
        "uniq a b",
        "date -s now",
        "date 010101",
        "date -f x",
        "sed -i s/a/b/ f",
        "sed -n 'w f' a",
        "sed -n -i 1p f",
        "sed -ni 1p f",
        "sed '1e x' a",
        "printf -v x y",
        "test -v x",
        "file -C -m m",
        "file -f x",
        "tree -o f",
        "wc --files0-from=x",
        "du --files0-from=x",
        "diff --to-file=a b",
        "cd",
        "cd -",
        "cd a b",
        "yarn --version",
        "pwd x",
        "awk -f p a",
        "awk 'BEGIN{system(\"x\")}'",
        "awk '{print > \"f\"}' a",
        "awk '{print | \"sh\"}' a",
        "awk '{getline x < \"f\"}' a",
        "awk 'BEGIN{print ENVIRON[\"K\"]}'",
        "awk 1 FS=x a",
        "awk '@load \"x\"' a",
        "jq -n '$ENV'",
        "jq --rawfile x f . a",
        "jq -f p a",
        "jq 'input' a",
    ] {
        check(text, None);
    }
}

#[test]
fn programs_that_do_more_are_not() {
    for text in [
        "make",
        "cargo check",
        "npm test",
        "man ls",
        "env",
        "command ls",
        "ls --odd",
        "touch x",
        "jq -n env",
        "fd -x y",
        "base64 -o f",
        "curl x",
        "tar xf a",
        "history -w f",
        "tail --pid=1 x",
        "bash --version x",
        "cargo --version",
        "rustc -V",
        "go version",
        "dotnet --version",
        "head -999c a",
        "tail -999c a",
        "tail -5n a",
        "hexdump -f a",
        "grep -R x .",
        "grep -rR x .",
        "diff -r a b",
        "diff --recursive a b",
        "awk 'BEGIN{print SYMTAB[\"ENVIR\" \"ON\"]}'",
    ] {
        check(text, None);
    }
}
