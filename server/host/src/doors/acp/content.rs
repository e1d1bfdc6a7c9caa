//! Content between the two protocols: what users attach, and what tools give.

use protocol::lsp::{Position, Range};
use protocol::prompt::{Block, DocumentBlock, FileBlock, ImageBlock, SelectionBlock};
use protocol::tool::{ContentPart, FileDiff};
use workspace::DocumentUri;

use super::schema::{
    BlobResourceContents, ContentBlock, Diff, EmbeddedResourceResource, ImageContent, ResourceLink,
    TextContent, TextResourceContents, ToolCallContent,
};

/// A prompt of the client as ours, or what is wrong with it.
pub(super) fn prompt(blocks: Vec<ContentBlock>) -> Result<Vec<Block>, String> {
    blocks.into_iter().map(said).collect()
}

fn said(block: ContentBlock) -> Result<Block, String> {
    Ok(match block {
        ContentBlock::Text(text) => Block::text(text.text),
        ContentBlock::Image(image) => picture(image.mime_type, Some(image.data), image.uri),
        ContentBlock::ResourceLink(link) if link.uri.starts_with("file:") => {
            let (uri, range) = place(&link.uri);
            Block::File(FileBlock { uri, version: None, range })
        }
        ContentBlock::ResourceLink(link) => {
            let title = link.title.unwrap_or(link.name);
            Block::text(format!("The user points at {title}: {}", link.uri))
        }
        ContentBlock::Resource(embedded) => match embedded.resource {
            EmbeddedResourceResource::TextResourceContents(text) => quoted(text),
            EmbeddedResourceResource::BlobResourceContents(blob) => bytes(blob)?,
            _ => return Err(unknown()),
        },
        ContentBlock::Audio(_) => return Err("Audio is not taken; write it down.".to_owned()),
        _ => return Err(unknown()),
    })
}

fn unknown() -> String {
    "The prompt has a block of a kind this agent does not know.".to_owned()
}

fn picture(mime_type: String, data: Option<String>, uri: Option<String>) -> Block {
    let (width, height) = (None, None);
    Block::Image(ImageBlock { mime_type, data, uri, width, height })
}

/// The client's own text of something, which the disk may not have.
fn quoted(resource: TextResourceContents) -> Block {
    let (uri, range) = place(&resource.uri);
    let last = u32::try_from(resource.text.lines().count()).unwrap_or(u32::MAX).saturating_sub(1);
    let whole = Range { end: Position { line: last, character: 0 }, ..Range::default() };
    let range = range.unwrap_or(whole);
    Block::Selection(SelectionBlock { uri, version: None, range, text: resource.text })
}

fn bytes(blob: BlobResourceContents) -> Result<Block, String> {
    let mime_type = blob.mime_type.unwrap_or_default();
    if mime_type.starts_with("image/") {
        return Ok(picture(mime_type, Some(blob.blob), None));
    }
    if mime_type == "application/pdf" {
        let title = blob.uri.rsplit('/').next().map(str::to_owned);
        let (data, uri) = (Some(blob.blob), None);
        return Ok(Block::Document(DocumentBlock { mime_type, data, uri, title }));
    }
    Err(format!("{} cannot be attached: only text, pictures and PDFs can.", blob.uri))
}

/// Where an address leads: clients put lines behind it, as in `#L10:20`.
fn place(uri: &str) -> (String, Option<Range>) {
    let Some((file, lines)) = uri.split_once("#L") else { return (uri.to_owned(), None) };
    let mut numbers = lines.split([':', '-']).map(|part| part.trim_start_matches('L').parse::<u32>());
    let (Some(Ok(first)), last) = (numbers.next(), numbers.next()) else {
        return (uri.to_owned(), None);
    };
    let line = |number: u32| Position { line: number.saturating_sub(1), character: 0 };
    let last = last.and_then(Result::ok).unwrap_or(first);
    (file.to_owned(), Some(Range { start: line(first), end: line(last) }))
}

pub(super) fn text(text: impl Into<String>) -> ContentBlock {
    ContentBlock::Text(TextContent::new(text))
}

/// What a call gave.
pub(super) fn parts(parts: &[ContentPart], diff: Option<&FileDiff>) -> Vec<ToolCallContent> {
    let shown = parts.iter().filter_map(|part| {
        Some(match part {
            ContentPart::Text(part) => text(&part.text).into(),
            ContentPart::Output(part) => text(fenced(&part.text)).into(),
            ContentPart::Image(part) => {
                let data = part.data.clone()?;
                ContentBlock::Image(ImageContent::new(data, &part.mime_type)).into()
            }
            ContentPart::Link(part) => {
                let title = part.title.clone().unwrap_or_else(|| part.uri.clone());
                ContentBlock::ResourceLink(ResourceLink::new(title, &part.uri)).into()
            }
            ContentPart::Diff(part) => {
                change(&part.uri, part.old_text.as_ref(), part.new_text.as_ref())
            }
            ContentPart::Unknown(_) => return None,
        })
    });
    let own = diff.map(of_file);
    shown.chain(own).collect()
}

pub(super) fn of_file(diff: &FileDiff) -> ToolCallContent {
    change(&diff.uri, diff.old_text.as_ref(), diff.new_text.as_ref())
}

/// A file that goes is one without text.
pub(super) fn change(uri: &str, old: Option<&String>, new: Option<&String>) -> ToolCallContent {
    let new = new.cloned().unwrap_or_default();
    ToolCallContent::Diff(Diff::new(path(uri), new).old_text(old.cloned()))
}

pub(super) fn path(uri: &str) -> std::path::PathBuf {
    DocumentUri::new(uri).to_path().unwrap_or_else(|| uri.into())
}

/// What a command printed, to be shown as it is.
pub(super) fn fenced(output: &str) -> String {
    let longest = output.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", output.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_behind_an_address() {
        let check = |uri: &str, expect: &str| {
            let (file, range) = place(uri);
            let lines = range.map(|range| (range.start.line, range.end.line));
            assert_eq!(format!("{file} {lines:?}"), expect);
        };
        check("file:///a.rs", "file:///a.rs None");
        check("file:///a.rs#L3", "file:///a.rs Some((2, 2))");
        check("file:///a.rs#L3:9", "file:///a.rs Some((2, 8))");
        check("file:///a.rs#L3-L9", "file:///a.rs Some((2, 8))");
        check("file:///a.rs#Left", "file:///a.rs#Left None");
    }

    #[test]
    fn a_fence_that_holds() {
        assert_eq!(fenced("a\n"), "```\na\n```");
        assert_eq!(fenced("a ```` b"), "`````\na ```` b\n`````");
    }
}
