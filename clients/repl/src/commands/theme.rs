//! `/theme [NAME]`: how the client looks, now and in later sessions.

use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::{App, Pick};
use crate::prompt::picker::Entry;
use crate::render::diff;
use crate::render::line::Line;
use crate::render::theme::{self, Theme};

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    if argument.is_empty() {
        return offer(app);
    }
    match Theme::named(argument) {
        Some(theme) => app.choose_theme(theme),
        None => {
            let names: Vec<&str> = Theme::ALL.iter().map(|(_, name, _)| *name).collect();
            let names = names.join(", ");
            let text = format!("There is no theme `{argument}`; there are {names}.");
            app.notice(Severity::Warning, &text);
        }
    }
}

fn offer(app: &mut App) {
    let marked = Theme::ALL.iter().position(|(theme, ..)| *theme == app.theme);
    let entries = Theme::ALL.iter().map(|(theme, name, what)| Entry {
        label: (*name).to_owned(),
        detail: (*what).to_owned(),
        value: Pick::Theme(*theme),
    });
    app.offer("How it looks", entries.collect(), marked.unwrap_or(0));
    if let Some(picker) = app.picker.take() {
        app.picker = Some(picker.about(sample()));
    }
}

/// Something of everything, drawn as the marked theme draws it.
fn sample() -> Vec<Line> {
    let mut rows = vec![
        Line::styled("Heading", theme::HEADING)
            .with("  prose, ", theme::PLAIN)
            .with("code", theme::CODE)
            .with(", a ", theme::PLAIN)
            .with("link", theme::LINK)
            .with(", ", theme::PLAIN)
            .with("aside", theme::DIM),
        Line::styled("● ", theme::GOOD)
            .with("done  ", theme::PLAIN)
            .with("● ", theme::BAD)
            .with("failed  ", theme::PLAIN)
            .with("● ", theme::WARN)
            .with("waits", theme::PLAIN),
        Line::styled("fn ", theme::KEYWORD)
            .with("main", theme::FUNCTION)
            .with("() { ", theme::PLAIN)
            .with("print(", theme::PLAIN)
            .with("\"ahoy\"", theme::STRING)
            .with(") } ", theme::PLAIN)
            .with("// a comment", theme::COMMENT),
    ];
    rows.extend(diff::draw("let rope = 1;\n", "let rope = 2;\n", 60, 4).lines);
    rows
}

impl App {
    /// It looks so from the next row on; the server keeps the choice.
    pub fn choose_theme(&mut self, theme: Theme) {
        self.theme = theme;
        self.send_prompt(&format!("/theme {}", theme.name()));
    }
}
