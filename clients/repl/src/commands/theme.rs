//! `/theme [NAME]`: how the client looks, now and in later sessions.

use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::{App, Pick};
use crate::prompt::picker::Entry;
use crate::render::theme::Theme;

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
}

impl App {
    /// It looks so from the next row on; the server keeps the choice.
    pub fn choose_theme(&mut self, theme: Theme) {
        self.theme = theme;
        self.send_prompt(&format!("/theme {}", theme.name()));
    }
}
