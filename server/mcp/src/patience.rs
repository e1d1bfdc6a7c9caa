//! How long things may take.

use std::time::Duration;

/// The most a configured time may be: a slip of the hand must not overflow a clock.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const ASIDE: &str = "BOWLINE_MCP_BACKGROUND_AFTER_MS";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Until a server has introduced itself, and for each of its lists.
    pub start: Duration,
    /// A whole call.
    pub call: Duration,
    /// A call in which nothing happens, of a server somewhere else and of one on this machine.
    pub idle_remote: Duration,
    pub idle_process: Duration,
    /// How long a conversation waits for a call before it goes on in the background; `None`: to its
    /// end.
    pub aside: Option<Duration>,
    /// Before a lost server is called again; each time twice as long.
    pub pause: Duration,
    /// How often that is tried before it counts as failed.
    pub tries: u32,
}

impl Default for Patience {
    fn default() -> Patience {
        let minutes = |count: u64| Duration::from_secs(count * 60);
        Patience {
            start: Duration::from_secs(30),
            call: minutes(28 * 60),
            idle_remote: minutes(5),
            idle_process: minutes(30),
            aside: Some(minutes(2)),
            pause: Duration::from_secs(1),
            tries: 5,
        }
    }
}

impl Patience {
    /// As the user's environment says, in milliseconds: `MCP_TIMEOUT` for the start,
    /// `MCP_TOOL_TIMEOUT` for a call, `BOWLINE_MCP_BACKGROUND_AFTER_MS` until a call goes to the
    /// background (0: never).
    pub fn from_env(value: impl Fn(&str) -> Option<String>) -> Patience {
        let usual = Patience::default();
        let millis = |name: &str, usual: Duration| {
            let said = value(name).and_then(|text| text.trim().parse::<u64>().ok());
            let said = said.filter(|millis| *millis > 0).map(Duration::from_millis);
            said.map_or(usual, |time| time.min(LONGEST))
        };
        Patience {
            start: millis("MCP_TIMEOUT", usual.start),
            call: millis("MCP_TOOL_TIMEOUT", usual.call),
            aside: match value(ASIDE).as_deref().map(str::trim) {
                Some("0") => None,
                _ => usual.aside.map(|aside| millis(ASIDE, aside)),
            },
            ..usual
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_environment_says() {
        let check = |said: &str, expect: Duration| {
            let given = |name: &str| (name == "MCP_TIMEOUT").then(|| said.to_owned());
            assert_eq!(Patience::from_env(given).start, expect, "{said}");
        };
        check("5000", Duration::from_secs(5));
        check(" 1 ", Duration::from_millis(1));
        check("0", Duration::from_secs(30));
        check("soon", Duration::from_secs(30));
        check("99999999999999999", LONGEST);
        assert_eq!(Patience::from_env(|_| None), Patience::default());
        let aside =
            |said: &str| Patience::from_env(|name| (name == ASIDE).then(|| said.to_owned())).aside;
        assert_eq!(aside("0"), None);
        assert_eq!(aside("50"), Some(Duration::from_millis(50)));
        assert_eq!(aside("never"), Some(Duration::from_secs(120)));
    }
}
