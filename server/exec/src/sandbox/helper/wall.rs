//! The kernel's rules about files, by Landlock.
//!
//! They stand also behind mounts, as a second wall: a mount that was got wrong then still does not
//! let anybody write outside.

use std::fs::File;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

use super::super::orders::{Failure, Wall, Word};

/// The newest rules we know; older kernels enforce those they have.
const NEWEST: ABI = ABI::V6;
/// The oldest kernel (6.2) on which Landlock can be the only wall: before, any file could be cut
/// to nothing.
const OLDEST: ABI = ABI::V3;

/// Devices that belong to nobody, writable wherever they are.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx"];
/// Where mounts stand these are the process's own; else other people's terminals and memory.
const OWN_DEVICES: [&str; 2] = ["/dev/pts", "/dev/shm"];

pub(super) fn build(wall: &Wall) -> Result<(), Failure> {
    match restrict(wall) {
        Ok(RulesetStatus::NotEnforced) if wall.needed => {
            Err(Failure::NoWalls("the kernel does not enforce the sandbox's rules".to_owned()))
        }
        Ok(_) => Ok(()),
        Err(_) if !wall.needed => Ok(()),
        Err(error) => {
            Err(Failure::NoWalls(format!("the sandbox could not set its rules: {error}")))
        }
    }
}

fn restrict(wall: &Wall) -> Result<RulesetStatus, landlock::RulesetError> {
    let write = AccessFs::from_write(NEWEST);
    let read = AccessFs::from_read(NEWEST) & !AccessFs::Execute;
    let mut rules = Ruleset::default();
    if wall.needed {
        let oldest = AccessFs::from_write(OLDEST);
        rules = rules.set_compatibility(CompatLevel::HardRequirement).handle_access(oldest)?;
    }
    rules = rules.set_compatibility(CompatLevel::BestEffort).handle_access(write)?;
    if wall.readable.is_some() {
        rules = rules.handle_access(read)?;
    }
    if wall.alone {
        rules = rules.scope(Scope::AbstractUnixSocket | Scope::Signal)?;
    }
    let mut rules = rules.create()?;
    rules = add(rules, wall.writable.iter().map(Word::path), write)?;
    let own = OWN_DEVICES.iter().filter(|_| !wall.needed);
    rules = add(rules, DEVICES.iter().chain(own).map(Path::new), write)?;
    if let Some(readable) = &wall.readable {
        rules = add(rules, readable.iter().map(Word::path), read)?;
        let list = BitFlags::from(AccessFs::ReadDir);
        rules = add(rules, wall.listable.iter().map(Word::path), list)?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

/// What has gone meanwhile needs no grant. Paths were followed before, so a link on the way was
/// put there since, and what it leads to is not granted.
fn add<'a>(
    mut rules: RulesetCreated,
    paths: impl Iterator<Item = &'a Path>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    for path in paths {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
        let Ok(opened) = opened.map(File::from) else { continue };
        let is_folder = opened.metadata().is_ok_and(|metadata| metadata.is_dir());
        let access = if is_folder { access } else { access & AccessFs::from_file(NEWEST) };
        rules = rules.add_rule(PathBeneath::new(opened, access))?;
    }
    Ok(rules)
}

/// Whether the kernel can enforce rules that are a wall of their own.
pub(crate) fn is_enough() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(OLDEST))
        .and_then(Ruleset::create)
        .is_ok()
}
