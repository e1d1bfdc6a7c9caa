//! What was checked, and what was missing, by kind.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

#[derive(Default)]
pub(super) struct Tally {
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    kills: BTreeMap<String, usize>,
    checked: BTreeMap<&'static str, usize>,
    violations: BTreeMap<&'static str, usize>,
    /// What is counted and not judged here.
    observed: BTreeMap<&'static str, usize>,
    examples: Vec<String>,
}

/// More than these help nobody.
const EXAMPLES: usize = 20;

impl Tally {
    pub(super) fn killed(&self, at: &str) {
        *self.counts.lock().unwrap().kills.entry(at.to_owned()).or_default() += 1;
    }

    /// Counts a check; one that fails is described by `example`.
    pub(super) fn check(&self, kind: &'static str, holds: bool, example: impl FnOnce() -> String) {
        let mut counts = self.counts.lock().unwrap();
        *counts.checked.entry(kind).or_default() += 1;
        if !holds {
            *counts.violations.entry(kind).or_default() += 1;
            if counts.examples.len() < EXAMPLES {
                counts.examples.push(format!("{kind}: {}", example()));
            }
        }
    }

    pub(super) fn observe(&self, kind: &'static str, times: usize) {
        *self.counts.lock().unwrap().observed.entry(kind).or_default() += times;
    }

    pub(super) fn is_clean(&self) -> bool {
        self.counts.lock().unwrap().violations.is_empty()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts.lock().unwrap();
        writeln!(f, "kills: {} {:?}", counts.kills.values().sum::<usize>(), counts.kills)?;
        writeln!(f, "checked: {} {:?}", counts.checked.values().sum::<usize>(), counts.checked)?;
        writeln!(f, "violations: {:?}", counts.violations)?;
        writeln!(f, "observed: {:?}", counts.observed)?;
        counts.examples.iter().try_for_each(|example| writeln!(f, "- {example}"))
    }
}
