//! How full the window is, and what that means.

/// Kept free for a summary, at most.
const SUMMARY: u64 = 20_000;
/// Below what is free then, so much is left when the conversation is summarised.
const AUTO_BUFFER: u64 = 13_000;
/// The user is told so much before that.
const WARN_BUFFER: u64 = 20_000;
/// With less than this nothing useful can be said any more.
const LAST_BUFFER: u64 = 3_000;

/// The room a model has, as the settings want it used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// All that fits, or what the user wants to use of it.
    size: u64,
    max_output: u64,
    auto: bool,
}

/// What is to be done about the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fullness {
    Fine,
    /// It will be summarised soon, or the user should do so: so many percent are left until then.
    Warn {
        left_percent: u64,
    },
    /// Summarise before the next request.
    Compact,
    /// No request fits any more, and nothing is summarised by itself.
    Blocked,
}

impl Window {
    /// `wanted` is a smaller window that the user asked for; `auto` says whether the conversation is
    /// summarised by itself.
    pub fn new(size: u64, max_output: u64, wanted: Option<u64>, auto: bool) -> Window {
        Window { size: wanted.map_or(size, |wanted| wanted.min(size)), max_output, auto }
    }

    /// What a conversation may fill.
    fn effective(&self) -> u64 {
        let kept_free = SUMMARY.min(self.max_output).min(self.size / 4);
        self.size - kept_free
    }

    /// From here on the conversation is summarised. A small window keeps a share instead.
    pub fn compact_at(&self) -> u64 {
        let effective = self.effective();
        effective - AUTO_BUFFER.min(effective / 8)
    }

    /// From here on a provider may clear results by itself: before the user is warned.
    pub fn clear_above(&self) -> u64 {
        self.warn_at() * 3 / 4
    }

    fn warn_at(&self) -> u64 {
        let at = if self.auto { self.compact_at() } else { self.effective() };
        at - WARN_BUFFER.min(at / 8)
    }

    pub fn state(&self, used: u64) -> Fullness {
        let last = self.effective() - LAST_BUFFER.min(self.effective() / 20);
        if self.auto && used >= self.compact_at() {
            return Fullness::Compact;
        }
        if !self.auto && used >= last {
            return Fullness::Blocked;
        }
        let end = if self.auto { self.compact_at() } else { last };
        match used >= self.warn_at() {
            true => Fullness::Warn { left_percent: (end - used) * 100 / end.max(1) },
            false => Fullness::Fine,
        }
    }
}

/// Stops what fails again and again: each try costs the user money.
#[derive(Clone, Copy, Debug, Default)]
pub struct Breaker {
    failures: u32,
}

impl Breaker {
    const MOST: u32 = 3;

    pub fn is_open(&self) -> bool {
        self.failures >= Self::MOST
    }

    /// True when this failure is the last one that is risked.
    pub fn failed(&mut self) -> bool {
        self.failures += 1;
        self.failures == Self::MOST
    }

    pub fn worked(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_fills_in_steps() {
        let window = Window::new(200_000, 32_000, None, true);
        assert_eq!((window.compact_at(), window.clear_above()), (167_000, 110_250));
        let check = |used: u64, expect: Fullness| assert_eq!(window.state(used), expect, "{used}");
        check(0, Fullness::Fine);
        check(146_999, Fullness::Fine);
        check(147_000, Fullness::Warn { left_percent: 11 });
        check(166_999, Fullness::Warn { left_percent: 0 });
        check(167_000, Fullness::Compact);
        check(u64::MAX, Fullness::Compact);
        let manual = Window::new(200_000, 32_000, None, false);
        assert_eq!(manual.state(177_000), Fullness::Blocked);
        assert_eq!(manual.state(170_000), Fullness::Warn { left_percent: 3 });
    }

    #[test]
    fn no_window_is_too_small_to_work_in() {
        for size in [0, 1, 100, 4_096, 8_192, 32_000, 128_000, 1_000_000] {
            for auto in [false, true] {
                let window = Window::new(size, 32_000, None, auto);
                assert!(window.compact_at() <= size);
                assert!(size < 4_096 || window.state(size / 2) == Fullness::Fine, "{size}");
                window.state(size);
            }
        }
        assert_eq!(Window::new(1_000_000, 64_000, Some(200_000), true).compact_at(), 167_000);
        assert_eq!(Window::new(8_000, 64_000, Some(200_000), true).size, 8_000);
    }

    #[test]
    fn three_failures_are_enough() {
        let mut breaker = Breaker::default();
        assert!(!breaker.failed() && !breaker.failed() && !breaker.is_open());
        assert!(breaker.failed() && breaker.is_open());
        breaker.worked();
        assert!(!breaker.is_open());
    }
}
