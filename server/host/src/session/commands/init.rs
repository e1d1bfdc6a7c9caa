//! `/init`: the model looks at the project and writes down what every agent should know of it.

use super::{Done, Outcome};
use crate::session::Session;

const INSTRUCTIONS: &str = "The user wants a file with instructions for coding agents that work in \
    this project. Find out how it is built, tested, run and linted, by reading its configuration \
    rather than by guessing; how it is laid out, where that cannot be seen from the names; and \
    which customs of the code a newcomer would get wrong. Look at what is there already: README, \
    CONTRIBUTING, AGENTS.md, CLAUDE.md, rules of other agents. Then write AGENTS.md at the root, or \
    improve the file that is there (CLAUDE.md if the project has that one and no AGENTS.md). Keep \
    it under a hundred lines: commands that can be copied, facts that cost time to find out, no \
    general advice, nothing that the code says by itself, no secrets. Leave out what you could not \
    make sure of. Say in two sentences what you wrote.";

pub(super) fn run(_: &mut Session, argument: &str) -> Outcome {
    let written = format!("/init {argument}");
    Ok(Done::instruct(written.trim_end(), INSTRUCTIONS))
}
