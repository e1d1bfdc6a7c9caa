//! The colours of the client. What is drawn names only the sixteen of the user's own palette, so that
//! light and dark terminals both stay readable; a [`Theme`] puts others in their place.

use anstyle::{Ansi256Color, AnsiColor, Color, Effects, Style};

/// How the client looks, as the setting `theme` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    #[default]
    Terminal,
    /// Nothing is told apart by red and green.
    Daltonized,
    /// Nothing is dim.
    Contrast,
    Plain,
}

impl Theme {
    /// Each with what it is for people who choose.
    pub(crate) const ALL: [(Theme, &'static str, &'static str); 4] = [
        (Theme::Terminal, "terminal", "the terminal's own sixteen colours"),
        (Theme::Daltonized, "daltonized", "blue and orange in place of green and red"),
        (Theme::Contrast, "contrast", "bright colours, and nothing dim"),
        (Theme::Plain, "plain", "no colours at all"),
    ];

    /// Names that settings of other agents use mean the nearest of ours.
    pub(crate) fn named(name: &str) -> Option<Theme> {
        let name = match name.trim().to_ascii_lowercase().as_str() {
            "auto" | "dark" | "light" | "dark-ansi" | "light-ansi" | "colours" | "colors" => {
                return Some(Theme::Terminal);
            }
            "dark-daltonized" | "light-daltonized" | "colour-blind" | "color-blind" => {
                return Some(Theme::Daltonized);
            }
            name => name.to_owned(),
        };
        Theme::ALL.iter().find(|(_, known, _)| *known == name).map(|(theme, ..)| *theme)
    }

    pub(crate) fn name(self) -> &'static str {
        Theme::ALL.iter().find(|(theme, ..)| *theme == self).map_or("terminal", |(_, name, _)| name)
    }

    /// A style as it is drawn.
    pub(crate) fn paint(self, style: Style) -> Style {
        match self {
            Theme::Terminal => style,
            // What was searched for must be found without colours, too.
            Theme::Plain if style.get_effects().contains(Effects::INVERT) => Style::new().invert(),
            Theme::Plain => Style::new(),
            Theme::Daltonized => match style.get_fg_color() {
                Some(Color::Ansi(colour)) => style.fg_color(Some(without_red_and_green(colour))),
                _ => style,
            },
            Theme::Contrast => {
                let bright = match style.get_fg_color() {
                    Some(Color::Ansi(colour)) => Some(Color::Ansi(colour.bright(true))),
                    other => other,
                };
                let effects = style.get_effects().remove(Effects::DIMMED);
                style.fg_color(bright).effects(effects)
            }
        }
    }
}

/// Blue against orange is what most people tell apart who do not see red or green; the third is a
/// pale purple.
fn without_red_and_green(colour: AnsiColor) -> Color {
    let number = match colour {
        AnsiColor::Green | AnsiColor::BrightGreen => 33,
        AnsiColor::Red | AnsiColor::BrightRed => 208,
        AnsiColor::Yellow | AnsiColor::BrightYellow => 175,
        other => return Color::Ansi(other),
    };
    Color::Ansi256(Ansi256Color(number))
}

/// The colour that an agent's file wants.
pub(crate) fn of_agent(name: Option<&str>) -> Style {
    match name {
        Some("red") => colour(AnsiColor::Red),
        Some("blue") => colour(AnsiColor::Blue),
        Some("green") => colour(AnsiColor::Green),
        Some("yellow") => colour(AnsiColor::Yellow),
        Some("purple") => colour(AnsiColor::Magenta),
        Some("pink") => colour(AnsiColor::BrightMagenta),
        Some("orange") => colour(AnsiColor::BrightRed),
        Some("cyan") => colour(AnsiColor::Cyan),
        _ => ACCENT,
    }
}

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const THOUGHT: Style = Style::new().dimmed().italic();
pub(crate) const ACCENT: Style = colour(AnsiColor::Cyan);
pub(crate) const GOOD: Style = colour(AnsiColor::Green);
pub(crate) const WARN: Style = colour(AnsiColor::Yellow);
pub(crate) const BAD: Style = colour(AnsiColor::Red);
pub(crate) const CODE: Style = colour(AnsiColor::Cyan);
pub(crate) const HEADING: Style = colour(AnsiColor::Blue).bold();
pub(crate) const LINK: Style = colour(AnsiColor::Blue).underline();
pub(crate) const QUOTE: Style = Style::new().italic();

/// Diff rows: a changed row is coloured, the changed words inside it stand out.
pub(crate) const ADDED: Style = colour(AnsiColor::Green);
pub(crate) const ADDED_WORD: Style = colour(AnsiColor::Green).bold().underline();
pub(crate) const REMOVED: Style = colour(AnsiColor::Red);
pub(crate) const REMOVED_WORD: Style = colour(AnsiColor::Red).bold().underline();

/// Highlighted code, by what a token is.
pub(crate) const COMMENT: Style = colour(AnsiColor::BrightBlack).italic();
pub(crate) const STRING: Style = colour(AnsiColor::Green);
pub(crate) const NUMBER: Style = colour(AnsiColor::Cyan);
pub(crate) const KEYWORD: Style = colour(AnsiColor::Magenta);
pub(crate) const TYPE: Style = colour(AnsiColor::Yellow);
pub(crate) const FUNCTION: Style = colour(AnsiColor::Blue);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_have_names_and_know_those_of_others() {
        for (theme, name, _) in Theme::ALL {
            assert_eq!((Theme::named(name), theme.name()), (Some(theme), name));
        }
        assert_eq!(Theme::named("dark"), Some(Theme::Terminal));
        assert_eq!(Theme::named("light-daltonized"), Some(Theme::Daltonized));
        assert_eq!(Theme::named("sepia"), None);
    }

    /// What was added, what was removed and a warning stay three things.
    #[test]
    fn nothing_is_told_apart_by_red_and_green_alone() {
        let paint = |style| Theme::Daltonized.paint(style).get_fg_color();
        let told_apart = [paint(GOOD), paint(BAD), paint(WARN), paint(ACCENT)];
        for (at, one) in told_apart.iter().enumerate() {
            assert!(!told_apart[..at].contains(one), "{told_apart:?}");
            assert!(!matches!(one, Some(Color::Ansi(AnsiColor::Red | AnsiColor::Green))));
        }
        assert_eq!(Theme::Plain.paint(ADDED_WORD), Style::new());
        assert!(!Theme::Contrast.paint(DIM).get_effects().contains(Effects::DIMMED));
        assert_eq!(Theme::Terminal.paint(ADDED), ADDED);
    }
}
