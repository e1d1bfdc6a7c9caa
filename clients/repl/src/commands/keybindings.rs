//! `/keybindings [init]`: every action with its keys and what is wrong with the files about them; `init`
//! writes a file to begin with.

use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::{App, Errand};
use crate::keymap::{CONTEXTS, ROWS, template};
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::render::theme;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    match argument {
        "" => list(app),
        "init" => app.errands.push(Errand::WriteKeys(template(&crate::keymap::Keymap::default()))),
        other => {
            let text = format!("`/keybindings {other}` is unknown; say init, or nothing.");
            app.notice(Severity::Warning, &text);
        }
    }
}

fn list(app: &mut App) {
    let mut rows = Vec::new();
    for (context, name, what) in CONTEXTS {
        if !rows.is_empty() {
            rows.push(Line::default());
        }
        rows.push(Line::styled(name, theme::BOLD).with(format!(" ({what})"), theme::DIM));
        for (at, row) in ROWS.iter().enumerate().filter(|(_, row)| row.context == context) {
            let keys = app.keymap.keys_of(at);
            let keys = if keys.is_empty() { "no key".to_owned() } else { keys.join(", ") };
            let style = if app.keymap.is_changed(at) { theme::WARN } else { theme::ACCENT };
            let line = Line::styled(format!("  {:<28} ", row.name), theme::PLAIN)
                .with(format!("{keys:<32} "), style)
                .with(row.what, theme::DIM);
            rows.push(line);
        }
    }
    rows.push(Line::default());
    let file = strict(&app.start.key_file).into_owned();
    rows.push(Line::styled(
        format!("Your own keys: {file} (/keybindings init writes one)"),
        theme::DIM,
    ));
    for problem in &app.key_problems {
        rows.push(Line::styled(strict(problem), theme::BAD));
    }
    app.transcript.rows(rows);
}
