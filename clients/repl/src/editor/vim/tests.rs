//! Keys of vi on a text: `|` marks the caret before and after.

use proptest::prelude::*;

use super::*;

/// Types keys as a user would, with `<` for escape.
fn play(before: &str, keys: &str) -> (Vim, Buffer) {
    let mut buffer = Buffer::default();
    let caret = before.find('|').unwrap_or(before.len());
    buffer.set(&before.replacen('|', "", 1));
    buffer.set_caret(caret);
    let mut vim = Vim { mode: VimMode::Normal, ..Vim::default() };
    for key in keys.chars() {
        match (key, vim.mode) {
            ('<', _) => drop(vim.escape(&mut buffer)),
            (key, VimMode::Normal) => match vim.key(key, &mut buffer) {
                Vimmed::Act(Action::Up) => drop(buffer.move_up()),
                Vimmed::Act(Action::Down) => drop(buffer.move_down()),
                _ => {}
            },
            (key, VimMode::Insert) => {
                buffer.insert(key.encode_utf8(&mut [0; 4]));
                vim.note_typed(key);
            }
        }
    }
    (vim, buffer)
}

fn check(before: &str, keys: &str, after: &str) {
    let (_, buffer) = play(before, keys);
    let mut shown = buffer.text().to_owned();
    shown.insert(buffer.caret(), '|');
    assert_eq!(shown, after, "{before:?} {keys}");
}

#[test]
fn motions() {
    check("|one two", "l", "o|ne two");
    check("one |two", "h", "one| two");
    check("|one", "h", "|one");
    check("on|e", "l", "on|e");
    check("|one two_three, four", "w", "one |two_three, four");
    check("|one two_three, four", "ww", "one two_three|, four");
    check("|one two, four", "2W", "one two, |four");
    check("one two| three", "b", "one |two three");
    check("a-b cd|", "B", "a-b |cd");
    check("|one two", "e", "on|e two");
    check("|one two", "ee", "one tw|o");
    check("one |two", "0", "|one two");
    check("  one t|wo", "^", "  |one two");
    check("|one\ntwo", "$", "on|e\ntwo");
    check("one\ntwo\nthr|ee", "gg", "|one\ntwo\nthree");
    check("|one\ntwo\nthree", "G", "one\ntwo\n|three");
    check("|one\ntwo\nthree", "2G", "one\n|two\nthree");
    check("|a,b,c", "f,", "a|,b,c");
    check("|a,b,c", "f,;", "a,b|,c");
    check("|a,b,c", "f,;,", "a|,b,c");
    check("|one, two", "t,", "on|e, two");
    check("one, two|", "F,", "one|, two");
    check("one, two|", "T,", "one,| two");
    check("|one\ntwo", "j", "one\n|two");
    check("one\nt|wo", "k", "o|ne\ntwo");
}

#[test]
fn changes() {
    check("o|ne", "x", "o|e");
    check("one|", "x", "o|n");
    check("|one two three", "2x", "|e two three");
    check("on|e", "X", "o|e");
    check("|one two", "dw", "|two");
    check("one |two\nthree", "dw", "one| \nthree");
    check("|one two three", "2dw", "|three");
    check("|one two three", "d2w", "|three");
    check("one t|wo", "db", "one |wo");
    check("o|ne two", "D", "|o");
    check("|one\ntwo\nthree", "dd", "|two\nthree");
    check("one\ntwo\n|three", "dd", "one\n|two");
    check("|one", "dd", "|");
    check("|one\ntwo\nthree", "2dd", "|three");
    check("|one\ntwo\nthree", "dj", "|three");
    check("one\n|two\nthree", "dG", "|one");
    check("|one two", "cwsix<", "si|x two");
    check("|a b", "cwx<", "|x b");
    check("|one two three", "c2wx<", "|x three");
    check("o|ne two", "C1<", "o|1");
    check("  one\n|two", "ccsix<", "  one\nsi|x");
    check("|abc", "rx", "|xbc");
    check("|abc", "3rx", "xx|x");
    check("|abc", "9rx", "|abc");
    check("|aB", "~~", "A|b");
    check("|one\n  two", "J", "one| two");
    check("|one two", "dwP", "one| two");
    check("|one\ntwo", "yyp", "one\n|one\ntwo");
    check("|one\ntwo", "ddp", "two\n|one");
    check("|one two", "ywwP", "one one| two");
    check("|one two", "xu", "|one two");
    check("|a,b", "dt,", "|,b");
    check("|a,b", "df,", "|b");
}

#[test]
fn objects() {
    check("one t|wo three", "diw", "one | three");
    check("one t|wo three", "daw", "one |three");
    check("say \"he|llo there\" now", "ci\"bye<", "say \"by|e\" now");
    check("|say \"hello\" now", "da\"", "say | now");
    check("f(a, (b|), c)", "di(", "f(a, (|), c)");
    check("f(a, |b)", "da(", "|f");
    check("[on|e]", "ci[x<", "[|x]");
    check("one", "di(", "on|e");
}

#[test]
fn writing() {
    check("|one", "ia<", "|aone");
    check("|one", "aa<", "o|ane");
    check("o|ne", "Ia<", "|aone");
    check("|one", "A!<", "one|!");
    check("|one\ntwo", "osix<", "one\nsi|x\ntwo");
    check("one\n|two", "Osix<", "one\nsi|x\ntwo");
    let (vim, _) = play("|one", "i");
    assert_eq!(vim.mode, VimMode::Insert);
}

#[test]
fn the_last_change_again() {
    check("|one two three", "dw.", "|three");
    check("|one two three", "cwx<w.", "x |x three");
    check("|abcd", "x..", "|d");
    check("(o|ne) (two)", "ci(x<f(l.", "(x) (|x)");
    check("|one\ntwo", "ccx<j.", "x\n|x");
    check("|one", "A!<..", "one!!|!");
    check("|aa", "rbl.", "b|b");
    check("|abc", "r.l.l.", "..|.");
}

#[test]
fn half_a_command_is_forgotten() {
    check("|one two", "d<w", "one |two");
    check("|one two", "2<x", "|ne two");
    check("|one two", "dq", "|one two");
    check("|one two", "fz", "|one two");
}

proptest! {
    /// Whatever is typed, the caret stays on the text and nothing breaks.
    #[test]
    fn nothing_breaks(text in "[ -~é👨‍👩‍👧\n]{0,40}", keys in "[ -~<]{0,40}") {
        let (_, buffer) = play(&text.replace('|', ""), &keys);
        prop_assert!(buffer.text().is_char_boundary(buffer.caret()));
    }
}
