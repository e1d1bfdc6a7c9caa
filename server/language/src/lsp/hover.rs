//! What a server says about a place, as one text.

use serde_json::Value;

use super::not_understood;
use super::wire::{Hover, Marked};

pub(super) fn hover(value: Value) -> Result<String, String> {
    let hover: Option<Hover> =
        serde_json::from_value(value).map_err(|error| not_understood("a text", error))?;
    let parts = hover.map(|hover| hover.contents.into_vec()).unwrap_or_default();
    let parts = parts.into_iter().map(|part| match part {
        Marked::Text(text) | Marked::Markup { value: text } => text.trim().to_owned(),
        Marked::Code { value, .. } if value.trim().is_empty() => String::new(),
        Marked::Code { language, value } => fenced(&language, value.trim_end()),
    });
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    Ok(parts.join("\n\n"))
}

/// Code between fences that do not occur in it.
fn fenced(language: &str, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    let language = language.lines().next().unwrap_or_default();
    format!("{fence}{language}\n{code}\n{fence}")
}
