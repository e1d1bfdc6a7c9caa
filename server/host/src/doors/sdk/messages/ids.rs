//! The ids of lines. Hosts want UUIDs; those of answers are made from ours, so that a message that a
//! host names in a later life is found again.

use uuid::Uuid;

/// An answer has no more blocks than this that anybody names.
const MOST_BLOCKS: usize = 256;

pub(in crate::doors::sdk) fn fresh() -> String {
    Uuid::new_v4().to_string()
}

/// The id of the line that shows one block of an answer.
pub(in crate::doors::sdk) fn of_block(message: &str, block: usize) -> String {
    made_from(&format!("{message}#{block}"))
}

/// The id of the line that shows the result of a call.
pub(in crate::doors::sdk) fn of_result(call: &str) -> String {
    made_from(&format!("{call}#result"))
}

/// Whether a line of that id shows a part of this answer.
pub(in crate::doors::sdk) fn is_of(line: &str, message: &str) -> bool {
    (0..MOST_BLOCKS).any(|block| of_block(message, block) == line)
}

/// The same for the same name in every life (two runs of FNV-1a, as a UUID of version 8).
fn made_from(name: &str) -> String {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash = |seed: u64| {
        let bytes = name.bytes();
        bytes.fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    };
    let (high, low) = (hash(0xcbf2_9ce4_8422_2325), hash(0x8422_2325_cbf2_9ce4));
    let bytes = ((u128::from(high) << 64) | u128::from(low)).to_be_bytes();
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_found_again() {
        let line = of_block("turn_ab_1.1", 3);
        assert_eq!(line, of_block("turn_ab_1.1", 3));
        assert!(is_of(&line, "turn_ab_1.1") && !is_of(&line, "turn_ab_1.2"));
        assert!(Uuid::parse_str(&line).is_ok());
        assert_ne!(of_result("c1"), of_result("c2"));
    }
}
