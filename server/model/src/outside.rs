//! What only the host can give: the files that the user's environment names, and the time.

use std::time::SystemTime;

/// Certificates and cloud credentials lie in files; a signature needs the time.
pub trait Outside: Send + Sync {
    /// A file that the user's own environment names, or one in a well-known place below the home
    /// directory (`~/…`). The error is a few words that hold no secret.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    fn now(&self) -> SystemTime;
}

/// Nothing to read, and the beginning of time.
pub(crate) struct Nothing;

impl Outside for Nothing {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("files cannot be read here".to_owned())
    }

    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}
