//! Colours that a command of the user's prints (SGR), as styled text. Everything else that a terminal
//! would obey is left out.

use anstyle::{Ansi256Color, AnsiColor, Color, Effects, RgbColor, Style};

use super::line::Line;
use super::safe::strict;

/// One line of output.
pub(crate) fn line(text: &str) -> Line {
    let mut line = Line::default();
    let mut style = Style::new();
    let mut pieces = text.split("\u{1b}[");
    if let Some(first) = pieces.next() {
        line.push(&strict(first), style);
    }
    for piece in pieces {
        let end = piece.find(|c: char| c.is_ascii_alphabetic());
        let (codes, rest) = match end {
            Some(end) if piece[end..].starts_with('m') => (Some(&piece[..end]), &piece[end + 1..]),
            Some(end) => (None, &piece[end + 1..]),
            None => (None, ""),
        };
        if let Some(codes) = codes {
            style = applied(style, codes);
        }
        line.push(&strict(rest), style);
    }
    line
}

fn applied(mut style: Style, codes: &str) -> Style {
    let mut codes = codes.split([';', ':']).map(|code| code.parse::<u8>().unwrap_or(0));
    while let Some(code) = codes.next() {
        style = match code {
            0 => Style::new(),
            1 => style.bold(),
            2 => style.dimmed(),
            3 => style.italic(),
            4 => style.underline(),
            7 => style.invert(),
            22 => style.effects(style.get_effects() - Effects::BOLD - Effects::DIMMED),
            23 => style.effects(style.get_effects() - Effects::ITALIC),
            24 => style.effects(style.get_effects() - Effects::UNDERLINE),
            27 => style.effects(style.get_effects() - Effects::INVERT),
            30..=37 => style.fg_color(ansi(code - 30, false)),
            38 => style.fg_color(extended(&mut codes)),
            39 => style.fg_color(None),
            40..=47 => style.bg_color(ansi(code - 40, false)),
            48 => style.bg_color(extended(&mut codes)),
            49 => style.bg_color(None),
            90..=97 => style.fg_color(ansi(code - 90, true)),
            100..=107 => style.bg_color(ansi(code - 100, true)),
            _ => style,
        };
    }
    style
}

fn ansi(number: u8, bright: bool) -> Option<Color> {
    let colours = [
        AnsiColor::Black,
        AnsiColor::Red,
        AnsiColor::Green,
        AnsiColor::Yellow,
        AnsiColor::Blue,
        AnsiColor::Magenta,
        AnsiColor::Cyan,
        AnsiColor::White,
    ];
    colours.get(usize::from(number)).map(|colour| Color::Ansi(colour.bright(bright)))
}

fn extended(codes: &mut impl Iterator<Item = u8>) -> Option<Color> {
    match codes.next()? {
        5 => Some(Color::Ansi256(Ansi256Color(codes.next()?))),
        2 => Some(Color::Rgb(RgbColor(codes.next()?, codes.next()?, codes.next()?))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::theme::Theme;

    #[test]
    fn colours_are_kept_and_nothing_else() {
        let check = |text: &str, plain: &str, encoded: &str| {
            let line = line(text);
            assert_eq!(line.text(), plain, "{text:?}");
            let mut out = String::new();
            line.encode(&mut out, Theme::Terminal);
            assert_eq!(out, encoded, "{text:?}");
        };
        check("plain", "plain", "plain");
        check("\u{1b}[31mred\u{1b}[0m x", "red x", "\u{1b}[31mred\u{1b}[0m x");
        check("\u{1b}[1;38;5;9mhot", "hot", "\u{1b}[1m\u{1b}[38;5;9mhot\u{1b}[0m");
        check("\u{1b}[2Jclear\u{1b}[H", "clear", "clear");
        check("\u{1b}[38;2;1;2;3mrgb\u{1b}[39m.", "rgb.", "\u{1b}[38;2;1;2;3mrgb\u{1b}[0m.");
    }
}
