//! How long it takes from the start of the process to the first question to the model, step by step.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The steps so far, each with its time.
#[derive(Default)]
pub struct Startup(Mutex<Steps>);

#[derive(Default)]
struct Steps {
    begun: Option<Instant>,
    steps: Vec<(&'static str, Instant)>,
    told: bool,
}

impl Startup {
    /// When the process began.
    pub fn begin(&self, at: Instant) {
        self.steps().begun.get_or_insert(at);
    }

    /// A step is done. Only the first time of each counts.
    pub fn mark(&self, step: &'static str) {
        let mut steps = self.steps();
        if steps.begun.is_some() && !steps.told && steps.steps.iter().all(|(name, _)| *name != step)
        {
            steps.steps.push((step, Instant::now()));
        }
    }

    /// The last step is done: the table, once.
    pub fn finish(&self, step: &'static str) -> Option<String> {
        self.mark(step);
        let mut steps = self.steps();
        let begun = steps.begun?;
        if std::mem::replace(&mut steps.told, true) {
            return None;
        }
        let mut table = String::from("startup, in ms since the process began:");
        for (step, at) in &steps.steps {
            let since = at.saturating_duration_since(begun);
            let _ = write!(table, "\n{:>9.1}  {step}", since.as_secs_f64() * 1000.0);
        }
        Some(table)
    }

    fn steps(&self) -> std::sync::MutexGuard<'_, Steps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_once_and_only_where_a_process_began() {
        let startup = Startup::default();
        startup.mark("early");
        assert_eq!(startup.finish("request"), None);
        let startup = Startup::default();
        startup.begin(Instant::now());
        startup.mark("session");
        startup.mark("session");
        let table = startup.finish("request").unwrap();
        let steps: Vec<_> =
            table.lines().skip(1).filter_map(|line| line.split("  ").last()).collect();
        assert_eq!(steps, ["session", "request"]);
        assert_eq!(startup.finish("request"), None);
    }
}
