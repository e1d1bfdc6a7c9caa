//! Cuts a stream of Markdown into blocks that can be drawn once and never again.
//!
//! A block is final as soon as nothing that may still arrive can change how it looks: a paragraph
//! at its blank line, a list item at the next item, a line of a code fence at its newline. Each
//! byte of the stream is looked at once, whatever the size of the deltas.

/// What the stream is made of, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    /// A paragraph, heading, list item, quote, table or rule; `indent` is how deep it stands.
    Text {
        source: String,
        indent: usize,
    },
    FenceStart {
        language: String,
        indent: usize,
    },
    Code(String),
    FenceEnd,
    /// A blank line between blocks.
    Gap,
}

/// A block that grows beyond this is drawn as it is, so that work and memory stay bounded.
const TEXT_LIMIT: usize = 8 * 1024;
/// A table is drawn as one piece because of its column widths, so it may be larger.
const TABLE_LIMIT: usize = 64 * 1024;

#[derive(Debug, Clone)]
struct Fence {
    marker: u8,
    length: usize,
    indent: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Splitter {
    /// Text that belongs to no finished block: whole lines up to `scanned`, then a partial line.
    pending: String,
    scanned: usize,
    fence: Option<Fence>,
    /// The last block was a list item, so an indented block continues it.
    in_list: bool,
}

impl Splitter {
    /// Takes what has arrived and appends the blocks it has finished.
    pub fn push(&mut self, delta: &str, out: &mut Vec<Block>) {
        let mut rest = delta;
        while let Some(at) = rest.find('\n') {
            self.pending.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            self.line(out);
        }
        self.pending.push_str(rest);
        if self.pending.len() - self.scanned > TEXT_LIMIT {
            self.cut_long_line(out);
        }
    }

    /// The stream is over: whatever is left is final.
    pub fn finish(&mut self, out: &mut Vec<Block>) {
        if !self.pending[self.scanned..].is_empty() {
            self.pending.push('\n');
            self.line(out);
        }
        self.emit_text(out);
        if self.fence.take().is_some() {
            out.push(Block::FenceEnd);
        }
    }

    /// What is not final yet, for the live part of the screen. Blocks in it are not to be kept.
    pub fn tail(&self) -> Vec<Block> {
        let mut copy = Splitter {
            pending: self.pending.clone(),
            scanned: self.scanned,
            fence: self.fence.clone(),
            in_list: self.in_list,
        };
        let mut out = Vec::new();
        // A lone fence marker that is still being typed is not worth a flash on the screen.
        let partial = self.pending[self.scanned..].trim();
        if self.fence.is_some() && !partial.is_empty() && partial.bytes().all(|b| b == b'`') {
            return out;
        }
        copy.finish(&mut out);
        out
    }

    /// Looks at the complete line that now ends `pending`.
    fn line(&mut self, out: &mut Vec<Block>) {
        let line = &self.pending[self.scanned..];
        let content = line.trim_end_matches(['\n', '\r']);
        if let Some(fence) = &self.fence {
            let block = if closes(content, fence) {
                self.fence = None;
                Block::FenceEnd
            } else {
                Block::Code(dedent(content, fence.indent).to_owned())
            };
            out.push(block);
            self.pending.clear();
            self.scanned = 0;
            return;
        }
        let indent = content.len() - content.trim_start_matches(' ').len();
        let content = content.trim();
        if content.is_empty() {
            self.pending.truncate(self.scanned);
            self.emit_text(out);
            if !matches!(out.last(), Some(Block::Gap)) {
                out.push(Block::Gap);
            }
            return;
        }
        if let Some((fence, language)) = opens(content, indent, self.in_list || self.list_pending())
        {
            self.pending.truncate(self.scanned);
            self.emit_text(out);
            out.push(Block::FenceStart { language, indent: fence.indent });
            self.fence = Some(fence);
            return;
        }
        let heading = indent < 4 && is_heading(content);
        let item = indent < 2 && is_item(content);
        if (heading || item) && self.scanned > 0 {
            let line = self.pending.split_off(self.scanned);
            self.emit_text(out);
            self.pending = line;
        }
        self.scanned = self.pending.len();
        let limit = if self.pending.starts_with('|') { TABLE_LIMIT } else { TEXT_LIMIT };
        if heading || self.scanned > limit {
            self.emit_text(out);
        }
    }

    fn list_pending(&self) -> bool {
        is_item(self.pending[..self.scanned].trim_start())
    }

    /// Everything scanned becomes one text block.
    fn emit_text(&mut self, out: &mut Vec<Block>) {
        if self.scanned == 0 {
            return;
        }
        let source = std::mem::take(&mut self.pending);
        self.scanned = 0;
        let columns = source.len() - source.trim_start_matches(' ').len();
        let item = is_item(source.trim_start());
        // After a list item an indented block belongs to it; elsewhere indentation is Markdown's.
        let indent = if columns >= 2 && self.in_list { columns.min(12) } else { 0 };
        self.in_list = item || (self.in_list && columns >= 2);
        let source = if indent > 0 { dedent_all(&source, columns) } else { source };
        out.push(Block::Text { source, indent });
    }

    /// A line without an end in sight is cut at its last space.
    fn cut_long_line(&mut self, out: &mut Vec<Block>) {
        let at = self.pending.rfind(' ').filter(|at| *at > self.scanned);
        let rest = match at {
            Some(at) => self.pending.split_off(at + 1),
            None => String::new(),
        };
        if self.fence.is_some() {
            out.push(Block::Code(std::mem::take(&mut self.pending)));
        } else {
            self.scanned = self.pending.len();
            self.emit_text(out);
        }
        self.pending = rest;
        self.scanned = 0;
    }
}

fn dedent(line: &str, columns: usize) -> &str {
    let spaces = line.bytes().take(columns).take_while(|byte| *byte == b' ').count();
    &line[spaces..]
}

fn dedent_all(source: &str, columns: usize) -> String {
    source.split_inclusive('\n').map(|line| dedent(line, columns)).collect()
}

fn is_heading(content: &str) -> bool {
    let level = content.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && matches!(content.as_bytes().get(level), None | Some(b' '))
}

/// `- x`, `* x`, `+ x`, `1. x` or `1) x`.
fn is_item(content: &str) -> bool {
    let bytes = content.as_bytes();
    let marker = match bytes.first() {
        Some(b'-' | b'*' | b'+') => 1,
        Some(b'0'..=b'9') => {
            let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match bytes.get(digits) {
                Some(b'.' | b')') if digits <= 9 => digits + 1,
                _ => return false,
            }
        }
        _ => return false,
    };
    bytes.get(marker) == Some(&b' ') && !is_rule(content)
}

fn is_rule(content: &str) -> bool {
    let mut marks = content.bytes().filter(|byte| *byte != b' ');
    let Some(first) = marks.next() else { return false };
    matches!(first, b'-' | b'*' | b'_')
        && content.bytes().filter(|byte| *byte == first).count() >= 3
        && marks.all(|byte| byte == first)
}

fn opens(content: &str, indent: usize, in_list: bool) -> Option<(Fence, String)> {
    let marker = *content.as_bytes().first()?;
    let length = content.bytes().take_while(|byte| *byte == marker).count();
    if !matches!(marker, b'`' | b'~') || length < 3 || (indent > 3 && !in_list) {
        return None;
    }
    let info = content[length..].trim();
    if marker == b'`' && info.contains('`') {
        return None;
    }
    let language = info.split([' ', ',', '{']).next().unwrap_or("").to_owned();
    Some((Fence { marker, length, indent }, language))
}

fn closes(content: &str, fence: &Fence) -> bool {
    let content = content.trim();
    content.len() >= fence.length && content.bytes().all(|byte| byte == fence.marker)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks of a text, in a short notation: one line each.
    fn blocks_in_pieces(text: &str, piece: usize) -> String {
        let mut splitter = Splitter::default();
        let mut out = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let mut end = (start + piece).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            splitter.push(&text[start..end], &mut out);
            start = end;
        }
        splitter.finish(&mut out);
        let name = |block: &Block| match block {
            Block::Text { source, indent: 0 } => format!("text {source:?}"),
            Block::Text { source, indent } => format!("text+{indent} {source:?}"),
            Block::FenceStart { language, indent } => format!("fence {language:?} +{indent}"),
            Block::Code(line) => format!("code {line:?}"),
            Block::FenceEnd => "end".to_owned(),
            Block::Gap => "gap".to_owned(),
        };
        out.iter().map(name).collect::<Vec<_>>().join("\n")
    }

    fn check(text: &str, expect: &str) {
        let whole = blocks_in_pieces(text, text.len().max(1));
        assert_eq!(whole, expect, "whole: {text:?}");
        for piece in [1, 2, 3, 7] {
            assert_eq!(blocks_in_pieces(text, piece), whole, "pieces of {piece}: {text:?}");
        }
    }

    #[test]
    fn paragraphs_and_headings() {
        check("one\ntwo\n\nthree", "text \"one\\ntwo\\n\"\ngap\ntext \"three\\n\"");
        check("# Title\ntext", "text \"# Title\\n\"\ntext \"text\\n\"");
        check("a\n## B\nc\n", "text \"a\\n\"\ntext \"## B\\n\"\ntext \"c\\n\"");
        check("#hashtag\nx", "text \"#hashtag\\nx\\n\"");
    }

    #[test]
    fn list_items_are_final_at_the_next_item() {
        check("- a\n  - b\n- c\n", "text \"- a\\n  - b\\n\"\ntext \"- c\\n\"");
        check(
            "1. a\n\n   more\n2. b\n",
            "text \"1. a\\n\"\ngap\ntext+3 \"more\\n\"\ntext \"2. b\\n\"",
        );
        check("---\n", "text \"---\\n\"");
    }

    #[test]
    fn fences_are_final_line_by_line() {
        check(
            "x\n```rust\nlet a;\n\n# no\n```\ny",
            concat!(
                "text \"x\\n\"\nfence \"rust\" +0\ncode \"let a;\"\ncode \"\"\ncode \"# no\"\nend\n",
                "text \"y\\n\""
            ),
        );
        check("~~~\n```\n~~~~\n", "fence \"\" +0\ncode \"```\"\nend");
        check("- a\n  ```sh\n  ls\n  ```\n", "text \"- a\\n\"\nfence \"sh\" +2\ncode \"ls\"\nend");
        check("```\nopen", "fence \"\" +0\ncode \"open\"\nend");
    }

    #[test]
    fn a_block_without_end_is_cut() {
        let mut splitter = Splitter::default();
        let mut out = Vec::new();
        for _ in 0..10_000 {
            splitter.push("word ", &mut out);
        }
        assert!(out.len() > 4, "{}", out.len());
        assert!(splitter.pending.len() <= TEXT_LIMIT);
    }
}
