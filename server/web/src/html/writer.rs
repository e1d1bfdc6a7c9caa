//! The Markdown as it grows: blocks, inline marks, lists and tables.

use super::BLOCKS;

/// Deeper lists are not indented any further.
const DEEPEST: usize = 8;

#[derive(Default)]
pub(super) struct Writer {
    out: String,
    /// How many line ends must stand before the next word.
    breaks: usize,
    /// A blank is due before the next word.
    blank: bool,
    lists: Vec<List>,
    quotes: usize,
    pre: usize,
    code: usize,
    /// Where the words of a link begin, and where it leads.
    links: Vec<(usize, String)>,
    /// Cells of the current row, and whether the table has had its first.
    row: Option<usize>,
    headed: bool,
}

struct List {
    /// The next number; `None` for bullets.
    number: Option<u64>,
    begun: bool,
}

impl Writer {
    pub(super) fn open(&mut self, name: &str, attributes: Vec<(String, String)>) {
        let get = |wanted: &str| {
            attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.trim())
        };
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block();
                let level = usize::from(name.as_bytes()[1] - b'0');
                self.mark(&format!("{} ", "#".repeat(level)));
            }
            "br" => self.line(),
            "hr" => {
                self.block();
                self.mark("---");
                self.block();
            }
            "ul" | "ol" => {
                self.list_break();
                let start = get("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.lists.push(List { number: (name == "ol").then_some(start), begun: false });
            }
            "li" => self.item(),
            "blockquote" => {
                self.block();
                self.quotes = (self.quotes + 1).min(DEEPEST);
            }
            "pre" => {
                self.block();
                let language = get("class").and_then(|class| class.strip_prefix("language-"));
                self.mark(&format!("```{}\n", language.unwrap_or_default()));
                self.pre += 1;
            }
            "code" | "kbd" | "samp" | "tt" if self.pre == 0 => {
                self.mark("`");
                self.code += 1;
            }
            "strong" | "b" if self.pre == 0 => self.mark("**"),
            "em" | "i" if self.pre == 0 => self.mark("*"),
            "a" => {
                self.settle();
                let target = get("href").unwrap_or_default().to_owned();
                self.links.push((self.out.len(), target));
            }
            "img" => {
                if let Some(alt) = get("alt").filter(|alt| !alt.is_empty()) {
                    self.mark(&format!("![{alt}]"));
                }
            }
            "table" => {
                self.block();
                self.headed = false;
            }
            "tr" => {
                self.line();
                self.row = Some(0);
            }
            "td" | "th" => {
                self.mark("| ");
                self.row = self.row.map(|cells| cells + 1);
            }
            name if BLOCKS.contains(&name) => self.block(),
            _ => {}
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.block(),
            "ul" | "ol" => {
                self.lists.pop();
                self.list_break();
            }
            "blockquote" => {
                self.block();
                self.quotes = self.quotes.saturating_sub(1);
            }
            "pre" if self.pre > 0 => {
                self.pre -= 1;
                if !self.out.ends_with('\n') {
                    self.out.push('\n');
                }
                self.out.push_str("```");
                self.block();
            }
            "code" | "kbd" | "samp" | "tt" if self.pre == 0 && self.code > 0 => {
                self.code -= 1;
                self.out.push('`');
            }
            "strong" | "b" if self.pre == 0 => self.out.push_str("**"),
            "em" | "i" if self.pre == 0 => self.out.push('*'),
            "a" => self.end_link(),
            "td" | "th" => self.blank = true,
            "tr" => self.end_row(),
            "table" => self.block(),
            name if BLOCKS.contains(&name) => self.block(),
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.pre > 0 {
            self.settle();
            return self.out.push_str(text);
        }
        if text.starts_with(char::is_whitespace) {
            self.blank = true;
        }
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            self.settle();
            self.out.push_str(word);
            self.blank = words.peek().is_some() || text.ends_with(char::is_whitespace);
        }
    }

    pub(super) fn finish(mut self) -> String {
        for _ in 0..self.pre.min(1) {
            self.out.push_str("\n```");
        }
        let mut text = self.out.trim().to_owned();
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// Writes what is due before a word: line ends, quote marks, a blank.
    fn settle(&mut self) {
        if self.breaks > 0 {
            while self.out.ends_with(' ') {
                self.out.pop();
            }
            if !self.out.is_empty() {
                self.out.push_str(&"\n".repeat(self.breaks));
            }
            self.out.push_str(&"> ".repeat(self.quotes));
        } else if self.blank && !self.out.is_empty() && !self.out.ends_with([' ', '\n']) {
            self.out.push(' ');
        }
        self.breaks = 0;
        self.blank = false;
    }

    fn mark(&mut self, text: &str) {
        self.settle();
        self.out.push_str(text);
    }

    /// What follows begins a block of its own; in a cell there is no room for one.
    fn block(&mut self) {
        match (self.row, self.at_item()) {
            (Some(_), _) => self.blank = true,
            // The first words of an item stand beside its bullet.
            (None, true) => {}
            (None, false) => self.breaks = 2,
        }
    }

    fn line(&mut self) {
        if self.row.is_some_and(|cells| cells > 0) {
            self.blank = true;
        } else {
            self.breaks = self.breaks.max(1);
        }
    }

    /// A list inside another follows its item; one of its own is a block.
    fn list_break(&mut self) {
        if self.lists.is_empty() {
            self.block();
        } else {
            self.line();
        }
    }

    fn at_item(&self) -> bool {
        self.breaks == 0
            && (self.out.ends_with("- ") || self.out.ends_with(". "))
            && !self.lists.is_empty()
    }

    fn item(&mut self) {
        // Whatever an item held, the next one stands on the next line.
        let begun = self.lists.last_mut().map(|list| std::mem::replace(&mut list.begun, true));
        self.breaks = if begun == Some(true) { 1 } else { self.breaks.max(1) };
        let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(DEEPEST));
        let bullet = match self.lists.last_mut().and_then(|list| list.number.as_mut()) {
            Some(number) => {
                let bullet = format!("{number}. ");
                *number = number.saturating_add(1);
                bullet
            }
            None => "- ".to_owned(),
        };
        self.mark(&format!("{indent}{bullet}"));
    }

    fn end_link(&mut self) {
        let Some((start, target)) = self.links.pop() else { return };
        let words = self.out.get(start..).unwrap_or_default().trim().to_owned();
        let leads =
            !target.is_empty() && !target.starts_with(['#', '\\']) && !target.contains("script:");
        if leads && !words.is_empty() && !words.contains('\n') && self.pre == 0 {
            self.out.truncate(start);
            self.out.push_str(&format!("[{words}]({target})"));
        }
    }

    fn end_row(&mut self) {
        let Some(cells) = self.row.take().filter(|cells| *cells > 0) else { return };
        self.out.push_str(" |");
        if !std::mem::replace(&mut self.headed, true) {
            self.out.push_str(&format!("\n|{}", " --- |".repeat(cells)));
        }
        self.breaks = 1;
    }
}
