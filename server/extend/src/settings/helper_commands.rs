//! Commands that help the terminal: `statusLine`, whose output is shown below the prompt, and
//! `fileSuggestion`, which offers files for `@`. A project's count once they are approved.

use std::time::Duration;

use serde_json::Value;

use super::Settings;
use super::parse::Parsed;

/// A command line, for the usual shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelperCommand {
    pub command: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusLine {
    pub command: HelperCommand,
    /// Blanks before each line.
    pub padding: u16,
    /// It is asked again after so long, also when nothing happened.
    pub refresh: Option<Duration>,
}

/// More often would be a program that never rests.
const SHORTEST_REFRESH: Duration = Duration::from_secs(1);
const WIDEST: u64 = 40;

impl HelperCommand {
    fn read(value: &Value) -> Option<HelperCommand> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let is_command = text("type").is_none_or(|kind| kind == "command");
        let command = text("command").filter(|it| is_command && !it.trim().is_empty())?;
        Some(HelperCommand { command: command.to_owned() })
    }
}

impl StatusLine {
    fn read(value: &Value) -> Option<StatusLine> {
        let command = HelperCommand::read(value)?;
        let padding = value.get("padding").and_then(Value::as_u64).unwrap_or(0).min(WIDEST);
        let seconds = value.get("refreshInterval").and_then(Value::as_f64);
        let refresh = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let refresh = refresh.map(|refresh| refresh.max(SHORTEST_REFRESH));
        Some(StatusLine { command, padding: padding as u16, refresh })
    }
}

impl Settings {
    /// Of each the strongest file's counts.
    pub(super) fn helper_commands(&mut self, parsed: &Parsed) {
        let raw = |key: &str| parsed.raw.get(key);
        self.status_line = self.status_line.take().or_else(|| StatusLine::read(raw("statusLine")?));
        self.file_suggestion =
            self.file_suggestion.take().or_else(|| HelperCommand::read(raw("fileSuggestion")?));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn commands_are_read() {
        let line =
            json!({ "type": "command", "command": "x", "padding": 2, "refreshInterval": 0.1 });
        let line = StatusLine::read(&line).unwrap();
        assert_eq!((line.command.command.as_str(), line.padding), ("x", 2));
        assert_eq!(line.refresh, Some(SHORTEST_REFRESH));
        assert_eq!(HelperCommand::read(&json!({ "type": "script", "command": "x" })), None);
        assert_eq!(HelperCommand::read(&json!({ "command": " " })), None);
    }
}
