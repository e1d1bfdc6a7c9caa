//! A text read in pieces at any byte, for parsers and for finding what changed.

use std::ops::Range;

use super::Text;

impl Text {
    /// The text from this byte on, as far as it lies in one piece; empty at the end and past it.
    /// They are bytes because a reader may stop inside a character.
    pub fn bytes_from(&self, offset: usize) -> &[u8] {
        let offset = offset.min(self.len_bytes());
        let (piece, start, ..) = self.0.chunk_at_byte(offset);
        piece.as_bytes().get(offset - start..).unwrap_or_default()
    }

    /// The text in front of this byte, as far as it lies in one piece; empty at the start.
    pub fn bytes_before(&self, offset: usize) -> &[u8] {
        let Some(last) = offset.min(self.len_bytes()).checked_sub(1) else { return &[] };
        let (piece, start, ..) = self.0.chunk_at_byte(last);
        piece.as_bytes().get(..=last - start).unwrap_or_default()
    }

    /// What changed from this text to `now`: the bytes here and those that took their place, both
    /// without what is equal around them. Nothing when the texts are equal.
    pub fn changed(&self, now: &Text) -> Option<(Range<usize>, Range<usize>)> {
        if self == now {
            return None;
        }
        let shorter = self.len_bytes().min(now.len_bytes());
        let mut head = self.equal_head(now);
        while !(self.starts_char(head) && now.starts_char(head)) {
            head -= 1;
        }
        let mut tail = self.equal_tail(now, shorter - head);
        let (mut end, mut now_end) = (self.len_bytes() - tail, now.len_bytes() - tail);
        while !(self.starts_char(end) && now.starts_char(now_end)) {
            tail -= 1;
            (end, now_end) = (self.len_bytes() - tail, now.len_bytes() - tail);
        }
        Some((head..end, head..now_end))
    }

    fn equal_head(&self, other: &Text) -> usize {
        let mut at = 0;
        loop {
            let (ours, theirs) = (self.bytes_from(at), other.bytes_from(at));
            let len = ours.len().min(theirs.len());
            let differs = |at: &usize| ours[*at] != theirs[*at];
            if len == 0 {
                return at;
            }
            if ours[..len] != theirs[..len] {
                return at + (0..len).find(differs).unwrap_or(len);
            }
            at += len;
        }
    }

    /// How many bytes are equal at the end, `most` at most.
    fn equal_tail(&self, other: &Text, most: usize) -> usize {
        let mut equal = 0;
        while equal < most {
            let ours = self.bytes_before(self.len_bytes() - equal);
            let theirs = other.bytes_before(other.len_bytes() - equal);
            let len = ours.len().min(theirs.len()).min(most - equal);
            let (ours, theirs) = (&ours[ours.len() - len..], &theirs[theirs.len() - len..]);
            if len == 0 {
                break;
            }
            if ours != theirs {
                let pairs = ours.iter().rev().zip(theirs.iter().rev());
                return equal + pairs.take_while(|(ours, theirs)| ours == theirs).count();
            }
            equal += len;
        }
        equal
    }

    fn starts_char(&self, offset: usize) -> bool {
        // 0b10xx_xxxx continues a character.
        self.bytes_from(offset).first().is_none_or(|byte| byte & 0xc0 != 0x80)
    }
}
