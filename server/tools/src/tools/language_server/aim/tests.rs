//! From what the model names to where that is.

use super::*;

#[test]
fn columns_of_names() {
    let check = |line: &str, symbol: &str, expect: Option<u32>| {
        assert_eq!(column_of(line, symbol), expect, "{symbol:?} in {line:?}");
    };
    check("let x = foo(bar);", "bar", Some(13));
    check("foobar(foo)", "foo", Some(8));
    check("foobar()", "foo", Some(1));
    check("é𝕏 = naïve", "naïve", Some(6));
    check("a::b::c()", "b::c", Some(7));
    check("self.name", "self.name", Some(6));
    check("x += 1", "+=", Some(3));
    check("foo", "bar", None);
    check("", "x", None);
}

#[test]
fn what_is_missing_or_elsewhere() {
    let text = Text::from("fn one() {}\r\nfn two() { one() }\n");
    let check = |line: Option<u32>, symbol: Option<&str>, column: Option<u32>| {
        let aim = Aim { line, symbol: symbol.map(str::to_owned), column };
        aim.find(&text).map_err(|problem| problem.0)
    };
    let fails = |line, symbol, column, expect: &str| {
        let error = check(line, symbol, column).unwrap_err();
        assert_eq!(error, expect);
    };
    assert_eq!(check(Some(1), Some("one"), None), Ok((1, 4)));
    assert_eq!(check(Some(2), Some("one"), Some(12)), Ok((2, 12)));
    assert_eq!(check(Some(1), None, Some(12)), Ok((1, 12)));
    fails(None, Some("one"), None, "line is missing. It is in the lines 1, 2.");
    fails(None, None, None, "line is missing. Say in which line the name is.");
    fails(Some(3), Some("one"), None, "The file has 2 lines, and no line 3.");
    fails(Some(0), Some("one"), None, "The file has 2 lines, and no line 0.");
    fails(Some(1), None, Some(13), "Line 1 has 11 columns, and no column 13.");
    fails(
        Some(1),
        Some("two"),
        None,
        "\"two\" is not in line 1, which reads:\nfn one() {}\nIt is in line 2.",
    );
    fails(
        Some(1),
        Some(" "),
        None,
        "symbol is missing. Name what is meant in line 1, which reads:\nfn one() {}",
    );
    let many = Text::from("x\n".repeat(12));
    assert_eq!(elsewhere(&many, "x"), "It is in the lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ….");
    assert_eq!(elsewhere(&many, "y"), "The file does not have it.");
}
