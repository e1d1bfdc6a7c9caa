//! The guard against a model that makes the same failing call over and over.

/// After so many failures in a row the model is told, …
const TELL: u32 = 5;
/// … and after so many the turn ends.
const STOP: u32 = 8;

#[derive(Default)]
pub(super) struct Repeats {
    /// A fingerprint of the call that failed last: its tool and its input.
    last: Option<u64>,
    failures: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Fine,
    Tell,
    Stop,
}

impl Repeats {
    /// Looks at the calls of one answer, in order: their fingerprints, and whether they failed.
    pub(super) fn look(&mut self, calls: impl Iterator<Item = (u64, bool)>) -> Verdict {
        let mut verdict = Verdict::Fine;
        for (call, failed) in calls {
            if !failed {
                *self = Self::default();
                continue;
            }
            let same = self.last == Some(call);
            *self = Self { last: Some(call), failures: if same { self.failures + 1 } else { 1 } };
            verdict = verdict.max(match self.failures {
                TELL => Verdict::Tell,
                STOP.. => Verdict::Stop,
                _ => Verdict::Fine,
            });
        }
        verdict
    }

    pub(super) fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_once_then_stopped() {
        let mut repeats = Repeats::default();
        let mut look = |calls: &[(u64, bool)]| repeats.look(calls.iter().copied());
        for _ in 0..4 {
            assert_eq!(look(&[(1, true)]), Verdict::Fine);
        }
        assert_eq!(look(&[(1, true)]), Verdict::Tell);
        // Another call in between, and it begins anew; so does one that works.
        assert_eq!(look(&[(2, true), (1, true), (1, true)]), Verdict::Fine);
        assert_eq!(look(&[(1, true), (1, false), (1, true)]), Verdict::Fine);
        assert_eq!(look(&[(1, true), (1, true), (1, true), (1, true)]), Verdict::Tell);
        assert_eq!(look(&[(1, true), (1, true)]), Verdict::Fine);
        assert_eq!(look(&[(1, true)]), Verdict::Stop);
    }
}
