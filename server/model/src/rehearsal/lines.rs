//! The text of files as tools show it, and edits of single lines in it.

use super::view::plain;

/// The lines of a file out of a Read result: `number<tab>text`. Anything around them is a remark.
pub(super) fn of_read(result: &str) -> Vec<String> {
    plain(result).lines().filter_map(numbered).map(str::to_owned).collect()
}

/// Did Read show the beginning of the file only?
pub(super) fn is_partial(result: &str) -> bool {
    result.contains("<system-reminder>PARTIAL")
}

fn numbered(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    let text = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if text.len() == rest.len() {
        return None;
    }
    text.strip_prefix('\t').or_else(|| text.strip_prefix('→'))
}

/// What to look for and what to put there, so that line `at` becomes `new` and nothing else changes:
/// the line with as many neighbours as it takes to be unique.
pub(super) fn unique_edit(lines: &[String], at: usize, new: &str) -> (String, String) {
    let whole = lines.join("\n");
    let (mut from, mut to) = (at, at + 1);
    loop {
        let old = lines[from..to].join("\n");
        let is_whole = from == 0 && to == lines.len();
        if is_whole || whole.matches(old.as_str()).count() == 1 {
            let before = lines[from..at].iter().map(String::as_str);
            let after = lines[at + 1..to].iter().map(String::as_str);
            let replaced: Vec<&str> = before.chain([new]).chain(after).collect();
            return (old, replaced.join("\n"));
        }
        if from > 0 && (at - from <= to - at || to == lines.len()) {
            from -= 1;
        } else {
            to += 1;
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where `word` stands by itself, not as a part of a longer name.
fn occurrences(text: &str, word: &str) -> Vec<usize> {
    let starts = text.match_indices(word).map(|(at, _)| at);
    let alone = starts.filter(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let open = |edge: Option<char>, inner: Option<char>| {
            !(edge.is_some_and(is_word) && inner.is_some_and(is_word))
        };
        open(before, word.chars().next()) && open(after, word.chars().next_back())
    });
    alone.collect()
}

pub(super) fn count_word(text: &str, word: &str) -> usize {
    occurrences(text, word).len()
}

pub(super) fn replace_word(text: &str, word: &str, new: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut from = 0;
    for at in occurrences(text, word) {
        if at >= from {
            replaced.push_str(&text[from..at]);
            replaced.push_str(new);
            from = at + word.len();
        }
    }
    replaced.push_str(&text[from..]);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn numbers_come_off_and_remarks_are_dropped() {
        let read = "     1\tfn main() {\n     2\t\tx\n    10→}\n\n(PARTIAL: more)\n";
        assert_eq!(of_read(read), ["fn main() {", "\tx", "}"]);
        assert_eq!(of_read("1\t"), [""]);
        let partial = "1\tx<system-reminder>PARTIAL: these are lines 1 to 1</system-reminder>";
        assert_eq!(of_read(partial), ["x"]);
        assert!(is_partial(partial) && !is_partial("1\tPARTIAL"));
        assert_eq!(of_read("The file is empty."), [""; 0]);
    }

    #[test]
    fn an_edit_takes_the_neighbours_it_needs() {
        let check = |text: &str, at, old: &str, new: &str| {
            assert_eq!(unique_edit(&lines(text), at, "X"), (old.to_owned(), new.to_owned()));
        };
        check("a\nb\nc", 1, "b", "X");
        check("a\nb\nc\nb", 3, "c\nb", "c\nX");
        check("b\nb\nc", 0, "b\nb", "X\nb");
        check("b", 0, "b", "X");
        check("b\nb", 1, "b\nb", "b\nX");
    }

    #[test]
    fn words_by_themselves() {
        assert_eq!(count_word("foo foobar _foo foo.foo(foo)", "foo"), 4);
        assert_eq!(replace_word("foo + foobar - foo", "foo", "x"), "x + foobar - x");
        assert_eq!(replace_word("ünfoo foo", "foo", "y"), "ünfoo y");
        assert_eq!(count_word("a->b", "->"), 1);
    }
}
