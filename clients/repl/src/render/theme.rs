//! The colours of the client. Only the sixteen of the user's own palette are used, so that light
//! and dark terminals both stay readable.

use anstyle::{AnsiColor, Color, Style};

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
