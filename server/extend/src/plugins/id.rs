//! The name of a plugin: `plugin@marketplace`. Both parts become folders, so they are plain words.

use std::fmt;
use std::str::FromStr;

/// Where plugins that came without a marketplace say they are from: `--plugin-dir`.
pub const INLINE: &str = "inline";

/// The same of folders among the user's skills that are plugins.
pub const SKILLS_DIR: &str = "skills-dir";

const LONGEST: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PluginId {
    pub name: String,
    pub marketplace: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("`{0}` is no plugin; write PLUGIN@MARKETPLACE")]
    Shape(String),
    #[error("`{0}` is no name; use letters, digits, `-`, `_` and `.`, at most 64 of them")]
    Name(String),
}

impl PluginId {
    pub fn new(name: &str, marketplace: &str) -> Result<PluginId, IdError> {
        check_name(name)?;
        check_name(marketplace)?;
        Ok(PluginId { name: name.to_owned(), marketplace: marketplace.to_owned() })
    }
}

impl FromStr for PluginId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<PluginId, IdError> {
        let shape = || IdError::Shape(text.escape_debug().to_string());
        let (name, marketplace) = text.split_once('@').ok_or_else(shape)?;
        PluginId::new(name, marketplace)
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.marketplace)
    }
}

/// Whether a text may name a plugin or a marketplace.
pub fn check_name(name: &str) -> Result<(), IdError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let starts = name.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    match starts && name.len() <= LONGEST && name.chars().all(plain) {
        true => Ok(()),
        false => {
            Err(IdError::Name(name.chars().take(LONGEST).flat_map(char::escape_debug).collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_are_plain_words() {
        let check = |text: &str, expect: bool| {
            assert_eq!(text.parse::<PluginId>().is_ok(), expect, "{text:?}");
        };
        check("a@b", true);
        check("Lint-2.x@my_market", true);
        check("a", false);
        check("@b", false);
        check("a@", false);
        check("../a@b", false);
        check("a@b/c", false);
        check(".a@b", false);
        check("a@..", false);
        check("a b@c", false);
        check("a@b@c", false);
        check(&format!("{}@b", "a".repeat(65)), false);
        assert_eq!("a@b".parse::<PluginId>().unwrap().to_string(), "a@b");
    }
}
