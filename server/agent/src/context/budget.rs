//! How much of a turn's results the model gets to see at once. What does not fit goes to a file, and
//! the model gets its beginning and its name.
//!
//! It is decided when the results are written down, and never again: the journal holds what was
//! sent, so that every later request begins with the same bytes.

use crate::message::{Block, ImageSource, ResultPart};

/// Of one result, in bytes of text.
const ONE: usize = 50_000;
/// Of all results of one answer together.
const ALL: usize = 200_000;
/// What is shown of a result that went to a file.
const PREVIEW: usize = 2_000;

/// Pictures and documents of all results of one answer together, in bytes of Base64: a request takes
/// 32 MB, and a line of the journal is read back up to twice that.
const MEDIA: usize = 20_000_000;

const NO_ROOM: &str = "[A picture or document was left out here: those of one answer's results may \
                       have 20 MB together. Make the call again by itself.]";

/// Replaces pictures and documents that do not fit any more, the last ones first.
pub fn fit_media(content: &mut [Block]) {
    let mut left = MEDIA;
    for block in content {
        let Block::ToolResult { content, .. } = block else { continue };
        for part in content {
            match media_len(part) {
                size if size <= left => left -= size,
                _ => *part = ResultPart::Text { text: NO_ROOM.to_owned() },
            }
        }
    }
}

fn media_len(part: &ResultPart) -> usize {
    match part {
        ResultPart::Image { source: ImageSource::Base64 { data, .. } } => data.len(),
        ResultPart::Other(value) => value["source"]["data"].as_str().map_or(0, str::len),
        ResultPart::Text { .. } | ResultPart::Image { .. } => 0,
    }
}

/// A result that is too long, and where it is among the blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong {
    at: usize,
    pub call: String,
    /// All of its text.
    pub text: String,
}

/// The results that have to go to files: those that are too long by themselves, then the longest of
/// the others until the rest fits together. `keeps` says which calls limit themselves.
pub fn too_long(content: &[Block], keeps: impl Fn(&str) -> bool) -> Vec<TooLong> {
    let sizes = content.iter().enumerate().filter_map(|(at, block)| match block {
        Block::ToolResult { tool_use_id, content, .. } if !keeps(tool_use_id) => {
            Some((at, tool_use_id, content.iter().map(text_len).sum::<usize>()))
        }
        _ => None,
    });
    let mut sizes: Vec<_> = sizes.collect();
    // The longest first; of equals the earlier.
    sizes.sort_by_key(|(at, _, size)| (std::cmp::Reverse(*size), *at));
    let mut total: usize = sizes.iter().map(|(_, _, size)| size).sum();
    let mut chosen = Vec::new();
    for (at, call, size) in sizes {
        if size <= PREVIEW || (size <= ONE && total <= ALL) {
            continue;
        }
        total = total - size + PREVIEW;
        let Some(Block::ToolResult { content, .. }) = content.get(at) else { continue };
        let texts = content.iter().filter_map(|part| match part {
            ResultPart::Text { text } => Some(text.as_str()),
            _ => None,
        });
        chosen.push(TooLong { at, call: call.clone(), text: texts.collect::<Vec<_>>().join("\n") });
    }
    chosen
}

fn text_len(part: &ResultPart) -> usize {
    match part {
        ResultPart::Text { text } => text.len(),
        _ => 0,
    }
}

/// Puts the beginning of a result, and where the rest is, in its place. Images stay.
pub fn replace(content: &mut [Block], long: &TooLong, path: &str) {
    let Some(Block::ToolResult { content, .. }) = content.get_mut(long.at) else { return };
    let end = long.text.floor_char_boundary(PREVIEW);
    // To the end of a line, where there is one.
    let end = long.text[..end].rfind('\n').filter(|at| *at > PREVIEW / 2).map_or(end, |at| at + 1);
    let text = format!(
        "This result is {} bytes long and was written to {path}. Read parts of that file, or search \
         it with Grep. It begins:\n\n{}\n…",
        long.text.len(),
        long.text[..end].trim_end_matches('\n')
    );
    content.retain(|part| !matches!(part, ResultPart::Text { .. }));
    content.insert(0, ResultPart::Text { text });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(id: &str, size: usize) -> Block {
        let line = "0123456789abcde\n";
        let text = line.repeat(size / line.len() + 1)[..size].to_owned();
        let content = vec![ResultPart::Text { text }];
        Block::ToolResult { tool_use_id: id.into(), content, is_error: false }
    }

    fn chosen(sizes: &[(&str, usize)]) -> Vec<String> {
        let content: Vec<_> = sizes.iter().map(|(id, size)| result(id, *size)).collect();
        let found = too_long(&content, |call| call.starts_with("read"));
        found.into_iter().map(|long| long.call).collect()
    }

    #[test]
    fn the_longest_go_until_the_rest_fits() {
        assert_eq!(chosen(&[("a", 49_000), ("b", 10)]), Vec::<String>::new());
        assert_eq!(chosen(&[("a", 51_000), ("b", 10)]), ["a"]);
        assert_eq!(chosen(&[("read", 500_000), ("b", 10)]), Vec::<String>::new());
        let many: Vec<_> = ["a", "b", "c", "d", "e"].iter().map(|id| (*id, 45_000)).collect();
        assert_eq!(chosen(&many), ["a"]);
        assert_eq!(chosen(&[]), Vec::<String>::new());
    }

    #[test]
    fn media_have_a_budget_of_their_own() {
        let picture = |size: usize| {
            let source =
                ImageSource::Base64 { media_type: "image/png".into(), data: "A".repeat(size) };
            ResultPart::Image { source }
        };
        let result =
            |content| Block::ToolResult { tool_use_id: "c".into(), content, is_error: false };
        let document = ResultPart::Other(crate::message::pdf_document("A".repeat(MEDIA / 2), "d"));
        let mut content = vec![
            result(vec![picture(MEDIA / 2), ResultPart::Text { text: "t".into() }]),
            result(vec![document.clone()]),
            result(vec![picture(1), document]),
        ];
        fit_media(&mut content);
        let left = serde_json::to_string(&content).unwrap();
        assert_eq!(left.matches("was left out here").count(), 2, "{}", left.len());
        assert!(left.len() < MEDIA + 2_000);
    }

    #[test]
    fn what_is_left_says_where_the_rest_is() {
        let mut content = vec![Block::text("x"), result("a", 60_000)];
        let image = ResultPart::Other(serde_json::json!({"type": "document"}));
        if let Block::ToolResult { content, .. } = &mut content[1] {
            content.push(image.clone());
        }
        let long = too_long(&content, |_| false).remove(0);
        assert_eq!(long.text.len(), 60_000);
        replace(&mut content, &long, "/s/a.txt");
        let Block::ToolResult { content, .. } = &content[1] else { panic!() };
        let ResultPart::Text { text } = &content[0] else { panic!() };
        assert!(text.starts_with("This result is 60000 bytes long and was written to /s/a.txt."));
        assert!(text.len() < 2_500 && text.ends_with("0123456789abcde\n…"), "{text}");
        assert_eq!(content[1], image);
    }
}
