//! Output as it is kept: text whatever the bytes were, and bounded however much there is.

/// Turns chunks of bytes into text without breaking a character that two chunks share.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The start of a character whose rest has not come yet; at most three bytes.
    pending: Vec<u8>,
}

impl Decoder {
    pub(crate) fn push(&mut self, chunk: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.pending);
        bytes.extend_from_slice(chunk);
        let mut text = String::with_capacity(bytes.len());
        for piece in bytes.utf8_chunks() {
            text.push_str(piece.valid());
            let rest = piece.invalid();
            // Only the end of the chunk can be an unfinished character.
            let at_end = rest.as_ptr_range().end == bytes.as_ptr_range().end;
            if at_end && is_start_of_character(rest) {
                self.pending = rest.to_vec();
            } else if !rest.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }

    /// What is left when nothing more comes.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.pending);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

fn is_start_of_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The beginning and the end of a text, with the middle left out when it is too long.
#[derive(Debug)]
pub(crate) struct Capture {
    head: String,
    tail: String,
    half: usize,
    /// Once something did not fit the head, nothing more goes there.
    head_full: bool,
    left_out: usize,
}

impl Capture {
    pub(crate) fn new(cap: usize) -> Capture {
        Capture {
            head: String::new(),
            tail: String::new(),
            half: cap / 2,
            head_full: false,
            left_out: 0,
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        let mut rest = text;
        if !self.head_full {
            let fits = rest.floor_char_boundary(self.half - self.head.len());
            self.head.push_str(&rest[..fits]);
            rest = &rest[fits..];
            self.head_full = !rest.is_empty();
        }
        self.tail.push_str(rest);
        // Trimmed only now and then, so that many small chunks do not each move the whole tail.
        if self.tail.len() > 2 * self.half + 4096 {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let surplus = self.tail.len().saturating_sub(self.half);
        let cut = self.tail.ceil_char_boundary(surplus);
        self.tail.drain(..cut);
        self.left_out += cut;
    }

    pub(crate) fn finish(mut self) -> String {
        self.trim();
        if self.left_out == 0 {
            return self.head + &self.tail;
        }
        format!("{}\n… {} bytes left out …\n{}", self.head, self.left_out, self.tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_split_across_chunks_come_out_whole() {
        let mut decoder = Decoder::default();
        let text: String = "aé€😀".bytes().map(|byte| decoder.push(&[byte])).collect();
        assert_eq!(text + &decoder.finish(), "aé€😀");
        assert_eq!(decoder.push(b"a\xffb\xe2\x82"), "a\u{fffd}b");
        assert_eq!(decoder.finish(), "\u{fffd}");
    }

    #[test]
    fn long_text_keeps_both_ends() {
        let mut capture = Capture::new(8);
        (0..10_000).for_each(|n| capture.push(&format!("{n} ")));
        assert_eq!(capture.finish(), "0 1 \n… 48882 bytes left out …\n999 ");
        let mut capture = Capture::new(8);
        capture.push("12345678");
        assert_eq!(capture.finish(), "12345678");
        let mut capture = Capture::new(0);
        capture.push("12");
        assert_eq!(capture.finish(), "\n… 2 bytes left out …\n");
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_text(bytes in any::<Vec<u8>>(), at in any::<prop::sample::Index>()) {
            let (first, second) = bytes.split_at(at.index(bytes.len() + 1));
            let mut decoder = Decoder::default();
            let text = decoder.push(first) + &decoder.push(second) + &decoder.finish();
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn what_fits_is_kept_as_it_is(parts in prop::collection::vec(".{0,8}", 0..20)) {
            let whole = parts.concat();
            let mut capture = Capture::new(2 * whole.len() + 8);
            parts.iter().for_each(|part| capture.push(part));
            prop_assert_eq!(capture.finish(), whole);
        }
    }
}
