//! Numbers of lines as people write them: `2-3`, `1, 4-6`.

use protocol::review::LineSpan;

/// The lines that are named, of a text that has `count`; `None` when they are all of them.
pub(super) fn spans(text: &str, count: usize) -> Result<Option<Vec<LineSpan>>, String> {
    if count == 0 {
        return Err("Nothing but the removal to decide about: esc, then a or r.".into());
    }
    let mut named = vec![false; count];
    // `2 - 3` is one part, `2 3` are two.
    let tight = text.split('-').map(str::trim).collect::<Vec<_>>().join("-");
    for part in tight.split([',', ' ']).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else {
            return Err(format!("`{part}` is no line; write for example 2 or 2-3."));
        };
        if first == 0 || first > last || last > count {
            return Err(format!("There is no line {part}; the new text has 1 to {count}."));
        }
        named[first - 1..last].fill(true);
    }
    if named.iter().all(|named| !named) {
        return Err("Write which lines first, for example 2-3.".into());
    }
    let all = named.iter().all(|named| *named);
    Ok((!all).then(|| runs(&named)))
}

fn runs(named: &[bool]) -> Vec<LineSpan> {
    let mut spans: Vec<LineSpan> = Vec::new();
    for line in (0..).zip(named).filter(|(_, named)| **named).map(|(line, _): (u32, _)| line) {
        match spans.last_mut() {
            Some(span) if span.end == line => span.end = line + 1,
            _ => spans.push(LineSpan { start: line, end: line + 1 }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lines() {
        let check = |text: &str, expect: &[(u32, u32)]| {
            let expect: Vec<_> =
                expect.iter().map(|&(start, end)| LineSpan { start, end }).collect();
            assert_eq!(spans(text, 5), Ok(Some(expect)), "{text}");
        };
        check("2-3", &[(1, 3)]);
        check("2 - 3", &[(1, 3)]);
        check("1, 4-5", &[(0, 1), (3, 5)]);
        check("4 1", &[(0, 1), (3, 4)]);
        check("3,2,2-3", &[(1, 3)]);
        assert_eq!(spans("1-5", 5), Ok(None));
    }

    #[test]
    fn what_is_no_line_is_told() {
        for (text, count, expect) in [
            ("", 5, "Write which lines first, for example 2-3."),
            ("x", 5, "`x` is no line; write for example 2 or 2-3."),
            ("2-", 5, "`2-` is no line; write for example 2 or 2-3."),
            ("6", 5, "There is no line 6; the new text has 1 to 5."),
            ("0", 5, "There is no line 0; the new text has 1 to 5."),
            ("3-2", 5, "There is no line 3-2; the new text has 1 to 5."),
            (
                "99999999999999999999",
                5,
                "`99999999999999999999` is no line; write for example 2 or 2-3.",
            ),
            ("1", 0, "Nothing but the removal to decide about: esc, then a or r."),
        ] {
            assert_eq!(spans(text, count), Err(expect.to_owned()), "{text}");
        }
    }
}
