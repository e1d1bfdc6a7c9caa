//! Small languages that mostly print: their programs are looked at word by word, and only what is
//! known to stay with its input counts as looking.

use super::Looks;
use crate::shell::flags::{Flags, sort};
use crate::shell::prove::Literal;

/// `awk '{print $1}' file`: no redirection, no pipe, no call of anything that runs or reads more.
pub(super) fn awk(arguments: &[Literal]) -> Option<Looks> {
    const FLAGS: Flags = Flags { short: "", valued: "Fv", long: &[] };
    let sorted = sort(arguments, &FLAGS)?;
    let (program, files) = sorted.operands.split_first()?;
    // An operand with `=` sets a variable.
    (stays_in_awk(program) && !files.iter().any(|file| file.contains('='))).then(|| looks(files))
}

fn stays_in_awk(program: &str) -> bool {
    const LEAVES: [&str; 13] = [
        "system", "getline", "close", "fflush", "function", "func", "ENVIRON", "PROCINFO", "ARGV",
        "ARGC", "nextfile", "FUNCTAB", "SYMTAB",
    ];
    let mut names = program.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
    !program.contains(['>', '|', '@', '`', '\\']) && !names.any(|name| LEAVES.contains(&name))
}

/// `jq '.a[]' file`: no environment, no modules, no options that read other files.
pub(super) fn jq(arguments: &[Literal]) -> Option<Looks> {
    const FLAGS: Flags = Flags {
        short: "rcsSeMCjan",
        valued: "",
        long: &[
            "raw-output",
            "compact-output",
            "slurp",
            "sort-keys",
            "exit-status",
            "monochrome-output",
            "color-output",
            "join-output",
            "tab",
            "null-input",
        ],
    };
    let sorted = sort(arguments, &FLAGS)?;
    let (filter, files) = sorted.operands.split_first()?;
    let lower = filter.to_ascii_lowercase();
    let leaves = ["env", "import", "include", "input", "debug", "halt", "__loc__"];
    (!leaves.iter().any(|word| lower.contains(word))).then(|| looks(files))
}

fn looks(files: &[&str]) -> Looks {
    let paths = files.iter().map(|file| (*file).to_owned()).collect();
    Looks { paths, ..Looks::default() }
}
