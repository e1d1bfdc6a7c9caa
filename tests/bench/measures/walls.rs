//! What the walls cost: from the order to run a command to its first word, in a repository. The floor
//! is the same command without walls.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use exec::{Confinement, Disk, Exit, Limits, Nearby, Network, Program, Sandbox, Spec, Walls};
use tokio_util::sync::CancellationToken;

use super::Outcome;
use crate::contenders::{Contender, Role};
use crate::stage::Stage;
use crate::table::percentile;

const RUNS: usize = 40;

/// In this process, with the contender's program as the helper.
pub fn first_word(stage: &Stage, contender: &Contender) -> Outcome {
    let root = stage.project().canonicalize()?;
    let temp = tempfile::tempdir()?;
    let walls = match contender.role {
        Role::Bowline => within(&root, temp.path(), &contender.program)?,
        Role::Floor => Some(Walls::Open),
        Role::Peer => None,
    };
    let Some(walls) = walls else { return Ok(None) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let program = Program::Argv { program: "/bin/echo".into(), arguments: Vec::new() };
        let spec = Spec::new(program, &root, walls.clone());
        let started = Instant::now();
        let mut heard = None;
        let run = exec::run(spec, CancellationToken::new(), |_| {
            heard.get_or_insert_with(|| started.elapsed().as_secs_f64() * 1e3);
        });
        let done = runtime.block_on(run);
        times.push(heard.context("it said nothing")?);
        let done = done.context("a contained command")?;
        ensure!(done.status == Exit::Code(0), "it failed: {}", done.output);
    }
    Ok(Some(vec![percentile(&mut times, 0.5), percentile(&mut times, 0.99)]))
}

/// `None` where there is no sandbox.
fn within(root: &Path, temp: &Path, helper: &Path) -> anyhow::Result<Option<Walls>> {
    for folder in ["objects", "refs", "hooks"] {
        std::fs::create_dir_all(root.join(".git").join(folder))?;
    }
    std::fs::set_permissions(temp, PermissionsExt::from_mode(0o700))?;
    let sandbox = Sandbox::detect(Sandbox::SEARCH_PATH.as_ref(), root);
    if !sandbox.is_available() {
        return Ok(None);
    }
    Ok(Some(Walls::Within(Arc::new(Confinement {
        sandbox: Arc::new(sandbox.with_helper(helper)?),
        roots: vec![root.to_owned()],
        temp: temp.to_owned(),
        aside: temp.join("aside"),
        cache: None,
        allow_write: Vec::new(),
        deny_write: Vec::new(),
        deny_read: Vec::new(),
        shown: Vec::new(),
        network: Network::Off,
        nearby: Nearby::default(),
        disk: Disk::Roots,
        limits: Limits::default(),
    }))))
}
