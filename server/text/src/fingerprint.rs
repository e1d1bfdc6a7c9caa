//! What a text says, as one number.
//!
//! The number depends on the bytes alone: not on how they arrive in pieces, not on the machine, and
//! not on the day, so it may be kept in a journal and compared after a restart. It is XXH64, which
//! reads memory about as fast as it can be read. It is no defence against somebody who wants two
//! texts to collide, and nothing relies on it for that.

use std::fmt;

/// The content of a text as a number: same text, same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of a text that is at hand as a string.
    pub fn of(text: &str) -> Fingerprint {
        Fingerprint::of_bytes(text.as_bytes())
    }

    /// The same for what is no text.
    pub fn of_bytes(bytes: &[u8]) -> Fingerprint {
        let mut hasher = Hasher::default();
        hasher.write(bytes);
        hasher.finish()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

const PRIME_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME_3: u64 = 0x1656_67B1_9E37_79F9;
const PRIME_4: u64 = 0x85EB_CA77_C2B2_AE63;
const PRIME_5: u64 = 0x27D4_EB2F_1656_67C5;

/// The bytes that are mixed in one step: eight for each of the four lanes.
const STRIPE: usize = 32;

/// XXH64 with seed zero over bytes that arrive in pieces.
pub(crate) struct Hasher {
    lanes: [u64; 4],
    /// Bytes that wait until a stripe is full.
    pending: [u8; STRIPE],
    pending_len: usize,
    total: u64,
}

impl Default for Hasher {
    fn default() -> Hasher {
        let lanes = [PRIME_1.wrapping_add(PRIME_2), PRIME_2, 0, PRIME_1.wrapping_neg()];
        Hasher { lanes, pending: [0; STRIPE], pending_len: 0, total: 0 }
    }
}

impl Hasher {
    pub(crate) fn write(&mut self, mut bytes: &[u8]) {
        self.total = self.total.wrapping_add(bytes.len() as u64);
        if self.pending_len > 0 {
            let take = bytes.len().min(STRIPE - self.pending_len);
            let (head, tail) = bytes.split_at(take);
            self.pending[self.pending_len..self.pending_len + take].copy_from_slice(head);
            self.pending_len += take;
            bytes = tail;
            if self.pending_len < STRIPE {
                return;
            }
            let full = self.pending;
            self.mix(&full);
        }
        let (stripes, tail) = bytes.as_chunks::<STRIPE>();
        for stripe in stripes {
            self.mix(stripe);
        }
        self.pending[..tail.len()].copy_from_slice(tail);
        self.pending_len = tail.len();
    }

    pub(crate) fn finish(&self) -> Fingerprint {
        let start = if self.total >= STRIPE as u64 { self.fold_lanes() } else { PRIME_5 };
        let mut hash = start.wrapping_add(self.total);
        let (words, rest) = self.pending[..self.pending_len].as_chunks::<8>();
        for word in words {
            hash ^= round(0, u64::from_le_bytes(*word));
            hash = hash.rotate_left(27).wrapping_mul(PRIME_1).wrapping_add(PRIME_4);
        }
        let (halves, rest) = rest.as_chunks::<4>();
        for half in halves {
            hash ^= u64::from(u32::from_le_bytes(*half)).wrapping_mul(PRIME_1);
            hash = hash.rotate_left(23).wrapping_mul(PRIME_2).wrapping_add(PRIME_3);
        }
        for byte in rest {
            hash ^= u64::from(*byte).wrapping_mul(PRIME_5);
            hash = hash.rotate_left(11).wrapping_mul(PRIME_1);
        }
        hash = (hash ^ (hash >> 33)).wrapping_mul(PRIME_2);
        hash = (hash ^ (hash >> 29)).wrapping_mul(PRIME_3);
        Fingerprint(hash ^ (hash >> 32))
    }

    fn mix(&mut self, stripe: &[u8; STRIPE]) {
        let (words, _) = stripe.as_chunks::<8>();
        for (lane, word) in self.lanes.iter_mut().zip(words) {
            *lane = round(*lane, u64::from_le_bytes(*word));
        }
    }

    fn fold_lanes(&self) -> u64 {
        let turned = self.lanes.iter().zip([1, 7, 12, 18]).map(|(lane, by)| lane.rotate_left(by));
        let sum = turned.fold(0u64, u64::wrapping_add);
        self.lanes.iter().fold(sum, |hash, lane| {
            (hash ^ round(0, *lane)).wrapping_mul(PRIME_1).wrapping_add(PRIME_4)
        })
    }
}

fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(PRIME_2)).rotate_left(31).wrapping_mul(PRIME_1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Text, nasty};
    use proptest::prelude::*;

    #[test]
    fn published_values() {
        let check =
            |text: &str, expect: u64| assert_eq!(Fingerprint::of(text), Fingerprint(expect));
        check("", 0xEF46_DB37_51D8_E999);
        check("a", 0xD24E_C4F1_A98C_6E5B);
        check("abc", 0x44BC_2CF5_AD77_0999);
        check("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1);
        assert_eq!(Fingerprint(0x2a).to_string(), "000000000000002a");
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            text in nasty::long_text(),
            cuts in prop::collection::vec(1usize..80, 1..20),
        ) {
            let mut hasher = Hasher::default();
            let mut rest = text.as_bytes();
            for cut in cuts.iter().cycle() {
                let (head, tail) = rest.split_at((*cut).min(rest.len()));
                hasher.write(head);
                hasher.write(b"");
                rest = tail;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(hasher.finish(), Fingerprint::of(&text));
        }

        #[test]
        fn the_shape_of_the_rope_does_not_matter((text, edit) in nasty::text_and_edit()) {
            let mut edited = Text::from(text.as_str());
            edited.apply(&edit).unwrap();
            let fresh = Text::from(edited.to_string());
            prop_assert_eq!(edited.fingerprint(), fresh.fingerprint());
            prop_assert_eq!(edited.fingerprint(), Fingerprint::of(&edited.to_string()));
        }
    }
}
