//! What is newly wrong after an edit, as the model reads it.

use std::path::Path;

use language::{Finding, Severity};

use crate::context::Context;
use crate::place::shown;
use crate::world::{EditedFile, Findings, Verified};

/// More problems than this are symptoms of the first ones.
const MOST: usize = 20;
/// The most of one message.
const MESSAGE: usize = 600;

/// Asks what the edit broke. Nothing when nobody looks at such files, or the call was stopped.
pub(crate) async fn since(cx: &Context, path: &Path, edited: EditedFile) -> Option<String> {
    let path = shown(cx.session.cwd(), path);
    let found = tokio::select! {
        found = cx.world.findings(edited) => found,
        () = cx.cancel.cancelled() => return None,
    };
    tell(&path, &found)
}

fn tell(path: &str, found: &Findings) -> Option<String> {
    let mut text = String::new();
    if !found.new.is_empty() {
        text.push_str("New problems since this edit:\n");
        text.push_str(&list(path, &found.new, MOST));
    }
    match found.state {
        Verified::NoSource => {}
        Verified::Yes if found.new.is_empty() => text.push_str("No new problems."),
        Verified::Yes => {}
        Verified::Unverified => {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(
                "Diagnostics: unverified (no language server has looked at this text yet).",
            );
        }
    }
    (!text.is_empty()).then_some(text)
}

/// One line for each finding, worst first, at most so many.
pub(crate) fn list(path: &str, findings: &[Finding], most: usize) -> String {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| (finding.severity, finding.start));
    let mut lines: Vec<String> =
        sorted.iter().take(most).map(|finding| line(path, finding)).collect();
    if let Some(more) = findings.len().checked_sub(most).filter(|more| *more > 0) {
        lines.push(format!("… and {more} more"));
    }
    lines.join("\n")
}

fn line(path: &str, finding: &Finding) -> String {
    let (line, column) = finding.start;
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    };
    // A message may be a whole page with its context; the model can ask for the rest.
    let message = finding.message.trim().replace('\n', "\n    ");
    let cut = message.floor_char_boundary(MESSAGE);
    let dots = if cut < message.len() { "…" } else { "" };
    let by = [finding.source.as_deref(), finding.code.as_deref()];
    let by = by.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let by = if by.is_empty() { String::new() } else { format!(" [{by}]") };
    format!("{path}:{line}:{column} {severity} {}{dots}{by}", &message[..cut])
}

#[cfg(test)]
mod tests;
