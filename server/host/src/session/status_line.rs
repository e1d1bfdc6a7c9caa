//! The status line and the proposals of files: commands of the user's that help a terminal.
//!
//! Both run behind walls without a network, only in a folder that is trusted, and with a deadline. The
//! status line is asked a moment after something happened, once for everything that happened until
//! then, and again after its `refreshInterval`; what it prints is the event `status.line`.

use std::path::Path;
use std::time::{Duration, Instant};

use extend::{HelperCommand, Settings, StatusLine};
use protocol::event::StatusLineUpdated;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::{Msg, Session};

/// What happens within this long is told together.
const PAUSE: Duration = Duration::from_millis(300);
/// Nobody waits longer for a line, or for a list of files.
const WITHIN: Duration = Duration::from_secs(5);
/// More lines are no status line.
const MOST_LINES: usize = 5;
const LONGEST_LINE: usize = 2_000;
/// As many files as are shown.
const MOST_FILES: usize = 15;

/// What a session knows of its helpers.
pub(super) struct HelperCommands {
    line: Option<StatusLine>,
    files: Option<HelperCommand>,
    /// A look at the line that is due.
    due: Option<AbortHandle>,
    /// The command runs; something may have happened since.
    asking: bool,
    again: bool,
    shown: Vec<String>,
    began: Instant,
    /// How long turns took.
    worked: Duration,
    /// Lines that calls added and removed.
    pub(super) changed: (u64, u64),
}

impl Default for HelperCommands {
    fn default() -> Self {
        Self {
            line: None,
            files: None,
            due: None,
            asking: false,
            again: false,
            shown: Vec::new(),
            began: Instant::now(),
            worked: Duration::ZERO,
            changed: (0, 0),
        }
    }
}

impl Drop for HelperCommands {
    fn drop(&mut self) {
        if let Some(due) = self.due.take() {
            due.abort();
        }
    }
}

/// What they have to say.
pub enum HelperCommandNews {
    /// The line is to be asked for.
    Due,
    Line(Result<String, String>),
    /// Somebody types `@` and this.
    Files {
        query: String,
        reply: oneshot::Sender<Option<Vec<String>>>,
    },
}

impl Session {
    /// Takes over what the settings say.
    pub(super) fn renew_helper_commands(&mut self, settings: &Settings) {
        let off = settings.disable_all_hooks || !self.trusted;
        let commands = &mut self.helper_commands;
        commands.line = settings.status_line.clone().filter(|_| !off);
        commands.files = settings.file_suggestion.clone().filter(|_| !off);
        let files = commands.files.is_some();
        self.facts.send_modify(|facts| facts.suggests_files = files);
        self.touch_status_line();
    }

    /// Whether lines are counted for somebody.
    pub(super) fn has_status_line(&self) -> bool {
        self.helper_commands.line.is_some()
    }

    /// Something has happened that the line may tell.
    pub(super) fn touch_status_line(&mut self) {
        let wants = |door: &std::sync::Arc<crate::core::Door>| {
            door.profile().agent.status_line == Some(true)
        };
        if self.helper_commands.line.is_none() || !self.doors.iter().any(wants) {
            return;
        }
        match self.helper_commands.asking {
            true => self.helper_commands.again = true,
            false => self.look_at_line_after(PAUSE),
        }
    }

    fn look_at_line_after(&mut self, pause: Duration) {
        let own = self.own.clone();
        let task = tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let _ = own.send(Msg::HelperCommand(HelperCommandNews::Due)).await;
        });
        // A later event waits with those before it.
        let before = self.helper_commands.due.replace(task.abort_handle());
        if let Some(before) = before {
            before.abort();
        }
    }

    pub(super) fn on_helper_command(&mut self, news: HelperCommandNews) {
        match news {
            HelperCommandNews::Due => self.ask_status_line(),
            HelperCommandNews::Line(printed) => self.on_status_line(printed),
            HelperCommandNews::Files { query, reply } => self.suggest_files(query, reply),
        }
    }

    fn ask_status_line(&mut self) {
        let Some(line) = self.helper_commands.line.clone() else { return };
        if std::mem::replace(&mut self.helper_commands.asking, true) {
            return;
        }
        let (input, own) = (self.status(), self.own.clone());
        let asked = self.hooks.run_helper(line.command.command, input, WITHIN);
        tokio::spawn(async move {
            let news = HelperCommandNews::Line(asked.await);
            let _ = own.send(Msg::HelperCommand(news)).await;
        });
    }

    fn on_status_line(&mut self, printed: Result<String, String>) {
        let commands = &mut self.helper_commands;
        commands.asking = false;
        let Some(line) = &commands.line else { return };
        let (padding, refresh) = (usize::from(line.padding), line.refresh);
        let lines = match printed {
            Ok(text) => lines(&text, padding),
            Err(why) => {
                tracing::warn!(why, "the status line could not be asked for");
                Vec::new()
            }
        };
        if commands.shown != lines {
            commands.shown.clone_from(&lines);
            self.emit(StatusLineUpdated { lines });
        }
        match (std::mem::take(&mut self.helper_commands.again), refresh) {
            (true, _) => self.look_at_line_after(PAUSE),
            (false, Some(refresh)) => self.look_at_line_after(refresh),
            (false, None) => {}
        }
    }

    pub(super) fn note_worked(&mut self, turn: Duration) {
        self.helper_commands.worked += turn;
    }

    /// What the command reads.
    fn status(&self) -> Value {
        let cwd = self.state.cwd().display().to_string();
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let commands = &self.helper_commands;
        let (used, window) = (self.used(), agent::models::limits(&self.config.model).window);
        let percent = used.saturating_mul(100).checked_div(window).unwrap_or(0).min(100);
        let usage = self.conversation.spent().usage();
        let model = agent::models::MODELS.iter().find(|model| model.id == self.config.model);
        let transcript = self.journal.path().map(|path| path.display().to_string());
        let mut status = json!({
            "hook_event_name": "Status",
            "session_id": self.id,
            "transcript_path": transcript.unwrap_or_default(),
            "cwd": cwd,
            "version": self.host.version,
            "model": {
                "id": self.config.model,
                "display_name": model.map_or(self.config.model.as_str(), |model| model.name),
            },
            "workspace": {
                "current_dir": self.state.shell_cwd().display().to_string(),
                "project_dir": cwd,
                "added_dirs": self.given_roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>(),
            },
            "output_style": { "name": self.briefing.style_name().unwrap_or("default") },
            "cost": {
                "total_cost_usd": self.conversation.cost_usd(),
                "total_duration_ms": millis(commands.began.elapsed()),
                "total_api_duration_ms": millis(commands.worked),
                "total_lines_added": commands.changed.0,
                "total_lines_removed": commands.changed.1,
            },
            "context_window": {
                "total_input_tokens": usage.input_tokens + usage.cache_read_input_tokens
                    + usage.cache_creation_input_tokens,
                "total_output_tokens": usage.output_tokens,
                "context_window_size": window,
                "used_percentage": percent,
                "remaining_percentage": 100 - percent,
            },
            "exceeds_200k_tokens": used > 200_000,
            "fast_mode": false,
        });
        if let Some(title) = self.title.text() {
            status["session_name"] = json!(title);
        }
        if let Some(effort) = self.config.options.effort() {
            status["effort"] = json!({ "level": effort.name() });
        }
        if let Some(lead) = &self.agents.lead {
            status["agent"] = json!({ "name": lead.name });
        }
        status
    }

    fn suggest_files(&self, query: String, reply: oneshot::Sender<Option<Vec<String>>>) {
        let Some(files) = self.helper_commands.files.clone() else {
            return drop(reply.send(None));
        };
        let asked = self.hooks.run_helper(files.command, json!({ "query": query }), WITHIN);
        tokio::spawn(async move {
            let found = asked.await.map(|text| paths(&text));
            let found = found.inspect_err(|why| tracing::warn!(why, "no files were suggested"));
            let _ = reply.send(found.ok());
        });
    }
}

fn lines(text: &str, padding: usize) -> Vec<String> {
    let blanks = " ".repeat(padding);
    let line = |line: &str| {
        let cut = line.floor_char_boundary(LONGEST_LINE);
        format!("{blanks}{}", &line[..cut])
    };
    text.trim_end().lines().take(MOST_LINES).map(line).collect()
}

fn paths(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let sound =
        lines.filter(|line| !line.contains(char::is_control) && Path::new(line) != Path::new("."));
    sound.take(MOST_FILES).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_print() {
        assert_eq!(lines("one\ntwo\n\n", 2), ["  one", "  two"]);
        assert_eq!(lines("", 1), Vec::<String>::new());
        assert_eq!(lines(&"x\n".repeat(50), 0).len(), MOST_LINES);
        assert_eq!(paths(" a.rs \n\nb/c.rs\n.\n"), ["a.rs", "b/c.rs"]);
        assert_eq!(paths(&"x\n".repeat(50)).len(), MOST_FILES);
    }
}
