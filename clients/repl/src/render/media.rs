//! Pictures and documents in a terminal: a few words that say they are there.

use protocol::prompt::Block;

/// `image (image/png, 640×480, 12 kB)`, as far as it is known.
pub(crate) fn picture(mime: &str, edges: (Option<u32>, Option<u32>), size: Option<u64>) -> String {
    let mut facts = vec![mime.to_owned()];
    if let (Some(width), Some(height)) = edges {
        facts.push(format!("{width}×{height}"));
    }
    facts.extend(size.map(bytes));
    format!("image ({})", facts.join(", "))
}

fn bytes(size: u64) -> String {
    match size {
        0..1_000 => format!("{size} bytes"),
        1_000..1_000_000 => format!("{} kB", size / 1_000),
        _ => format!("{}.{} MB", size / 1_000_000, size / 100_000 % 10),
    }
}

/// What came with a prompt.
pub(crate) fn attachment(block: &Block) -> Option<String> {
    match block {
        Block::Image(image) => Some(picture(&image.mime_type, (image.width, image.height), None)),
        Block::Document(document) => {
            let title = document.title.as_deref().or(document.uri.as_deref());
            Some(format!("document {}", title.unwrap_or(&document.mime_type)))
        }
        Block::File(file) => Some(file.uri.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_said() {
        let all = picture("image/png", (Some(640), Some(480)), Some(12_345));
        assert_eq!(all, "image (image/png, 640×480, 12 kB)");
        assert_eq!(picture("image/gif", (None, None), None), "image (image/gif)");
        assert_eq!(
            picture("image/gif", (None, None), Some(2_340_000)),
            "image (image/gif, 2.3 MB)"
        );
    }
}
