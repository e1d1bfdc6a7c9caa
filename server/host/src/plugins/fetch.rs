//! Getting a plugin or a marketplace from where it is. Programs of the user do the fetching where
//! they know more than we do: git its credentials, npm its registries.

mod git;
mod npm;
mod web;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use exec::Walls;
use extend::plugins::{PluginSource, tree};

use crate::own;
use crate::plugins::Plugins;

/// Who fetches: programs of the user's own, behind the walls of such programs.
pub(super) struct Fetcher {
    env: Vec<(OsString, OsString)>,
    walls: Walls,
}

impl Plugins {
    /// What is fetched may be put into `staging`.
    pub(super) fn fetcher(&self, staging: &Path) -> Fetcher {
        Fetcher {
            env: policy::scrub(self.host.env.iter().cloned()),
            walls: own::walls(&self.host, &self.sandbox, Vec::new(), &[staging]),
        }
    }
}

/// What was fetched, still where it was put for the moment.
pub(super) struct Fetched {
    /// A folder, or the file of a marketplace.
    pub(super) root: PathBuf,
    /// Of a repository.
    pub(super) commit: Option<String>,
}

/// `base` is the marketplace's own folder, for sources within it.
pub(super) async fn fetch(
    fetcher: &Fetcher,
    source: &PluginSource,
    base: Option<&Path>,
    staging: &Path,
) -> Result<Fetched, String> {
    let plain = |root: PathBuf| Fetched { root, commit: None };
    match source {
        PluginSource::Within(path) => {
            let base = base.filter(|base| base.is_dir());
            let base = base.ok_or_else(|| {
                format!("{source} lies in its marketplace, of which only a file is here.")
            })?;
            let root = workspace::real_path(&base.join(path)).map_err(|error| error.to_string())?;
            match root.starts_with(base) {
                true => Ok(plain(root)),
                false => Err(format!("{source} leads out of its marketplace.")),
            }
        }
        PluginSource::Local(path) => {
            workspace::real_path(path).map(plain).map_err(|error| error.to_string())
        }
        PluginSource::Git { url, reference, commit, folder } => {
            let wanted = commit.as_ref().or(reference.as_ref()).map(String::as_str);
            let (root, commit) = git::clone(fetcher, url, wanted, &staging.join("clone")).await?;
            let root = folder.as_ref().map_or_else(|| root.clone(), |folder| root.join(folder));
            Ok(Fetched { root, commit: Some(commit) })
        }
        PluginSource::Npm { package, version, registry } => {
            let wanted =
                npm::Wanted { package, version: version.as_deref(), registry: registry.as_deref() };
            let archive = npm::pack(fetcher, &wanted, staging).await?;
            unpack(source, &archive, staging).map(plain)
        }
        PluginSource::Archive { url, sha256 } => {
            let archive = staging.join("archive");
            web::download(url, &archive).await?;
            let sum = tree::sha256(&archive).map_err(|error| error.to_string())?;
            if sha256.as_ref().is_some_and(|wanted| *wanted != sum) {
                return Err(format!("{source} is not what was promised: its SHA-256 is {sum}."));
            }
            unpack(source, &archive, staging).map(plain)
        }
        PluginSource::File { url } => {
            let file = staging.join("marketplace.json");
            web::download(url, &file).await?;
            Ok(plain(file))
        }
    }
}

fn unpack(source: &PluginSource, archive: &Path, staging: &Path) -> Result<PathBuf, String> {
    let unpacked = tree::unpack(archive, &staging.join("unpacked"));
    unpacked.map_err(|error| format!("{source}: {error}."))
}
