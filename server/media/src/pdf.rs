//! A PDF: how many pages it has, what they say, and some of its pages as a document of their own.

mod budget;
mod subset;
#[cfg(test)]
mod tests;
mod text;

use std::ops::RangeInclusive;

use lopdf::{DecompressError, Document, Error, LoadOptions, ObjectId};

/// A larger file is not looked at.
pub const LARGEST_FILE: u64 = 64 << 20;
/// What one stream may be when it is unpacked.
const LARGEST_STREAM: usize = 8 << 20;
/// So many pages are counted.
const MOST_PAGES: usize = 20_000;

/// A document whose structure was read.
pub struct Pdf {
    document: Document,
    pages: Vec<ObjectId>,
}

/// The rest of a sentence that begins with the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdfProblem {
    #[error(
        "is protected with a password or against copying; ask the user for a copy without, for \
         example from `qpdf --decrypt`"
    )]
    Locked,
    #[error("is damaged ({0}); a program such as `qpdf` or `mutool clean` may mend it")]
    Damaged(String),
    #[error("unpacks to more than can be looked at; split it, for example with `qpdf --pages`")]
    TooMuch,
    #[error("has no pages")]
    Empty,
}

impl From<Error> for PdfProblem {
    fn from(error: Error) -> Self {
        match error {
            Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => PdfProblem::TooMuch,
            error => PdfProblem::Damaged(error.to_string()),
        }
    }
}

impl Pdf {
    pub fn open(bytes: &[u8]) -> Result<Pdf, PdfProblem> {
        if is_locked(bytes) {
            return Err(PdfProblem::Locked);
        }
        let document = budget::within(|filter| {
            let options = LoadOptions {
                filter: Some(filter),
                max_decompressed_size: Some(LARGEST_STREAM),
                ..LoadOptions::default()
            };
            Document::load_mem_with_options(bytes, options)
        })?;
        let pages: Vec<_> = document.page_iter().take(MOST_PAGES).collect();
        if pages.is_empty() {
            return Err(PdfProblem::Empty);
        }
        Ok(Pdf { document, pages })
    }

    pub fn pages(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }

    /// These pages, counted from one, as a document of their own.
    pub fn only(&self, pages: RangeInclusive<u32>) -> Result<Vec<u8>, PdfProblem> {
        let mut document = subset::of(&self.document, self.ids(pages));
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).map_err(|error| PdfProblem::Damaged(error.to_string()))?;
        Ok(bytes)
    }

    /// What a page says; nothing where it is only a picture, or cannot be read.
    pub fn text(&self, page: u32) -> String {
        let id = self.ids(page..=page).first();
        id.and_then(|id| text::of_page(&self.document, *id)).unwrap_or_default()
    }

    fn ids(&self, pages: RangeInclusive<u32>) -> &[ObjectId] {
        let first = (*pages.start() as usize).saturating_sub(1);
        let last = (*pages.end() as usize).min(self.pages.len());
        self.pages.get(first..last).unwrap_or_default()
    }
}

/// Whether the file says how it is encrypted. That stands where nothing is packed, and it is looked
/// for before anything is unpacked, because what is encrypted is unpacked without a budget.
fn is_locked(bytes: &[u8]) -> bool {
    const WORD: &[u8] = b"/Encrypt";
    bytes.windows(WORD.len()).enumerate().filter(|(_, window)| *window == WORD).any(|(at, _)| {
        let rest = bytes[at + WORD.len()..].trim_ascii_start();
        rest.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'<')
    })
}
