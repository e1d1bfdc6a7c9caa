//! Pictures and PDFs on their way to a model: from a file or a prompt to what a conversation holds.
//!
//! Decoding what others made takes time and memory, and may go wrong in any way. So it is done on
//! threads of its own, few at a time, and nobody waits for one longer than a deadline.

use std::path::Path;
use std::time::Duration;

use agent::{ImageSource, ResultPart, pdf_document};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use media::picture::kilobytes;
pub use media::{Kind, Picture};
use media::{Pdf, pages};
use policy::Verdict;
use tokio::sync::{Semaphore, oneshot};
use workspace::{ReadError, Stamp};

use crate::context::SessionState;
use crate::place::{Sight, absolute, blocking, check_given, shown};
use crate::show::reminder;
use crate::tool::Problem;

/// What one document may be that is sent as it is. A request takes 32 MB of Base64 in all.
const LARGEST_DOCUMENT: usize = 12_000_000;
/// The most of a document's words that one call gives.
const MOST_WORDS: usize = 80_000;

const WITHIN: Duration = Duration::from_secs(20);
const STACK: usize = 16 << 20;
/// Those who are still at work, also when nobody waits for them any more.
static AT_WORK: Semaphore = Semaphore::const_new(2);

/// A file that a model can be shown, by its first bytes.
#[derive(Clone, Debug)]
pub struct MediaFile {
    pub kind: Kind,
    pub bytes: Vec<u8>,
    pub stamp: Stamp,
}

impl MediaFile {
    /// The file at a real path, if it is one. Waits for the disk.
    pub fn read(path: &Path) -> Result<Option<MediaFile>, ReadError> {
        let wanted = |head: &[u8]| Kind::of(head).map(|kind| (kind, kind.largest_file()));
        let found = workspace::read_if(path, Kind::HEAD, wanted)?;
        Ok(found.map(|(kind, bytes, stamp)| MediaFile { kind, bytes, stamp }))
    }
}

pub fn too_large(path: &Path, size: u64, cap: u64) -> Problem {
    let path = path.display();
    Problem(format!(
        "{path} has {size} bytes, and at most {cap} can be looked at. Make a smaller copy with a \
         program that knows this format."
    ))
}

/// How a model is given a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the file it is.
    Document,
    /// The words in it.
    Words,
}

/// A picture, small enough for any provider, after a line about it.
pub async fn show_picture(name: &str, bytes: Vec<u8>) -> Result<Vec<ResultPart>, Problem> {
    let picture = apart(name, move || media::picture::fit(&bytes)).await?;
    let picture = picture.map_err(|problem| Problem(format!("{name} {problem}.")))?;
    let mut about = format!("{name} ({})", picture.described());
    if picture.was_scaled() {
        let (width, height) = picture.original;
        about.push_str(&format!("; it was made smaller from {width}×{height}"));
    }
    Ok(vec![ResultPart::Text { text: about }, part(&picture)])
}

/// The picture itself.
pub fn part(picture: &Picture) -> ResultPart {
    let media_type = picture.kind.mime().to_owned();
    let data = STANDARD.encode(&picture.bytes);
    ResultPart::Image { source: ImageSource::Base64 { media_type, data } }
}

/// The pages of a document that were asked for, after a line about them.
pub async fn show_pdf(
    name: &str,
    bytes: Vec<u8>,
    asked: Option<String>,
    form: Form,
) -> Result<Vec<ResultPart>, Problem> {
    let owned = name.to_owned();
    apart(name, move || {
        let pdf = Pdf::open(&bytes).map_err(|problem| Problem(format!("{owned} {problem}.")))?;
        let total = pdf.pages();
        let chosen = pages::choose(asked.as_deref(), total)
            .map_err(|problem| Problem(format!("{owned} was not read. {problem}")))?;
        let (first, last) = (*chosen.start(), *chosen.end());
        let which = match (first, last) {
            (1, last) if last == total => format!("{total} pages"),
            (first, last) if first == last => format!("page {first} of {total}"),
            (first, last) => format!("pages {first}–{last} of {total}"),
        };
        if form == Form::Words {
            return Ok(words(&owned, &pdf, first, last));
        }
        let bytes = if last - first + 1 == total { bytes } else { only(&owned, &pdf, chosen)? };
        if bytes.len() > LARGEST_DOCUMENT {
            return Err(Problem(format!(
                "{owned} was not read: {which} are {}, and at most {} can be sent. Ask for fewer \
                 pages with `pages`, or for its words with a program such as `pdftotext`.",
                kilobytes(bytes.len()),
                kilobytes(LARGEST_DOCUMENT)
            )));
        }
        let about = format!("{owned} (PDF, {which}, {})", kilobytes(bytes.len()));
        let document = pdf_document(STANDARD.encode(&bytes), &owned);
        Ok(vec![ResultPart::Text { text: about }, ResultPart::Other(document)])
    })
    .await?
}

fn only(name: &str, pdf: &Pdf, pages: std::ops::RangeInclusive<u32>) -> Result<Vec<u8>, Problem> {
    pdf.only(pages).map_err(|problem| Problem(format!("{name} {problem}.")))
}

/// What the pages say, as far as it fits.
fn words(name: &str, pdf: &Pdf, first: u32, last: u32) -> Vec<ResultPart> {
    let total = pdf.pages();
    let mut text = String::new();
    let (mut shown, mut any) = (first, false);
    for page in first..=last {
        let said = pdf.text(page);
        any |= !said.is_empty();
        let said = if said.is_empty() { "[no words on this page]" } else { &said };
        let cut = &said[..said.floor_char_boundary(MOST_WORDS)];
        if page > first && text.len() + cut.len() > MOST_WORDS {
            break;
        }
        text.push_str(&format!("--- {name}, page {page} of {total} ---\n{cut}\n"));
        shown = page;
    }
    if !any {
        let note = "There are no words in these pages; they are pictures, or their letters cannot be \
                    told. A program such as `pdftoppm -png` makes pictures of them, which can be read.";
        text.push_str(&reminder(note));
    } else if shown < last {
        let next = shown + 1;
        text.push_str(&reminder(&format!(
            "PARTIAL: these are pages {first} to {shown}. Read on with pages \"{next}-{last}\"."
        )));
    }
    vec![ResultPart::Text { text }]
}

/// What the user added to a prompt by name; nothing where that is no picture and no PDF. To name a
/// file is a yes, but what a rule denies is not read.
pub async fn attached(
    session: &SessionState,
    given: &str,
    form: Form,
) -> Result<Option<Vec<ResultPart>>, Problem> {
    if check_given(given).is_err() {
        return Ok(None);
    }
    let path = absolute(session, given);
    let (name, sight) = (shown(session.cwd(), &path), Sight::of(session));
    let found = blocking(move || match sight.of_reading(&path) {
        (Verdict::Deny, _) | (_, None) => Ok(None),
        (_, Some(real)) => MediaFile::read(&real),
    });
    match found.await? {
        Ok(Some(file)) if file.kind == Kind::Pdf => {
            show_pdf(&name, file.bytes, None, form).await.map(Some)
        }
        Ok(Some(file)) => show_picture(&name, file.bytes).await.map(Some),
        Err(ReadError::TooLarge { path, size, cap }) => Err(too_large(&path, size, cap)),
        // It may be no file at all, but somebody's name.
        Ok(None) | Err(_) => Ok(None),
    }
}

pub fn from_base64(data: &str) -> Option<Vec<u8>> {
    STANDARD.decode(data.trim_ascii()).ok()
}

/// Does heavy work where nobody is in its way. A panic costs this piece of work only; work that does
/// not end keeps its place, so that it cannot pile up.
async fn apart<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let too_long = |_| Problem(format!("{name} takes too long to open. It may be made to do so."));
    let busy = |_| Problem::new("Other pictures or documents are still being opened; try again.");
    let place = tokio::time::timeout(WITHIN, AT_WORK.acquire()).await.map_err(busy)?;
    let (done, result) = oneshot::channel();
    let thread = std::thread::Builder::new().name("media".to_owned()).stack_size(STACK);
    let started = thread.spawn(move || {
        let _place = place;
        // Nobody may be waiting any more.
        let _ = done.send(work());
    });
    started
        .map_err(|error| Problem(format!("No thread could be started ({error}); try again.")))?;
    let result = tokio::time::timeout(WITHIN, result).await.map_err(too_long)?;
    result.map_err(|_| Problem(format!("{name} could not be opened: it breaks the reader.")))
}
