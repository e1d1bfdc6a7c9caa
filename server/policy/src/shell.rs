//! Reading shell commands without running them.
//!
//! Two kinds of result that are never mixed: what a command is *proven* to be (`prove`, the only
//! ground for allowing it) and what it is *suspected* to contain (`suspect`, only ever a ground
//! for refusing or asking). A command that cannot be proven is asked about.

pub(crate) mod accept;
pub(crate) mod critical;
pub(crate) mod danger;
pub(crate) mod destructive;
pub(crate) mod excluded;
pub(crate) mod flags;
pub(crate) mod git;
pub(crate) mod lex;
pub(crate) mod outputs;
pub(crate) mod pattern;
pub(crate) mod programs;
pub(crate) mod prove;
pub(crate) mod reading;
pub(crate) mod readonly;
pub(crate) mod runners;
pub(crate) mod suspect;
pub(crate) mod touch;
pub(crate) mod whereabouts;
pub(crate) mod wrappers;

/// Longer commands are asked about: nobody can see what they approve.
pub(crate) const LONGEST: usize = 10_000;

/// Longer ones than this cannot be run at all: no system takes such a command line.
pub(crate) const LARGEST: usize = 256 * 1024;

/// The name a program goes by: `/usr/bin/touch` is `touch`.
pub(crate) fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
