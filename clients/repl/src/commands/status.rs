//! `/status`: the session and the server behind it.

use protocol::Empty;
use protocol::status::{Status, StatusResult};
use tokio::time::Instant;

use crate::app::{App, Waiting};
use crate::render::line::Line;
use crate::render::safe::safe;
use crate::render::{count, duration, theme};

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    app.outbox.request::<Status>(&Empty {}, Waiting::Status);
}

pub(super) fn rows(app: &App, status: &StatusResult) -> Vec<Line> {
    let mut rows = Vec::new();
    let mut add = |name: &str, value: &str| {
        let value = safe(value).into_owned();
        rows.push(Line::styled(format!("{name:<9}"), theme::DIM).with(value, theme::PLAIN));
    };
    if let Some(session) = &app.session {
        add("session", &session.id);
        add("model", &session.config.model);
        add("mode", session.config.mode.as_str());
    }
    add("folder", &app.start.cwd);
    let server = format!(
        "{}, up {}, {}B, sessions: {}, processes: {}",
        status.version,
        duration(status.uptime_ms / 1000),
        count(status.rss_bytes),
        status.sessions.len(),
        status.children.len()
    );
    add("server", &server);
    if let Some(sandbox) = &status.sandbox {
        let problem = sandbox.problem.as_deref();
        let kept = match (sandbox.kind.as_str(), problem) {
            ("none", Some(problem)) => format!("none, nothing keeps commands in: {problem}"),
            ("none", None) => "none, nothing keeps commands in".to_owned(),
            (kind, Some(problem)) => format!("{kind}: {problem}"),
            (kind, None) => format!("{kind} keeps commands in"),
        };
        add("sandbox", &kept);
    }
    if let Some(problem) = &status.model.problem {
        add("problem", problem);
    }
    rows
}
