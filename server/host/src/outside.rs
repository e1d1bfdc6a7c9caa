//! The files that the user's own environment names for the way to a model: certificates and cloud
//! credentials. Never anything that a project could name.
#![expect(clippy::disallowed_methods, reason = "the user's own environment names these files")]

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::SystemTime;

use model::Outside;

use crate::context::Clock;

/// A bundle of every authority there is takes a quarter of this.
const LARGEST: u64 = 1 << 20;

pub(crate) struct UserFiles {
    pub(crate) home: Option<PathBuf>,
    pub(crate) clock: Clock,
}

impl Outside for UserFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let path = match (path.strip_prefix("~/"), &self.home) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_), None) => return Err("there is no home directory".to_owned()),
            (None, _) => PathBuf::from(path),
        };
        let file = File::open(path).map_err(|error| error.to_string())?;
        if !file.metadata().is_ok_and(|found| found.is_file()) {
            return Err("it is not a file".to_owned());
        }
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() as u64 > LARGEST {
            return Err("it is larger than 1 MB".to_owned());
        }
        Ok(bytes)
    }

    fn now(&self) -> SystemTime {
        self.clock.now().into()
    }
}
