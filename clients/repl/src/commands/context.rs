//! `/context`: what fills the window, as a bar and by its parts.

use anstyle::Style;
use protocol::event::Severity;
use protocol::session::{
    ContextKind, ContextShare, SessionContext, SessionContextResult, SessionRef,
};
use tokio::time::Instant;

use crate::app::{App, Waiting};
use crate::render::line::Line;
use crate::render::{count, theme};

/// How wide the bar is.
const CELLS: u64 = 50;

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    let Some(session) = &app.session else {
        return app.notice(Severity::Warning, "There is no session yet.");
    };
    let params = SessionRef { session_id: session.id.clone() };
    app.outbox.request::<SessionContext>(&params, Waiting::Context);
}

pub(super) fn rows(context: &SessionContextResult) -> Vec<Line> {
    let (used, window) = (context.used, context.window.max(1));
    let percent = used.saturating_mul(100) / window;
    let head = format!("{} of {} tokens in use ({percent} %)", count(used), count(window));
    let mut rows = vec![Line::styled(head, theme::BOLD), bar(&context.breakdown, window)];
    for share in context.breakdown.iter().filter(|share| share.tokens > 0) {
        let (mark, style) = look(&share.kind);
        let percent = share.tokens as f64 * 100.0 / window as f64;
        let text = format!(" {:<22}{:>8}  {percent:.1} %", name(&share.kind), count(share.tokens));
        rows.push(Line::styled(mark, style).with(text, theme::PLAIN));
    }
    rows
}

/// Every part has a mark of its own, so that the bar can be read without colours.
fn bar(breakdown: &[ContextShare], window: u64) -> Line {
    let mut line = Line::default();
    let (mut tokens, mut drawn) = (0_u64, 0_u64);
    for share in breakdown.iter().filter(|share| share.kind != ContextKind::Free) {
        tokens = tokens.saturating_add(share.tokens);
        // What is there at all is seen.
        let least = drawn + u64::from(share.tokens > 0);
        let end = (tokens.saturating_mul(CELLS) / window).max(least).min(CELLS);
        let (mark, style) = look(&share.kind);
        line = line.with(mark.repeat((end - drawn) as usize), style);
        drawn = end;
    }
    line.with("·".repeat((CELLS - drawn) as usize), theme::DIM)
}

fn look(kind: &ContextKind) -> (&'static str, Style) {
    match kind {
        ContextKind::System => ("▓", theme::ACCENT),
        ContextKind::Memory => ("▒", theme::ACCENT),
        ContextKind::Tools | ContextKind::McpTools => ("░", theme::ACCENT),
        ContextKind::Messages => ("█", theme::PLAIN),
        ContextKind::Free => ("·", theme::DIM),
        _ => ("▚", theme::DIM),
    }
}

fn name(kind: &ContextKind) -> &str {
    match kind {
        ContextKind::System => "system prompt",
        ContextKind::Memory => "instructions",
        ContextKind::Tools => "tools",
        ContextKind::McpTools => "MCP tools",
        ContextKind::Agents => "agents and skills",
        ContextKind::Messages => "conversation",
        ContextKind::Reserved => "kept for the answer",
        ContextKind::Free => "free",
        other => other.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::line::plain_text;

    #[test]
    fn the_bar_is_as_long_as_the_window() {
        let share = |kind, tokens| ContextShare { kind, tokens };
        let context = SessionContextResult {
            window: 1_000,
            used: 500,
            breakdown: vec![
                share(ContextKind::System, 100),
                share(ContextKind::Memory, 1),
                share(ContextKind::Messages, 399),
                share(ContextKind::Free, 500),
            ],
        };
        let text = plain_text(&rows(&context));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains("(50 %)"), "{text}");
        assert_eq!(lines[1].chars().count(), CELLS as usize);
        assert_eq!(lines[1].matches('▓').count(), 5);
        assert_eq!(lines[1].matches('▒').count(), 1);
        assert_eq!(lines[1].matches('█').count(), 19);
        assert!(lines[3].contains("instructions") && lines[3].contains("0.1 %"), "{text}");
    }
}
