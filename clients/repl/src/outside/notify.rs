//! A word to a user who looks at something else, in the way that the terminal knows.

use std::process::Stdio;
use std::time::Duration;

use crate::render::safe::strict;

/// A notification daemon that hangs is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Enough for one line.
const LONGEST: usize = 200;

/// How the user is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Channel {
    Off,
    #[default]
    Bell,
    /// As iTerm2, WezTerm, Ghostty and kitty show it.
    Osc9,
    Osc9AndBell,
    /// As foot, urxvt and terminals of GNOME show it.
    Osc777,
    /// By `notify-send`.
    Desktop,
}

impl Channel {
    /// The setting `preferredNotifChannel`, with the names of ours and of other agents; `term` and `program`
    /// say which terminal it is. None for a name that nobody knows.
    pub fn named(name: &str, term: &str, program: &str) -> Option<Self> {
        Some(match name {
            "auto" | "" => Self::of_terminal(term, program),
            "off" | "notifications_disabled" | "none" => Self::Off,
            "bell" | "terminal_bell" => Self::Bell,
            "osc9" | "iterm2" | "kitty" | "ghostty" => Self::Osc9,
            "iterm2_with_bell" => Self::Osc9AndBell,
            "osc777" => Self::Osc777,
            "desktop" => Self::Desktop,
            _ => return None,
        })
    }

    /// What most surely reaches the user there; a bell always does.
    fn of_terminal(term: &str, program: &str) -> Self {
        match program {
            // A multiplexer passes only the bell on.
            "tmux" => Self::Bell,
            "iTerm.app" | "WezTerm" | "ghostty" => Self::Osc9,
            _ if term.contains("kitty") || term.contains("ghostty") => Self::Osc9,
            _ if term.starts_with("foot") || term.starts_with("rxvt") => Self::Osc777,
            _ => Self::Bell,
        }
    }

    pub(super) fn bytes(self, text: &str) -> String {
        let text: String =
            strict(text).chars().filter(|c| !c.is_control() && *c != ';').take(LONGEST).collect();
        match self {
            Self::Off | Self::Desktop => String::new(),
            Self::Bell => "\x07".to_owned(),
            Self::Osc9 => format!("\x1b]9;{text}\x07"),
            Self::Osc9AndBell => format!("\x1b]9;{text}\x07\x07"),
            Self::Osc777 => format!("\x1b]777;notify;Bowline;{text}\x07"),
        }
    }
}

pub(super) fn on_desktop(text: String) {
    tokio::spawn(async move {
        let mut command = tokio::process::Command::new("notify-send");
        command.args(["--app-name=Bowline", "--", "Bowline", &text]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        if let Ok(mut child) = command.spawn() {
            // Whether it was shown is nothing that one could do anything about.
            let _ = tokio::time::timeout(PATIENCE, child.wait()).await;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_the_user() {
        for (name, term, program, expect) in [
            ("auto", "xterm-256color", "iTerm.app", Some(Channel::Osc9)),
            ("auto", "xterm-kitty", "", Some(Channel::Osc9)),
            ("auto", "foot", "", Some(Channel::Osc777)),
            ("auto", "tmux-256color", "tmux", Some(Channel::Bell)),
            ("notifications_disabled", "", "iTerm.app", Some(Channel::Off)),
            ("desktop", "", "", Some(Channel::Desktop)),
            ("pigeon", "", "", None),
        ] {
            assert_eq!(Channel::named(name, term, program), expect, "{name} {term} {program}");
        }
    }

    #[test]
    fn nothing_of_the_text_reaches_the_terminal_as_a_sequence() {
        let bytes = Channel::Osc777.bytes("a\x1b]52;c;x\x07b");
        assert_eq!(bytes, "\x1b]777;notify;Bowline;a^[]52cx^Gb\x07");
    }
}
