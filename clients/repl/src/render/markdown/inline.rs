//! Draws one text block: paragraph, heading, list item, quote, table or rule.

use anstyle::Style;
use pulldown_cmark::{Alignment, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::simple;
use super::table::Table;
use crate::render::line::{Line, Span};
use crate::render::theme;
use crate::render::wrap::{Margin, wrap, wrap_exact};

/// A block of source and where to draw it.
pub(super) struct Text<'a> {
    pub source: &'a str,
    pub indent: usize,
    pub width: usize,
}

pub(super) struct Drawn {
    pub lines: Vec<Line>,
    pub is_item: bool,
    pub next_number: Option<u64>,
}

impl Text<'_> {
    /// `number` is what the next item of an ordered list is called, when the block goes on with
    /// one: the stream hands items over one by one, and `1. 1. 1.` must still count.
    pub fn draw(&self, number: Option<u64>) -> Drawn {
        simple::draw(self).unwrap_or_else(|| self.parse(number))
    }

    /// The long way, for everything.
    pub(super) fn parse(&self, number: Option<u64>) -> Drawn {
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut walker = Walker {
            width: self.width,
            base: self.indent,
            number,
            lines: Vec::new(),
            spans: Vec::new(),
            styles: Vec::new(),
            containers: Vec::new(),
            link: None,
            table: None,
            code: false,
            is_item: false,
            next_number: None,
        };
        for event in Parser::new_ext(self.source, options) {
            walker.on(event);
        }
        walker.flush();
        Drawn { lines: walker.lines, is_item: walker.is_item, next_number: walker.next_number }
    }
}

pub(super) fn heading_style(level: HeadingLevel) -> Style {
    match level {
        HeadingLevel::H1 => theme::HEADING.underline(),
        HeadingLevel::H2 => theme::HEADING,
        _ => theme::BOLD,
    }
}

/// What surrounds the text being drawn; each adds to the left margin.
enum Container {
    Quote,
    List {
        number: Option<u64>,
    },
    /// The marker is drawn once, before the item's first row.
    Item {
        marker: String,
        drawn: bool,
    },
}

struct Walker {
    width: usize,
    base: usize,
    number: Option<u64>,
    lines: Vec<Line>,
    spans: Vec<Span>,
    styles: Vec<Style>,
    containers: Vec<Container>,
    link: Option<(String, usize)>,
    table: Option<Table>,
    code: bool,
    is_item: bool,
    next_number: Option<u64>,
}

impl Walker {
    fn on(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code => self.code_text(&text),
            Event::Text(text) => self.text(&text, self.style()),
            Event::Code(text) => self.text(&text, theme::CODE),
            Event::InlineHtml(text) | Event::Html(text) => {
                self.text(text.trim_end_matches('\n'), self.style());
            }
            Event::SoftBreak => self.text(" ", self.style()),
            Event::HardBreak => self.text("\n", self.style()),
            Event::Rule => {
                self.flush();
                let width = self.width.saturating_sub(self.base).min(40);
                self.lines.push(Line::styled("─".repeat(width), theme::DIM));
            }
            Event::TaskListMarker(done) => {
                self.text(if done { "☑ " } else { "☐ " }, theme::ACCENT);
            }
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.styles.push(heading_style(level));
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.containers.push(Container::Quote);
                self.styles.push(theme::QUOTE);
            }
            Tag::List(first) => self.start_list(first),
            Tag::Item => self.start_item(),
            Tag::CodeBlock(_) => {
                self.flush();
                self.code = true;
            }
            Tag::Table(alignments) => self.start_table(alignments),
            Tag::TableCell => self.spans.clear(),
            Tag::Emphasis => self.styles.push(self.style().italic()),
            Tag::Strong => self.styles.push(self.style().bold()),
            Tag::Strikethrough => self.styles.push(self.style().strikethrough()),
            Tag::Link { dest_url, .. } => {
                self.link = Some((dest_url.into_string(), self.spans.len()));
                self.styles.push(theme::LINK);
            }
            Tag::Image { dest_url, .. } => {
                self.text("[image: ", theme::DIM);
                self.link = Some((dest_url.into_string(), self.spans.len()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.containers.pop();
                self.styles.pop();
            }
            TagEnd::List(_) => {
                let ended = self.containers.pop();
                if let (true, Some(Container::List { number })) =
                    (self.containers.is_empty(), ended)
                {
                    self.next_number = number;
                }
            }
            TagEnd::Item => {
                self.flush();
                if let Some(Container::Item { drawn: false, .. }) = self.containers.last() {
                    self.emit(Vec::new());
                }
                self.containers.pop();
            }
            TagEnd::CodeBlock => self.code = false,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                self.end_link();
            }
            TagEnd::Image => {
                self.end_link();
                self.text("]", theme::DIM);
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    fn start_list(&mut self, first: Option<u64>) {
        self.flush();
        if self.containers.is_empty() {
            self.is_item = true;
        }
        // Only the outermost list goes on from the block before.
        let number = match (first, self.number, self.containers.is_empty()) {
            (Some(first), Some(next), true) if first < next => Some(next),
            (first, _, _) => first,
        };
        self.containers.push(Container::List { number });
    }

    fn start_item(&mut self) {
        let marker = match self.containers.last_mut() {
            Some(Container::List { number: Some(number) }) => {
                let marker = format!("{number}. ");
                *number += 1;
                marker
            }
            _ => "• ".to_owned(),
        };
        self.containers.push(Container::Item { marker, drawn: false });
    }

    fn start_table(&mut self, alignments: Vec<Alignment>) {
        self.flush();
        self.table = Some(Table::new(alignments));
    }

    fn end_table(&mut self) {
        let margin = self.margin();
        if let Some(table) = self.table.take() {
            let width = self.width.saturating_sub(margin.rest.width());
            for row in table.draw(width) {
                let mut line = margin.rest.clone();
                line.extend(&row);
                self.lines.push(line);
            }
        }
        self.spans.clear();
    }

    /// The address follows the text, unless the text already is the address.
    fn end_link(&mut self) {
        let Some((url, start)) = self.link.take() else { return };
        let shown: String = self.spans.iter().skip(start).map(|span| span.text.as_str()).collect();
        if !url.is_empty() && shown != url && url.strip_prefix("mailto:") != Some(&shown) {
            self.text(&format!(" ({url})"), theme::DIM);
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn text(&mut self, text: &str, style: Style) {
        self.spans.push(Span::new(text, style));
    }

    /// Code inside a list or a quote; fences at the top level never get here.
    fn code_text(&mut self, text: &str) {
        let margin = self.margin();
        for code in text.lines() {
            let line = Line::styled(code, theme::PLAIN);
            let mut rest = margin.rest.clone();
            rest.push("  ", theme::PLAIN);
            let margin = Margin::new(rest.clone(), rest);
            self.lines.extend(wrap_exact(&line, self.width, &margin));
        }
    }

    fn flush(&mut self) {
        if !self.spans.is_empty() {
            let spans = std::mem::take(&mut self.spans);
            self.emit(spans);
        }
    }

    fn emit(&mut self, spans: Vec<Span>) {
        let margin = self.margin();
        for container in &mut self.containers {
            if let Container::Item { drawn, .. } = container {
                *drawn = true;
            }
        }
        self.lines.extend(wrap(&spans, self.width, &margin));
    }

    fn margin(&self) -> Margin {
        let mut first = Line::default();
        first.push(&" ".repeat(self.base), theme::PLAIN);
        let mut rest = first.clone();
        for container in &self.containers {
            match container {
                Container::Quote => {
                    first.push("▎ ", theme::DIM);
                    rest.push("▎ ", theme::DIM);
                }
                Container::List { .. } => {}
                Container::Item { marker, drawn } => {
                    let spaces = " ".repeat(marker.chars().count());
                    rest.push(&spaces, theme::PLAIN);
                    if *drawn {
                        first.push(&spaces, theme::PLAIN);
                    } else {
                        first.push(marker, theme::ACCENT);
                    }
                }
            }
        }
        Margin::new(first, rest)
    }
}
