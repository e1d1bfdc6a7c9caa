//! HTML to Markdown, in one pass and without a tree: a page that nests a hundred thousand elements
//! costs no more than any other of its length.

mod entity;
mod tokens;
mod writer;

use tokens::{Token, Tokens};
use writer::Writer;

/// Whatever stands in these is not for reading.
const SKIPPED: [&str; 11] = [
    "script", "style", "noscript", "template", "svg", "iframe", "nav", "footer", "head", "select",
    "title",
];
const BLOCKS: [&str; 17] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "aside",
    "figure",
    "figcaption",
    "form",
    "fieldset",
    "address",
    "dl",
    "dt",
    "dd",
    "details",
    "summary",
];

/// The page as Markdown: headings, paragraphs, lists, links, code, quotes and tables.
pub fn markdown(html: &str) -> String {
    let mut writer = Writer::default();
    let mut title = None;
    let mut skipped: Option<(String, usize)> = None;
    let mut in_title = false;
    for token in Tokens::new(html) {
        if let Some((name, depth)) = &mut skipped {
            match &token {
                Token::Open { name: opened, empty, .. } if opened == name && !empty => *depth += 1,
                Token::Close { name: closed } if closed == name => *depth -= 1,
                Token::Open { name: opened, .. } if opened == "title" => in_title = true,
                Token::Close { name: closed } if closed == "title" => in_title = false,
                Token::Text(text) if in_title && title.is_none() => title = Some(text.clone()),
                // A head that is never closed ends where the body begins.
                Token::Open { name: opened, .. } if opened == "body" => *depth = 0,
                _ => {}
            }
            if *depth == 0 {
                skipped = None;
            }
            continue;
        }
        match token {
            Token::Open { name, empty, .. } if SKIPPED.contains(&name.as_str()) && !empty => {
                in_title = name == "title";
                skipped = Some((name, 1));
            }
            Token::Open { name, attributes, .. } => writer.open(&name, attributes),
            Token::Close { name } => writer.close(&name),
            Token::Text(text) => writer.text(&text),
        }
    }
    let body = writer.finish();
    match title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" ")) {
        Some(title) if !title.is_empty() && !body.starts_with("# ") => {
            format!("# {title}\n\n{body}")
        }
        _ => body,
    }
}

#[cfg(test)]
mod tests;
