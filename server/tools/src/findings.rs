//! What is newly wrong after an edit, as the model reads it.

use futures::future::join_all;
use language::{Finding, Severity};

use crate::change::Made;
use crate::context::Context;
use crate::place::shown;
use crate::show::counted;
use crate::world::{Findings, Verified};

/// More problems than this are symptoms of the first ones.
const MOST: usize = 20;
/// The most of one message.
const MESSAGE: usize = 600;

pub(crate) const UNVERIFIED: &str =
    "Diagnostics: unverified (no language server has looked at this text yet).";

/// Asks what the changes broke. Nothing when nobody looks at such files, or the call was stopped.
pub(crate) async fn since(cx: &Context, changes: &[&Made]) -> Option<String> {
    let asked = changes.iter().map(|made| async {
        let path = shown(cx.session.cwd(), &made.place.path);
        (path, cx.world.findings(made.edited_file()).await)
    });
    tokio::select! {
        found = join_all(asked) => tell(&found),
        () = cx.cancel.cancelled() => None,
    }
}

fn tell(found: &[(String, Findings)]) -> Option<String> {
    let states = || found.iter().map(|(_, found)| found.state);
    let new = found
        .iter()
        .flat_map(|(path, found)| found.new.iter().map(move |finding| (path.as_str(), finding)));
    let new: Vec<_> = new.collect();
    let mut parts = Vec::new();
    if !new.is_empty() {
        parts.push(format!("New problems since this edit:\n{}", list(new, MOST)));
    }
    if states().any(|state| state == Verified::Unverified) {
        parts.push(UNVERIFIED.to_owned());
    } else if parts.is_empty() && states().any(|state| state == Verified::Yes) {
        parts.push("No new problems.".to_owned());
    }
    let gone: usize = found.iter().map(|(_, found)| found.gone).sum();
    if gone > 0 {
        parts.push(format!("Gone since this edit: {}.", counted(gone, "problem")));
    }
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// One line for each finding with the file it is in, worst first, at most so many.
pub(crate) fn list(mut findings: Vec<(&str, &Finding)>, most: usize) -> String {
    findings.sort_by_key(|(path, finding)| (finding.severity, *path, finding.start));
    let shown = findings.iter().take(most);
    let mut lines: Vec<String> = shown.map(|(path, finding)| line(path, finding)).collect();
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
