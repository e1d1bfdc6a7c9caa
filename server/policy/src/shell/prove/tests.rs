//! What is proven, and what must not be.

use super::*;
use proptest::prelude::*;

fn shown(text: &str) -> String {
    let literal = |word: &Literal| format!("{}{}", word.text, if word.glob { "@" } else { "" });
    match prove(text, Some(Path::new("/h"))) {
        Err(unproven) => format!("unproven: {}", unproven.why),
        Ok(commands) => commands
            .iter()
            .map(|command| {
                let mut parts = command.assignments.clone();
                parts.extend(command.words.iter().map(literal));
                parts.extend(command.redirects.iter().map(|redirect| match redirect {
                    Redirect::Write(target) => format!(">{}", literal(target)),
                    Redirect::Read(target) => format!("<{}", literal(target)),
                }));
                parts.join("|")
            })
            .collect::<Vec<_>>()
            .join(" ; "),
    }
}

#[test]
fn plain_commands_are_proven() {
    let check = |text: &str, expect: &str| assert_eq!(shown(text), expect, "{text}");
    check("ls -la", "ls|-la");
    check("git  log\t--oneline", "git|log|--oneline");
    check("a && b || c ; d | e", "a ; b ; c ; d ; e");
    check("a\nb\n\nc\n", "a ; b ; c");
    check("echo 'a b' \"c d\" e\\ f g''h", "echo|a b|c d|e f|gh");
    check("ls *.rs src/?", "ls|*.rs@|src/?@");
    check("ls '*.rs'", "ls|*.rs");
    check("cat ~/x", "cat|/h/x");
    check("echo '~'", "echo|~");
    check("a > f 2>&1", "a|>f");
    check("a 2>/dev/null | b < g", "a|>/dev/null ; b|<g");
    check("> f", ">f");
    check("LANG=C ls", "LANG=C|ls");
    check("! grep x y", "grep|x|y");
    check("# note\nls # more", "ls");
    check("grep 'a$' \"b$\"", "grep|a$|b$");
    check("find . -name '*.rs'", "find|.|-name|*.rs");
    check("sed -n '1,20p' f", "sed|-n|1,20p|f");
    check("git log -5 HEAD~2", "git|log|-5|HEAD~2");
    check("git show HEAD^", "git|show|HEAD^");
    check("a & b", "a ; b");
    check("head -n 5 -- x", "head|-n|5|--|x");
    check("cat <<< 'x y'", "cat");
    check("echo {}", "echo|{}");
    check("cat 'é.txt' größe 𱡀", "cat|é.txt|größe|𱡀");
}

#[test]
fn everything_else_is_not() {
    for text in [
        "",
        "  ",
        "# only",
        "echo $X",
        "echo \"$X\"",
        "echo $(x)",
        "echo `x`",
        "cat <(x)",
        "cat <<EOF\nx\nEOF",
        "f() { x; }",
        "if a; then b; fi",
        "for i in a; do b; done",
        "X=1",
        "export X=1",
        "(a)",
        "{ a; }",
        "[ -f x ]",
        "[[ a ]]",
        "echo {a,b}",
        "echo {1..3}",
        "echo $'a'",
        "a 'b",
        "ls &&&& rm",
        "a\r",
        "a\u{1b}b",
        "a\u{200b}b",
        "a\u{a0}b",
        "*x y",
        "X=$(y) ls",
        "X=~/y ls",
        "echo a=~/b",
        "cat ~user/x",
        "a <> b",
        "a[0]=1 ls",
        "echo $((1))",
        "a;;b",
        "é=1",
        "a >& f",
        "cat ~''",
        "cat ~\\/x",
        "{𱡀",
        "echo ${A}",
        "$'ls'",
        "''",
    ] {
        let result = prove(text, Some(Path::new("/h")));
        assert!(result.is_err(), "{text:?} gave {result:?}");
    }
}

proptest! {
    #[test]
    fn nothing_makes_the_reader_panic(text in any::<String>()) {
        let _ = prove(&text, None);
        let _ = crate::shell::suspect::suspects(&text, Some("/h"));
    }

    #[test]
    fn shell_like_noise_neither(text in "[ a-c$(){}<>|&;'\"`\\\\\n*?~=#!\\[\\]-]{0,40}") {
        let _ = prove(&text, None);
        let _ = crate::shell::suspect::suspects(&text, Some("/h"));
    }
}
