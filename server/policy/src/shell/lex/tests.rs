//! Words and operators, as bash would find them.

use super::*;

fn shown(text: &str) -> String {
    let lexed = lex(text, Some("/h"));
    let tokens: Vec<String> = lexed
        .tokens
        .iter()
        .map(|token| match token {
            Token::Word(word) => format!("[{}]", word.text()),
            Token::Control(op) => op.escape_default().to_string(),
            Token::Redirect(op) => op.clone(),
        })
        .collect();
    tokens.join(" ")
}

#[test]
fn words_and_operators_are_those_of_bash() {
    let check = |text: &str, expect: &str| assert_eq!(shown(text), expect, "{text}");
    check("ls -la", "[ls] [-la]");
    check("to''uch \"a b\" 'c d'", "[touch] [a b] [c d]");
    check("t\\ouch x\\ y", "[touch] [x y]");
    check("tou\\\nch x", "[touch] [x]");
    check("a&&b||c;d|e|&f&g\nh", "[a] && [b] || [c] ; [d] | [e] |& [f] & [g] \\n [h]");
    check("a 2>&1 >>f <g &>h >|i", "[a] >& [1] >> [f] < [g] &> [h] >| [i]");
    check("echo a2>f", "[echo] [a2] > [f]");
    check("touch${IFS}x", "[touch] [x]");
    check("cat $HOME/a ${HOME}/b", "[cat] [/h/a] [/h/b]");
    check("$'\\x74ouch' x", "[touch] [x]");
    check("echo hi # no\ntouch x", "[echo] [hi] \\n [touch] [x]");
    check("echo a#b", "[echo] [a#b]");
    check("echo > >(touch x)", "[echo] > >( [touch] [x] )");
    check("echo ''", "[echo] []");
    check("grep \"foo$\" x", "[grep] [foo$] [x]");
}

#[test]
fn insides_of_substitutions_are_scripts() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(lex(text, None).nested, expect, "{text}");
    };
    check("echo $(touch x) `rm y`", &["touch x", "rm y"]);
    check("echo \"$(touch ')' x)\"", &["touch ')' x"]);
    check("echo ${U:-$(touch x)}", &["U:-$(touch x)"]);
    check("echo '$(touch x)'", &[]);
    assert!(lex("echo 'x", None).unfinished);
    assert!(lex("echo $(x", None).unfinished);
}

#[test]
fn braces_expand() {
    let check = |text: &str, expect: &[&str]| {
        let lexed = lex(text, None);
        let Some(Token::Word(word)) = lexed.tokens.first() else { panic!("no word") };
        let texts: Vec<String> = word.braces().iter().map(Word::text).collect();
        assert_eq!(texts, expect, "{text}");
    };
    check("{touch,x}", &["touch", "x"]);
    check("a{b,{c,d}}e", &["abe", "ace", "ade"]);
    check("{}", &["{}"]);
    check("{a}", &["{a}"]);
    check("'{a,b}'", &["{a,b}"]);
    check("{,touch}", &["touch"]);
    check("''", &[""]);
    check("{t..t}ouch", &["touch"]);
    check("{a..c}{1..3..2}", &["a1", "a3", "b1", "b3", "c1", "c3"]);
    check("{3..1}", &["3", "2", "1"]);
    check("{x}{a,b}", &["{x}a", "{x}b"]);
    check("{a..}", &["{a..}"]);
    check("{touch,{{{{x,y},z},u},v}}", &["touch", "x", "y", "z", "u", "v"]);
    check("{,}{,}{,}{,}{,}touch", &["touch"; 32]);
}

#[test]
fn too_many_words_are_known_only_when_it_runs() {
    for text in ["{1..65}", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "{1..9223372036854775807}"] {
        let lexed = lex(text, None);
        let Some(Token::Word(word)) = lexed.tokens.first() else { panic!("no word") };
        assert!(word.braces().iter().any(|word| word.dynamic), "{text}");
    }
}

#[test]
fn escapes_stand_for_what_bash_makes_of_them() {
    let check = |text: &str, expect: &str| {
        let lexed = lex(text, None);
        let Some(Token::Word(word)) = lexed.tokens.first() else { panic!("no word") };
        assert_eq!(word.text(), expect, "{text}");
    };
    check("$'touch\\0zzz'", "touch");
    check("$'to\\x00zz'uch", "touch");
    check("$'\\564ouch'", "touch");
    check("$'\\x{74}ouch'", "touch");
    check("$'\\x{174}ouch'", "touch");
    check("$'\\x74\\u006fuch'", "touch");
    check("$'\\qa\\\\b\\'c'", "\\qa\\b'c");
    check("$'\\cAx'", "\u{1}x");
    check("$'a\\tb'", "a\tb");
}

/// Quotes, escapes and braces: bash itself says which words a command has.
#[test]
#[expect(clippy::disallowed_methods, reason = "bash is asked what it makes of the words")]
fn bash_and_the_lexer_see_the_same_words() {
    const PIECES: [&str; 28] = [
        "a",
        "'b c'",
        "\"d\"",
        "\\e",
        "$'\\x66'",
        "$'\\147'",
        "$'h\\0zz'",
        "{i,j}",
        "{k..m}",
        "''",
        "\"\"",
        "$'\\u006e'",
        "{o,{p,q}}",
        "-r",
        "$'\\x{73}'",
        "$'\\564'",
        "{}",
        "{t}",
        "u=v",
        "\"w'x\"",
        "$'y\\'z'",
        "\\\\",
        "{,}",
        "{1..3..2}",
        "\\{a,b}",
        "$'\\qx'",
        "{9..7}",
        "'{a,b}'",
    ];
    let mut seed = 7_usize;
    let mut below = |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let words: Vec<String> =
        (0..2_000).map(|_| (0..=below(3)).map(|_| PIECES[below(PIECES.len())]).collect()).collect();
    let script = words.iter().map(|word| format!("printf '%s\\0' {word}; printf '\\001'\n"));
    let bash =
        std::process::Command::new("bash").arg("-c").arg(script.collect::<String>()).output();
    let output = String::from_utf8(bash.unwrap().stdout).unwrap();
    let mut compared = 0;
    for (word, seen) in words.iter().zip(output.split('\u{1}')) {
        let lexed = lex(word, None);
        let [Token::Word(read)] = lexed.tokens.as_slice() else { panic!("{word}") };
        let made = read.braces();
        if made.iter().any(|word| word.dynamic) {
            continue;
        }
        // Whether there were quotes in a word that is nothing is not kept.
        let ours: Vec<String> = made.iter().map(Word::text).filter(|it| !it.is_empty()).collect();
        let theirs: Vec<&str> = seen.split('\0').filter(|it| !it.is_empty()).collect();
        assert_eq!(ours, theirs, "{word}");
        compared += 1;
    }
    assert!(compared > 1_200, "{compared}");
}
