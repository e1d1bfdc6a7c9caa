//! `/context`: what fills the window, as a bar and by its parts.

use futures::future::BoxFuture;
use protocol::session::{ContextKind, ContextShare, SessionContextResult};

use super::{Done, Outcome, rows};
use crate::session::Session;

/// How wide the bar is.
const CELLS: u64 = 50;

pub(super) fn run<'a>(session: &'a mut Session, _: &'a str) -> BoxFuture<'a, Outcome> {
    let measure = session.measure();
    let busy = session.running.is_some();
    Box::pin(async move {
        // A turn that runs does not wait for a count.
        let usage = if busy { measure.estimated() } else { measure.count().await };
        Ok(Done::Said(shown(&usage)))
    })
}

fn shown(usage: &SessionContextResult) -> String {
    let window = usage.window.max(1);
    let percent = usage.used.saturating_mul(100) / window;
    let how = if usage.counted == Some(true) { "" } else { ", estimated" };
    let head = format!("{} of {window} tokens in use ({percent} %{how})", usage.used);
    let shares = usage.breakdown.iter().filter(|share| share.tokens > 0);
    let parts = shares.map(|share| {
        let percent = share.tokens as f64 * 100.0 / window as f64;
        let text = format!("{} {:>9} tokens {percent:>5.1} %", mark(&share.kind), share.tokens);
        (share.kind.as_str(), text)
    });
    format!("{head}\n{}\n{}", bar(&usage.breakdown, window), rows(parts))
}

/// Every part has a mark of its own.
fn bar(breakdown: &[ContextShare], window: u64) -> String {
    let (mut line, mut tokens, mut drawn) = (String::new(), 0_u64, 0_u64);
    for share in breakdown.iter().filter(|share| share.kind != ContextKind::Free) {
        tokens = tokens.saturating_add(share.tokens);
        // What is there at all is seen.
        let least = drawn + u64::from(share.tokens > 0);
        let end = (tokens.saturating_mul(CELLS) / window).max(least).min(CELLS);
        line.push_str(&mark(&share.kind).repeat((end - drawn) as usize));
        drawn = end;
    }
    line + &mark(&ContextKind::Free).repeat((CELLS - drawn) as usize)
}

fn mark(kind: &ContextKind) -> &'static str {
    match kind {
        ContextKind::System => "▓",
        ContextKind::Memory => "▒",
        ContextKind::Tools | ContextKind::McpTools => "░",
        ContextKind::Messages => "█",
        ContextKind::Free => "·",
        _ => "▚",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_as_long_as_the_window() {
        let share = |kind, tokens| ContextShare { kind, tokens };
        let check = |breakdown: &[ContextShare], expect: &str| {
            assert_eq!(bar(breakdown, 1_000), expect);
        };
        check(&[share(ContextKind::Free, 1_000)], &"·".repeat(50));
        let parts = [
            share(ContextKind::System, 100),
            share(ContextKind::Memory, 1),
            share(ContextKind::Messages, 399),
            share(ContextKind::Free, 500),
        ];
        check(&parts, &format!("{}▒{}{}", "▓".repeat(5), "█".repeat(19), "·".repeat(25)));
        check(&[share(ContextKind::Messages, 5_000)], &"█".repeat(50));
    }
}
