//! What is overlooked, what the new text becomes, and what is never overlooked.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::{Difference, replace};
use super::*;
use crate::nasty;

fn check(text: &str, old: &str, new: &str, leniency: Leniency, expect: &str) {
    let found = replace(text, old, new, false);
    let Ok(found) = found else { panic!("{found:?} for {old:?} in {text:?}") };
    assert_eq!(nasty::spliced(text, &found.edit), expect, "{old:?} -> {new:?} in {text:?}");
    assert_eq!((found.leniency, found.count), (Some(leniency), 1), "{old:?} in {text:?}");
    // The same in a file with other ends of lines.
    let crlf = |text: &str| text.replace('\n', "\r\n");
    if Newline::of(text) == Newline::Lf {
        let found = replace(&crlf(text), old, new, false).unwrap();
        assert_eq!(nasty::spliced(&crlf(text), &found.edit), crlf(expect));
    }
}

fn check_refused(text: &str, old: &str) {
    let found = replace(text, old, "new", false);
    let refused = matches!(found, Err(ReplaceError::NotFound { .. }));
    assert!(refused, "{found:?} for {old:?} in {text:?}");
}

#[test]
fn blanks_at_the_ends_of_lines() {
    let check = |text: &str, old: &str, new: &str, expect: &str| {
        check(text, old, new, Leniency::TrailingBlanks, expect);
    };
    check("a  \nb\t\nc\n", "a\nb\nc", "a\nB\nc", "a  \nB\t\nc\n");
    check("a\nb\nc\n", "a \nb  \nc", "a\nb\nx", "a\nb\nx\n");
    check("a\nb\n", "a\nb ", "a\nx ", "a\nx\n");
    check("a\nb  \n", "a\nb \n", "a\nx\ny\n", "a\nx\ny\n");
    check("one\n   \ntwo\n", "one\n\ntwo", "one\n\n2", "one\n   \n2\n");
    check("one\n\ntwo\n", "one\n    \ntwo", "1\n    \ntwo", "1\n\ntwo\n");
    check("x = f(a, b) \ny\n", "f(a, b)\ny", "g(a)\nz", "x = g(a) \nz\n");
    // Blanks in the middle of a line count.
    check("a \nb, c\n", "a\nb, ", "a\nx, ", "a \nx, c\n");
    check("a \nb, c\n", "a\nb, ", "a\nx", "a \nxc\n");
    check_refused("a \nb,c\n", "a\nb, ");
    check_refused("a b\n", "a  b");
}

#[test]
fn a_last_line_without_an_end() {
    let check = |text: &str, old: &str, new: &str, expect: &str| {
        check(text, old, new, Leniency::TrailingBlanks, expect);
    };
    check("a\nb", "b\n", "c\n", "a\nc");
    check("a\nb", "a\nb\n", "a\nb\nc\n", "a\nb\nc");
    check("a\nb ", "b\n", "", "a\n ");
    check_refused("a\nb\n", "a\nb\n\n");
    check_refused("bc", "b\n");
    let found = replace("\tb", "  b\n", "  if c\n    b\n", false).unwrap();
    assert_eq!(nasty::spliced("\tb", &found.edit), "\tif c\n\t\tb");
}

#[test]
fn mixed_ends_of_lines() {
    let found = replace("a\r\nb\nc\rd\n", "a\nb\nc\nd\n", "a\nb\nx\ny\nd\n", false).unwrap();
    assert_eq!(nasty::spliced("a\r\nb\nc\rd\n", &found.edit), "a\r\nb\nx\r\ny\rd\n");
    assert_eq!(found.leniency, Some(Leniency::TrailingBlanks));
}

#[test]
fn styles_of_quotes() {
    let check = |text: &str, old: &str, new: &str, expect: &str| {
        check(text, old, new, Leniency::Quotes, expect);
    };
    check("say “hello”, it’s", "say \"hello\", it's", "say \"bye\", it's", "say “bye”, it’s");
    check("a “b” c\nd ‘e’\n", "d 'e'\n", "d 'f' 'g'\n", "a “b” c\nd ‘f' 'g’\n");
    check("print(\"a\")\n", "print(“a”)", "print(“b”, “c”)", "print(\"b\", \"c\")\n");
    check("“a” \nb\n", "\"a\"\nb", "\"a\"\nc", "“a” \nc\n");
    check("it’s 😀 “é”\n", "it's 😀 \"é\"", "it's 😀", "it’s 😀\n");
    // A quote that stands for the other kind, or for none, is a mistake.
    check_refused("print('a')\n", "print(\"a\")");
    check_refused("«a»\n", "\"a\"");
    // New curly quotes are meant.
    let found = replace("a  \nb\n", "a\nb", "a\n“b”", false).unwrap();
    assert_eq!(nasty::spliced("a  \nb\n", &found.edit), "a  \n“b”\n");
}

const TABS: &str = "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn 1\n\t\treturn 2\n";

#[test]
fn another_indentation() {
    let check = |text: &str, old: &str, new: &str, expect: &str| {
        check(text, old, new, Leniency::Indentation, expect);
    };
    // Spaces for tabs, and a line deeper than any that was quoted.
    check(
        TABS,
        "        if x:\n            return 1\n",
        "        if x:\n            if y:\n                return 3\n            return 1\n",
        "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\tif y:\n\t\t\t\treturn 3\n\t\t\treturn 1\n\t\treturn 2\n",
    );
    // The whole block is shallower, and the new text goes out of it.
    check(
        TABS,
        "if x:\n    return 1\nreturn 2",
        "if x:\n    return 1\nelse:\n    return 3\nreturn 4",
        "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn 1\n\t\telse:\n\t\t\treturn 3\n\t\treturn 4\n",
    );
    check(
        TABS,
        "            return 1\n        return 2\n",
        "            return 1\n        return 2\n\n    def g(self):\n        pass\n",
        &format!("{TABS}\n\tdef g(self):\n\t\tpass\n"),
    );
    // Two for four, four for two.
    check(
        "a {\n    b {\n        c\n    }\n}\n",
        "a {\n  b {\n    c\n  }\n}",
        "a {\n  b {\n    if c {\n      d\n    }\n  }\n}",
        "a {\n    b {\n        if c {\n            d\n        }\n    }\n}\n",
    );
    check(
        "a {\n  b {\n    c\n  }\n}\n",
        "    b {\n        c\n    }\n",
        "    b {\n        c {\n            d\n        }\n    }\n",
        "a {\n  b {\n    c {\n      d\n    }\n  }\n}\n",
    );
    // One depth only: the step is that of the file and that of the quote.
    check(
        "{\n    a\n    b\n}\n",
        "  a\n  b",
        "  a\n  if c {\n    b\n  }",
        "{\n    a\n    if c {\n        b\n    }\n}\n",
    );
    check(
        "{\n\ta\n}\n",
        "        a",
        "        if b {\n            a\n        }",
        "{\n\tif b {\n\t\ta\n\t}\n}\n",
    );
    // Tabs where the file has spaces.
    check(
        "f {\n  x\n}\n",
        "f {\n\tx\n}",
        "f {\n\tif y {\n\t\tx\n\t}\n}",
        "f {\n  if y {\n    x\n  }\n}\n",
    );
    // Blank lines and unquoted ones need no indentation.
    check("\ta\n\n\t\tb\n", "    a\n\n        b", "    a\n\n        c", "\ta\n\n\t\tc\n");
}

#[test]
fn a_quote_that_starts_inside_a_line() {
    check(
        "\tlet f = || {\n\t\tone();\n\t};\n",
        "f = || {\n        one();\n    };",
        "g = || {\n        one();\n        two();\n    };",
        Leniency::Indentation,
        "\tlet g = || {\n\t\tone();\n\t\ttwo();\n\t};\n",
    );
    check(
        "    if x {\n        foo();\n    }\n",
        "if x {\n\t\tfoo();\n\t}",
        "if y {\n\t\tbar();\n\t}",
        Leniency::Indentation,
        "    if y {\n        bar();\n    }\n",
    );
}

#[test]
fn all_at_once() {
    check(
        "f:\n\tsay(“a”)  \n\tdone\n",
        "    say(\"a\")\n    done",
        "    say(\"a\")\n    if b:\n        say(\"c\")\n    done",
        Leniency::Indentation,
        "f:\n\tsay(“a”)  \n\tif b:\n\t\tsay(\"c\")\n\tdone\n",
    );
}

#[test]
fn indentation_that_means_something_else() {
    // Not the same for the same depth, or not deeper for a deeper one.
    check_refused("a:\n    b1\n    c1\n", "a:\n    b1\n        c1\n");
    check_refused("a:\n    b1\n        c1\n", "a:\n  b1\n  c1\n");
    check_refused("a:\n        b1\n    c1\n", "a:\n    b1\n        c1\n");
    let Err(error) = replace("a:\n    b1\n    c1\n", "a:\n    b1\n        c1\n", "", false) else {
        panic!("must not be found");
    };
    let ReplaceError::NotFound { nearest: Some(nearest) } = error else { panic!("{error:?}") };
    assert_eq!(nearest.differs, [(Difference::Indentation, 3)]);
}

#[test]
fn the_strictest_reading_wins() {
    // Only one of the two is the same but for blanks at the end.
    let text = "\ta  \n\tb\n        a\n        b\n";
    check(
        text,
        "\ta\n\tb",
        "\ta\n\tc",
        Leniency::TrailingBlanks,
        "\ta  \n\tc\n        a\n        b\n",
    );
    check(
        "“a”\n\"a\" \nb\n“a”\nb\n",
        "\"a\"\nb",
        "x",
        Leniency::TrailingBlanks,
        "“a”\nx\n“a”\nb\n",
    );
    // An exact text is never overlooked for another one.
    let found = replace("a  \nb\na\nb\n", "a\nb", "c", false).unwrap();
    assert_eq!(found.leniency, None);
}

#[test]
fn several_places() {
    let text = "a {\n\tx \n\ty\n}\nb {\n\t\tx\n\t\ty\t\n}\n";
    let error = replace(text, "    x\n    y", "z", false).unwrap_err();
    let around = "1: a {\n2: \tx \n5: b {\n6: \t\tx".to_owned();
    let leniency = Some(Leniency::Indentation);
    assert_eq!(error, ReplaceError::Ambiguous { count: 2, lines: vec![2, 6], around, leniency });
    let found = replace(text, "    x\n    y", "    x\n    z", true).unwrap();
    assert_eq!((found.count, found.leniency), (2, leniency));
    let expect = "a {\n\tx \n\tz\n}\nb {\n\t\tx\n\t\tz\t\n}\n";
    assert_eq!(nasty::spliced(text, &found.edit), expect);
}

#[test]
fn nothing_to_do() {
    assert_eq!(replace("a\nb\n", "a \nb", "a\nb", false), Err(ReplaceError::Same));
    assert_eq!(replace("“a”\n", "\"a\" ", "\"a\"", false), Err(ReplaceError::Same));
    check_refused("a  \nb\n", " \n \n");
    check_refused("\n\n\n", "\t\n");
}

#[test]
fn leniency_is_told() {
    for leniency in [Leniency::TrailingBlanks, Leniency::Quotes, Leniency::Indentation] {
        assert!(leniency.to_string().starts_with("the text in the file "));
    }
    assert!(
        Leniency::TrailingBlanks < Leniency::Quotes && Leniency::Quotes < Leniency::Indentation
    );
}

#[test]
fn big_files() {
    let line = "\tsame(\"line\");  \n";
    let text = format!("{}\tlast(“one”);\n}}\n", line.repeat(20_000));
    let found = replace(&text, "    last(\"one\");\n}", "    last(\"two\");\n}", false).unwrap();
    let at = text.find("one").unwrap();
    assert_eq!(found.edit.splices(), [crate::Splice::new(at..at + 3, "two")]);
    let found = replace(&text, "    same(\"line\");\n", "    other(\"line\");\n", true).unwrap();
    assert_eq!(found.count, 20_000);
    let long = format!("{}“x”{}", "a b ".repeat(200_000), " c".repeat(200_000));
    assert_eq!(replace(&long, "\"x\"", "y", false).unwrap().count, 1);
}

/// A program with a clear structure, each line with its depth.
fn program() -> impl Strategy<Value = Vec<(usize, String)>> {
    let words = select(vec!["if (a) {", "say(\"b\")", "it's", "}", "x = 'y'", "", "é😀"]);
    prop::collection::vec((0usize..3, words), 3..12).prop_map(|lines| {
        let mut depth = 0;
        let number = |(at, (step, word)): (usize, (usize, &str))| {
            depth = (depth + step).saturating_sub(1).min(6);
            let word = if word.is_empty() { String::new() } else { format!("{word} {at}") };
            (depth, word)
        };
        lines.into_iter().enumerate().map(number).collect()
    })
}

fn written(lines: &[(usize, String)], unit: &str, base: usize, tail: &str, curly: bool) -> String {
    let line = |(depth, words): &(usize, String)| match words.as_str() {
        "" => "\n".to_owned(),
        words => {
            let words =
                if curly { words.replace('"', "“").replace('\'', "’") } else { words.into() };
            format!("{}{words}{tail}\n", unit.repeat(depth + base))
        }
    };
    lines.iter().map(line).collect()
}

proptest! {
    /// However the file is written, a quote written in another way finds its place, and the result
    /// is the changed program in the file's own way.
    #[test]
    fn the_way_of_the_file(
        program in program(),
        file in select(vec!["\t", "  ", "    "]),
        quote in select(vec!["\t", "  ", "    "]),
        base in 0usize..3,
        tail in select(vec!["", " ", "\t "]),
        curly in any::<bool>(),
        crlf in any::<bool>(),
        at in any::<prop::sample::Index>(),
    ) {
        // The depth of the new line must be one that was quoted.
        let quoted: Vec<usize> =
            (0..program.len()).filter(|line| !program[*line].1.is_empty()).collect();
        prop_assume!(!quoted.is_empty());
        let at = *at.get(&quoted);
        let mut changed = program.clone();
        changed[at].1 = "brand new".to_owned();
        let write = |lines: &[(usize, String)], changed: bool| {
            let tail = |at_line: usize| if changed && at_line == at { "" } else { tail };
            let each = lines.iter().enumerate();
            let lines: String = each
                .map(|(number, line)| written(std::slice::from_ref(line), file, base, tail(number), curly))
                .collect();
            if crlf { lines.replace('\n', "\r\n") } else { lines }
        };
        let (old, new) = (written(&program, quote, 0, "", false), written(&changed, quote, 0, "", false));
        prop_assume!(old != new);
        let text = format!("head\n{}end\n", write(&program, false));
        match replace(&text, &old, &new, false) {
            Ok(found) => {
                let result = nasty::spliced(&text, &found.edit);
                let plain = |text: &str| -> String {
                    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
                };
                let expect = format!("head\n{}end\n", write(&changed, true));
                prop_assert_eq!(plain(&result), plain(&expect));
                // Nothing but the changed line is touched.
                let (mut result, mut text) = (result.split_inclusive('\n'), text.split_inclusive('\n'));
                for number in 0..program.len() + 2 {
                    let (result, text) = (result.next(), text.next());
                    if number != at + 1 {
                        prop_assert_eq!(result, text);
                    }
                }
            }
            Err(error) => prop_assert!(false, "{} for {:?} in {:?}", error, old, text),
        }
    }

    /// What is found says the same as what was looked for, and bytes around it do not move.
    #[test]
    fn only_what_may_be_is_overlooked(text in nasty::text(), old in nasty::text()) {
        if let Ok(found) = replace(&text, &old, "\u{1}", false) {
            let result = nasty::spliced(&text, &found.edit);
            let (head, tail) = result.split_once('\u{1}').unwrap();
            let head = head.trim_end_matches(BLANKS);
            prop_assert!(text.starts_with(head) && text.ends_with(tail));
            let gone = &text[head.len()..text.len() - tail.len()];
            let bare = |text: &str| -> String { text.split_whitespace().collect() };
            prop_assert_eq!(bare(gone), bare(&old));
        }
    }
}
