//! How much room is left in the window, when it is not much.

use agent::context::Fullness;

/// At so many percent, and below, it is told once more.
const NEARLY_NOTHING: u64 = 4;

/// What was said about the room.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Told {
    #[default]
    Nothing,
    Little,
    NearlyNothing,
}

impl Told {
    pub(super) fn note(&mut self, fullness: Fullness) -> Option<String> {
        let Fullness::Warn { left_percent } = fullness else {
            // Where it is full, the conversation is summed up next, or nothing can be sent at all.
            *self = Told::Nothing;
            return None;
        };
        let now = if left_percent > NEARLY_NOTHING { Told::Little } else { Told::NearlyNothing };
        if *self == Told::NearlyNothing || std::mem::replace(self, now) == now {
            return None;
        }
        Some(format!(
            "The window is nearly full: about {left_percent} % of it is left before the conversation \
             is summed up. Bring the step you are at to an end, look only at what you need, and do \
             not count on remembering the details of what was read so far."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_room_is_told_twice_at_most() {
        let mut told = Told::default();
        let mut check = |fullness: Fullness, expect: bool| {
            assert_eq!(told.note(fullness).is_some(), expect, "{fullness:?}");
        };
        let left = |left_percent: u64| Fullness::Warn { left_percent };
        check(Fullness::Fine, false);
        check(left(11), true);
        check(left(9), false);
        check(left(3), true);
        check(left(6), false);
        check(left(1), false);
        check(Fullness::Compact, false);
        check(Fullness::Fine, false);
        check(left(3), true);
        check(Fullness::Blocked, false);
    }
}
