//! Edits as they are stored: `[length, [[start, end, text], …]]`.
//!
//! What is read back is as foreign as any other input and passes the checks of [`Edit::new`].

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::{Edit, Splice};

/// No text is longer, so that lengths can be added without a thought.
const LONGEST: usize = isize::MAX as usize;

impl Serialize for Splice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.range.start, self.range.end, &self.text).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Splice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Splice, D::Error> {
        let (start, end, text) = <(usize, usize, String)>::deserialize(deserializer)?;
        Ok(Splice { range: start..end, text })
    }
}

impl Serialize for Edit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.len_before, &self.splices).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Edit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Edit, D::Error> {
        let (len_before, splices) = <(usize, Vec<Splice>)>::deserialize(deserializer)?;
        if len_before > LONGEST {
            return Err(D::Error::custom("no text is as long as this edit says; compute it again"));
        }
        Edit::new(len_before, splices).map_err(D::Error::custom)
    }
}
