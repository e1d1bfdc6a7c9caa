//! `/cost`: what the session has used.

use tokio::time::Instant;

use crate::app::App;
use crate::render::line::Line;
use crate::render::{count, dollars, theme};

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    let Some(session) = &app.session else { return };
    let usage = &session.usage;
    let mut text = format!("{} so far", dollars(usage.cost_usd));
    if usage.window > 0 {
        text = format!("{text} · {} of {} tokens in use", count(usage.used), count(usage.window));
    }
    app.transcript.rows(vec![Line::styled(text, theme::PLAIN)]);
}
