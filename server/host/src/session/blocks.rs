//! What users attach and what tools give, between the wire's shapes and the model's.

use std::path::PathBuf;

use agent::{Block, ImageSource, ResultPart, tokens};
use protocol::lsp::Location;
use protocol::prompt::{self, DiagnosticsBlock, DocumentBlock, ImageBlock, SelectionBlock};
use protocol::tool::{ContentPart, DiffPart, FileDiff, ImagePart};
use tools::FileChange;
use workspace::DocumentUri;

/// The most a prompt may hold; a text this long is better named than pasted.
const PROMPT_CAP: usize = 16 * 1024 * 1024;
/// A picture of this size still goes along with an event, in bytes of Base64.
pub(super) const SMALL_PICTURE: usize = 64 * 1024;

/// One block of a prompt as the model reads it, or what is wrong with it; nothing where it is blank.
/// What brings bytes along is read elsewhere.
pub(super) fn said(block: &prompt::Block) -> Result<Option<Block>, String> {
    Ok(Some(match block {
        prompt::Block::Text(text) if text.text.trim().is_empty() => return Ok(None),
        prompt::Block::Text(text) => Block::text(&text.text),
        prompt::Block::File(file) => {
            let lines = file.range.as_ref().map(lines).unwrap_or_default();
            Block::text(format!("The user points at the file {}{lines}.", path(&file.uri)))
        }
        prompt::Block::Selection(selection) => selection_block(selection),
        prompt::Block::Diagnostics(diagnostics) => diagnostics_block(diagnostics),
        prompt::Block::Resource(_)
        | prompt::Block::Image(_)
        | prompt::Block::Document(_)
        | prompt::Block::Unknown(_) => {
            return Err("The prompt has a block of a kind this server does not know.".into());
        }
    }))
}

/// Whether a prompt says anything, and no more than can be kept.
pub(super) fn check(content: &[Block]) -> Result<(), String> {
    if content.is_empty() {
        return Err("The prompt is empty; write what shall be done.".to_owned());
    }
    let size: usize = content.iter().map(size).sum();
    if size > PROMPT_CAP {
        return Err(format!("The prompt is {size} bytes long; at most {PROMPT_CAP} are taken."));
    }
    Ok(())
}

fn size(block: &Block) -> usize {
    match block {
        Block::Text { text } => text.len(),
        Block::Image { source: ImageSource::Base64 { data, .. } } => data.len(),
        Block::Other(value) => value["source"]["data"].as_str().map_or(0, str::len),
        _ => 0,
    }
}

/// A picture or a document as people are shown that it is there: without its bytes.
pub(super) fn attachment(block: &Block) -> Option<prompt::Block> {
    match block {
        Block::Image { source: ImageSource::Base64 { media_type, data } } => {
            let (width, height) = tokens::image_size(data).unzip();
            let (mime_type, data, uri) = (media_type.clone(), None, None);
            Some(prompt::Block::Image(ImageBlock { mime_type, data, uri, width, height }))
        }
        Block::Other(value) if value["type"] == "document" => {
            let title = value["title"].as_str().map(str::to_owned);
            let mime_type = "application/pdf".to_owned();
            let (data, uri) = (None, None);
            Some(prompt::Block::Document(DocumentBlock { mime_type, data, uri, title }))
        }
        _ => None,
    }
}

/// What came with a prompt besides words: whoever gave it along sees that it went.
pub(super) fn attachments(shown: &[prompt::Block]) -> Option<Vec<prompt::Block>> {
    let is_one = |block: &&prompt::Block| {
        !matches!(block, prompt::Block::Text(_) | prompt::Block::Unknown(_))
    };
    let found: Vec<_> = shown.iter().filter(is_one).cloned().collect();
    (!found.is_empty()).then_some(found)
}

fn selection_block(selection: &SelectionBlock) -> Block {
    let lines = lines(&selection.range);
    let path = path(&selection.uri);
    Block::text(format!("{SELECTED}{path}{lines}:\n{}", selection.text))
}

fn diagnostics_block(diagnostics: &DiagnosticsBlock) -> Block {
    let mut text = format!("{DIAGNOSTICS}{}:", path(&diagnostics.uri));
    for item in &diagnostics.items {
        let line = item.range.start.line.saturating_add(1);
        let source = item.source.as_deref().unwrap_or("editor");
        text.push_str(&format!("\nline {line}: {} [{source}]", item.message));
    }
    Block::text(text)
}

/// Words that come with a prompt and are not the user's: what a file says, or a program.
pub(super) fn is_quoted(text: &str) -> bool {
    [SELECTED, DIAGNOSTICS, ATTACHED].iter().any(|start| text.starts_with(start))
}

const SELECTED: &str = "The user selected this in ";
const DIAGNOSTICS: &str = "Diagnostics of ";
pub(super) const ATTACHED: &str = "The user attached this document:\n";

/// Lines are counted from one where people and models read them.
fn lines(range: &protocol::lsp::Range) -> String {
    let number = |line: u32| line.saturating_add(1);
    format!(" (lines {}–{})", number(range.start.line), number(range.end.line))
}

fn path(uri: &str) -> String {
    let path = DocumentUri::new(uri).to_path();
    path.map_or_else(|| uri.to_owned(), |path| path.display().to_string())
}

/// The words of a prompt, for a title or a transcript.
pub(super) fn plain_text(blocks: &[prompt::Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        prompt::Block::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

pub(super) fn agent_text(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text { text } if !tools::is_reminder(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What a call gave, for people. A picture brings its bytes up to so many of Base64.
pub(super) fn content_parts(parts: &[ResultPart], most: usize) -> Vec<ContentPart> {
    let shown = parts.iter().filter_map(|part| match part {
        ResultPart::Text { text } => Some(ContentPart::text(text)),
        ResultPart::Image { source: ImageSource::Base64 { media_type, data } } => {
            let (width, height) = tokens::image_size(data).unzip();
            let (mime_type, size) = (media_type.clone(), Some(data.len() as u64 / 4 * 3));
            let data = (data.len() <= most).then(|| data.clone());
            Some(ContentPart::Image(ImagePart { mime_type, data, width, height, size }))
        }
        _ => None,
    });
    shown.collect()
}

pub(super) fn file_diff(change: &FileChange) -> FileDiff {
    FileDiff {
        uri: uri(&change.path),
        version: change.version,
        old_text: change.old.clone(),
        new_text: Some(change.new.clone()),
    }
}

pub(super) fn diff_part(diff: FileDiff) -> ContentPart {
    let FileDiff { uri, version, old_text, new_text } = diff;
    ContentPart::Diff(DiffPart { uri, version, old_text, new_text })
}

pub(super) fn locations(paths: &[PathBuf]) -> Vec<Location> {
    let location = |path: &PathBuf| Location { uri: uri(path), version: None, range: None };
    paths.iter().map(location).collect()
}

/// A path that no URI can name (it is relative) is better shown as it is than not at all.
pub(super) fn uri(path: &std::path::Path) -> String {
    DocumentUri::from_path(path)
        .map_or_else(|| path.display().to_string(), |uri| uri.as_str().to_owned())
}
