//! `/code-review [what]`: the model looks over changes, and changes nothing.

use super::{Done, Outcome};
use crate::session::Session;

const INSTRUCTIONS: &str = "The user wants a review of changes. If they named something (a branch, \
    a commit, a pull request, a file), review that; else everything that is not yet on the main \
    branch: commits of this branch, and what is not committed. Read the diff, and enough of the code \
    around it to know what it does. Look for what is wrong: mistakes in logic, cases that are \
    forgotten, races, leaks, holes that an attacker could use, broken promises to callers, tests \
    that are missing or prove nothing. Check a suspicion in the code before you report it. Report \
    the findings with the worst first, each with file and line, what happens and when, and what \
    would mend it; say what you are not sure of. No praise, no summary of the diff, no matters of \
    taste. If nothing is wrong, say so in one sentence. Change no file.";

pub(super) fn run(_: &mut Session, argument: &str) -> Outcome {
    let written = format!("/code-review {argument}");
    Ok(Done::instruct(written.trim_end(), INSTRUCTIONS))
}
