//! From state to rows. Everything here is pure: values in, [`line::Line`]s out.

pub(crate) mod diff;
pub(crate) mod frame;
pub(crate) mod highlight;
pub(crate) mod hunk;
pub(crate) mod line;
pub(crate) mod markdown;
pub(crate) mod media;
pub(crate) mod safe;
pub(crate) mod sgr;
pub(crate) mod spoken;
pub(crate) mod steps;
pub(crate) mod theme;
pub(crate) mod tools;
pub(crate) mod width;
pub(crate) mod wrap;

use line::Line;

/// Numbers as people read them: 950, 12.3k, 1.2M.
pub(crate) fn count(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let float = number as f64;
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{:.1}k", float / 1e3),
        _ => format!("{:.1}M", float / 1e6),
    }
}

/// A span of time: 4s, 1m 05s, 2h 03m.
pub(crate) fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// How long ago: just now, 5m ago, 2h ago, 3d ago.
pub(crate) fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

/// Money: cents matter only while there are few of them.
pub(crate) fn dollars(amount: f64) -> String {
    if amount >= 1.0 { format!("${amount:.2}") } else { format!("${amount:.4}") }
}

/// A `file:` address as a path, relative to the session's folder where it lies inside.
pub(crate) fn path_of(uri: &str, cwd: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else { return uri.to_owned() };
    path_in(&percent_decoded(path), cwd).to_owned()
}

/// A path, relative to a folder where it lies inside.
pub(crate) fn path_in<'a>(path: &'a str, folder: &str) -> &'a str {
    match path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) {
        Some(inside) if !inside.is_empty() => inside,
        _ => path,
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last `rows` lines, with a note above about what is left out.
pub(crate) fn last_rows(mut lines: Vec<Line>, rows: usize) -> Vec<Line> {
    if lines.len() > rows {
        lines.drain(..lines.len() - rows);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([count(950), count(12_345), count(1_200_000)], ["950", "12.3k", "1.2M"]);
        assert_eq!([duration(4), duration(65), duration(7380)], ["4s", "1m 05s", "2h 03m"]);
        assert_eq!([ago(59), ago(3599), ago(3600)], ["just now", "59m ago", "1h ago"]);
        assert_eq!([ago(86_399), ago(86_400)], ["23h ago", "1d ago"]);
        assert_eq!([dollars(0.01234), dollars(12.345)], ["$0.0123", "$12.35"]);
    }

    #[test]
    fn paths_for_people() {
        for (uri, expect) in [
            ("file:///w/src/main.rs", "src/main.rs"),
            ("file:///other/a%20b.rs", "/other/a b.rs"),
            ("file:///w", "/w"),
            ("file:///wide/x", "/wide/x"),
            ("untitled:1", "untitled:1"),
            ("file:///w/100%", "100%"),
        ] {
            assert_eq!(path_of(uri, "/w"), expect);
        }
    }
}
