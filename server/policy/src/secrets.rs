//! Secrets, and how they are kept out of what is written, shown and handed on.
//!
//! A [`Redactor`] knows the values that must not appear, and the shapes that tokens and keys have
//! wherever they come from. It works line by line, so that a text redacted in pieces, as it
//! arrives, is the same as the text redacted whole. A secret becomes [`MARK`], which is no longer
//! than any secret.

mod environment;
mod pem;
mod shapes;
mod stream;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

pub use environment::{is_injection_name, is_secret_name, scrub, secret_values};
pub use stream::RedactStream;

/// What stands where a secret was.
pub const MARK: &str = "[secret]";

/// Shorter values would be found in words that mean no harm.
const SHORTEST: usize = MARK.len();

/// Takes secrets out of texts. Cheap to clone.
#[derive(Clone, Default)]
pub struct Redactor {
    /// The longest first, so that none is found inside another.
    values: Arc<[String]>,
}

impl Redactor {
    /// Values shorter than eight bytes are not looked for.
    pub fn new(values: impl IntoIterator<Item = String>) -> Redactor {
        let mut all: Vec<String> = values.into_iter().flat_map(|value| spellings(&value)).collect();
        all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all.dedup();
        Redactor { values: all.into() }
    }

    /// The same, with one value more.
    #[must_use]
    pub fn with(&self, value: &str) -> Redactor {
        Redactor::new(self.values.iter().cloned().chain([value.to_owned()]))
    }

    /// The text without the secrets in it. Never longer than it was.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut stream = self.stream();
        let mut redacted = stream.push(text);
        redacted.push_str(&stream.finish());
        if redacted == text { Cow::Borrowed(text) } else { Cow::Owned(redacted) }
    }

    /// For a text that comes in pieces.
    pub fn stream(&self) -> RedactStream {
        RedactStream::new(self.clone())
    }

    /// One line, or a piece of a very long one: known values first, then shapes.
    fn line(&self, line: &str) -> String {
        let mut text = Cow::Borrowed(line);
        for value in self.values.iter() {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), MARK));
            }
        }
        let mut redacted = String::with_capacity(text.len());
        let mut done = 0;
        for span in shapes::find(&text) {
            redacted.push_str(&text[done..span.start]);
            redacted.push_str(MARK);
            done = span.end;
        }
        redacted.push_str(&text[done..]);
        redacted
    }
}

/// The secrets that a process knows of, and learns: clones share them.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Arc<RwLock<Redactor>>);

impl Secrets {
    pub fn new(values: impl IntoIterator<Item = String>) -> Secrets {
        Secrets(Arc::new(RwLock::new(Redactor::new(values))))
    }

    /// From now on nobody shows this value any more.
    pub fn learn(&self, value: &str) {
        let mut redactor = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *redactor = redactor.with(value);
    }

    /// What is known by now.
    pub fn redactor(&self) -> Redactor {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The value as it may be written: plain, in a URL, in JSON, and each of its lines.
fn spellings(value: &str) -> Vec<String> {
    let value = value.trim();
    let in_url: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let in_json: String = value
        .chars()
        .flat_map(|c| match c {
            '"' | '\\' => vec!['\\', c],
            '\n' => vec!['\\', 'n'],
            c => vec![c],
        })
        .collect();
    let lines = value.lines().map(|line| line.trim().to_owned());
    // The whole of a value with several lines is never on one line.
    let all = [in_url, in_json].into_iter().chain(lines);
    all.filter(|text| text.len() >= SHORTEST && !text.contains('\n')).collect()
}

/// Never shows what it looks for.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} values)", self.values.len())
    }
}
