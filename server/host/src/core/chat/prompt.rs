//! The prompt at the end of a chat document.

/// Words to ask, and where the block that has them ends, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub words: String,
    pub end: usize,
    /// How many answers stand above it: the same words below another one are asked anew.
    pub answers: usize,
}

/// The last block of the text, if all its lines begin with `>`. An answer ends with a line across the
/// page, so a quotation at its end is not taken for a prompt.
pub(super) fn at_end(text: &str) -> Option<Prompt> {
    let body = text.trim_end();
    let lines = body.rsplit('\n').map(|line| line.trim_end_matches('\r'));
    let block: Vec<_> = lines.take_while(|line| line.starts_with('>')).collect();
    let before: usize = body.split('\n').count() - block.len();
    let is_block = match before.checked_sub(1) {
        None => true,
        Some(above) => body.split('\n').nth(above).is_none_or(|line| line.trim().is_empty()),
    };
    let words = block.iter().rev().map(|line| {
        let line = line.trim_start_matches('>');
        line.strip_prefix(' ').unwrap_or(line)
    });
    let words = words.collect::<Vec<_>>().join("\n").trim().to_owned();
    let answers = body.lines().filter(|line| *line == "---").count();
    (is_block && !words.is_empty()).then_some(Prompt { words, end: body.len(), answers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked() {
        let check = |text: &str, expect: Option<&str>| {
            let found = at_end(text);
            assert_eq!(found.as_ref().map(|prompt| prompt.words.as_str()), expect, "{text:?}");
            if let Some(prompt) = found {
                assert_eq!(prompt.end, text.trim_end().len(), "{text:?}");
            }
        };
        check("> hello\n", Some("hello"));
        check("> two\n> lines\n\n", Some("two\nlines"));
        check("# Chat\r\n\r\n> hello\r\n", Some("hello"));
        check(">hello", Some("hello"));
        check("> first\n\nan answer\n\n---\n\n> second ü", Some("second ü"));
        check("> first\n\nan answer\n\n---\n", None);
        check("words right above\n> a quotation", None);
        check(">\n", None);
        check("> \n> \n", None);
        check("", None);
        check("no prompt", None);
    }
}
