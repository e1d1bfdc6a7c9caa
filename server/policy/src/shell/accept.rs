//! File commands that the mode acceptEdits lets through: the folder work around an edit.

use super::flags::{Flags, sort};
use super::prove::Literal;

const KNOWN: [(&str, Flags); 6] = [
    ("mkdir", Flags { short: "pv", valued: "", long: &["parents", "verbose"] }),
    ("touch", Flags { short: "acm", valued: "", long: &["no-create"] }),
    ("rm", Flags { short: "rRfvd", valued: "", long: &["recursive", "force", "verbose"] }),
    ("rmdir", Flags { short: "pv", valued: "", long: &["parents", "verbose"] }),
    ("mv", Flags { short: "fnv", valued: "", long: &["force", "no-clobber", "verbose"] }),
    (
        "cp",
        Flags { short: "rRfnvpa", valued: "", long: &["recursive", "force", "verbose", "archive"] },
    ),
];

/// The paths a plain file command works on; all of them count as written. `None` for anything
/// that is not such a command or whose paths are not spelled out.
pub(crate) fn works_on(words: &[Literal]) -> Option<Vec<String>> {
    let (name, rest) = words.split_first()?;
    let (_, flags) = KNOWN.iter().find(|(known, _)| *known == name.text)?;
    if rest.iter().any(|word| word.glob) {
        return None;
    }
    let sorted = sort(rest, flags)?;
    let paths: Vec<String> = sorted.operands.iter().map(|path| (*path).to_owned()).collect();
    (!paths.is_empty()).then_some(paths)
}
