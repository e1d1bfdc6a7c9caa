//! Depths of a quote as the file has them.

use super::*;

fn mapping<'a>(pairs: &[(&str, &'a str)]) -> Option<Mapping<'a>> {
    Mapping::new(pairs, || (Some(Step::Spaces(2)), Some(Step::Spaces(4))))
}

fn check(pairs: &[(&str, &str)], blanks: &str, expect: &str) {
    let mapping = mapping(pairs).unwrap_or_else(|| panic!("no mapping for {pairs:?}"));
    assert_eq!(mapping.apply(blanks), expect, "{blanks:?} by {pairs:?}");
}

#[test]
fn depths_that_were_quoted() {
    check(&[("", "\t"), ("    ", "\t\t")], "    ", "\t\t");
    check(&[("  ", "    "), ("  ", "    ")], "  ", "    ");
    // The file mixes tabs and spaces of the same width.
    check(&[("    ", "\t"), ("    ", "    ")], "    ", "\t");
    check(&[], "   ", "   ");
}

#[test]
fn other_depths() {
    // Deeper, between and shallower, in proportion.
    check(&[("", "\t"), ("    ", "\t\t")], "        ", "\t\t\t");
    check(&[("", "\t"), ("    ", "\t\t")], "      ", "\t\t  ");
    check(&[("", ""), ("        ", "\t\t")], "    ", "\t");
    check(&[("\t", "  "), ("\t\t", "    ")], "\t\t\t", "      ");
    check(&[("    ", "\t\t"), ("        ", "\t\t\t")], "", "\t");
    check(&[("    ", "  "), ("        ", "    ")], "", "");
    // By the steps, when there is one depth only.
    check(&[("  ", "    ")], "    ", "        ");
    check(&[("  ", "\t")], "    ", "\t\t");
    check(&[("  ", "    ")], "", "");
    check(&[("    ", "  ")], "  ", "");
    check(&[("", "")], &" ".repeat(1_000), &" ".repeat(1_000));
}

#[test]
fn no_mapping() {
    let check = |pairs: &[(&str, &str)]| assert!(mapping(pairs).is_none(), "{pairs:?}");
    check(&[("", ""), ("", "  ")]);
    check(&[("", "  "), ("  ", "  ")]);
    check(&[("", "  "), ("  ", "")]);
}

#[test]
fn steps() {
    let check = |text: &str, expect: Option<Step>| assert_eq!(Step::of(text.lines()), expect);
    check("", None);
    check("a\nb\n", None);
    check("a\n  b\n\n    c\nd\n    e\n", Some(Step::Spaces(2)));
    check("a\n\tb\n\t\tc\n", Some(Step::Tab));
    check("a\n b\n         c\n", Some(Step::Spaces(8)));
}
