//! Diagnostics as findings about a text.

use serde_json::Value;
use text::{PositionEncoding, Text};

use super::not_understood;
use super::place::near;
use super::wire::{Code, Diagnostic, Message};
use crate::{Finding, Severity};

/// Of one file nobody looks at more, and a server in trouble can send very many.
const MOST: usize = 1000;
/// The longest message in bytes.
const LONGEST: usize = 4000;

/// What a server says when it is asked for the diagnostics of one document.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    Full {
        findings: Vec<Finding>,
        /// Names this report, so that the next one can say that nothing changed.
        result_id: Option<String>,
    },
    /// As in the report of this name.
    Unchanged { result_id: String },
}

/// Reads a report. Editors sometimes hand on a bare list, or what a server published.
pub(super) fn report(
    mut value: Value,
    text: &Text,
    encoding: PositionEncoding,
) -> Result<Report, String> {
    let result_id = value.get("resultId").and_then(Value::as_str).map(str::to_owned);
    if value.get("kind").is_some_and(|kind| kind == "unchanged") {
        let result_id =
            result_id.ok_or_else(|| not_understood("a report", "it has no resultId"))?;
        return Ok(Report::Unchanged { result_id });
    }
    let items = match &mut value {
        Value::Array(_) => value,
        Value::Object(report) => match report.remove("items").or(report.remove("diagnostics")) {
            Some(items) => items,
            None => return Err(not_understood("a report", "it has no items")),
        },
        _ => return Err(not_understood("a report", "it is no object")),
    };
    Ok(Report::Full { findings: findings(items, text, encoding)?, result_id })
}

/// One diagnostic that makes no sense spoils them all: left out, it would look mended.
pub(super) fn findings(
    items: Value,
    text: &Text,
    encoding: PositionEncoding,
) -> Result<Vec<Finding>, String> {
    let items: Vec<Diagnostic> =
        serde_json::from_value(items).map_err(|error| not_understood("diagnostics", error))?;
    let mut findings: Vec<_> =
        items.into_iter().map(|item| finding(item, text, encoding)).collect();
    if findings.len() > MOST {
        // The worst are kept, in the order they came in.
        findings.sort_by_key(|finding| finding.severity);
        findings.truncate(MOST);
    }
    Ok(findings)
}

fn finding(item: Diagnostic, text: &Text, encoding: PositionEncoding) -> Finding {
    let start = near(text, item.range.start, encoding);
    let end = near(text, item.range.end, encoding).max(start);
    let severity = match item.severity {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Information,
        Some(4) => Severity::Hint,
        // The protocol leaves it to us what no severity means; nothing must slip through.
        _ => Severity::Error,
    };
    let code = item.code.map(|code| match code {
        Code::Number(number) => number.to_string(),
        Code::Text(text) => text,
        Code::Linked { value: Value::String(text) } => text,
        Code::Linked { value } => value.to_string(),
    });
    let (Message::Text(mut message) | Message::Markup { value: mut message }) = item.message;
    message.truncate(message.floor_char_boundary(LONGEST));
    Finding { start, end, severity, code, source: item.source, message }
}
