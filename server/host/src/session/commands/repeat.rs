//! `/loop [interval] prompt`: a prompt now, and again and again while the session is open.

use agent::Block;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::event::Severity;
use tools::{Cron, Scheduled, Tasks as _};

use super::{Done, Outcome};
use crate::session::Session;

/// Where no interval is named.
const DEFAULT: Interval = Interval { count: 10, unit: Unit::Minutes };

pub(super) fn run<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    repeat(session, argument).boxed()
}

async fn repeat(session: &mut Session, argument: &str) -> Outcome {
    let (interval, prompt) = understand(argument);
    let prompt = prompt.to_owned();
    if prompt.is_empty() {
        return Err("Say what to do, and how often: /loop 10m look at the build.".to_owned());
    }
    let interval = interval.fitting();
    let cron: Cron = interval.cron().parse().map_err(|error| format!("{error}"))?;
    let call_id = session.next_id("loop");
    let scheduled = Scheduled { cron, prompt: prompt.clone(), recurring: true, call_id };
    let id = session.tasks.schedule(scheduled).await?;
    let text = format!("Again every {interval}, for seven days at most; /tasks stop {id} ends it.");
    session.notice(Severity::Info, text);
    Ok(Done::Prompt(vec![Block::text(prompt)]))
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    count: u32,
    unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Minutes,
    Hours,
    Days,
}

impl Interval {
    fn parse(word: &str) -> Option<Self> {
        let at = word.find(|c: char| !c.is_ascii_digit())?;
        let (count, unit) = word.split_at(at);
        let count: u32 = count.parse().ok().filter(|count| (1..=10_000).contains(count))?;
        match unit {
            // Nothing is planned by the second.
            "s" => Some(Self { count: count.div_ceil(60), unit: Unit::Minutes }),
            "m" | "min" => Some(Self { count, unit: Unit::Minutes }),
            "h" => Some(Self { count, unit: Unit::Hours }),
            "d" => Some(Self { count, unit: Unit::Days }),
            _ => None,
        }
    }

    /// The nearest longer interval whose times are evenly spread over the hour or the day.
    fn fitting(self) -> Self {
        let (parts, next) = match self.unit {
            Unit::Minutes => (60, Unit::Hours),
            Unit::Hours => (24, Unit::Days),
            // Days cannot be counted within a month; every one of them will do.
            Unit::Days => return Self { count: 1, unit: Unit::Days },
        };
        match (self.count..parts).find(|count| parts % count == 0) {
            Some(count) => Self { count, unit: self.unit },
            None => Self { count: self.count.div_ceil(parts), unit: next }.fitting(),
        }
    }

    fn cron(self) -> String {
        match self.unit {
            Unit::Minutes => format!("*/{} * * * *", self.count),
            Unit::Hours => format!("0 */{} * * *", self.count),
            Unit::Days => "0 9 * * *".to_owned(),
        }
    }
}

impl std::fmt::Display for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let unit = match self.unit {
            Unit::Minutes => "minutes",
            Unit::Hours => "hours",
            Unit::Days => "day at nine",
        };
        match self.count {
            1 => f.write_str(unit.strip_suffix('s').unwrap_or(unit)),
            count => write!(f, "{count} {unit}"),
        }
    }
}

/// The interval comes first or not at all.
fn understand(argument: &str) -> (Interval, &str) {
    let (first, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    match Interval::parse(first) {
        Some(interval) => (interval, rest.trim()),
        None => (DEFAULT, argument),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals() {
        let check = |argument: &str, prompt: &str, cron: &str, shown: &str| {
            let (interval, rest) = understand(argument);
            let interval = interval.fitting();
            assert_eq!(rest, prompt, "{argument}");
            assert_eq!(interval.cron(), cron, "{argument}");
            assert_eq!(interval.to_string(), shown, "{argument}");
            interval.cron().parse::<Cron>().unwrap();
        };
        check("look again", "look again", "*/10 * * * *", "10 minutes");
        check("5m look", "look", "*/5 * * * *", "5 minutes");
        check("1m look", "look", "*/1 * * * *", "minute");
        check("7m look", "look", "*/10 * * * *", "10 minutes");
        check("90s look", "look", "*/2 * * * *", "2 minutes");
        check("45m look", "look", "0 */1 * * *", "hour");
        check("90m look", "look", "0 */2 * * *", "2 hours");
        check("5h look", "look", "0 */6 * * *", "6 hours");
        check("1d look", "look", "0 9 * * *", "day at nine");
        check("3d look", "look", "0 9 * * *", "day at nine");
        check("5 apples", "5 apples", "*/10 * * * *", "10 minutes");
        check("10m", "", "*/10 * * * *", "10 minutes");
    }
}
