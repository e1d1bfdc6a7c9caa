//! The places of those who may write less than their roots, or more. Nobody looks afterwards for what
//! they made, and nothing stands in for names that are missing.

use std::path::Path;

use policy::pinned;

use super::{Survey, entries, private, root_of};
use crate::sandbox::Confinement;
use crate::sandbox::layout::{Access, Layout};
use crate::sandbox::own::open_disk;

/// Where what is in the roots can be written, and nothing comes into being directly in them.
pub(super) fn in_entries(confinement: &Confinement, mounts: bool) -> Result<Layout, String> {
    let mut survey = Survey::new(mounts, None);
    let temp = private(&confinement.temp)?;
    survey.layout.set(&temp, Access::Write);
    survey.lend_cache(confinement);
    for root in &confinement.roots {
        let root = root_of(root)?;
        survey.layout.set(&root, Access::Read);
        for name in entries(&root) {
            if pinned::pin(&root, &name).is_none() {
                survey.layout.set(root.join(name), Access::Write);
            }
        }
        survey.guard_existing(&root);
    }
    let beside = confinement.allow_write.iter().filter_map(|path| path.canonicalize().ok());
    beside.for_each(|path| survey.layout.set(path, Access::Write));
    confinement.deny_write.iter().for_each(|path| survey.forbid_there(path));
    confinement.deny_read.iter().for_each(|path| survey.hide(path));
    survey.show(confinement, true);
    survey.layout.anchor();
    if mounts && survey.layout.at(Path::new("/tmp")).is_none() {
        survey.layout.lend("/tmp", temp);
    }
    Ok(survey.layout)
}

/// Where nothing can be written. The roots are named, so that they can be seen wherever they are.
pub(super) fn closed(confinement: &Confinement, mounts: bool) -> Result<Layout, String> {
    let mut survey = Survey::new(mounts, None);
    let temp = private(&confinement.temp)?;
    for root in &confinement.roots {
        survey.layout.set(root_of(root)?, Access::Read);
    }
    survey.layout.set(&temp, Access::Write);
    confinement.deny_read.iter().for_each(|path| survey.hide(path));
    survey.show(confinement, false);
    if mounts && survey.layout.at(Path::new("/tmp")).is_none() {
        survey.layout.lend("/tmp", temp);
    }
    Ok(survey.layout)
}

/// Where only some places are closed. Nobody will look for what a command made: it may be anywhere.
pub(super) fn open(
    confinement: &Confinement,
    home: Option<&Path>,
    mounts: bool,
) -> Result<Layout, String> {
    let mut survey = Survey::new(mounts, None);
    open_disk(&mut survey, home, &confinement.roots);
    survey.layout.set(private(&confinement.temp)?, Access::Write);
    confinement.deny_write.iter().for_each(|path| survey.forbid_there(path));
    confinement.deny_read.iter().for_each(|path| survey.hide(path));
    survey.show(confinement, true);
    survey.layout.anchor();
    Ok(survey.layout)
}
