//! Five-field cron expressions: minute, hour, day of the month, month, day of the week.

use std::fmt;
use std::str::FromStr;

/// When something is due, to the minute, in the user's own time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    text: String,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Both days are named: either one is enough then.
    either_day: bool,
}

/// A minute of the calendar. Sunday is weekday 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minute {
    pub minute: u32,
    pub hour: u32,
    pub day: u32,
    pub month: u32,
    pub weekday: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} Write five fields: minute (0-59), hour (0-23), day of the month (1-31), month (1-12), day of \
     the week (0-7, 0 and 7 are Sunday), each as *, a number, a range such as 1-5, a step such as \
     */10, or several of them with commas."
)]
pub struct CronError(String);

impl Cron {
    pub fn matches(&self, at: Minute) -> bool {
        let has = |set: u64, value: u32| value < 64 && set & (1 << value) != 0;
        let day = has(self.days, at.day);
        let weekday = has(self.weekdays, at.weekday);
        let today = if self.either_day { day || weekday } else { day && weekday };
        has(self.minutes, at.minute)
            && has(self.hours, at.hour)
            && has(self.months, at.month)
            && today
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Cron {
    type Err = CronError;

    fn from_str(text: &str) -> Result<Cron, CronError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            return Err(CronError(format!("{text:?} has {} fields.", fields.len())));
        };
        let weekdays = field(weekday, 0, 7)?;
        Ok(Cron {
            minutes: field(minute, 0, 59)?,
            hours: field(hour, 0, 23)?,
            days: field(day, 1, 31)?,
            months: field(month, 1, 12)?,
            // Sunday has two numbers.
            weekdays: weekdays | (weekdays >> 7 & 1),
            either_day: !day.starts_with('*') && !weekday.starts_with('*'),
            text: fields.join(" "),
        })
    }
}

/// The values a field names, as a set of bits.
fn field(text: &str, least: u32, most: u32) -> Result<u64, CronError> {
    let mut set = 0;
    for part in text.split(',') {
        let bad = || CronError(format!("{part:?} is no value from {least} to {most}."));
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, step.parse::<u32>().map_err(|_| bad())?),
            None => (part, 1),
        };
        let number = |text: &str| text.parse::<u32>().map_err(|_| bad());
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((from, to)) => (number(from)?, number(to)?),
            None if part.contains('/') => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        if step == 0 || from < least || to > most || from > to {
            return Err(bad());
        }
        (from..=to).step_by(step as usize).for_each(|value| set |= 1 << value);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: u32, hour: u32, day: u32, month: u32, weekday: u32) -> Minute {
        Minute { minute, hour, day, month, weekday }
    }

    #[test]
    fn what_is_due_when() {
        let check = |cron: &str, when: Minute, expect: bool| {
            assert_eq!(cron.parse::<Cron>().unwrap().matches(when), expect, "{cron} {when:?}");
        };
        check("* * * * *", at(0, 0, 1, 1, 0), true);
        check("*/15 * * * *", at(45, 7, 1, 1, 0), true);
        check("*/15 * * * *", at(46, 7, 1, 1, 0), false);
        check("0 9-17 * * 1-5", at(0, 17, 3, 3, 5), true);
        check("0 9-17 * * 1-5", at(0, 17, 3, 3, 6), false);
        check("0 0 * * 7", at(0, 0, 3, 3, 0), true);
        check("0 0 * * 0", at(0, 0, 3, 3, 0), true);
        check("5,10 1 2 3 *", at(10, 1, 2, 3, 4), true);
        check("5/20 * * * *", at(25, 1, 2, 3, 4), true);
        check("5/20 * * * *", at(26, 1, 2, 3, 4), false);
        check("0 0 13 * 5", at(0, 0, 13, 3, 1), true);
        check("0 0 13 * 5", at(0, 0, 12, 3, 5), true);
        check("0 0 13 * 5", at(0, 0, 12, 3, 4), false);
    }

    #[test]
    fn what_is_no_cron_says_what_is() {
        for bad in
            ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "a * * * *", "*/0 * * * *"]
        {
            let error = bad.parse::<Cron>().unwrap_err().to_string();
            assert!(error.contains("Write five fields"), "{bad}: {error}");
        }
        assert!("5-1 * * * *".parse::<Cron>().is_err());
    }
}
