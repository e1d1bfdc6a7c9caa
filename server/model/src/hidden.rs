//! Keys that were sent, so that a server which repeats one in an error does not get it shown.

use std::sync::{Arc, PoisonError, RwLock};

use agent::ModelError;
use reqwest::header::HeaderMap;

/// Shorter values would be found in ordinary words.
const SHORTEST: usize = 8;

/// Clones share what they know.
#[derive(Clone, Default)]
pub(crate) struct Hidden(Arc<RwLock<Vec<String>>>);

impl Hidden {
    /// Remembers every header that was marked as sensitive.
    pub(crate) fn remember(&self, headers: &HeaderMap) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for value in headers.values().filter(|value| value.is_sensitive()) {
            let text = value.to_str().unwrap_or_default();
            let text = text.strip_prefix("Bearer ").unwrap_or(text).trim();
            if text.len() >= SHORTEST && !known.iter().any(|mine| mine == text) {
                known.push(text.to_owned());
            }
        }
    }

    pub(crate) fn clean(&self, mut error: ModelError) -> ModelError {
        for value in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            error.message = error.message.replace(value.as_str(), "[secret]");
        }
        error
    }
}
